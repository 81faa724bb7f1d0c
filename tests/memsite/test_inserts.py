"""Rows that are stored together are read again as they were."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.models import Memory, Vector
from memsite.db.transactions import insert_all
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.memories.retrieve.asking import store

NOON = datetime(2027, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)


def memory(app: App, content: str, **fields: Any) -> Memory:
    moments = dict.fromkeys(("anchored_at", "created_at", "updated_at", "confirmed_at"), NOON)
    values: dict[str, Any] = {"confidence": 0.7, "confidence_base": 0.7, "change_number": 1, **moments, **fields}
    return Memory(app=app, content=content, **values)


@pytest.mark.parametrize("count", [1, 3, 30])
def test_every_column_is_stored_as_the_orm_stores_it(acme: App, count: int) -> None:
    rows = [
        memory(
            acme, f"whale {number}", tags=["sea", "ünï"], metadata={"depth": [1, None, "x'\"%s"]}, valid_from=NOON,
            subject=None if number % 2 else "Ann", pinned=bool(number % 2), entities=None,
        )
        for number in range(count)
    ]  # fmt: skip
    insert_all(rows)
    assert len({row.pk for row in rows}) == count
    for row in rows:
        assert (row._state.adding, row._state.db) == (False, "default")
        read = Memory.objects.get(pk=row.pk)
        for field in Memory._meta.concrete_fields:
            assert getattr(read, field.attname) == getattr(row, field.attname), field.name


def test_a_few_take_one_statement(acme: App, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        insert_all([memory(acme, "one"), memory(acme, "two")])
    assert Memory.objects.for_app(acme).count() == 2


@pytest.mark.django_db
def test_nothing_takes_no_statement(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        insert_all([])


@pytest.mark.parametrize("count", [1, 30])
def test_what_is_there_already_is_written_over(alice: Caller, count: int) -> None:
    stored = [store(alice, f"whales sing {number}") for number in range(count)]
    before = {row.memory_id: row for row in Vector.objects.for_app(alice.app)}
    model = before[stored[0].pk].model
    insert_all(
        [Vector(app=alice.app, memory=row, model=model, dim=2, data=b"12345678") for row in stored],
        over=("memory", "model"),
    )
    insert_all(
        [Vector(app=alice.app, memory=stored[0], model="another", dim=1, data=b"1234")], over=("memory", "model")
    )
    now = Vector.objects.for_app(alice.app).filter(model=model)
    assert {row.pk for row in now} == {row.pk for row in before.values()}
    assert {(row.dim, bytes(row.data)) for row in now} == {(2, b"12345678")}
    assert Vector.objects.for_app(alice.app).count() == count + 1
