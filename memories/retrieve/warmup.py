"""Bring the indexes of the process up to date after a write, so that the next search need not.

Only where somebody has searched since the last time: of many writes in a row, the first alone does it. A search in
another process reads what was written itself, as one here does where this has not happened.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils import timezone

from memories.index.app_index import AppIndex
from memories.retrieve.pipeline import indexes
from memories.retrieve.scoped_view import cached_view
from memsite.tenancy.row_level_security import confined


def bring_up_to_date(app_pk: int, **_: Any) -> None:
    """Refresh the app's indexes that were searched since the last write."""
    with confined(app_pk):
        for index in indexes.of_app(app_pk):
            if index.is_asked:
                index.is_asked = False
                refresh(index)


def refresh(index: AppIndex) -> None:
    """Refresh an index, and derive for its new view what searches had derived from the view before."""
    vectors, scoped_views = index.latest_view.held, index.latest_view.scoped_views.values.copy()
    view, now = index.up_to_date(), timezone.now().timestamp()
    work_out(view.held, vectors)
    for cached in scoped_views.values():
        if cached.scoped.is_asked:
            work_out(cached_view(view, replace(cached.scope, now=now)), cached.scoped)


def work_out(part: object, like: object) -> None:
    """Derive what the other object, if it is of the same kind, has derived."""
    if type(part) is type(like):
        for name in vars(like).copy():
            getattr(part, name)
