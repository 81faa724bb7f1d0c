"""Revisions, confidence over time, and which summaries a change makes stale.

Confidence is a pure function of absolute times: computed once or fifty times, the numbers are the same.

    confidence(now) = base − decay_per_week × weeks since (anchor + stale_after_days), within 0 and 1

The anchor is the last confirmation, or the later day from which on it holds. What changes confidence without confirming
(a contradiction) sets the base, and moves an anchor that lies further back than the grace period to its end: no grace
anew, and nothing decays twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.db import connection

from memories.models import Action, Memory, Revision, Status, Visibility
from memsite.http.json_body import dump_json
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy
from sessions.models import AgentSession

WEEK = timedelta(weeks=1)
# Confidence is spoken of in tenths; twelve digits keep 0.7 − 0.2 at 0.5 without losing anything real.
DIGITS = 12
TRACKED = (
    "content",
    "kind",
    "category",
    "subject",
    "tags",
    "importance",
    "confidence",
    "confidence_base",
    "anchored_at",
    "strength",
    "sentiment",
    "priority",
    "status",
    "pinned",
    "user_id",
    "visibility",
    "external_id",
    "metadata",
    "origin",
    "reviewed_by",
    "reviewed_at",
    "made_by",
    "entities",
    "confirmed_at",
    "valid_from",
    "valid_until",
)
LEARNING = "system:extraction"
"""Who changes memories by what workers find in what was said."""
Key = tuple[str, str]
"""Category and end user; "" is nobody in particular."""
SUMMARISED = (
    "content",
    "kind",
    "category",
    "subject",
    "importance",
    "status",
    "user_id",
    "visibility",
    "valid_until",
    "reviewed_by",
)
"""The fields by which a summary says something else. Confidence moves too often: its order can wait."""
MARK = """
INSERT INTO memories_summarydue AS row (app_id, category, user_id, changes, since, token) VALUES {rows}
ON CONFLICT (app_id, category, user_id) DO UPDATE SET changes = row.changes + excluded.changes
"""


def clamp(value: float) -> float:
    return min(1.0, max(0.0, round(value, DIGITS)))


def decays_from(memory: Memory) -> datetime:
    """Return the anchor; of what holds from a later day on, that day: before it there is nothing to confirm."""
    return max(memory.anchored_at, memory.valid_from or memory.anchored_at)


def confidence_at(memory: Memory, now: datetime, policy: AppPolicy) -> float:
    threshold = policy.decay_exempt_from
    if memory.pinned or (threshold is not None and memory.confidence_base >= threshold):
        return clamp(memory.confidence_base)
    # 0 within the grace period, then continuous.
    overdue = now - decays_from(memory) - timedelta(days=policy.stale_after_days)
    return clamp(memory.confidence_base - max(0.0, policy.decay_per_week * (overdue / WEEK)))


def settle(memory: Memory, value: float, now: datetime, policy: AppPolicy) -> None:
    """Make `value` the confidence of now without confirming anything: what decays goes on decaying from there."""
    memory.confidence = memory.confidence_base = clamp(value)
    overdue_since = now - timedelta(days=policy.stale_after_days)
    memory.anchored_at = max(memory.anchored_at, overdue_since)


def learnt_in(session: AgentSession) -> str:
    """Return the actor that learns in one session: whoever reads a revision sees where it was learnt."""
    return f"{LEARNING}:{session.uid}"


def snapshot(memory: Memory) -> dict[str, Any]:
    """Return the tracked fields as JSON values."""
    values = {name: getattr(memory, name) for name in TRACKED} | {"content": memory.text}
    plain: dict[str, Any] = orjson.loads(dump_json(values))
    return plain


def revision_of(
    memory: Memory, action: Action, before: Mapping[str, Any], actor: str, reason: str, now: datetime
) -> Revision:
    """Return the unsaved row for the change from `before` (a snapshot, empty for a creation) to what `memory` is now.

    Whatever else `before` has is noted, too.
    """
    after = snapshot(memory)
    changed = [name for name in TRACKED if not before or before[name] != after[name]]
    noted = [*changed, *(before.keys() - TRACKED)]
    return Revision(
        app_id=memory.app_id,
        memory=memory,
        number=memory.version,
        action=action,
        before={name: before[name] for name in noted if before},
        after={name: after[name] for name in changed},
        actor=actor[:200],
        reason=reason[:500],
        created_at=now,
    )


def state_at(memory: Memory, moment: datetime) -> dict[str, Any] | None:
    """Return the tracked fields as they were at `moment`, decay included; None before it existed. One query."""
    return states_at(memory.app, [memory], moment).get(memory.pk)


def states_at(app: App, memories: Sequence[Memory], moment: datetime) -> dict[int, dict[str, Any]]:
    """Return the same for several, by pk, without those that did not exist yet. One query."""
    rows = Revision.objects.for_app(app).filter(memory__in=memories, created_at__lte=moment).order_by("number")
    states: dict[int, dict[str, Any]] = {}
    for pk, after in rows.values_list("memory_id", "after"):
        states.setdefault(pk, {}).update(after)
    for state in states.values():
        past = Memory(**{name: parse(name, value) for name, value in state.items()})
        state["confidence"] = confidence_at(past, moment, app.policy)
    return states


def state_after(memory: Memory, number: int) -> dict[str, Any] | None:
    """Return the tracked fields as revision `number` left them; None if there is none. One query."""
    rows = Revision.objects.for_app(memory.app).filter(memory=memory, number__lte=number).order_by("number")
    state: dict[str, Any] = {}
    last = 0
    for last, after in rows.values_list("number", "after"):  # noqa: B007  # the last one is asked for
        state |= after
    return state if last == number else None


def parse(name: str, value: Any) -> Any:
    """Return a tracked field's Python value from its JSON value."""
    field: Any = Memory._meta.get_field(name)
    return field.to_python(value)


def mark_due(app: App, keys: Iterable[Key], now: datetime, changes: int = 1) -> None:
    """Note `changes` more for each key, as often as it is among `keys`. One statement, none without keys."""
    counts = sorted(Counter(keys).items())
    since = connection.ops.adapt_datetimefield_value(now)
    values = [value for key, count in counts for value in (app.pk, *key, count * changes, since)]
    if values:
        with connection.cursor() as cursor:
            cursor.execute(MARK.format(rows=", ".join(["(%s, %s, %s, %s, %s, 0)"] * len(counts))), values)


def summaries_touched(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Key]:
    """Return the summaries that a change between two snapshots of a memory makes a difference to.

    Empty: there was none.
    """
    if all(before.get(name) == after.get(name) for name in SUMMARISED):
        return []
    return list(
        dict.fromkeys(
            (state["category"], state["user_id"] or "")
            for state in (before, after)
            if state.get("status") == Status.ACTIVE and state["visibility"] != Visibility.AGENT
        )
    )


def is_withdrawn(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether it was everyone's to read, and is another's now: what was written of it then has to go."""
    if not before or before["visibility"] == Visibility.AGENT:
        return False
    return bool(after["visibility"] == Visibility.AGENT or after["user_id"] != before["user_id"])
