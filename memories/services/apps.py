"""Many apps at a glance: what waits in each, how full it is, what it took in, gave out and cost lately."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum

from memories.ledger import outages_of
from memories.ledger.days import day_of, last_days, midnight
from memories.maintain.figures import first_uid
from memories.models import Decision, Extraction, ExtractionStatus, Injection, LedgerEntry, Memory, Rejection
from memories.models.capture import WAITING
from memories.services.administration import throttle_of_site
from memsite.db.expressions import Literal
from memsite.db.lru_cache import Latest
from memsite.jobs.models import JobRun, RunStatus
from memsite.tenancy.models import App, AppStatus
from sessions.models import AgentSession, SessionStatus

DAYS = 7
FRESH = timedelta(minutes=1)
"""So long what agents were shown is kept: a busy week is a million rows."""
shown_lately: Latest[tuple[datetime, dict[str, int]]] = Latest(10_000)
"""By app: when it was counted, and how many lines were shown, judged and used."""
Rows = TypeVar("Rows", bound=QuerySet[Any])


@dataclass(frozen=True, slots=True)
class AppFigures:
    """The figures of one app. `to_decide` of the refusals to `review` wait for a person's decision.

    `new_memories`, `injections` and `used_share` (None: no use was judged) are of the last 7 days of the app, today
    included; `month_cost` is US dollars since the first of its month.
    """

    app: App
    review: int = 0
    to_decide: int = 0
    failed_texts: int = 0
    open_circuits: int = 0
    overdue_jobs: int = 0
    failed_jobs: int = 0
    last_session_at: datetime | None = None
    new_memories: int = 0
    injections: int = 0
    used_share: float | None = None
    month_cost: float = 0.0

    @property
    def broken(self) -> int:
        """Return how much does not work by itself any more."""
        return self.failed_texts + self.open_circuits + self.overdue_jobs + self.failed_jobs

    @property
    def waiting(self) -> int:
        return self.broken + self.review

    @property
    def needs_somebody(self) -> bool:
        return self.app.status == AppStatus.ACTIVE and bool(self.broken or self.to_decide)

    @property
    def fill(self) -> str:
        """Return how full it is, in words."""
        return f"{self.app.memory_count:,} of {self.app.policy.memory_limit:,}"

    @property
    def urgency(self) -> tuple[bool, bool, int, int, int, float, str]:
        """Return what sorts the app that needs a person first before others."""
        last = self.last_session_at.timestamp() if self.last_session_at else 0.0
        is_away = self.app.status != AppStatus.ACTIVE
        return is_away, not self.broken, -self.to_decide, -self.broken, -self.review, -last, self.app.app_id


def figures_of(apps: Sequence[App], now: datetime) -> list[AppFigures]:
    """Return the figures of apps, loaded with their policies. Ten queries at most, whatever the number of apps."""
    # Of what is being purged nothing is told.
    listed = [app for app in apps if app.status != AppStatus.PURGING]
    if not listed:
        return [AppFigures(app) for app in apps]
    first_days = {app.pk: last_days(app, now, DAYS).since for app in listed}
    moments = {app.pk: midnight(app, first_days[app.pk]) for app in listed}
    uids = {pk: first_uid(moment) for pk, moment in moments.items()}
    months = {app.pk: day_of(app, now).replace(day=1) for app in listed}

    refused = Rejection.objects.for_apps(listed).filter(decision=Decision.OPEN)
    review = by_app(refused, number=Count("pk"), waiting=Count("pk", filter=Q(kind__in=WAITING)))
    failed_texts = by_app(Extraction.objects.for_apps(listed).filter(status=ExtractionStatus.DEAD), number=Count("pk"))
    runs = JobRun.objects.filter(app__in=listed)
    overdue, failed = (
        by_app(rows, number=Count("pk")) for rows in (runs.overdue(now), runs.filter(status=RunStatus.DEAD))
    )
    new = by_app(since(Memory.objects.for_apps(listed).without_documents(), "uid", uids), number=Count("pk"))
    injected = injections_lately(listed, moments, uids, now)
    spent = by_app(since(LedgerEntry.objects.for_apps(listed), "day", months), dollars=Sum("cost"))
    latest = AgentSession.objects.for_app(OuterRef("pk")).order_by("-uid").values("started_at")[:1]  # type: ignore[arg-type]  # the app of the query around it
    sessions = dict(App.objects.filter(pk__in=first_days).order_by().values_list("pk", Subquery(latest)))
    of_site, outages = throttle_of_site(now), outages_of(listed, now)

    def figures(app: App) -> AppFigures:
        pk, use = app.pk, injected.get(app.pk, {})
        return AppFigures(
            app,
            review=review.get(pk, {}).get("number", 0),
            to_decide=review.get(pk, {}).get("waiting", 0),
            failed_texts=failed_texts.get(pk, {}).get("number", 0),
            open_circuits=1 if of_site else len(outages.get(pk, ())),
            overdue_jobs=overdue.get(pk, {}).get("number", 0),
            failed_jobs=failed.get(pk, {}).get("number", 0),
            last_session_at=sessions.get(pk),
            new_memories=new.get(pk, {}).get("number", 0),
            injections=use.get("number", 0),
            used_share=use["used"] / use["judged"] if use.get("judged") else None,
            month_cost=spent.get(pk, {}).get("dollars") or 0.0,
        )

    return [figures(app) if app.pk in first_days else AppFigures(app) for app in apps]


def by_app(rows: QuerySet[Any], **sums: Any) -> dict[int, dict[str, Any]]:
    """Return these aggregates by the pk of the app. One query."""
    return {row.pop("app"): row for row in rows.order_by().values("app").annotate(**sums)}


def since(rows: Rows, column: str, starts: Mapping[int, Any]) -> Rows:
    """Select what each app has from its own start on: days begin where it lives."""
    rows = rows.filter(**{f"{column}__gte": min(starts.values())})
    apps: dict[Any, list[int]] = defaultdict(list)
    for pk, start in starts.items():
        apps[start].append(pk)
    if len(apps) == 1:
        return rows
    return rows.filter(reduce(or_, (Q(app__in=pks, **{f"{column}__gte": start}) for start, pks in apps.items())))


def injections_lately(
    apps: Sequence[App], moments: Mapping[int, datetime], uids: Mapping[int, UUID], now: datetime
) -> dict[int, dict[str, int]]:
    """Return by app how many lines agents were shown (`number`), and how many were `judged` and `used`.

    One query, for those that were not counted within a minute.
    """
    stale = [app for app in apps if (known := shown_lately.get(app.pk)) is None or abs(now - known[0]) > FRESH]
    if stale:
        # Found by their sessions, of which those that go on or began lately are few.
        lately = Q(uid__gte=min(uids.values())) | Q(status=Literal(SessionStatus.ACTIVE))
        sessions = AgentSession.objects.for_apps(stale).filter(lately).order_by().values("pk")
        rows = since(Injection.objects.for_apps(stale).filter(session__in=sessions), "created_at", moments)
        judged, used = Count("pk", filter=Q(used__isnull=False)), Count("pk", filter=Q(used=True))
        counted = by_app(rows, number=Count("pk"), judged=judged, used=used)
        for app in stale:
            shown_lately.put(app.pk, (now, counted.get(app.pk, {})))
    return {app.pk: known[1] for app in apps if (known := shown_lately.get(app.pk))}
