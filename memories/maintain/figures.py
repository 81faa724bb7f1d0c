"""What is counted of an app, for its pages and for operators' programs.

Each from an index, fast with a hundred thousand memories, too; what reads all of the app's memories says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from memories.ledger.days import DAY, Span, midnight
from memories.ledger.energy import COMPACTION
from memories.models import (
    Decision,
    EnergyUse,
    Extraction,
    ExtractionStatus,
    Injection,
    Kind,
    Memory,
    RecallCount,
    Rejection,
    Source,
    Status,
)
from memsite.jobs.models import JobRun, RunStatus
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.origin import Origin
from sessions.models import TIERS, AgentSession

HOUR = timedelta(hours=1)
CATEGORIES_SHOWN = 10
SOURCES = [source for source in Source.values if source != Source.DOCUMENT]
MOST_RECALLED = 10
ANSWERS = {"summaries": "a summary", "items": "memories", "none": "nothing found"}
"""What answers a search, in words."""
BY = tuple(ANSWERS)
LEARNING = (ExtractionStatus.PENDING, ExtractionStatus.RUNNING, ExtractionStatus.FAILED)


def answered(tier: str) -> str:
    """Return what answered as a phrase."""
    words = ANSWERS.get(tier, tier)
    return words if tier == "none" else f"answered by {words}"


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


@dataclass(frozen=True, slots=True)
class Sorts:
    """How many memories there are of each, those of nobody as 0. `unasked` are active, and no search has found them."""

    kind: dict[str, int]
    source: dict[str, int]
    origin: dict[str, int]
    tier: dict[str, int]
    unasked: int


def by_status(app: App) -> dict[str, int]:
    statuses = [status for status in Status.values if status != Status.DOCUMENT]
    return count_statuses(Memory.objects.for_app(app).without_documents(), statuses)


def by_sort(app: App) -> Sorts:
    """Return counts of memories of whatever status. One query, which reads all memories once."""
    unasked = Count("pk", filter=Q(status=Status.ACTIVE, accessed_at=None))
    rows = Memory.objects.for_app(app).without_documents().order_by().values_list("kind", "source", "origin", "tier")
    kinds, sources, origins, tiers = sorts = [
        dict.fromkeys(map(str, names), 0) for names in (Kind.values, SOURCES, Origin.values, TIERS)
    ]
    alone = 0
    for *names, number, never in rows.annotate(number=Count("pk"), unasked=unasked):
        for counts, name in zip(sorts, names, strict=True):
            counts[str(name)] = counts.get(str(name), 0) + number
        alone += never
    return Sorts(kinds, sources, origins, tiers, alone)


def by_category(app: App) -> list[tuple[str, int]]:
    """Return the largest categories by their live memories."""
    rows = Memory.objects.for_app(app).live().order_by().values_list("category").annotate(number=Count("pk"))
    return list(rows.order_by("-number", "category")[:CATEGORIES_SHOWN])


def growth(app: App, days: Sequence[date]) -> list[int]:
    """Return how many new memories each of these days has, which follow each other. One query.

    Ids rise with the time they were made at, so days are ranges of the index of ids.
    """
    return created_between(app, [midnight(app, day) for day in [*days, days[-1] + DAY]])


def created_between(app: App, moments: Sequence[datetime]) -> list[int]:
    """Return how many new memories there are between each two of these moments and the next. One query."""
    made = {}
    for place, (first, end) in enumerate(pairwise(map(first_uid, moments))):
        new = Memory.objects.for_app(app).without_documents().filter(uid__gte=first, uid__lt=end)
        rows = new.order_by().values("app")
        made[f"d{place}"] = Coalesce(Subquery(rows.annotate(number=Count("pk")).values("number")), 0)
    counts: Any = App.objects.filter(pk=app.pk).values(**made).get()
    return list(counts.values())


def hours(now: datetime) -> list[datetime]:
    """Return the edges of the last 24 hours."""
    return [now - number * HOUR for number in range(24, -1, -1)]


def compactions(app: App, days: Sequence[date]) -> list[int]:
    """Return how often the app has made room for new memories on each of these days. One query."""
    rows = EnergyUse.objects.for_app(app).filter(operation=COMPACTION, day__gte=days[0])
    counts = dict(rows.order_by().values_list("day", "calls"))
    return [counts.get(day, 0) for day in days]


def conversations(app: App, since: date) -> tuple[int, int]:
    """Return how many sessions were begun since that day, and how many of them were shown any memory. One query."""
    rows = AgentSession.objects.for_app(app).filter(uid__gte=first_uid(midnight(app, since)))
    was_shown = Exists(Injection.objects.for_app(app).filter(session=OuterRef("pk")))
    sums = rows.order_by().aggregate(begun=Count("pk"), shown=Count("pk", filter=Q(was_shown)))
    return sums["begun"], sums["shown"]


def used_apps(apps: QuerySet[App]) -> tuple[int, int]:
    """Return how many of these are active, and how many of them hold any memory. One query."""
    rows = apps.filter(status=AppStatus.ACTIVE).order_by()
    sums = rows.aggregate(all=Count("pk"), used=Count("pk", filter=Q(memory_count__gt=0)))
    return sums["all"], sums["used"]


def answered_by(app: App, days: Sequence[date]) -> dict[str, list[int]]:
    """Return searches of each of these days, by what answered. One query of a few rows a day."""
    rows = RecallCount.objects.for_app(app).filter(day__gte=days[0]).order_by()
    counts = {(day, tier): number for day, tier, number in rows.values_list("day", "tier").annotate(Sum("searches"))}
    return {tier: [counts.get((day, tier), 0) for day in days] for tier in BY}


def answers(app: App, span: Span) -> list[Answers]:
    """Return searches by what answered, the most first. One query."""
    rows = RecallCount.objects.for_app(app).filter(day__gte=span.since, day__lte=span.until).order_by()
    sums = rows.values_list("tier").annotate(number=Sum("searches"), took=Sum("seconds"))
    tiers = list(sums.order_by("-number", "tier"))
    every = sum(number for _, number, _ in tiers)
    return [Answers(tier, number, number / every, 1000 * seconds / number) for tier, number, seconds in tiers if number]


def first_uid(moment: datetime) -> UUID:
    """Return the least UUIDv7 of a millisecond: its first 48 bits are the time."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def most_recalled(app: App) -> list[tuple[UUID, int, datetime | None]]:
    """Return the active memories that searches found most often: ids, how often, when last.

    One query, which reads all active.
    """
    rows = Memory.objects.for_app(app).active().filter(access_count__gt=0).order_by("-access_count", "-uid")
    return list(rows.values_list("uid", "access_count", "accessed_at")[:MOST_RECALLED])


def texts(app: App) -> dict[str, int]:
    """Return texts by what has become of learning from them."""
    return count_statuses(Extraction.objects.for_app(app), ExtractionStatus.values)


def still_open(texts: Mapping[str, int]) -> int:
    """Return how many of these are not done and not given up."""
    return sum(texts[status] for status in LEARNING)


def count_statuses(rows: QuerySet[Any], statuses: Sequence[str]) -> dict[str, int]:
    """Return how many rows have each status, those of nobody as 0. One query, which reads all rows."""
    return dict.fromkeys(statuses, 0) | dict(rows.order_by().values_list("status").annotate(Count("pk")))


def to_review(app: App) -> int:
    """Return how many refusals nobody has decided. One query."""
    return Rejection.objects.for_app(app).filter(decision=Decision.OPEN).count()


def waiting(app: App) -> Waiting:
    """Return what waits for workers or people. Three queries."""
    work, dead = texts(app), JobRun.objects.for_app(app).filter(status=RunStatus.DEAD)
    return Waiting(
        texts=still_open(work),
        given_up=work[ExtractionStatus.DEAD],
        rejections=to_review(app),
        jobs_given_up=dead.count(),
    )
