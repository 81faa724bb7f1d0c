"""Whoever writes brings the indexes of the process up to date, so that the next search need not.

Only where somebody has asked since the last time: of many writes in a row, the first alone does it. A search in another
process reads itself what was written, as one here does where this has not happened.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils import timezone

from memories.index.app_index import AppIndex
from memories.retrieve.pipeline import indexes
from memories.retrieve.scoped_view import reading_of
from memsite.tenancy.row_level_security import confined


def bring_up_to_date(app_pk: int, **_: Any) -> None:
    with confined(app_pk):
        for index in indexes.of_app(app_pk):
            if index.is_asked:
                index.is_asked = False
                follow(index)


def follow(index: AppIndex) -> None:
    """With what searches have read of the view before, and worked out of it."""
    held, readings = index.latest_view.held, index.latest_view.readings.values.copy()
    view, now = index.up_to_date(), timezone.now().timestamp()
    work_out(view.held, held)
    for kept in readings.values():
        if kept.reading.is_asked:
            work_out(reading_of(view, replace(kept.scope, now=now)), kept.reading)


def work_out(one: object, like: object) -> None:
    """What that one, if it is of the same kind, has worked out."""
    if type(one) is type(like):
        for name in vars(like).copy():
            getattr(one, name)
