"""Rows that are made instances without Django's constructor are what Django would have made."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from django.db import models
from django.db.models.base import Model, ModelState

from memories.models import Memory
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
