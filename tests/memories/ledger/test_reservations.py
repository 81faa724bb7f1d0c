"""What calls under way may take is set aside, so that the day's limits hold exactly."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from time_machine import travel

from memories.ledger.budget import HELD_FOR, meter_for
from memories.ledger.spend import spent_today
from memories.models import EnergyUse, LedgerEntry, Reservation
from memories.providers.llm.provider import Expected, Grant, LLMDenied, Usage
from memsite.tenancy.models import App, AppPolicy
from tests.conftest import Caller, make_app

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
MIDNIGHT = datetime(2027, 3, 2, tzinfo=UTC)
PRICE = (1.0, 10.0)


def app_with(**policy: Any) -> App:
    return make_app("initech", **policy)


def expected(tokens_in: int = 100, tokens_out: int = 200, least: int = 50, price: Any = PRICE) -> Expected:
    return Expected("extract", tokens_in, tokens_out, least, price)


def took(tokens_in: int = 100, tokens_out: int = 20, cost: float | None = None) -> Usage:
    return Usage("extract", "large-1", tokens_in, tokens_out, 0.1, cost)


def begin(app: App, call: Expected | None = None, moment: datetime = NOON) -> Grant:
    with travel(moment, tick=False):
        return meter_for(app)(call or expected())


def call(app: App, usage: Usage | None = None, moment: datetime = NOON) -> None:
    grant = begin(app, moment=moment)
    with travel(moment, tick=False):
        grant.settle(usage or took())


def denial(app: App, requested: Expected | None = None, moment: datetime = NOON) -> LLMDenied:
    with pytest.raises(LLMDenied) as caught:
        begin(app, requested, moment)
    return caught.value


def test_without_limits_nothing_is_set_aside(acme: App) -> None:
    grant = begin(acme)
    assert grant.output_tokens == 200
    assert not Reservation.objects.exists()
    grant.settle(took())
    assert LedgerEntry.objects.get().output_tokens == 20


def test_a_call_holds_what_it_may_take_and_then_has_taken_what_it_took(db: None) -> None:
    app = app_with(daily_tokens=1000)
    grant = begin(app)
    stored = Reservation.objects.get()
    assert (stored.app, stored.tokens, stored.expires_at) == (app, 300, NOON + HELD_FOR)
    assert stored.cost == pytest.approx(100 * 1e-6 + 200 * 10e-6)
    with travel(NOON, tick=False):
        grant.settle(took())
    assert not Reservation.objects.exists()
    assert spent_today(app, NOON).tokens == 120
    assert EnergyUse.objects.get().calls == 1


def test_a_call_that_was_not_made_has_taken_nothing(db: None) -> None:
    app = app_with(daily_tokens=1000)
    begin(app).settle(None)
    assert not Reservation.objects.exists()
    assert not LedgerEntry.objects.exists()


def test_what_would_go_over_waits_for_midnight(db: None) -> None:
    app = app_with(daily_tokens=1000, time_zone="Europe/Berlin")
    for _ in range(6):
        call(app)
    denied = denial(app)
    assert str(denied) == ("budget: 720 tokens are spent (of 1,000 tokens a day), and a question may take 300 more")
    assert denied.until == datetime(2027, 3, 1, 23, tzinfo=UTC)
    call(app, moment=denied.until)


def test_what_would_go_over_only_with_calls_under_way_waits_for_these(db: None) -> None:
    app = app_with(daily_tokens=1000)
    grants = [begin(app) for _ in range(3)]
    denied = denial(app)
    assert "calls under way" in str(denied)
    assert denied.until == NOON + timedelta(seconds=30)
    grants[0].settle(None)
    begin(app)


def test_dollars_are_set_aside_too(db: None) -> None:
    app = app_with(daily_cost=0.005)  # a call may take 0.0021
    begin(app)
    begin(app)
    denied = denial(app)
    assert str(denied).startswith("budget: $0.00 are spent (of $0.0050 a day), calls under way")
    assert denied.until == NOON + timedelta(seconds=30)


def test_dollars_that_are_spent_are_spent(db: None) -> None:
    app = app_with(daily_cost=0.005)
    for _ in range(3):
        call(app, took(cost=0.001))
    assert denial(app).until == MIDNIGHT


def test_where_no_price_is_known_money_is_no_matter_until_it_is_spent(db: None) -> None:
    app = app_with(daily_cost=0.5)
    for _ in range(3):
        assert begin(app, expected(price=None)).output_tokens == 200
    call(app, took(cost=0.5))
    assert denial(app, expected(price=None)).until == MIDNIGHT


def test_a_model_for_nothing_costs_nothing(db: None) -> None:
    app = app_with(daily_cost=0.000001)
    assert begin(app, expected(price=(0.0, 0.0))).output_tokens == 200


@pytest.mark.parametrize(
    ("policy", "capacity"), [({"daily_tokens": 180}, 80), ({"daily_cost": 0.0009}, 80), ({"daily_tokens": 150}, 50)]
)
def test_what_a_whole_day_could_not_pay_for_is_content_with_less(db: None, policy: Any, capacity: int) -> None:
    app = app_with(**policy)
    assert begin(app).output_tokens == capacity


@pytest.mark.parametrize(
    "policy", [{"daily_tokens": 149}, {"daily_tokens": 0}, {"daily_cost": 0.0}, {"daily_cost": 0.00001}]
)
def test_what_no_day_could_pay_for_is_not_asked(db: None, policy: Any) -> None:
    assert denial(app_with(**policy)).until == MIDNIGHT


def test_who_is_content_with_less_on_a_fresh_day_does_not_go_over_on_a_used_one(db: None) -> None:
    app = app_with(daily_tokens=250)
    call(app, took(90, 10))
    assert begin(app).output_tokens == 50
    assert denial(app).until == NOON + timedelta(seconds=30)


def test_low_energy_denies_until_somebody_tells_of_more(acme: App) -> None:
    App.objects.filter(pk=acme.pk).update(energy_level=0.1)
    denied = denial(acme)
    assert str(denied) == "energy: energy is at 10%, and memory work waits below 20%"
    assert denied.until is None


def test_what_has_changed_counts_at_once(db: None) -> None:
    app = app_with(daily_tokens=0)
    denial(app)
    AppPolicy.objects.update(daily_tokens=None)
    begin(app)
    App.objects.update(energy_level=0.0)
    denial(app)


def test_what_a_dead_process_holds_is_free_again_after_a_while(db: None) -> None:
    app = app_with(daily_tokens=400)
    begin(app)
    denial(app, moment=NOON + HELD_FOR - timedelta(seconds=1))
    late = begin(app, moment=NOON + HELD_FOR)
    assert Reservation.objects.count() == 1
    late.settle(took())
    assert not Reservation.objects.exists()


def test_a_call_that_ends_after_its_time_is_still_told(db: None) -> None:
    app = app_with(daily_tokens=400)
    slow = begin(app)
    begin(app, moment=NOON + HELD_FOR)
    slow.settle(took())
    assert LedgerEntry.objects.count() == 1
    assert Reservation.objects.count() == 1


def test_apps_hold_nothing_for_each_other(db: None, charlie: Caller) -> None:
    app = app_with(daily_tokens=400)
    AppPolicy.objects.filter(app=charlie.app).update(daily_tokens=400)
    begin(app)
    begin(charlie.app)
    denial(app)


@travel(NOON, tick=False)
def test_a_limit_holds_for_calls_at_the_same_time(shared_database: App) -> None:
    together = Barrier(8)
    denials: list[LLMDenied] = []
    left: list[int] = []

    def allow() -> None:
        AppPolicy.objects.filter(app=shared_database).update(daily_tokens=2_000)
        connection.close()

    def work() -> None:
        together.wait()
        for _ in range(5):
            try:
                grant = meter_for(shared_database)(expected())
            except LLMDenied as denied:
                denials.append(denied)
            else:
                grant.settle(took(100, 200))
        connection.close()

    def look() -> None:
        left.extend((spent_today(shared_database, timezone.now()).tokens, Reservation.objects.count()))
        connection.close()

    in_threads(allow)
    in_threads(*[work] * 8)
    in_threads(look)
    # 300 each: no seventh fits, and the last six are not always reached together.
    assert left[0] in range(300, 2_000, 300)
    assert left[1] == 0
    assert len(denials) + left[0] // 300 == 40


def in_threads(*tasks: Callable[[], None]) -> None:
    threads = [Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
