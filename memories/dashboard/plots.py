"""Plots: a table of numbers that the page's script draws. The table is there for everyone else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Literal

from django.utils import timezone

from memories.dashboard.tags import big, dollars, percent, two_digits

Across = date | datetime | str
Unit = Literal["count", "share", "dollars", "level"]
SHOWN: dict[Unit, Callable[[float | None], str]] = {
    "count": big,
    "share": percent,
    "dollars": dollars,
    "level": two_digits,
}


@dataclass(frozen=True, slots=True)
class Series:
    """One column. A value that is None leaves a gap."""

    label: str
    values: Sequence[float | None]
    drawn: Literal["bars", "line", "steps", "dashed"] = "bars"


@dataclass(frozen=True, slots=True)
class Cell:
    """`value` is what is drawn ("": nothing), `shown` what is read."""

    value: float | str
    text: str


@dataclass(frozen=True, slots=True)
class Plot:
    """Series over the same days, moments or names. `name` is its id on the page.

    `stacked`: the series add up, the first at the bottom. A `level` is a number from 0 to 1 that is no share.
    """

    name: str
    title: str
    across: str
    along: Sequence[Across]
    series: Sequence[Series]
    unit: Unit = "count"
    stacked: bool = False

    @property
    def axis(self) -> str:
        """Return what the values of `along` are."""
        first = self.along[0] if self.along else ""
        return "name" if isinstance(first, str) else "time" if isinstance(first, datetime) else "day"

    @property
    def is_empty(self) -> bool:
        return not any(value for series in self.series for value in series.values)

    def rows(self) -> Iterator[tuple[Cell, list[Cell]]]:
        for place, here in enumerate(self.along):
            values = [series.values[place] for series in self.series]
            cells = [Cell("" if value is None else round(value, 6), SHOWN[self.unit](value)) for value in values]
            yield head_cell(here, place), cells


def head_cell(here: Across, place: int) -> Cell:
    """Place days and moments at their Unix time in seconds, names at their place."""
    if isinstance(here, datetime):
        return Cell(round(here.timestamp()), f"{timezone.localtime(here):%Y-%m-%d %H:%M}")
    if isinstance(here, date):
        return Cell(round(datetime.combine(here, time.min, UTC).timestamp()), here.isoformat())
    return Cell(place, here)
