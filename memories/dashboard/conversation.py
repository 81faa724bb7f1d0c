"""A session as a conversation: what was said, turn by turn, with what the server made of it and told the agent."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Length, Substr

from memories.dashboard.quotes import Piece, quoted
from memories.dashboard.slices import Slice, name_of, take
from memories.models import FutureTrigger, Injection, Memory, Rejection
from sessions.models import MAX_TURN, AgentSession, Event, Resource, Turn

TEXTS = 60
SHOWN = 4_000
"""Characters of a text; the rest is a click away."""
AHEAD = 4
"""Turns that are shown after the one asked for."""
MOST_STATE = 20_000


@dataclass(slots=True)
class Text:
    """One text, and what came of it. `more` is how many characters are left out."""

    resource: Any
    pieces: list[Piece]
    memories: list[Memory]
    rejections: list[Rejection]
    triggers: list[FutureTrigger]
    more: int


@dataclass(slots=True)
class Exchange:
    """A turn, or a text that belongs to none (`number` None). `told` is what the agent was shown before it answered."""

    number: int | None
    turn: Turn | None = None
    texts: list[Text] = field(default_factory=list)
    told: list[Injection] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)

    @property
    def used(self) -> int:
        return sum(row.used is True for row in self.told)

    @property
    def tools(self) -> list[dict[str, Any]]:
        calls = self.turn.tool_calls if self.turn else []
        return [as_tool(call) for call in calls] if isinstance(calls, list) else []


@dataclass(frozen=True, slots=True)
class State:
    """The state after turn `number`, as JSON, and how it differs from the one before it that is stored."""

    number: int
    last: int
    turn: Turn
    text: str
    changed: Sequence[tuple[str, str | None, str | None]]


def exchanges(session: AgentSession, asked: Mapping[str, str]) -> tuple[Slice[Any], list[Exchange]]:
    """Some of the conversation, in its order: the latest, those around `turn`, or a page of them. Eight queries."""
    page = texts_of(session, asked)
    rows = page.rows[::-1]
    numbers = {row.turn_number for row in rows} - {None}
    pks = [row.pk for row in rows]
    app = session.app
    here = Q(resource__in=pks) | Q(resource=None, turn_number__in=numbers)
    memories = Memory.objects.for_app(app).filter(here, session=session).select_related("cold_text").order_by("pk")
    of_text, of_turn = sorted_out(memories)
    refused, _ = sorted_out(Rejection.objects.for_app(app).filter(resource__in=pks, session=session).order_by("pk"))
    coming, _ = sorted_out(FutureTrigger.objects.for_app(app).filter(resource__in=pks).order_by("pk"))
    told = by_turn(told_in(session).filter(turn_number__in=numbers))
    events = by_turn(reported_in(session).filter(turn_number__in=numbers).order_by("pk"))
    turns = {turn.number: turn for turn in Turn.objects.for_app(app).filter(session=session, number__in=numbers)}
    found = []
    for number, group in groupby(rows, lambda row: (row.turn_number, None if row.turn_number else row.pk)):
        place = number[0]
        exchange = Exchange(place)
        exchange.texts = [text_of(row, of_text[row.pk], refused[row.pk], coming[row.pk]) for row in group]
        if place is not None:
            exchange.turn, exchange.memories = turns.get(place), of_turn.pop(place, [])
            exchange.told, exchange.events = told.pop(place, []), events.pop(place, [])
        found.append(exchange)
    return page, found


def texts_of(session: AgentSession, asked: Mapping[str, str]) -> Slice[Any]:
    """The latest first."""
    rows = Resource.objects.for_app(session.app).filter(session=session)
    rows = rows.annotate(start=Substr("raw_content", 1, SHOWN), size=Length("raw_content")).defer("raw_content")
    number = as_number(asked.get("turn"))
    if number is None or asked.get("after") or asked.get("before"):
        return take(rows, asked, TEXTS)
    last = rows.filter(turn_number__lte=number + AHEAD).order_by("-pk").values_list("pk", flat=True).first()
    page = take(rows.filter(pk__lte=last) if last else rows, {}, TEXTS)
    later = rows.filter(pk__gt=last).exists() if last else False
    return Slice(page.rows, page.older, name_of(page.rows, 0) if later else None)


def as_number(text: str | None) -> int | None:
    """A turn's, if it may be one."""
    is_one = text and text.isascii() and text.isdigit() and len(text) <= len(str(MAX_TURN)) and int(text) <= MAX_TURN
    return int(text) if text and is_one else None


def text_of(
    row: Any, memories: list[Memory], rejections: list[Rejection], triggers: list[FutureTrigger]
) -> Text:  # fmt: skip
    return Text(row, quoted(row.start, memories), memories, rejections, triggers, max(0, row.size - len(row.start)))


def told_in(session: AgentSession) -> QuerySet[Injection]:
    rows = Injection.objects.for_app(session.app).into(session)
    return rows.select_related("memory__cold_text").order_by("pk")


def reported_in(session: AgentSession) -> QuerySet[Event]:
    """What the agent reported; new memories are shown anyway."""
    return Event.objects.for_app(session.app).filter(session=session, memory_uid=None)


def sorted_out(rows: Iterable[Any]) -> tuple[dict[int, list[Any]], dict[int, list[Any]]]:
    """By the text they came from, and those without one by turn."""
    of_text, of_turn = defaultdict[int, list[Any]](list), defaultdict[int, list[Any]](list)
    for row in rows:
        if row.resource_id:
            of_text[row.resource_id].append(row)
        else:
            of_turn[row.turn_number].append(row)
    return of_text, of_turn


def by_turn(rows: Iterable[Any]) -> dict[int, list[Any]]:
    found = defaultdict[int, list[Any]](list)
    for row in rows:
        found[row.turn_number].append(row)
    return found


def as_tool(call: Any) -> dict[str, Any]:
    """`{name, input, result, is_error}` as texts, whatever the agent had stored."""
    if not isinstance(call, dict):
        return {"name": "tool", "input": as_json(call), "result": "", "is_error": False}
    return {
        "name": call.get("name") or call.get("id") or "tool",
        "input": as_json(call.get("input", call)),
        "result": as_json(call.get("result", "")),
        "is_error": call.get("is_error") is True,
    }


def as_json(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= MOST_STATE else text[:MOST_STATE] + "…"


# --- replay


def state_at(session: AgentSession, number: int | None) -> State | None:
    """After this turn, or the last one before it that is stored; None without a turn. Two queries."""
    turns = Turn.objects.for_app(session.app).filter(session=session).order_by("-number")
    last = turns.values_list("number", flat=True).first()
    if last is None:
        return None
    rows = list(
        turns.filter(number__lte=last if number is None else max(number, 1)).defer(
            "llm_output", "user_input", "tool_calls"
        )[:2]
    )
    if not rows:
        rows = list(turns.reverse()[:1])
    before = rows[1].internal_state if len(rows) > 1 else {}
    turn = rows[0]
    return State(turn.number, last, turn, as_json(turn.internal_state), differences(before, turn.internal_state))


def differences(before: Any, after: Any) -> list[tuple[str, str | None, str | None]]:
    """(key, before, after) of each key that is another, by key; None where there was none. Only objects have keys.

    Not every database keeps the order that they were told in.
    """
    old, new = (value if isinstance(value, dict) else {} for value in (before, after))
    return [
        (name, short(old, name), short(new, name))
        for name in sorted({*old, *new})
        if name not in old or name not in new or old[name] != new[name]
    ]


def short(state: Mapping[str, Any], name: str) -> str | None:
    if name not in state:
        return None
    text = as_json(state[name])
    return text if len(text) <= 200 else text[:200] + "…"
