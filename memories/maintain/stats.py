"""How much an app's memory holds, how it grows, and how it is asked: the desk's figures for operators' programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from memories.ledger.days import Span, last_days
from memories.maintain import figures
from memories.maintain.health import moment, share
from memories.models import LIVE, Entity, Link, Memory
from memsite.tenancy.models import Agent, App

Figures = dict[str, Any]


def stats_of(app: App, now: datetime, days: int) -> Figures:
    """Figures of now, and of the last `days` days. JSON as it stands; some twenty queries, however much there is.

    Two of them read all of the app's memories once, as the overview's confidences do.
    """
    span, sorts = last_days(app, now, days), figures.by_sort(app)
    return {
        "app_id": app.app_id,
        "at": now.isoformat(),
        **span.told(app),
        "memories": memory_counts(app, sorts),
        "sessions": figures.sessions(app),
        "texts": figures.texts(app),
        "links": Link.objects.for_app(app).count(),
        "entities": Entity.objects.for_app(app).count(),
        "lessons": Memory.objects.for_app(app).active().lessons().count(),
        "triggers": figures.triggers(app),
        "to_review": figures.to_review(app),
        "agents": Agent.objects.for_app(app).count(),
        "growth": created_by_day(app, span.days),
        "access": access(app, span, sorts),
    }


def memory_counts(app: App, sorts: figures.Sorts) -> Figures:
    """Of whatever status; `live` ones count against the limit."""
    statuses = figures.by_status(app)
    live, limit = sum(statuses[status] for status in LIVE), app.policy.memory_limit
    return {
        "total": sum(statuses.values()),
        "live": live,
        "limit": limit,
        "full": share(live, limit),
        "last_created_at": moment(figures.last_memory_at(app)),
        "by_status": statuses,
        "by_kind": sorts.kind,
        "by_category": [{"category": name, "memories": number} for name, number in figures.by_category(app)],
        "by_source": sorts.source,
        "by_origin": sorts.origin,
        "by_tier": sorts.tier,
    }


def created_by_day(app: App, days: Sequence[date]) -> Figures:
    made = figures.growth(app, days)
    by_day = [{"day": day.isoformat(), "created": number} for day, number in zip(days, made, strict=True)]
    return {"created": sum(made), "by_day": by_day}


def access(app: App, span: Span, sorts: figures.Sorts) -> Figures:
    """Searches that found something are those which something answered."""
    tiers, by_day = figures.answers(app, span), searches_by_day(span.days, figures.answered_by(app, span.days))
    searches, found = (sum(one[name] for one in by_day) for name in ("searches", "found"))
    last = figures.last_search_on(app)
    return {
        "searches": searches,
        "found": found,
        "hit_rate": share(found, searches),
        "last_searched_on": last.isoformat() if last else None,
        "by_tier": [
            {
                "tier": one.tier,
                "searches": one.searches,
                "share": round(one.share, 4),
                "mean_ms": round(one.mean_ms, 2),
            }
            for one in tiers
        ],
        "by_day": by_day,
        "never_recalled": sorts.unasked,
        "most_recalled": [
            {"id": str(uid), "access_count": times, "accessed_at": moment(at)}
            for uid, times, at in figures.most_recalled(app)
        ],
    }


def searches_by_day(days: Sequence[date], answered: Mapping[str, Sequence[int]]) -> list[Figures]:
    rows = []
    for place, day in enumerate(days):
        counts = {tier: numbers[place] for tier, numbers in answered.items()}
        searches = sum(counts.values())
        rows.append({"day": day.isoformat(), "searches": searches, "found": searches - counts["none"]})
    return rows
