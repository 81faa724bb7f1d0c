"""Rows that are made instances without Django's constructor are what Django would have made."""

from __future__ import annotations

import json
import operator
import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from functools import partial
from typing import Any

import orjson
import pytest
from django.apps import apps
from django.db import models
from django.db.models.base import Model, ModelState

from memories.models import Memory
from memsite.db.copies import Row, columns_of_many, copy_of, is_sealed, sealed_value
from memsite.tenancy.models import Agent, ApiKey, App, AppPolicy
from tests.conftest import Caller
from tests.memories.retrieve.asking import store


@pytest.mark.parametrize("model", [Agent, ApiKey, App, AppPolicy, Memory])
def test_an_instance_is_what_djangos_constructor_makes(alice: Caller, model: type[models.Model]) -> None:
    store(alice, "whales sing", tags=["sea"], metadata={"depth": [1, None]}, valid_from="2027-01-02T03:04:05Z")
    row = model._default_manager.all()[0]
    fields = [field.attname for field in model._meta.concrete_fields]
    made = Model.from_db.__func__(model, "default", fields, [row.__dict__[name] for name in fields])  # type: ignore[attr-defined]
    assert type(row) is type(made)
    assert {**row.__dict__, "_state": None} == {**made.__dict__, "_state": None}
    assert state(row) == state(made) == {"db": "default", "adding": False}
    assert row == made


def state(row: models.Model) -> dict[str, Any]:
    assert isinstance(row._state, ModelState)
    return {name: value for name, value in row._state.__dict__.items() if name != "fields_cache"}


def test_it_is_changed_read_again_and_copied_as_others_are(alice: Caller) -> None:
    stored = store(alice, "whales sing")
    row = Memory.objects.for_app(alice.app).get()
    row.importance = 5
    row.save(update_fields=["importance"])
    assert pickle.loads(pickle.dumps(row)).importance == 5  # noqa: S301  # our own
    stored.refresh_from_db()
    assert stored.importance == 5
    assert row.app.app_id == "acme"


def test_what_is_not_read_is_deferred(alice: Caller, django_assert_num_queries: Any) -> None:
    store(alice, "whales sing")
    with django_assert_num_queries(1):
        row = Memory.objects.for_app(alice.app).only("category").get()
        assert (row.category, "content" in row.__dict__) == ("general", False)
    with django_assert_num_queries(1):
        assert row.content == "whales sing"


@pytest.mark.parametrize("model", [Agent, ApiKey, App, AppPolicy, Memory])
def test_one_like_it_is_of_the_same_row_and_another(alice: Caller, model: type[Row]) -> None:
    store(alice, "whales sing", tags=["sea"], metadata={"depth": [1, None]}, valid_from="2027-01-02T03:04:05Z")
    row = model._default_manager.all()[0]
    apart = row.apart()
    assert apart is not row
    assert type(apart) is model
    assert apart == row
    assert {**apart.__dict__, "_state": None} == {**row.__dict__, "_state": None}
    assert state(apart) == state(row)
    told = [name for name in columns_of_many(model) if getattr(row, name) is not None]
    assert [name for name in told if getattr(apart, name) is getattr(row, name)] == []


def test_one_like_it_has_what_was_read_with_it_of_its_own(alice: Caller, django_assert_num_queries: Any) -> None:
    """Also where these know each other: an app its policy, and the policy its app."""
    key = ApiKey.objects.select_related("agent__app__policy").get(agent=alice.agent)
    apart, app = key.apart(), key.agent.app
    with django_assert_num_queries(0):
        its_own = apart.agent.app
        assert (apart.agent, its_own, its_own.policy) == (key.agent, app, app.policy)
        assert its_own.policy.app is its_own
        assert apart.agent is not key.agent
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
    apart = row.apart()
    assert apart.session is not None
    assert apart.app.app_id == "acme"
    assert not apart.session.end_reason
    assert "app" not in row._state.fields_cache
    assert "end_reason" not in row.session.__dict__
    assert row.apart().session.__dict__.keys() == row.session.__dict__.keys()


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


def test_nothing_of_a_sealed_one_is_changed(alice: Caller) -> None:
    row = store(alice, "whales sing", tags=["sea"]).seal()
    sets, deletes = partial(setattr, row, "content", "herons stand"), partial(delattr, row, "content")
    for change in (sets, deletes, row.refresh_from_db):
        with pytest.raises(TypeError, match="Others read this Memory, too"):
            change()
    assert row.content == "whales sing"


CHANGES_OF_LISTS: list[Callable[[Any], object]] = [
    lambda one: one.append(2), lambda one: one.extend([2]), lambda one: one.insert(0, 2), lambda one: one.pop(),
    lambda one: one.remove(1), lambda one: one.clear(), lambda one: one.sort(), lambda one: one.reverse(),
    lambda one: operator.setitem(one, 0, 2), lambda one: operator.delitem(one, 0), lambda one: operator.iadd(one, [2]),
    lambda one: operator.imul(one, 2),
]  # fmt: skip
CHANGES_OF_OBJECTS: list[Callable[[Any], object]] = [
    lambda one: one.update(of=2), lambda one: one.setdefault("to", 2), lambda one: one.pop("of"),
    lambda one: one.popitem(), lambda one: one.clear(), lambda one: operator.setitem(one, "of", 2),
    lambda one: operator.delitem(one, "of"), lambda one: operator.ior(one, {"to": 2}),
]  # fmt: skip


def test_nothing_of_what_its_columns_hold_is_changed_and_copies_are() -> None:
    value = {"depth": [1, {"of": "whales"}], "none": None}
    whole = sealed_value(value)
    for held, changes in ((whole["depth"], CHANGES_OF_LISTS), (whole["depth"][1], CHANGES_OF_OBJECTS)):
        for change in changes:
            with pytest.raises(TypeError, match="Others read this"):
                change(held)
    assert whole == value
    assert json.dumps(whole) == json.dumps(value)
    assert orjson.dumps(whole) == orjson.dumps(value)
    for copied in (copy_of(whole), deepcopy(whole), pickle.loads(pickle.dumps(whole))):  # noqa: S301  # our own
        assert copied == value
        copied["depth"][1]["of"] = "herons"
        copied["depth"].append(2)
    copy(whole)["none"] = 1
    assert whole == {"depth": [1, {"of": "whales"}], "none": None}


def test_by_way_of_a_sealed_one_nothing_is_read_that_would_stay_with_it(alice: Caller) -> None:
    """A policy that is changed meanwhile, say."""
    store(alice, "whales sing")
    row = Memory.objects.for_app(alice.app).defer("content").get().seal()
    for name in ("app", "content"):
        with pytest.raises(TypeError):
            getattr(row, name)
    apart = row.apart()
    assert (apart.app, apart.content) == (alice.app, "whales sing")


def test_a_sealed_one_is_the_same_row_and_of_the_same_model(alice: Caller) -> None:
    key = ApiKey.objects.select_related("agent__app__policy").get(agent=alice.agent)
    sealed = ApiKey.objects.select_related("agent__app__policy").get(agent=alice.agent).seal()
    assert sealed.seal() is sealed
    assert sealed == key
    assert isinstance(sealed, ApiKey)
    assert all(map(is_sealed, (sealed, sealed.agent, sealed.agent.app, sealed.agent.app.policy)))
    assert sealed.agent.app.policy.app is sealed.agent.app
    assert ApiKey.objects.filter(agent=sealed.agent, agent__app=sealed.agent.app).get() == key
    assert pickle.loads(pickle.dumps(sealed)) == key  # noqa: S301  # our own
    apart = sealed.apart()
    assert not any(map(is_sealed, (apart, apart.agent, apart.agent.app, apart.agent.app.policy)))
    assert {**vars(apart), "_state": None} == {**vars(key), "_state": None}
    apart.agent.app.policy.turn_limit += 1
    assert key.agent.app.policy.turn_limit == sealed.agent.app.policy.turn_limit


def test_a_sealed_one_is_no_model_that_wants_a_table(alice: Caller) -> None:
    before = apps.get_models()
    assert is_sealed(store(alice, "whales sing").seal())
    assert apps.get_models() == before
