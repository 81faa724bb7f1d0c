"""What is told of partitions and shards, by hand and of a few small apps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from bench import partitions
from bench.hashing import hashing
from bench.partitions import (
    Asked,
    ask,
    lay_out,
    render,
    routed_statements,
    schema_of,
    shortened,
    statements_of_a_search,
    vacuumed,
)  # fmt: skip
from bench.search_latency import fill_app
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent, App

WHOLE, SPLIT = "as it is", "2 partitions"


def test_a_statement_is_told_by_its_tables_and_columns() -> None:
    sql = 'DELETE FROM "memories_link" WHERE "memories_link"."from_memory_id" IN (1, 2)'
    assert shortened(sql) == "DELETE memories_link by from_memory_id"


def test_what_is_told() -> None:
    question = {
        WHOLE: {"the ten hits": Asked([0.001] * 3, 1)},
        SPLIT: {"the ten hits": Asked([0.002] * 3, 2)},
    }
    routed = {"searches": (8, ["SELECT a by id", "SELECT a by id"]), "reads one": (2, list[str]())}
    output = render(3, 100, {WHOLE: 0.5, SPLIT: 1.0}, question, {WHOLE: 0.25, SPLIT: 0.125}, routed, "today.")
    assert "| the ten hits | 1.00 / 1.00 in 1 | 2.00 / 2.00 in 2 |" in output
    assert "| a tenth changed, then VACUUM, ms | 250 | 125 |" in output
    assert "| filling, memories a second | 600 | 300 |" in output
    assert "| searches | 8 | 6 | `SELECT a by id` |" in output
    assert "| reads one | 2 | 2 | – |" in output


@pytest.fixture
def schemas() -> Iterator[None]:
    yield
    with connection.cursor() as cursor:
        for layout in (WHOLE, SPLIT):
            cursor.execute(f'DROP SCHEMA IF EXISTS "{schema_of(layout)}" CASCADE')


@pytest.mark.postgres("SQLite has no partitions")
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("schemas")
def test_copies_answer_as_the_tables_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "ROUNDS", 2)
    with hashing() as embedder:
        app = fill_app(60, embedder, "partitions")
        key = create_key(Agent.objects.for_app(app).get(), ["read", "write"]).text
        statements = statements_of_a_search(key)
        for layout, parts in ((WHOLE, 0), (SPLIT, 2)):
            lay_out(layout, parts, app, 3)
            assert rows_in(layout) == [(60, 60)] * 3
        whole, split = ask(WHOLE, statements), ask(SPLIT, statements)
        assert [item.tables for item in whole.values()] == [2, 1, 1, 1]
        assert split["who holds the words"].tables == 1
        assert all(len(item.seconds) == 2 for item in [*whole.values(), *split.values()])
        assert vacuumed(SPLIT) > 0
        routed = routed_statements(key)
    assert App.objects.count() == 1
    assert {what for what, (_, unnamed) in routed.items() if unnamed} == set()


def rows_in(layout: str) -> list[tuple[int, int]]:
    """Memories and vectors of each app."""
    name = f'"{schema_of(layout)}"'
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(m.id), count(v.id) FROM {name}.memories_memory m "  # noqa: S608  # our own names
            f"JOIN {name}.memories_vector v ON v.memory_id = m.id AND v.app_id = m.app_id GROUP BY m.app_id"
        )
        return cursor.fetchall()
