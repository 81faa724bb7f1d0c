"""The report of the desk: every page of it and every list of the admin is asked, and answers."""

from __future__ import annotations

import pytest
from django.utils import timezone

from bench.desk import addresses, measure_address, measure_many, operator, render
from bench.desk_data import furnish
from memories.providers.embeddings import HashEmbedder
from tests.dashboard.test_access import LOOKED_AT


@pytest.mark.long
@pytest.mark.django_db
def test_every_page_is_measured_and_has_something_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.desk.TIMES", 1)
    monkeypatch.setattr("bench.desk_data.DAYS", 40)
    app = furnish(60, HashEmbedder(), timezone.now())
    pages = dict(addresses(app))
    assert {f"`{there}`" for there in LOOKED_AT} <= pages.keys()
    client = operator()
    few = {name: measure_address(client, there) for name, there in pages.items()}
    client.get(pages["`/memories`"])
    many = measure_many(client, 2, 100)
    assert {"`/apps`", "`/apps/review`", "`/apps/policy`"} < many.keys() == few.keys()
    report = render({"60": few, "100 in 2 apps": many}, "here")
    assert "| admin: memories |" in report
    assert "|  | 60 | 100 in 2 apps |" in report


def test_times_stand_beside_those_of_the_smallest_app() -> None:
    report = render({"10": {"`/`": [0.01, 0.02, 0.03]}, "100": {"`/`": [0.05, 0.05, 0.9]}}, "here")
    assert report.splitlines()[-1] == "| `/` | 20 (30) | 50 (900) 2.5× |"
