"""Recall: what a question finds and why, what it leaves out, and what an agent would be told."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils import timezone

from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.explained import explain
from memories.dashboard.filters import Choice, Filters, Search, agents_of
from memories.dashboard.show import show
from memories.models import Source
from memories.models.memory import subject_of
from memories.retrieve.pipeline import MODES, SearchRequest
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import Block
from memsite.timestamps import check_in_reach

SHOWN, LEFT_OUT = 10, 8
FIELDS = ("category", "agent", "source", "origin")
TOLD_BY = {"q", "user"}
"""What the block goes by: an agent gives nothing else."""


class RecallFilters(Filters):
    q = Search("Ask as an agent would")
    mode = Choice("Mode", [(mode, mode) for mode in MODES if mode != "auto"])
    subject = Search("Service")
    category = Search("Category")
    agent = Choice("Agent", [])
    source = Choice("Source", [(source, source) for source in Source.values])
    origin = Choice("Said by", Origin.choices)
    session = Search("Session id")
    user = Search("End user")
    as_of = forms.DateTimeField(
        label="As of", required=False, validators=[check_in_reach],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )  # fmt: skip

    def __init__(self, desk: Desk, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["mode"].choices = [("", f"auto ({desk.app.policy.ranking})"), *self.fields["mode"].choices[1:]]  # type: ignore[attr-defined]
        self.fields["agent"].choices = agents_of(desk.app)  # type: ignore[attr-defined]


@page()
def recall(request: DeskRequest) -> HttpResponse:
    filters = RecallFilters(request.desk, request.GET)
    asked = filters.asked()
    context: dict[str, Any] = {"filters": filters, "question": asked.get("q", "")}
    if "q" in asked and not filters.refused:
        context |= answer(request.desk, asked)
    return show(request, "recall/page", context, part="recall/found")


def answer(desk: Desk, fields: dict[str, Any]) -> dict[str, Any]:
    """What is found, what comes next, and the block of the same question. Nothing of it is counted."""
    agent, now, started = desk.agent(), timezone.now(), time.perf_counter()
    asked = as_asked(fields)
    found = agent.search(asked, now)
    took_ms = 1000 * (time.perf_counter() - started)
    known = {hit.row.pk for hit in found.hits}
    everything = agent.search(replace(asked, floor=False, limit=SHOWN + LEFT_OUT), now)
    left_out = [hit for hit in everything.hits if hit.row.pk not in known][:LEFT_OUT]
    told = agent.context(Block.TURN, question=fields["q"], user_id=fields.get("user"), counted=False)
    return {
        "hits": explain(found.hits, found.combined),
        "combined": found.combined,
        "left_out": [] if found.more else explain(left_out, everything.combined, start=len(found.hits) + 1),
        "next": explain(left_out, everything.combined, start=len(found.hits) + 1) if found.more else [],
        "tier": found.tier,
        "summaries": found.summaries,
        "degraded": found.degraded,
        "took_ms": took_ms,
        "told": told,
        "is_narrowed": not fields.keys() <= TOLD_BY,
        "is_of_all_users": desk.app.policy.users_apart and "user" not in fields,
    }


def as_asked(fields: dict[str, Any]) -> SearchRequest:
    filters = {name: fields[name] for name in FIELDS if name in fields}
    if "subject" in fields:
        filters["subject"] = subject_of(fields["subject"])
    if "session" in fields:
        filters["session_id"] = session_of(fields["session"])
    return SearchRequest(
        text=fields["q"],
        limit=SHOWN,
        mode=fields.get("mode", "auto"),
        user_id=fields.get("user"),
        as_of=fields.get("as_of"),
        filters=filters,
        counted=False,
    )


def session_of(text: str) -> str:
    """An id that is none finds what no session has."""
    try:
        return str(UUID(text))
    except ValueError:
        return str(UUID(int=0))
