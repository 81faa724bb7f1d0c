"""The first page: what is known, what has happened, what waits."""

from __future__ import annotations

from django.http import HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.show import show


@page()
def overview(request: DeskRequest) -> HttpResponse:
    return show(request, "overview", {})
