"""Costs: by day, operation, model and app; what the day's budget has left; what searches came to."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django import forms
from django.core.validators import MinValueValidator
from django.http import HttpResponse
from django.utils import timezone

from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.filters import Filters
from memories.dashboard.plots import Plot, Series
from memories.dashboard.show import show
from memories.ledger import day_of, spent_today, totals
from memories.ledger.days import DAYS, MOST_DAYS, Span
from memories.ledger.spend import By, Total, by_app, by_day, daily, energy, sum_up
from memories.maintain.figures import answers
from memsite.tenancy.access import apps_of
from memsite.timestamps import EARLIEST

COLUMNS: dict[str, tuple[By, tuple[str, ...]]] = {
    "day": ("day", ("day",)),
    "operation": ("operation", ("operation",)),
    "model": ("model", ("provider", "model")),
    "day-operation": ("day and operation", ("day", "operation")),
}
FIGURES = ("calls", "failed", "input_tokens", "output_tokens", "cost", "unpriced")
# What a spreadsheet would take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def day_field(label: str, **options: Any) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, required=False, widget=widget, **options)


class CostFilters(Filters):
    since = day_field("From")
    # There are days before it.
    until = day_field("To", validators=[MinValueValidator(EARLIEST.date())])

    def span(self, desk: Desk) -> Span:
        """The last days, unless others are asked for; a year at most."""
        today = day_of(desk.app, timezone.now())
        asked = self.asked()
        until = asked.get("until", today)
        since = asked.get("since", min(until, today) - timedelta(days=DAYS - 1))
        since, until = min(since, until, today), min(max(since, until), today)
        return Span(max(since, until - timedelta(days=MOST_DAYS - 1)), until)


@page()
def costs(request: DeskRequest) -> HttpResponse:
    desk, app = request.desk, request.desk.app
    span = CostFilters(request.GET).span(desk)
    days = by_day(app, span)
    total = sum_up(days)
    searches = answers(app, span)
    context = {
        "filters": CostFilters(initial={"since": span.since, "until": span.until}),
        "span": span,
        "total": total,
        "days": days,
        "operations": totals(app, span.since, "operation", span.until),
        "models": totals(app, span.since, "model", span.until),
        "plot": plot(desk, span, total),
        "today": spent_today(app, timezone.now()),
        "energy": energy(app, span),
        "searches": searches,
        "searched": sum(row.searches for row in searches),
        "found": sum(row.share for row in searches if row.tier != "none") if searches else None,
        "apps": by_app(apps_of(desk.user), span) if desk.named else [],
    }
    return show(request, "costs/page", context)


def plot(desk: Desk, span: Span, total: Total) -> Plot:
    """Of dollars; of tokens where no price is known."""
    of, title = ("cost", "Dollars a day, by operation") if total.cost else ("tokens", "Tokens a day, by operation")
    series = [Series(name, values) for name, values in daily(desk.app, span, of).items()]
    return Plot("costs", title, "Day", span.days, series, unit="dollars" if total.cost else "count", stacked=True)


@page()
def download(request: DeskRequest) -> HttpResponse:
    """`?by=day`, `operation`, `model` or `day-operation`, as CSV."""
    desk = request.desk
    by = request.GET.get("by", "day")
    group, names = COLUMNS.get(by, COLUMNS["day"])
    span = CostFilters(request.GET).span(desk)
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"costs-{desk.app.app_id}-{span.since}-{span.until}-by-{'-'.join(names)}.csv"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(answer)
    writer.writerow([*names, *FIGURES])
    writer.writerows(lines(totals(desk.app, span.since, group, span.until)))
    return answer


def lines(rows: list[Total]) -> Iterator[list[Any]]:
    for row in rows:
        yield [*map(harmless, row.key), *(getattr(row, name) for name in FIGURES)]


def harmless(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
