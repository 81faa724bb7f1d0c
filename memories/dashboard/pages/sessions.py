"""The sessions of an app's agents: what runs, what ended, what it yielded and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Sum
from django.http import Http404, HttpResponse

from memories.dashboard.conversation import as_number, exchanges, reported_in, state_at, told_in
from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.filters import Choice, Filters, Search, agents_of
from memories.dashboard.show import fingerprint, is_seen, show, unchanged
from memories.dashboard.slices import take
from memories.models import Decision, LedgerEntry, Memory, Rejection
from memsite.tenancy.models import App
from sessions.models import TIERS, AgentSession, Resource, SessionStatus, Turn
from sessions.recording import CRASHED

MOST_BESIDES = 50
TIER_NAMES = {1: "1 observe", 2: "2 investigate", 3: "3 remediate"}


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

    def __init__(self, desk: Desk, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["agent"].choices = agents_of(desk.app)  # type: ignore[attr-defined]


@page()
def sessions(request: DeskRequest) -> HttpResponse:
    app = request.desk.app
    filters = SessionFilters(request.desk, request.GET)
    rows = narrow(AgentSession.objects.for_app(app).select_related("agent"), filters.asked())
    slice = take(filters.let_through(rows), request.GET)
    lines = lines_of(app, slice.rows)
    seen = fingerprint(
        [(line.session.uid, line.session.status, line.turns, line.memories, line.cost) for line in lines]
    )
    if is_seen(request, seen):
        return unchanged()
    context = {"filters": filters, "slice": slice, "lines": lines, "seen": seen}
    return show(request, "sessions/page", context, part="sessions/list")


def narrow(rows: QuerySet[AgentSession], asked: dict[str, Any]) -> QuerySet[AgentSession]:
    if "title" in asked:
        text = asked["title"]
        rows = rows.filter(title__icontains=text) | rows.filter(external_id__icontains=text)
    if "agent" in asked:
        rows = rows.filter(agent__name=asked["agent"])
    if "user" in asked:
        rows = rows.filter(user_id__istartswith=asked["user"])
    return rows.filter(**{name: asked[name] for name in ("status", "tier") if name in asked})


def lines_of(app: App, rows: Sequence[AgentSession]) -> list[Line]:
    """Three queries, whatever their number."""
    pks = [session.pk for session in rows]
    turns = by_session(Turn.objects.for_app(app).filter(session__in=pks), Count("pk"))
    known = by_session(Memory.objects.for_app(app).filter(session__in=pks), Count("pk"))
    costs = by_session(LedgerEntry.objects.for_app(app).filter(session__in=pks), Sum("cost"))
    return [Line(row, turns.get(row.pk, 0), known.get(row.pk, 0), costs.get(row.pk)) for row in rows]


def by_session(rows: QuerySet[Any], figure: Any) -> dict[int, Any]:
    return dict(rows.order_by().values_list("session").annotate(figure=figure))


# --- one session


def session_of(desk: Desk, uid: UUID) -> AgentSession:
    session = AgentSession.objects.for_app(desk.app).select_related("agent", "app__policy").filter(uid=uid).first()
    if session is None:
        raise Http404
    return session


@page()
def one(request: DeskRequest, uid: UUID) -> HttpResponse:
    """`?turn=N` shows the state after turn N, and the conversation around it."""
    session = session_of(request.desk, uid)
    number = as_number(request.GET.get("turn"))
    if request.htmx.target == "replay":
        replay = {"session": session, "state": state_at(session, number)}
        return show(request, "sessions/one/page", replay, part="sessions/one/replay")
    slice, said = exchanges(session, request.GET)
    (line,) = lines_of(request.desk.app, [session])
    at_start = list(told_in(session).filter(turn_number=None))
    refused = Rejection.objects.for_app(session.app).filter(session=session, decision=Decision.OPEN).count()
    events = list(reported_in(session).filter(turn_number=None).order_by("-pk")[:MOST_BESIDES])
    told = [(row.pk, row.used) for one in said for row in one.told]
    counted = (session.status, line.turns, line.memories, line.cost, refused)
    seen = fingerprint((counted, told, [row.pk for row in slice.rows], [row.pk for row in events]))
    if is_seen(request, seen):
        return unchanged()
    context = {
        "session": session, "line": line, "slice": slice, "exchanges": said, "seen": seen, "refused": refused,
        "at_start": at_start, "events": events, "used": sum(row.used is True for row in at_start),
        "state": state_at(session, number), "asked_turn": number,
    }  # fmt: skip
    return show(request, "sessions/one/page", context, part="sessions/one/parts")


@page()
def text(request: DeskRequest, uid: UUID, text_uid: UUID) -> HttpResponse:
    """A text in its whole length."""
    session = session_of(request.desk, uid)
    resource = Resource.objects.for_app(request.desk.app).filter(session=session, uid=text_uid).first()
    if resource is None:
        raise Http404
    return show(request, "sessions/one/text", {"session": session, "resource": resource})
