"""Revisions: what is recorded of a change, and what can be read back from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from memories.models import Action, Memory, Revision
from memories.store.confidence import confidence_at
from memsite.http.json_body import dump_json
from memsite.tenancy.models import App
from sessions.models import AgentSession

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


def learnt_in(session: AgentSession) -> str:
    """Who does so, for one session: whoever reads a revision sees where it was learnt."""
    return f"{LEARNING}:{session.uid}"


def snapshot(memory: Memory) -> dict[str, Any]:
    """The tracked fields as JSON values."""
    values = {name: getattr(memory, name) for name in TRACKED} | {"content": memory.text}
    plain: dict[str, Any] = orjson.loads(dump_json(values))
    return plain


def revision_of(
    memory: Memory, action: Action, before: Mapping[str, Any], actor: str, reason: str, now: datetime
) -> Revision:
    """The unsaved row for the change from `before` (a snapshot, empty for a creation) to what `memory` is now.

    Whatever else is noted in `before` is told, too.
    """
    after = snapshot(memory)
    changed = [name for name in TRACKED if not before or before[name] != after[name]]
    told = [*changed, *(before.keys() - TRACKED)]
    return Revision(
        app_id=memory.app_id,
        memory=memory,
        number=memory.version,
        action=action,
        before={name: before[name] for name in told if before},
        after={name: after[name] for name in changed},
        actor=actor[:200],
        reason=reason[:500],
        created_at=now,
    )


def state_at(memory: Memory, moment: datetime) -> dict[str, Any] | None:
    """The tracked fields as they were at `moment`, decay included; None before it existed. One query."""
    return states_at(memory.app, [memory], moment).get(memory.pk)


def states_at(app: App, memories: Sequence[Memory], moment: datetime) -> dict[int, dict[str, Any]]:
    """The same for several, by pk, without those that did not exist yet. One query."""
    rows = Revision.objects.for_app(app).filter(memory__in=memories, created_at__lte=moment).order_by("number")
    states: dict[int, dict[str, Any]] = {}
    for pk, after in rows.values_list("memory_id", "after"):
        states.setdefault(pk, {}).update(after)
    for state in states.values():
        past = Memory(**{name: parse(name, value) for name, value in state.items()})
        state["confidence"] = confidence_at(past, moment, app.policy)
    return states


def state_after(memory: Memory, number: int) -> dict[str, Any] | None:
    """The tracked fields as revision `number` left them; None if there is none. One query."""
    rows = Revision.objects.for_app(memory.app).filter(memory=memory, number__lte=number).order_by("number")
    state: dict[str, Any] = {}
    last = 0
    for last, after in rows.values_list("number", "after"):  # noqa: B007  # the last one is asked for
        state |= after
    return state if last == number else None


def parse(name: str, value: Any) -> Any:
    """A tracked field's Python value from its JSON value."""
    field: Any = Memory._meta.get_field(name)
    return field.to_python(value)
