"""Recall: what a question finds and why, each part of a score as a bar, and what an agent would be given."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone

from memories.dashboard.access import Dashboard, DashboardRequest, page
from memories.dashboard.lists import Choice, Filters, Moment, Search, as_uid
from memories.dashboard.responses import render_page
from memories.inject.pipeline import budget_tokens
from memories.models import Memory, Source
from memories.models.document import citation_of
from memories.models.memory import subject_of
from memories.retrieve.hits import Hit, put_below_floor
from memories.retrieve.pipeline import BESIDE, MODES, SearchRequest
from memories.retrieve.validity import at_moment
from memories.services import MemoryAgent
from memsite.tenancy.models import Agent
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import Block

WORTH = {"importance", "priority", "age", "recency", "domain", "sentiment"}
# By how the name of a part begins: what it tells, in the order in which people ask.
GROUPS = (
    ("meaning", ("meaning", "long_meaning", "similarity")),
    ("words", ("words", "long_words", "exact")),
    ("graph", ("graph",)),
    ("summary", ("passage", "summary")),
    ("beside it", ("near_", "covered_", "answers_", "session_", "opens_", "long_covered", "long_session")),
    ("subject", ("subject_", "other_asks", "of_another")),
    ("day", ("day_", "held_then")),
    ("at odds", ("surer",)),
    ("put behind", ("less_", "conflicting", "below_")),
)
RETRIEVERS = {
    "meaning": "by meaning",
    "words": "by words",
    "graph": "by the graph",
    "summary": "by a summary",
    "at odds": "contradicts the next one",
}
LEAST = 1e-9
SHOWN, LEFT_OUT = 10, 8
FIELDS = ("category", "agent", "source", "origin")
TOLD_BY = {"q", "user", "valid_at", "block_for"}
"""What the block goes by: an agent gives nothing else."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a score. `left` and `width`, in percent: a bar that begins in the middle."""

    name: str
    group: str
    value: float
    left: float
    width: float
    text: str

    @property
    def is_against(self) -> bool:
        return self.left < 50


@dataclass(frozen=True, slots=True)
class Explained:
    """A hit, its parts, the weightiest first, and the retrievers that found it."""

    hit: Hit
    place: int
    parts: Sequence[Part]
    retrievers: Sequence[str]

    @property
    def memory(self) -> Memory:
        return self.hit.memory

    @property
    def text(self) -> str:
        """Return the text, or of a long one the passage that says most about the question."""
        passage = self.hit.passage
        return passage.of(self.memory.text) if passage else self.memory.text

    @property
    def quoted_from(self) -> dict[str, Any] | None:
        return citation_of(self.hit.memory)


def explain(hits: Sequence[Hit], combined: str, *, start: int = 1) -> list[Explained]:
    """Draw the bars of all of them to one scale."""
    most = max((abs(weight(value, combined)) for hit in hits for value in hit.parts.values()), default=1.0)
    return [
        Explained(hit, place, list(parts_of(hit, combined, most or 1.0)), retrievers_of(hit, combined))
        for place, hit in enumerate(hits, start)
    ]


def weight(value: float, combined: str) -> float:
    """Return what it does to the result of the formula: a factor counts by its logarithm."""
    return value if combined == "sum" else math.log(max(value, LEAST))


def parts_of(hit: Hit, combined: str, most: float) -> Iterator[Part]:
    for name, value in sorted(hit.parts.items(), key=lambda part: -abs(weight(part[1], combined))):
        width = 50 * min(abs(weight(value, combined)) / most, 1)
        left = 50.0 if weight(value, combined) >= 0 else 50 - width
        text = f"{value:+.2f}" if combined == "sum" else f"× {value:.2f}"
        yield Part(name.replace("_", " "), group_of(name), value, round(left, 1), round(width, 1), text)


def group_of(name: str) -> str:
    if name in WORTH:
        return "worth"
    return next((group for group, begins in GROUPS if name.startswith(begins)), "how it looks")


def retrievers_of(hit: Hit, combined: str) -> list[str]:
    """Name those that speak for it. None: it stands beside what fits."""
    least = 0 if combined == "sum" else LEAST
    groups = {group_of(name) for name, value in hit.parts.items() if value > least}
    return [label for group, label in RETRIEVERS.items() if group in groups] or ["beside what fits"]


class RecallFilters(Filters):
    q = Search("Ask as an agent would")
    block_for = Choice("Block for", [])
    mode = Choice("Mode", [(mode, mode) for mode in MODES if mode != "auto"])
    subject = Search("Service")
    category = Search("Category")
    agent = Choice("Agent", [])
    source = Choice("Source", [(source, source) for source in Source.values])
    origin = Choice("Said by", Origin.choices)
    session = Search("Session id")
    user = Search("End user")
    as_of = Moment("As of")
    valid_at = Moment("Valid at")

    rare = ("mode", "subject", "category", "agent", "source", "origin", "session", "as_of", "valid_at")

    def __init__(self, dashboard: Dashboard, *args: Any, **options: Any) -> None:
        super().__init__(*args, app=dashboard.app, **options)
        agents = self.fields["agent"].choices[1:]  # type: ignore[attr-defined]
        self.fields["block_for"].choices = [("", "you, who see all"), *agents]  # type: ignore[attr-defined]
        self.fields["mode"].choices = [("", f"auto ({dashboard.app.policy.ranking})"), *self.fields["mode"].choices[1:]]  # type: ignore[attr-defined]


@page()
def recall(request: DashboardRequest) -> HttpResponse:
    filters = RecallFilters(request.dashboard, request.GET)
    given = filters.given()
    context: dict[str, Any] = {"filters": filters, "question": given.get("q", ""), "agent": given.get("block_for", "")}
    if "q" in given and not filters.refused:
        context |= answer(request.dashboard, given)
    if given.keys() & {"q", "block_for"} and not filters.refused:
        context |= preview(request.dashboard, given)
    return render_page(request, "recall/page", context, part="recall/found")


def answer(dashboard: Dashboard, fields: dict[str, Any]) -> dict[str, Any]:
    """Return what is found, what comes next, and the block of the same question. Nothing of it is counted."""
    agent, now, started = dashboard.agent(), timezone.now(), time.perf_counter()
    filters = {name: fields[name] for name in FIELDS if name in fields}
    if "subject" in fields:
        filters["subject"] = subject_of(fields["subject"])
    if "session" in fields:
        # An id that is none finds what no session has.
        filters["session_id"] = str(as_uid(fields["session"]) or UUID(int=0))
    request = SearchRequest(
        text=fields["q"],
        limit=SHOWN,
        mode=fields.get("mode", "auto"),
        user_id=fields.get("user"),
        as_of=fields.get("as_of"),
        valid=at_moment(fields["valid_at"]) if "valid_at" in fields else None,
        filters=filters,
        documents=BESIDE,
        counted=False,
    )
    result = agent.search(request, now)
    took_ms = 1000 * (time.perf_counter() - started)
    known = {hit.memory.pk for hit in result.hits}
    everything = agent.search(replace(request, floor=False, limit=SHOWN + LEFT_OUT), now)
    left_out = [hit for hit in everything.hits if hit.memory.pk not in known][:LEFT_OUT]
    if not result.more:
        put_below_floor(left_out, result.hits)
    return {
        "hits": explain(result.hits, result.combined),
        "combined": result.combined,
        "left_out": [] if result.more else explain(left_out, everything.combined, start=len(result.hits) + 1),
        "next": explain(left_out, everything.combined, start=len(result.hits) + 1) if result.more else [],
        "tier": result.tier,
        "summaries": result.summaries,
        "is_of_unknown_time": bool(result.time and not result.time.is_known),
        "degraded": result.degraded,
        "took_ms": took_ms,
    }


def preview(dashboard: Dashboard, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the block that the chosen agent gets now for this question in a new session; without one, at its start.

    Both come from where agents get theirs, and neither is counted or noted as shown.
    """
    app, user_id = dashboard.app, fields.get("user")
    row = Agent.objects.for_app(app).filter(name=fields.get("block_for", "")).first()
    agent = MemoryAgent(app, row, dashboard.actor)
    notes = {
        "is_narrowed": not fields.keys() <= TOLD_BY,
        "is_of_all_users": row is None and app.policy.users_apart and not user_id,
    }
    if "q" not in fields:
        greeting = agent.greeting(user_id, timezone.now())
        budget = budget_tokens(app.policy, app.policy.block)
        return notes | {"preview": greeting, "budget": budget}
    valid = at_moment(fields["valid_at"]) if "valid_at" in fields else None
    context = agent.context(Block.TURN, question=fields["q"], user_id=user_id, valid=valid, counted=False)
    budget = budget_tokens(app.policy, Block.TURN)
    return notes | {"preview": context.injected, "budget": budget, "economised": context.economised}
