"""Which summaries have to be written anew, noted in the transaction that changes their memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import connection

from memories.models import Status, Visibility
from memsite.tenancy.models import App

Key = tuple[str, str]
"""Category and end user; "" is nobody in particular."""
TOLD = (
    "content", "kind", "category", "subject", "importance", "status", "user_id", "visibility", "valid_until",
    "reviewed_by",
)  # fmt: skip
"""The fields by which a summary says something else. Confidence moves too often: its order can wait."""
MARK = """
INSERT INTO memories_summarydue AS row (app_id, category, user_id, changes, since, token) VALUES {rows}
ON CONFLICT (app_id, category, user_id) DO UPDATE SET changes = row.changes + excluded.changes
"""


def mark_due(app: App, keys: Iterable[Key], now: datetime, changes: int = 1) -> None:
    """Notes `changes` more for each key, as often as it is among `keys`. One statement, none without keys."""
    counts = sorted(Counter(keys).items())
    since = connection.ops.adapt_datetimefield_value(now)
    values = [value for key, count in counts for value in (app.pk, *key, count * changes, since)]
    if values:
        with connection.cursor() as cursor:
            cursor.execute(MARK.format(rows=", ".join(["(%s, %s, %s, %s, %s, 0)"] * len(counts))), values)


def summaries_touched(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Key]:
    """The summaries that a change between two snapshots of a memory makes a difference to; empty: there was none."""
    if all(before.get(name) == after.get(name) for name in TOLD):
        return []
    return list(dict.fromkeys(summary_of(state) for state in (before, after) if is_told(state)))


def is_withdrawn(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether it was everyone's to read, and is another's now: what was written of it then has to go."""
    if not before or before["visibility"] == Visibility.AGENT:
        return False
    return bool(after["visibility"] == Visibility.AGENT or after["user_id"] != before["user_id"])


def is_told(state: Mapping[str, Any]) -> bool:
    return state.get("status") == Status.ACTIVE and state["visibility"] != Visibility.AGENT


def summary_of(state: Mapping[str, Any]) -> Key:
    return state["category"], state["user_id"] or ""
