"""Sessions of an app's agents, one of them as a conversation turn by turn, and the feed of events."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Length, Substr
from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from memories.dashboard.access import Dashboard, DashboardRequest, page
from memories.dashboard.lists import Choice, Filters, KeysetPage, Search, keyset_page, name_of
from memories.dashboard.memory_history import Piece, quoted
from memories.dashboard.responses import fingerprint, is_seen, render_page, unchanged
from memories.models import Decision, FutureTrigger, Injection, LedgerEntry, Memory, Rejection
from memsite.tenancy.models import App
from sessions.models import MAX_TURN, TIERS, AgentSession, Event, Level, Resource, SessionStatus, Turn
from sessions.recording import CRASHED

TEXTS = 60
SHOWN = 4_000
"""Characters of a text; the rest is a click away."""
AHEAD = 4
"""Turns that are shown after the one asked for."""
MOST_STATE = 20_000
MOST_BESIDES = 50
TIER_NAMES = {1: "1 observe", 2: "2 investigate", 3: "3 remediate"}


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
    injections: list[Injection] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)

    @property
    def used(self) -> int:
        return sum(row.used is True for row in self.injections)

    @property
    def tools(self) -> list[dict[str, Any]]:
        calls = self.turn.tool_calls if self.turn else []
        return [as_tool(call) for call in calls] if isinstance(calls, list) else []


@dataclass(frozen=True, slots=True)
class State:
    """The state after turn `number`, as JSON, and how it differs from the one before it that is stored.

    `changed` has (key, before, after) of each key whose value differs, None where there was none.
    """

    number: int
    last: int
    turn: Turn
    text: str
    changed: Sequence[tuple[str, str | None, str | None]]


def exchanges(session: AgentSession, query: Mapping[str, str]) -> tuple[KeysetPage[Any], list[Exchange]]:
    """Return some of the conversation in its order: the latest, those around `turn`, or a page. Eight queries."""
    page = texts_of(session, query)
    rows = page.rows[::-1]
    numbers = {row.turn_number for row in rows} - {None}
    pks = [row.pk for row in rows]
    app = session.app
    here = Q(resource__in=pks) | Q(resource=None, turn_number__in=numbers)
    memories = Memory.objects.for_app(app).filter(here, session=session).select_related("cold_text").order_by("pk")
    of_text, of_turn = sorted_out(memories)
    refused, _ = sorted_out(Rejection.objects.for_app(app).filter(resource__in=pks, session=session).order_by("pk"))
    coming, _ = sorted_out(FutureTrigger.objects.for_app(app).filter(resource__in=pks).order_by("pk"))
    by_number = by_turn(told_in(session).filter(turn_number__in=numbers))
    events = by_turn(reported_in(session).filter(turn_number__in=numbers).order_by("pk"))
    turns = {turn.number: turn for turn in Turn.objects.for_app(app).filter(session=session, number__in=numbers)}
    conversation = []
    for number, group in groupby(rows, lambda row: (row.turn_number, None if row.turn_number else row.pk)):
        place = number[0]
        exchange = Exchange(place)
        for row in group:
            pieces, more = quoted(row.start, of_text[row.pk]), max(0, row.size - len(row.start))
            text = Text(row, pieces, of_text[row.pk], refused[row.pk], coming[row.pk], more)
            exchange.texts.append(text)
        if place is not None:
            exchange.turn, exchange.memories = turns.get(place), of_turn.pop(place, [])
            exchange.injections, exchange.events = by_number.pop(place, []), events.pop(place, [])
        conversation.append(exchange)
    return page, conversation


def texts_of(session: AgentSession, query: Mapping[str, str]) -> KeysetPage[Any]:
    """Return the latest first."""
    rows = Resource.objects.for_app(session.app).filter(session=session)
    rows = rows.annotate(start=Substr("raw_content", 1, SHOWN), size=Length("raw_content")).defer("raw_content")
    number = as_number(query.get("turn"))
    if number is None or query.get("after") or query.get("before"):
        return keyset_page(rows, query, TEXTS)
    last = rows.filter(turn_number__lte=number + AHEAD).order_by("-pk").values_list("pk", flat=True).first()
    page = keyset_page(rows.filter(pk__lte=last) if last else rows, {}, TEXTS)
    later = rows.filter(pk__gt=last).exists() if last else False
    return KeysetPage(page.rows, page.older, name_of(page.rows, 0) if later else None)


def as_number(text: str | None) -> int | None:
    """Return a turn's number, if it may be one."""
    is_one = text and text.isascii() and text.isdigit() and len(text) <= len(str(MAX_TURN)) and int(text) <= MAX_TURN
    return int(text) if text and is_one else None


def told_in(session: AgentSession) -> QuerySet[Injection]:
    rows = Injection.objects.for_app(session.app).into(session)
    return rows.select_related("memory__cold_text").order_by("pk")


def reported_in(session: AgentSession) -> QuerySet[Event]:
    """Return what the agent reported; new memories are shown anyway."""
    return Event.objects.for_app(session.app).filter(session=session, memory_uid=None)


def sorted_out(rows: Iterable[Any]) -> tuple[dict[int, list[Any]], dict[int, list[Any]]]:
    """Group by the text they came from, and those without one by turn."""
    of_text, of_turn = defaultdict[int, list[Any]](list), defaultdict[int, list[Any]](list)
    for row in rows:
        if row.resource_id:
            of_text[row.resource_id].append(row)
        else:
            of_turn[row.turn_number].append(row)
    return of_text, of_turn


def by_turn(rows: Iterable[Any]) -> dict[int, list[Any]]:
    turns = defaultdict[int, list[Any]](list)
    for row in rows:
        turns[row.turn_number].append(row)
    return turns


def as_tool(call: Any) -> dict[str, Any]:
    """Return `{name, input, result, is_error}` as texts, whatever the agent had stored."""
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
    """Return the state after this turn, or the last stored before it; None without a turn. Two queries."""
    turns = Turn.objects.for_app(session.app).filter(session=session).order_by("-number")
    last = turns.values_list("number", flat=True).first()
    if last is None:
        return None
    until = turns.filter(number__lte=last if number is None else max(number, 1))
    rows = list(until.defer("llm_output", "user_input", "tool_calls")[:2])
    if not rows:
        rows = list(turns.reverse()[:1])
    before = rows[1].internal_state if len(rows) > 1 else {}
    turn = rows[0]
    old, new = (value if isinstance(value, dict) else {} for value in (before, turn.internal_state))
    # Sorted by key: not every database keeps the order in which they came.
    changed = [
        (name, short(old, name), short(new, name))
        for name in sorted({*old, *new})
        if name not in old or name not in new or old[name] != new[name]
    ]
    return State(turn.number, last, turn, as_json(turn.internal_state), changed)


def short(state: Mapping[str, Any], name: str) -> str | None:
    if name not in state:
        return None
    text = as_json(state[name])
    return text if len(text) <= 200 else text[:200] + "…"


@dataclass(frozen=True, slots=True)
class Line:
    """A session with what is counted about it. `cost` in US dollars, None where no model was asked."""

    session: AgentSession
    turns: int
    memories: int
    cost: float | None

    @property
    def crashed(self) -> bool:
        return self.session.end_reason == CRASHED

    @property
    def tier(self) -> str:
        return TIER_NAMES[self.session.tier]


class SessionFilters(Filters):
    title = Search("Title or id")
    status = Choice("Status", [(status, status) for status in SessionStatus.values])
    tier = Choice("Tier", [(tier, TIER_NAMES[tier]) for tier in TIERS])
    agent = Choice("Agent", [])
    user = Search("End user")


@page()
def sessions(request: DashboardRequest) -> HttpResponse:
    app = request.dashboard.app
    filters = SessionFilters(request.GET, app=app)
    rows = narrow(AgentSession.objects.for_app(app).select_related("agent"), filters.given())
    slice = keyset_page(filters.let_through(rows), request.GET)
    lines = lines_of(app, slice.rows)
    seen = fingerprint(
        [(line.session.uid, line.session.status, line.turns, line.memories, line.cost) for line in lines]
    )
    if is_seen(request, seen):
        return unchanged()
    context = {"filters": filters, "slice": slice, "lines": lines, "seen": seen}
    return render_page(request, "sessions/page", context, part="sessions/list")


def narrow(rows: QuerySet[AgentSession], given: dict[str, Any]) -> QuerySet[AgentSession]:
    if "title" in given:
        text = given["title"]
        rows = rows.filter(title__icontains=text) | rows.filter(external_id__icontains=text)
    if "agent" in given:
        rows = rows.filter(agent__name=given["agent"])
    if "user" in given:
        rows = rows.filter(user_id__istartswith=given["user"])
    return rows.filter(**{name: given[name] for name in ("status", "tier") if name in given})


def lines_of(app: App, rows: Sequence[AgentSession]) -> list[Line]:
    """Read in three queries, whatever their number."""
    pks = [session.pk for session in rows]
    turns = by_session(Turn.objects.for_app(app).filter(session__in=pks), Count("pk"))
    known = by_session(Memory.objects.for_app(app).filter(session__in=pks), Count("pk"))
    costs = by_session(LedgerEntry.objects.for_app(app).filter(session__in=pks), Sum("cost"))
    return [Line(row, turns.get(row.pk, 0), known.get(row.pk, 0), costs.get(row.pk)) for row in rows]


def by_session(rows: QuerySet[Any], figure: Any) -> dict[int, Any]:
    return dict(rows.order_by().values_list("session").annotate(figure=figure))


# --- one session


def session_of(dashboard: Dashboard, uid: UUID) -> AgentSession:
    sessions = AgentSession.objects.for_app(dashboard.app).select_related("agent", "app__policy")
    return get_object_or_404(sessions, uid=uid)


@page()
def show_session(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Show a session; with `?turn=N` the state after turn N, and the conversation around it."""
    session = session_of(request.dashboard, uid)
    number = as_number(request.GET.get("turn"))
    if request.htmx.target == "replay":
        replay = {"session": session, "state": state_at(session, number)}
        return render_page(request, "sessions/one/page", replay, part="sessions/one/replay")
    slice, conversation = exchanges(session, request.GET)
    (line,) = lines_of(request.dashboard.app, [session])
    at_start = list(told_in(session).filter(turn_number=None))
    refused = Rejection.objects.for_app(session.app).filter(session=session, decision=Decision.OPEN).count()
    events = list(reported_in(session).filter(turn_number=None).order_by("-pk")[:MOST_BESIDES])
    uses = [(row.pk, row.used) for exchange in conversation for row in exchange.injections]
    counted = (session.status, line.turns, line.memories, line.cost, refused)
    seen = fingerprint((counted, uses, [row.pk for row in slice.rows], [row.pk for row in events]))
    if is_seen(request, seen):
        return unchanged()
    context = {
        "session": session,
        "line": line,
        "slice": slice,
        "exchanges": conversation,
        "seen": seen,
        "refused": refused,
        "at_start": at_start,
        "events": events,
        "used": sum(row.used is True for row in at_start),
        "state": state_at(session, number),
        "asked_turn": number,
    }
    return render_page(request, "sessions/one/page", context, part="sessions/one/parts")


@page()
def text(request: DashboardRequest, uid: UUID, text_uid: UUID) -> HttpResponse:
    """Return a text in its whole length."""
    session = session_of(request.dashboard, uid)
    resource = get_object_or_404(Resource.objects.for_app(request.dashboard.app), session=session, uid=text_uid)
    return render_page(request, "sessions/one/text", {"session": session, "resource": resource})


class EventFilters(Filters):
    message = Search("Message")
    level = Choice("Level", [(level, level) for level in Level.values])
    service = Search("Service")


@page()
def events(request: DashboardRequest) -> HttpResponse:
    filters = EventFilters(request.GET)
    rows = Event.objects.for_app(request.dashboard.app).select_related("session__agent")
    given = filters.given()
    if "level" in given:
        rows = rows.filter(level=given["level"])
    if "service" in given:
        rows = rows.filter(service__istartswith=given["service"])
    if "message" in given:
        rows = rows.filter(message__icontains=given["message"])
    slice = keyset_page(filters.let_through(rows), request.GET)
    newest = str(slice.rows[0].uid) if slice.rows else "none"
    if is_seen(request, newest):
        return unchanged()
    return render_page(request, "events/page", {"filters": filters, "slice": slice, "seen": newest}, part="events/list")
