"""Copies of rows share nothing with the rows."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import models
from django.db.models.base import ModelState

from memories.models import Memory
from memsite.db.copies import copy_of, copy_row, json_columns
from memsite.tenancy.models import Agent, ApiKey, App, AppPolicy
from tests.conftest import Caller
from tests.memories.retrieve.asking import store


def state(row: models.Model) -> dict[str, Any]:
    assert isinstance(row._state, ModelState)
    return {name: value for name, value in row._state.__dict__.items() if name != "fields_cache"}


@pytest.mark.parametrize("model", [Agent, ApiKey, App, AppPolicy, Memory])
def test_one_like_it_is_of_the_same_row_and_another(alice: Caller, model: type[models.Model]) -> None:
    store(alice, "whales sing", tags=["sea"], metadata={"depth": [1, None]}, valid_from="2027-01-02T03:04:05Z")
    row = model._default_manager.all()[0]
    copied = copy_row(row)
    assert copied is not row
    assert type(copied) is model
    assert copied == row
    assert {**copied.__dict__, "_state": None} == {**row.__dict__, "_state": None}
    assert state(copied) == state(row)
    names = [name for name in json_columns(model) if getattr(row, name) is not None]
    assert [name for name in names if getattr(copied, name) is getattr(row, name)] == []


def test_one_like_it_has_what_was_read_with_it_of_its_own(alice: Caller, django_assert_num_queries: Any) -> None:
    """Also where these know each other: an app its policy, and the policy its app."""
    key = ApiKey.objects.select_related("agent__app__policy").get(agent=alice.agent)
    copied, app = copy_row(key), key.agent.app
    with django_assert_num_queries(0):
        its_own = copied.agent.app
        assert (copied.agent, its_own, its_own.policy) == (key.agent, app, app.policy)
        assert its_own.policy.app is its_own
        assert copied.agent is not key.agent
        assert its_own is not app
        assert its_own.policy is not app.policy
    its_own.policy.turn_limit += 1
    its_own.name = "another"
    assert app.policy.turn_limit == its_own.policy.turn_limit - 1
    assert app.name != "another"


def test_what_is_read_later_for_one_like_it_the_first_knows_nothing_of(alice: Caller) -> None:
    session = alice.post("sessions", {}).json()["id"]
    store(alice, "whales sing", session_id=session, turn_number=3)
    row = Memory.objects.select_related("session").defer("session__end_reason").get()
    copied = copy_row(row)
    assert copied.session is not None
    assert copied.app.app_id == "acme"
    assert not copied.session.end_reason
    assert "app" not in row._state.fields_cache
    assert "end_reason" not in row.session.__dict__
    assert copy_row(row).session.__dict__.keys() == row.session.__dict__.keys()


@pytest.mark.parametrize("value", [None, 0, False, "", "a", 1.5, [], {}, [[]], {"a": {}}, [1, {"b": [2]}]])
def test_a_copy_of_json_is_another(value: Any) -> None:
    copied = copy_of(value)
    assert copied == value
    assert type(copied) is type(value)
    if isinstance(value, list | dict):
        assert copied is not value


def test_a_copy_of_json_shares_nothing_with_it() -> None:
    value = {"a": [{"b": [1]}]}
    copied = copy_of(value)
    copied["a"][0]["b"].append(2)
    assert value == {"a": [{"b": [1]}]}
