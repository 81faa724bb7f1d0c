"""The health report: as it is now, or as it was written down in a month."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.show import show
from memories.maintain.health import TENTHS, health_of
from memories.models import LIVE, HealthReport

REPORTS_OFFERED = 36


@page()
def health(request: DeskRequest) -> HttpResponse:
    """`?period=` names the report of a month."""
    app, period = request.desk.app, request.GET.get("period", "")
    rows = HealthReport.objects.for_app(app)
    if period:
        kept = rows.filter(period=period).first()
        if kept is None:
            raise Http404
        report = kept.content
    else:
        report = health_of(app, timezone.now())
    past = list(rows.values_list("period", flat=True)[:REPORTS_OFFERED])
    return show(request, "upkeep/health", {"report": report, "period": period, "past": past, **read_out(report)})


def read_out(report: dict[str, Any]) -> dict[str, Any]:
    """What the page tells of a report beside what stands in it."""
    counts = report["memories"]
    tenths = [(f"{tenth / TENTHS:g} to {(tenth + 1) / TENTHS:g}", number) for tenth, number in
              enumerate(report["confidence"])]  # fmt: skip
    return {
        "last_learnt": parse_datetime(report["failures"]["last_extracted_at"] or ""),
        "live": sum(counts.get(status, 0) for status in LIVE),
        "tenths": tenths[::-1],
        "most_in_a_tenth": max(report["confidence"], default=0),
        "most_confirmed": max(report["confirmed"].values(), default=0),
        "most_in_a_category": max(report["categories"].values(), default=0),
        "most_in_a_month": max(report["growth"].values(), default=0),
    }
