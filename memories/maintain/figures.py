"""What is counted of an app, each from an index: fast with a hundred thousand memories, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Subquery, Sum
from django.db.models.functions import Coalesce

from memories.ledger.days import DAY, Span, midnight
from memories.models import Decision, Extraction, ExtractionStatus, Memory, RecallCount, Rejection, Status
from memsite.jobs.models import JobRun, RunStatus
from memsite.tenancy.models import App

CATEGORIES_SHOWN = 10
BY = ("summaries", "items", "none")
"""What answers a search."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work that is to be done by workers (`texts`) or looked at by people."""

    texts: int
    given_up: int
    rejections: int
    jobs_given_up: int


@dataclass(frozen=True, slots=True)
class Answers:
    """Searches that one tier answered. `share` of all searches; `mean_ms` None without any."""

    tier: str
    searches: int
    share: float
    mean_ms: float


def by_status(app: App) -> dict[str, int]:
    """Every status, those of nobody as 0."""
    counts = dict(Memory.objects.for_app(app).order_by().values_list("status").annotate(Count("pk")))
    return {status: counts.get(status, 0) for status in Status.values}


def by_category(app: App) -> list[tuple[str, int]]:
    """The largest categories, archived memories and all."""
    rows = Memory.objects.for_app(app).order_by().values_list("category").annotate(number=Count("pk"))
    return list(rows.order_by("-number", "category")[:CATEGORIES_SHOWN])


def growth(app: App, days: Sequence[date]) -> list[int]:
    """New memories of each of these days, which follow each other. One query.

    Ids rise with the time they were made at, so days are ranges of the index of ids.
    """
    edges = [first_uid(midnight(app, day)) for day in [*days, days[-1] + DAY]]
    made = {f"d{place}": made_between(app, edges[place], edges[place + 1]) for place in range(len(days))}
    counts: Any = App.objects.filter(pk=app.pk).values(**made).get()
    return list(counts.values())


def answered_by(app: App, days: Sequence[date]) -> dict[str, list[int]]:
    """Searches of each of these days, by what answered. One query of a few rows a day."""
    rows = RecallCount.objects.for_app(app).filter(day__gte=days[0]).order_by()
    counts = {(day, tier): number for day, tier, number in rows.values_list("day", "tier").annotate(Sum("searches"))}
    return {tier: [counts.get((day, tier), 0) for day in days] for tier in BY}


def answers(app: App, span: Span) -> list[Answers]:
    """By what answered, the most first. One query."""
    rows = RecallCount.objects.for_app(app).filter(day__gte=span.since, day__lte=span.until).order_by()
    sums = rows.values_list("tier").annotate(number=Sum("searches"), took=Sum("seconds"))
    found = list(sums.order_by("-number", "tier"))
    every = sum(number for _, number, _ in found)
    return [Answers(tier, number, number / every, 1000 * seconds / number) for tier, number, seconds in found if number]


def made_between(app: App, first: UUID, end: UUID) -> Any:
    """How many memories have ids in this range, as a part of another query."""
    rows = Memory.objects.for_app(app).filter(uid__gte=first, uid__lt=end).order_by().values("app")
    return Coalesce(Subquery(rows.annotate(number=Count("pk")).values("number")), 0)


def first_uid(moment: datetime) -> UUID:
    """The least UUIDv7 of a millisecond: its first 48 bits are the time."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def waiting(app: App) -> Waiting:
    """Four queries."""
    work = Extraction.objects.for_app(app)
    dead = JobRun.objects.for_app(app).filter(status=RunStatus.DEAD)
    return Waiting(
        texts=work.open().count(),
        given_up=work.filter(status=ExtractionStatus.DEAD).count(),
        rejections=Rejection.objects.for_app(app).filter(decision=Decision.OPEN).count(),
        jobs_given_up=dead.count(),
    )
