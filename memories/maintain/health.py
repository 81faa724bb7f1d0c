"""How an app's memory is doing: the health report, as JSON and as a page, and figures for operators' programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, Count, F, FloatField, IntegerField, Max, Q, Sum, Value, When
from django.db.models.functions import Cast, Floor, Least

from memories.ledger.days import Span, day_of, last_days, midnight
from memories.ledger.spend import energy_of
from memories.maintain import figures
from memories.maintain.figures import answered
from memories.models import (
    LIVE,
    Entity,
    Extraction,
    ExtractionStatus,
    FutureTrigger,
    HealthReport,
    Injection,
    LedgerEntry,
    Link,
    Memory,
    RecallCount,
    Rejection,
    Status,
    TriggerStatus,
)
from memories.models.learning import LESSONS
from memories.models.memory import MemoryQuerySet
from memsite.jobs.job import Run
from memsite.jobs.models import JobRun, RunStatus
from memsite.tenancy.models import Agent, App
from sessions.models import AgentSession, SessionStatus

DAYS = 30
MONTHS = 12
MOST_CATEGORIES = 20
STALENESS = ((7, "under a week"), (30, "under a month"), (90, "under 3 months"), (180, "under 6 months"))
OLDER = "older"
TENTHS = 10
Report = dict[str, Any]
Figures = dict[str, Any]


def health_of(app: App, now: datetime) -> Report:
    """Return figures of now, and of the last `DAYS` days.

    JSON as it stands; a dozen queries, none of them per memory.
    """
    since = now - timedelta(days=DAYS)
    active = Memory.objects.for_app(app).active()
    cases = [When(confirmed_at__gt=now - timedelta(days=days), then=Value(name)) for days, name in STALENESS]
    by_age = dict(active.order_by().values_list(Case(*cases, default=Value(OLDER))).annotate(Count("pk")))
    return {
        "app_id": app.app_id,
        "at": now.isoformat(),
        "days": DAYS,
        "memories": counted(Memory.objects.for_app(app).without_documents(), "status"),
        "limit": app.policy.memory_limit,
        "pinned": active.filter(pinned=True).count(),
        "categories": dict(list(counted(active, "category").items())[:MOST_CATEGORIES]),
        "confirmed": {name: by_age.get(name, 0) for name in [*(name for _, name in STALENESS), OLDER]},
        "confidence": tenths(active),
        "growth": growth(app, now),
        "recall": recall(app, now),
        "use": use(app, since),
        "costs": costs(app, now),
        "failures": failures(app, since),
    }


def counted(rows: MemoryQuerySet, field: str) -> dict[str, int]:
    """Return how many of each, the most first."""
    by_field = rows.order_by().values_list(field).annotate(number=Count("pk")).order_by("-number", field)
    return dict(by_field)


def tenths(active: MemoryQuerySet) -> list[int]:
    """Return active memories by confidence: under 0.1, under 0.2, … up to 1."""
    # Rounded first: 0.7 is stored as a little less or more than seven tenths.
    shifted = F("confidence") * Value(TENTHS, output_field=FloatField()) + Value(1e-9, output_field=FloatField())
    tenth = Least(Cast(Floor(shifted), IntegerField()), Value(TENTHS - 1))
    by_tenth = dict(active.order_by().values_list(tenth).annotate(Count("pk")))
    return [by_tenth.get(number, 0) for number in range(TENTHS)]


def growth(app: App, now: datetime) -> dict[str, int]:
    """Return memories that came in, by month on the app's calendar, the oldest first; those purged are not known."""
    since = now - timedelta(days=31 * MONTHS)
    # By the moments that months begin at: SQLite has to ask for the month of each row, which takes far longer.
    first, month = day_of(app, since).replace(day=1), day_of(app, now).replace(day=1)
    cases = []
    while month >= first:
        cases.append(When(created_at__gte=midnight(app, month), then=Value(f"{month:%Y-%m}")))
        month = (month - timedelta(days=1)).replace(day=1)
    rows = Memory.objects.for_app(app).without_documents().filter(created_at__gte=since).order_by()
    return dict(sorted(rows.values_list(Case(*cases)).annotate(Count("pk"))))


def recall(app: App, now: datetime) -> Report:
    """Return searches, how many of them found something, and which tier answered."""
    rows = RecallCount.objects.for_app(app).filter(day__gt=day_of(app, now) - timedelta(days=DAYS)).order_by()
    sums = rows.aggregate(searches=Sum("searches"), found=Sum("found"), seconds=Sum("seconds"))
    searches, hits = sums["searches"] or 0, sums["found"] or 0
    tiers = dict(rows.values_list("tier").annotate(Sum("searches")))
    return {
        "searches": searches,
        "found": hits,
        "hit_rate": share(hits, searches),
        "by_tier": {name: {"searches": count, "share": share(count, searches)} for name, count in tiers.items()},
        "mean_ms": round(1000 * (sums["seconds"] or 0) / searches, 2) if searches else None,
    }


def use(app: App, since: datetime) -> Report:
    """Return whether what was handed over was used: echoes among what has been judged."""
    rows = Injection.objects.for_app(app).filter(created_at__gte=since).exclude(block=LESSONS)
    by_use = dict(rows.order_by().values_list("used").annotate(Count("pk")))
    used, ignored = by_use.get(True, 0), by_use.get(False, 0)
    rate = share(used, used + ignored)
    return {"injected": sum(by_use.values()), "used": used, "ignored": ignored, "echo_rate": rate}


def costs(app: App, now: datetime) -> Report:
    """Return calls to models by operation. `cost` in US dollars, of the calls whose price is known."""
    rows = LedgerEntry.objects.for_app(app).filter(day__gt=day_of(app, now) - timedelta(days=DAYS)).order_by()
    rows_ = rows.values("operation").annotate(
        calls=Count("pk"),
        failed=Count("pk", filter=~Q(outcome="ok")),
        tokens=Sum(F("input_tokens") + F("output_tokens")),
        dollars=Sum("cost"),
    )
    operations = {
        row["operation"]: {
            "calls": row["calls"],
            "failed": row["failed"],
            "tokens": row["tokens"],
            "cost": round(row["dollars"] or 0, 6),
        }
        for row in rows_.order_by("operation")
    }
    return {
        "calls": sum(row["calls"] for row in operations.values()),
        "tokens": sum(row["tokens"] for row in operations.values()),
        "cost": round(sum(row["cost"] for row in operations.values()), 6),
        "by_operation": operations,
    }


def failures(app: App, since: datetime) -> Report:
    """Return what waits for somebody, and what went wrong."""
    work, texts = Extraction.objects.for_app(app), figures.texts(app)
    runs = JobRun.objects.for_app(app).filter(status__in=(RunStatus.DEAD, RunStatus.FAILED), until__gte=since)
    missing = Memory.objects.for_app(app).filter(status=Status.ACTIVE, vectors=None)
    return {
        "texts_given_up": texts[ExtractionStatus.DEAD],
        "texts_waiting": figures.still_open(texts),
        "texts_read_by_rules": work.to_read_again().count(),
        "jobs": dict(runs.order_by().values_list("job").annotate(Count("pk"))),
        "without_vector": missing.count(),
        "rejected": dict(
            Rejection.objects.for_app(app)
            .filter(created_at__gte=since)
            .order_by()
            .values_list("kind")
            .annotate(Count("pk"))
        ),
        "last_extracted_at": moment(work.aggregate(Max("finished_at"))["finished_at__max"]),
    }


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def moment(time: datetime | None) -> str | None:
    return time.isoformat() if time else None


def note_health(app: App, now: datetime, run: Run) -> None:
    """Write the report down under the app's day on which the run was due."""
    content = health_of(app, now)
    with transaction.atomic():
        HealthReport.objects.for_app(app).update_or_create(
            period=day_of(app, run.until).isoformat(),
            defaults={"content": content, "created_at": now},
            create_defaults={"app": app, "content": content, "created_at": now},
        )
        run.done({"reports": 1})


def as_markdown(report: Mapping[str, Any]) -> str:
    recalled, used, spent, failed = (report[name] for name in ("recall", "use", "costs", "failures"))
    tenths = enumerate(report["confidence"])
    live = sum(report["memories"].get(status, 0) for status in ("active", "inactive"))
    return "\n".join(
        [
            f"# Health of {report['app_id']}",
            "",
            f"As of {report['at'][:16].replace('T', ' ')} UTC; rates are of the last {report['days']} days.",
            "",
            *table("Memories", ("status", "number"), report["memories"].items()),
            f"{live:,} of {report['limit']:,} that the app may hold; {report['pinned']:,} pinned.",
            "",
            *table("Active by category", ("category", "number"), report["categories"].items()),
            *table("Last confirmed", ("when", "active memories"), report["confirmed"].items()),
            *table("Confidence", ("from", "active memories"), ((tenth / 10, count) for tenth, count in tenths)),
            *table("Came in", ("month", "memories"), report["growth"].items()),
            "## Recall",
            "",
            f"{recalled['searches']:,} searches, {percent(recalled['hit_rate'])} found something"
            + (f", {recalled['mean_ms']:g} ms each." if recalled["mean_ms"] is not None else "."),
            *(f"- {answered(tier)}: {percent(row['share'])}" for tier, row in recalled["by_tier"].items()),
            "",
            "## Use",
            "",
            f"{used['injected']:,} handed over; of those judged, {percent(used['echo_rate'])} were used.",
            "",
            *table(
                "Costs",
                ("operation", "calls", "failed", "tokens", "US dollars"),
                ((name, *row.values()) for name, row in spent["by_operation"].items()),
            ),
            "## Failures",
            "",
            f"- texts given up: {failed['texts_given_up']:,}; waiting: {failed['texts_waiting']:,}; read by rules, and"
            f" again by the model: {failed['texts_read_by_rules']:,}",
            f"- active memories without a vector: {failed['without_vector']:,}",
            *(f"- job {name}: {count:,} run{'' if count == 1 else 's'}" for name, count in failed["jobs"].items()),
            *(f"- rejected, {kind}: {count:,}" for kind, count in failed["rejected"].items()),
            "",
        ]
    )


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    names = list(columns)
    lines = []
    for row in rows:
        cells = (f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|") for value in row)
        lines.append(f"| {' | '.join(cells)} |")
    if not lines:
        return [f"## {title}", "", "None.", ""]
    rule = f"| --- |{' ---: |' * (len(names) - 1)}"
    return [f"## {title}", "", f"| {' | '.join(names)} |", rule, *lines, ""]


def percent(share_of_one: float | None) -> str:
    return "none" if share_of_one is None else f"{100 * share_of_one:.1f} %"


def stats_of(app: App, now: datetime, days: int) -> Figures:
    """Return figures of now, and of the last `days` days.

    JSON as it stands; some twenty-five queries, however much there is.

    Two of them read all of the app's memories once, as the overview's confidences do.
    """
    span, sorts = last_days(app, now, days), figures.by_sort(app)
    # Counts of whatever status; `live` ones count against the limit.
    statuses = figures.by_status(app)
    rows = Memory.objects.for_app(app).without_documents().order_by("-uid")
    last_created_at = rows.values_list("created_at", flat=True).first()
    live, limit = sum(statuses[status] for status in LIVE), app.policy.memory_limit
    made = figures.growth(app, span.days)
    by_day = days_of("created", span, made)
    compactions, (begun, injected) = figures.compactions(app, span.days), figures.conversations(app, span.since)
    return {
        "app_id": app.app_id,
        "at": now.isoformat(),
        **span.as_json(app),
        "memories": {
            "total": sum(statuses.values()),
            "live": live,
            "limit": limit,
            "full": share(live, limit),
            "last_created_at": moment(last_created_at),
            "by_status": statuses,
            "by_kind": sorts.kind,
            "by_category": [{"category": name, "memories": number} for name, number in figures.by_category(app)],
            "by_source": sorts.source,
            "by_origin": sorts.origin,
            "by_tier": sorts.tier,
        },
        "sessions": figures.count_statuses(AgentSession.objects.for_app(app), SessionStatus.values),
        "texts": figures.texts(app),
        "links": Link.objects.for_app(app).count(),
        "entities": Entity.objects.for_app(app).count(),
        "lessons": Memory.objects.for_app(app).active().lessons().count(),
        "triggers": figures.count_statuses(FutureTrigger.objects.for_app(app), TriggerStatus.values),
        "to_review": figures.to_review(app),
        "agents": Agent.objects.for_app(app).live().count(),
        "growth": {"created": sum(made), "by_day": by_day, **hourly(app, now)},
        "compactions": {"total": sum(compactions), "by_day": days_of("compactions", span, compactions)},
        "conversations": {"begun": begun, "with_memories": injected, "share": share(injected, begun)},
        "energy": energy_of(app, span),
        "access": access(app, span, sorts),
    }


def days_of(name: str, span: Span, numbers: Iterable[int]) -> list[Figures]:
    return [{"day": day.isoformat(), name: number} for day, number in zip(span.days, numbers, strict=True)]


def hourly(app: App, now: datetime) -> Figures:
    edges = figures.hours(now)
    created = figures.created_between(app, edges)
    hours = [{"since": since.isoformat(), "created": number} for since, number in zip(edges, created, strict=False)]
    return {"last_hour": created[-1], "by_hour": hours}


def access(app: App, span: Span, sorts: figures.Sorts) -> Figures:
    """Return how the app is asked. Searches that found something are those which something answered."""
    tiers, answered_by = figures.answers(app, span), figures.answered_by(app, span.days)
    by_day: list[Figures] = []
    for place, day in enumerate(span.days):
        counts = {tier: numbers[place] for tier, numbers in answered_by.items()}
        total = sum(counts.values())
        by_day.append({"day": day.isoformat(), "searches": total, "found": total - counts["none"]})
    searches = sum(counts["searches"] for counts in by_day)
    hits = sum(counts["found"] for counts in by_day)
    last = RecallCount.objects.for_app(app).order_by("-day").values_list("day", flat=True).first()
    return {
        "searches": searches,
        "found": hits,
        "hit_rate": share(hits, searches),
        "last_searched_on": last.isoformat() if last else None,
        "by_tier": [
            {
                "tier": tier.tier,
                "searches": tier.searches,
                "share": round(tier.share, 4),
                "mean_ms": round(tier.mean_ms, 2),
            }
            for tier in tiers
        ],
        "by_day": by_day,
        "never_recalled": sorts.unasked,
        "most_recalled": [
            {"id": str(uid), "access_count": times, "accessed_at": moment(last_at)}
            for uid, times, last_at in figures.most_recalled(app)
        ],
    }
