"""Units are counted, and told exactly once."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.ledger.energy import UNITS, Consumption, consumed, is_low, note_energy, set_level, units_of
from memories.models import EnergyUse
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
TODAY = NOON.date()
DAY = timedelta(days=1)


def test_the_table_of_units(db: None) -> None:
    assert {name: UNITS[name] for name in ("search", "write", "embed", "gate", "extract", "digest")} == {
        "search": 1,
        "write": 2,
        "embed": 1,
        "gate": 5,
        "extract": 20,
        "digest": 15,
    }
    assert units_of("something new") == 1


def test_operations_add_up_by_kind_and_day(acme: App) -> None:
    note_energy(acme, "search", NOON)
    note_energy(acme, "search", NOON, calls=3)
    note_energy(acme, "write", NOON)
    note_energy(acme, "search", NOON + DAY)
    rows = EnergyUse.objects.for_app(acme).order_by("day", "operation")
    assert list(rows.values_list("day", "operation", "calls", "units")) == [
        (TODAY, "search", 4, 4.0),
        (TODAY, "write", 1, 2.0),
        (TODAY + DAY, "search", 1, 1.0),
    ]


def test_an_operation_is_counted_in_one_statement(acme: App) -> None:
    with CaptureQueriesContext(connection) as queries:
        note_energy(acme, "search", NOON)
        note_energy(acme, "search", NOON)
    assert len(queries) == 2


def test_the_day_is_that_of_the_place_where_the_app_lives(db: None) -> None:
    app = App.objects.get(pk=make_app("globex", time_zone="Europe/Berlin").pk)
    note_energy(app, "search", datetime(2027, 10, 31, 22, 59, tzinfo=UTC))
    note_energy(app, "search", datetime(2027, 10, 31, 23, 0, tzinfo=UTC))
    days = EnergyUse.objects.for_app(app).order_by("day").values_list("day", flat=True)
    assert list(days) == [date(2027, 10, 31), date(2027, 11, 1)]


def test_nothing_used_is_nothing_to_report(acme: App) -> None:
    assert consumed(acme) == Consumption(0.0, {}, None)


def test_a_report_tells_what_was_used(acme: App) -> None:
    note_energy(acme, "search", NOON, calls=7)
    note_energy(acme, "extract", NOON + DAY)
    assert consumed(acme) == Consumption(27.0, {"search": 7.0, "extract": 20.0}, TODAY)


def test_what_was_told_is_not_told_again(acme: App) -> None:
    note_energy(acme, "search", NOON)
    consumed(acme)
    assert consumed(acme) == Consumption(0.0, {}, None)


def test_the_next_report_tells_only_what_came_since(acme: App) -> None:
    note_energy(acme, "extract", NOON)
    consumed(acme)
    note_energy(acme, "search", NOON + DAY, calls=2)
    assert consumed(acme) == Consumption(2.0, {"search": 2.0}, TODAY + DAY)


def test_later_the_same_day_only_the_new_units_are_told(acme: App) -> None:
    note_energy(acme, "extract", NOON)
    consumed(acme)
    note_energy(acme, "search", NOON)
    assert consumed(acme) == Consumption(1.0, {"search": 1.0}, TODAY)


def test_what_is_used_late_for_a_day_that_was_told_is_told_too(acme: App) -> None:
    note_energy(acme, "search", NOON + DAY)
    consumed(acme)
    note_energy(acme, "write", NOON)
    assert consumed(acme).units == 2


def test_rows_that_were_cleared_away_are_not_told_as_less_than_nothing(acme: App) -> None:
    note_energy(acme, "extract", NOON)
    consumed(acme)
    EnergyUse.objects.for_app(acme).delete()
    assert consumed(acme).units == 0
    note_energy(acme, "search", NOON)
    assert consumed(acme).units == 1


def test_another_app_has_its_own_energy(acme: App, charlie: Caller) -> None:
    note_energy(charlie.app, "extract", NOON)
    set_level(charlie.app, 0.0)
    assert consumed(acme).units == 0
    acme.refresh_from_db()
    assert acme.energy_level == 1.0
    assert consumed(charlie.app).units == 20


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from([*UNITS, "report"]), st.integers(0, 3)), max_size=12))
def test_each_unit_is_told_once_however_reports_fall(acme: App, steps: list[tuple[str, int]]) -> None:
    consumed(acme)
    used = answer = 0.0
    for operation, days in steps:
        if operation == "report":
            report = consumed(acme)
            assert sum(report.by_operation.values()) == report.units
            answer += report.units
        else:
            note_energy(acme, operation, NOON + days * DAY)
            used += UNITS[operation]
    assert answer + consumed(acme).units == used


def test_the_number_of_queries_does_not_grow_with_the_days_that_were_told(acme: App) -> None:
    counts = []
    for days in (1, 60):
        for back in range(1, days):
            note_energy(acme, "search", NOON - back * DAY)
        consumed(acme)
        note_energy(acme, "search", NOON)
        with CaptureQueriesContext(connection) as queries:
            consumed(acme)
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("level", "low"), [(0.0, True), (0.19, True), (0.2, False), (1.0, False)])
def test_energy_is_low_below_the_floor(acme: App, level: float, low: bool) -> None:
    set_level(acme, level)
    assert is_low(acme) is low
    assert is_low(App.objects.get(pk=acme.pk)) is low


@pytest.mark.parametrize("level", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_level_that_is_none_is_refused(acme: App, level: float) -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        set_level(acme, level)
    acme.refresh_from_db()
    assert acme.energy_level == 1.0
