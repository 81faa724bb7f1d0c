"""Low energy and spent budgets make learning wait, and recall cheaper."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from time_machine import travel

from memories.ledger.budget import Denial, economises, may_learn
from memories.ledger.energy import set_level
from memories.ledger.spend import record
from memories.providers.llm.provider import Usage
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
MIDNIGHT = datetime(2027, 3, 2, tzinfo=UTC)


@pytest.fixture(autouse=True)
def with_a_model(settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, llm="openai")


def app_with(**policy: Any) -> App:
    return App.objects.select_related("policy").get(pk=make_app("initech", **policy).pk)


def spend(app: App, tokens: int = 0, dollars: float | None = None, moment: datetime = NOON) -> None:
    with travel(moment, tick=False):
        record(app, Usage("extract", "large-1", tokens // 2, tokens - tokens // 2, 0.1, dollars))


def test_without_limits_everything_may_be_learnt(acme: App) -> None:
    spend(acme, 10**9, 10**6)
    assert may_learn(acme, NOON) is None
    assert not economises(acme, NOON)


def test_low_energy_makes_learning_wait_until_the_agents_report_more(acme: App) -> None:
    set_level(acme, 0.1)
    denial = may_learn(acme, NOON)
    assert denial == Denial("energy", "energy is at 10%, and memory work waits below 20%", None)
    assert economises(acme, NOON)
    set_level(acme, 0.2)
    assert may_learn(acme, NOON) is None
    assert not economises(acme, NOON)


def test_the_floor_is_the_apps_own(db: None) -> None:
    app = app_with(energy_floor=0.0)
    set_level(app, 0.0)
    assert may_learn(app, NOON) is None


def test_tokens_are_up_when_the_last_one_is_spent(db: None) -> None:
    app = app_with(daily_tokens=1000)
    spend(app, 999)
    assert may_learn(app, NOON) is None
    spend(app, 1)
    assert may_learn(app, NOON) == Denial("budget", "1,000 tokens are spent (of 1,000 tokens a day)", MIDNIGHT)


def test_a_day_that_went_over_leaves_no_debt(db: None) -> None:
    app = app_with(daily_tokens=1000)
    spend(app, 5000)
    assert may_learn(app, NOON) is not None
    assert may_learn(app, MIDNIGHT) is None


def test_dollars_are_up_when_the_last_one_is_spent(db: None) -> None:
    app = app_with(daily_cost=2.0)
    spend(app, 10, 1.75)
    assert may_learn(app, NOON) is None
    spend(app, 10, 0.25)
    assert may_learn(app, NOON) == Denial("budget", "$2.00 are spent (of $2.00 a day)", MIDNIGHT)


def test_a_failed_call_that_cost_something_counts(db: None) -> None:
    app = app_with(daily_tokens=100)
    with travel(NOON, tick=False):
        record(app, Usage("extract", "large-1", 60, 40, 0.1, outcome="unusable"))
    assert may_learn(app, NOON) is not None


@pytest.mark.parametrize("limit", [{"daily_tokens": 0}, {"daily_cost": 0.0}])
def test_a_budget_of_nothing_is_no_reason_to_save_for_nothing_is_spent(db: None, limit: dict[str, Any]) -> None:
    app = app_with(**limit)
    spend(app, 100, 0.25)
    assert may_learn(app, NOON) is None
    assert not economises(app, NOON)


def test_where_there_is_no_model_any_more_nothing_waits_and_nothing_is_saved(db: None, settings: Any) -> None:
    app = app_with(daily_tokens=100, daily_cost=1.0)
    spend(app, 100, 1.0)
    settings.MEMSITE = replace(settings.MEMSITE, llm="rules")
    assert may_learn(app, NOON) is None
    assert not economises(app, NOON)


def test_the_next_day_begins_with_a_full_budget_where_the_app_lives(db: None) -> None:
    app = app_with(daily_tokens=1000, time_zone="Europe/Berlin")
    short_day = datetime(2027, 3, 28, 0, 30, tzinfo=UTC)
    spend(app, 1000, moment=short_day)
    denial = may_learn(app, short_day)
    assert denial is not None
    assert denial.until == datetime(2027, 3, 28, 22, tzinfo=UTC)
    assert may_learn(app, denial.until - timedelta(seconds=1)) is not None
    assert may_learn(app, denial.until) is None


def test_recall_saves_before_the_budget_is_gone(db: None) -> None:
    app = app_with(daily_tokens=1000)
    spend(app, 799)
    assert not economises(app, NOON)
    spend(app, 1)
    assert economises(app, NOON)
    assert may_learn(app, NOON) is None


def test_recall_saves_dollars_too(db: None) -> None:
    app = app_with(daily_cost=1.0, daily_tokens=10**6)
    spend(app, 10, 0.75)
    assert not economises(app, NOON)
    spend(app, 10, 0.125)
    assert economises(app, NOON)


def test_low_energy_is_the_reason_when_both_are_gone(db: None) -> None:
    app = app_with(daily_tokens=100)
    spend(app, 100)
    set_level(app, 0.0)
    denial = may_learn(app, NOON)
    assert denial is not None
    assert denial.reason == "energy"


def test_what_another_app_spends_takes_nothing_from_ours(db: None, charlie: Caller) -> None:
    app = app_with(daily_tokens=1000)
    spend(charlie.app, 5000)
    set_level(charlie.app, 0.0)
    assert may_learn(app, NOON) is None
