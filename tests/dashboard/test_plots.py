"""Plots: one table says it all; the page's script only draws it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from memories.dashboard.plots import Plot, Series

DAYS = [date(2025, 3, 29), date(2025, 3, 30)]


def test_values_are_numbers_for_the_script_and_words_for_people() -> None:
    plot = Plot("costs", "Costs", "Day", DAYS, [Series("spent", [0.004, None])], unit="dollars")
    (first, cells), (second, gaps) = plot.rows()
    assert (plot.axis, first.value, first.shown) == ("day", 1743206400, "2025-03-29")
    assert second.value == 1743206400 + 86_400, "days have no zone and no summer time"
    assert [(cell.value, cell.shown) for cell in (*cells, *gaps)] == [(0.004, "$0.0040"), ("", "–")]


def test_moments_are_read_in_the_zone_of_the_page() -> None:
    at = datetime(2025, 3, 30, 12, tzinfo=UTC)
    plot = Plot("sure", "Sure", "When", [at], [Series("confidence", [0.7])], unit="level")
    with timezone.override(ZoneInfo("Europe/Berlin")):
        ((head, cells),) = plot.rows()
    assert (plot.axis, head.value, head.shown) == ("time", at.timestamp(), "2025-03-30 14:00")
    assert cells[0].shown == "0.70"


@pytest.mark.parametrize(
    ("along", "values", "axis", "is_empty"),
    [([], [], "name", True), (["a", "b"], [0, None], "name", True), (["a"], [1], "name", False)],
)
def test_names_have_places_and_nothing_is_empty(
    along: list[str], values: list[float | None], axis: str, is_empty: bool
) -> None:
    plot = Plot("p", "P", "Name", along, [Series("n", values)])
    assert (plot.axis, plot.is_empty) == (axis, is_empty)
    assert [head.value for head, _ in plot.rows()] == list(range(len(along)))


def test_hostile_names_are_text() -> None:
    plot = Plot("p", "<b>P", "Name", ['"><script>x'], [Series("<i>", [1])])
    html = render_to_string("dashboard/parts/plot.html", {"plot": plot})
    assert not [part for part in ("<script", "<b>", "<i>") if part in html]
