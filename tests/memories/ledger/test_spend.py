"""Each call to a model is written down, and the sums are right."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from time_machine import travel

from memories.ledger.spend import GROUPS, MOST_TOKENS, record, spent_today, totals
from memories.models import EnergyUse, LedgerEntry
from memories.providers.llm.provider import Usage
from memsite.tenancy.models import App
from sessions.models import AgentSession
from tests.conftest import Caller, make_app

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def usage(operation: str = "extract", **changes: Any) -> Usage:
    answer = {"model": "large-1", "input_tokens": 100, "output_tokens": 20, "seconds": 0.5, "cost": 0.25, **changes}
    return Usage(operation=operation, **answer)


def spend(app: App, *usages: Usage, moment: datetime = NOON, **where: Any) -> None:
    with travel(moment, tick=False):
        for usage in usages:
            record(app, usage, **where)


def session_of(caller: Caller) -> AgentSession:
    uid = caller.start_session()["id"]
    return AgentSession.objects.for_app(caller.app).get(uid=uid)


def test_a_call_is_in_the_ledger_as_the_provider_told_it(alice: Caller) -> None:
    session = session_of(alice)
    spend(alice.app, usage(outcome="unusable"), session=session, turn_number=3)
    entry = LedgerEntry.objects.for_app(alice.app).get()
    assert (entry.operation, entry.model, entry.outcome) == ("extract", "large-1", "unusable")
    assert (entry.input_tokens, entry.output_tokens, entry.cost, entry.seconds) == (100, 20, 0.25, 0.5)
    assert (entry.session, entry.turn_number) == (session, 3)
    assert (entry.day, entry.created_at) == (date(2027, 3, 1), NOON)


def test_a_call_takes_energy_too(acme: App) -> None:
    spend(acme, usage("extract"), usage("extract"), usage("gate"))
    used = EnergyUse.objects.for_app(acme).order_by("operation").values_list("operation", "calls", "units")
    assert list(used) == [("extract", 2, 40.0), ("gate", 1, 5.0)]


def test_the_small_and_the_large_model_are_both_in_the_sum(acme: App) -> None:
    spend(acme, usage("gate", model="small-1", cost=0.01), usage("extract"))
    spent = spent_today(acme, NOON)
    assert spent.cost == pytest.approx(0.26)
    assert spent.tokens == 240


def test_nothing_spent_is_zero(acme: App) -> None:
    assert spent_today(acme, NOON) == (0.0, 0)


def test_a_price_nobody_knows_is_no_price_but_its_tokens_count(acme: App) -> None:
    spend(acme, usage(cost=None), usage(cost=float("nan")), usage(cost=float("inf")))
    assert spent_today(acme, NOON) == (0.0, 360)
    assert list(LedgerEntry.objects.for_app(acme).values_list("cost", flat=True)) == [None] * 3


def test_a_service_that_talks_nonsense_is_written_down_all_the_same(acme: App) -> None:
    spend(acme, usage(input_tokens=10**30, output_tokens=10**30, model="m" * 1000))
    entry = LedgerEntry.objects.for_app(acme).get()
    assert (entry.input_tokens, entry.output_tokens, len(entry.model)) == (MOST_TOKENS, MOST_TOKENS, 120)
    assert spent_today(acme, NOON).tokens == 2 * MOST_TOKENS


def test_a_new_day_begins_at_midnight_where_the_app_lives(db: None) -> None:
    app = App.objects.get(pk=make_app("globex", time_zone="Europe/Berlin").pk)
    before, after = datetime(2027, 3, 28, 21, 59, 59, tzinfo=UTC), datetime(2027, 3, 28, 22, 0, tzinfo=UTC)
    spend(app, usage(), moment=before)
    assert spent_today(app, before).tokens == 120
    assert spent_today(app, after).tokens == 0
    spend(app, usage(input_tokens=1), moment=after)
    assert spent_today(app, before).tokens == 120
    assert spent_today(app, after).tokens == 21


def test_what_another_app_spends_is_not_ours(acme: App, charlie: Caller) -> None:
    spend(charlie.app, usage())
    assert spent_today(acme, NOON) == (0.0, 0)
    assert totals(acme, NOON.date(), "day") == []


def test_sums_by_day(acme: App) -> None:
    spend(acme, usage(), moment=NOON - timedelta(days=2))
    spend(acme, usage(), usage(cost=None), moment=NOON - timedelta(days=1))
    spend(acme, usage(), usage(), usage())
    results = [
        (total.key, total.calls, total.input_tokens, total.output_tokens, total.cost, total.unpriced)
        for total in totals(acme, date(2027, 2, 28), "day")
    ]
    assert results == [
        ((date(2027, 2, 28),), 2, 200, 40, 0.25, 1),
        ((date(2027, 3, 1),), 3, 300, 60, 0.75, 0),
    ]


def test_sums_by_operation(acme: App) -> None:
    spend(acme, usage("rewrite", cost=0.5), usage("extract"), usage("rewrite", cost=0.5))
    assert [(total.key, total.calls, total.cost) for total in totals(acme, NOON.date(), "operation")] == [
        (("extract",), 1, 0.25),
        (("rewrite",), 2, 1.0),
    ]


def test_sums_by_model_and_by_day_and_operation(acme: App) -> None:
    spend(acme, usage(), usage("gate", outcome="unavailable"), moment=NOON - timedelta(days=1))
    spend(acme, usage())
    spend(acme, usage(provider="ollama"))
    item, other = totals(acme, date(2027, 1, 1), "model")
    assert (item.key, other.key) == ((None, "large-1"), ("ollama", "large-1"))
    assert (item.calls, item.failed, item.tokens) == (3, 1, 360)
    days = [(total.key, total.calls) for total in totals(acme, date(2027, 1, 1), "day and operation")]
    yesterday = NOON.date() - timedelta(days=1)
    assert days == [((yesterday, "extract"), 1), ((yesterday, "gate"), 1), ((NOON.date(), "extract"), 2)]


def test_sums_end_with_a_day(acme: App) -> None:
    spend(acme, usage(), moment=NOON - timedelta(days=1))
    spend(acme, usage())
    yesterday = NOON.date() - timedelta(days=1)
    assert [total.key for total in totals(acme, date(2027, 1, 1), "day", yesterday)] == [(yesterday,)]


def test_sums_by_turn_of_a_session(alice: Caller) -> None:
    session = session_of(alice)
    for turn in (2, 1, 2, None):
        spend(alice.app, usage(), session=session, turn_number=turn)
    spend(alice.app, usage())
    results = {total.key: total.cost for total in totals(alice.app, NOON.date(), "turn")}
    assert results == {(session.uid, None): 0.25, (session.uid, 1): 0.25, (session.uid, 2): 0.5}


def test_a_call_that_failed_without_an_answer_is_not_called_unpriced(acme: App) -> None:
    spend(acme, usage(input_tokens=0, output_tokens=0, cost=None, outcome="unavailable"))
    assert [(total.calls, total.unpriced) for total in totals(acme, NOON.date(), "day")] == [(1, 0)]


def test_sums_take_one_query_however_much_there_is(acme: App) -> None:
    for days in range(5):
        spend(acme, usage(), usage("gate"), moment=NOON - timedelta(days=days))
    for by in GROUPS:
        with CaptureQueriesContext(connection) as queries:
            totals(acme, date(2027, 1, 1), by)
        assert len(queries) == 1
    with CaptureQueriesContext(connection) as queries:
        spent_today(acme, NOON)
    assert len(queries) == 1
