"""What is counted for the overview, each from an index: fast with a hundred thousand memories, too."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Count, Subquery
from django.db.models.functions import Coalesce

from memories.models import Decision, Extraction, ExtractionStatus, Memory, Rejection, Status
from memsite.jobs.models import JobRun, RunStatus
from memsite.tenancy.models import App

DAYS = 30
BAR = 60
CATEGORIES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Day:
    """How many memories were made on one day, and its bar: `tall` of BAR, from `top` down."""

    day: date
    number: int
    tall: float

    @property
    def top(self) -> float:
        return BAR - self.tall


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work that is to be done by workers (`texts`) or looked at by people."""

    texts: int
    given_up: int
    rejections: int
    jobs_given_up: int


def by_status(app: App) -> dict[str, int]:
    """Every status, those of nobody as 0."""
    counts = dict(Memory.objects.for_app(app).order_by().values_list("status").annotate(Count("pk")))
    return {status: counts.get(status, 0) for status in Status.values}


def by_category(app: App) -> list[tuple[str, int]]:
    """The largest categories, archived memories and all."""
    rows = Memory.objects.for_app(app).order_by().values_list("category").annotate(number=Count("pk"))
    return list(rows.order_by("-number", "category")[:CATEGORIES_SHOWN])


def growth(app: App, now: datetime, zone: ZoneInfo) -> list[Day]:
    """New memories of the last days, where the app lives. One query.

    Ids rise with the time they were made at, so days are ranges of the index of ids.
    """
    today = now.astimezone(zone).date()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    edges = [first_uid(datetime(day.year, day.month, day.day, tzinfo=zone)) for day in [*days, today + timedelta(1)]]
    made = {f"d{place}": made_between(app, edges[place], edges[place + 1]) for place in range(DAYS)}
    counts: Any = App.objects.filter(pk=app.pk).values(**made).get()
    most = max(counts.values()) or 1
    numbers = [counts[f"d{place}"] for place in range(DAYS)]
    return [Day(day, number, round(BAR * number / most, 1)) for day, number in zip(days, numbers, strict=True)]


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
