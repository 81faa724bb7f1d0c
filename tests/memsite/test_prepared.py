"""Queries whose SQL is written once answer like the queries that they are made of."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from memories.models import Memory
from memsite.db import prepared
from memsite.db.lru_cache import Commit
from memsite.db.prepared import Prepared, fetch_all, json_of, padded
from memsite.tenancy.models import ApiKey, App
from tests.conftest import Caller
from tests.memories.retrieve.asking import store


def test_instances_come_with_what_was_selected_with_them(alice: Caller, django_assert_num_queries: Any) -> None:
    keys = Prepared(lambda prefix: ApiKey.objects.select_related("agent__app__policy").filter(prefix=prefix))
    prefix = alice.key.split("_")[1]
    with django_assert_num_queries(1):
        (key,) = keys(prefix)
        assert key.agent is not None
        assert (key.prefix, key.agent.name, key.agent.app.app_id) == (prefix, "alice", "acme")
        assert key.agent.app.policy.pk == alice.app.policy.pk
    wanted = ApiKey.objects.select_related("agent__app__policy").get(prefix=prefix)
    assert key.agent.app.policy.__dict__.keys() == wanted.agent.app.policy.__dict__.keys()  # type: ignore[union-attr]
    for field in key._meta.concrete_fields:
        assert getattr(key, field.attname) == getattr(wanted, field.attname), field.name
    assert keys("nobody's") == []


def test_every_column_is_read_as_the_orm_reads_it(alice: Caller) -> None:
    stored = store(alice, "whales sing", tags=["sea"], metadata={"depth": [1, None]}, valid_from="2027-01-02T03:04:05Z")
    (read,) = Prepared(lambda app, *pks: Memory.objects.for_app(app).filter(pk__in=pks))(alice.app, stored.pk)
    for field in Memory._meta.concrete_fields:
        assert getattr(read, field.attname) == getattr(stored, field.attname), field.name
    assert not read._state.adding


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '["sea", "ice"]',
        '{"a": [1.5, null]}',
        f'{{"a": {2**70}}}',
        f"[{-(2**63) - 1}]",
        "1e400",
        '"\\ud800"',
    ],
)
def test_json_is_read_as_the_standard_library_reads_it(text: str) -> None:
    assert json_of(text) == json.loads(text)


def test_empty_json_is_each_rows_own() -> None:
    assert json_of("[]") is not json_of("[]")


def test_what_is_deferred_is_read_when_it_is_asked_for(alice: Caller) -> None:
    stored = store(alice, "whales sing")
    (read,) = Prepared(lambda app: Memory.objects.for_app(app).defer("content"))(alice.app)
    assert read.get_deferred_fields() == {"content"}
    assert read.content == stored.content


def test_plain_values_come_as_tuples(alice: Caller) -> None:
    apps = Prepared(lambda app_id: App.objects.filter(app_id=app_id).values_list("pk", "name"))
    assert apps("acme") == [(alice.app.pk, alice.app.name)]


def test_the_sql_is_written_once_for_so_many_values(alice: Caller) -> None:
    made: list[int] = []

    def make(app: App, *pks: int) -> Any:
        made.append(len(pks))
        return Memory.objects.for_app(app).filter(pk__in=pks).values_list("content")

    texts = Prepared(make)
    whale, heron, newt = (store(alice, content).pk for content in ("whales sing", "herons stand", "newts swim"))
    assert texts(alice.app, whale) == [("whales sing",)]
    assert texts(alice.app, heron) == [("herons stand",)]
    assert sorted(texts(alice.app, whale, newt)) == [("newts swim",), ("whales sing",)]
    assert texts(alice.app, heron, heron) == [("herons stand",)]
    assert made == [1, 2]


def test_a_value_that_the_query_does_not_take_as_it_is_is_refused(alice: Caller) -> None:
    with pytest.raises(ValueError, match="takes"):
        Prepared(lambda app, other: Memory.objects.for_app(app))(alice.app, 7)
    with pytest.raises(ValueError, match="takes"):
        Prepared(lambda item, other: App.objects.filter(pk=other).filter(change_number=item))(3, 4)


def test_texts_may_be_given_more_than_once(alice: Caller) -> None:
    store(alice, "whales sing")
    store(alice, "herons stand")
    output = Prepared(lambda app, *texts: Memory.objects.for_app(app).filter(content__in=texts).values_list("content"))
    assert output(alice.app, *padded(["whales sing", "newts swim", "whales sing"])) == [("whales sing",)]
    for odd in (["x", "x 2", "x 3", "x 4", "x+", "x", "x", "x++"], ["", "", "+", "++"], ["x"] * 16):
        assert output(alice.app, *odd) == []
        output.written.clear()
    assert sorted(output(alice.app, "whales sing", "newts swim", "herons stand", "x")) == [
        ("herons stand",),
        ("whales sing",),
    ]


def test_what_was_asked_before_does_not_stick(alice: Caller, charlie: Caller) -> None:
    store(alice, "whales sing")
    ours = Prepared(lambda app: Memory.objects.for_app(app).values_list("content"))
    assert (ours(alice.app), ours(charlie.app), ours(alice.app)) == ([("whales sing",)], [], [("whales sing",)])


@pytest.mark.parametrize(("count", "size"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (100, 128)])
def test_lists_are_padded_to_few_sizes(count: int, size: int) -> None:
    results = padded(list(range(count)))
    assert (len(results), results[:count], set(results[count:])) == (
        size,
        list(range(count)),
        {count - 1} if size > count else set(),
    )


def test_it_is_one_statement(alice: Caller, django_assert_num_queries: Any) -> None:
    numbers = Prepared(lambda pk: App.objects.filter(pk=pk).values_list("change_number"))
    numbers(alice.app.pk)
    with django_assert_num_queries(1) as question:
        numbers(alice.app.pk)
    assert str(alice.app.pk) in question[0]["sql"]
    assert connection.in_atomic_block


# --- rows as the database tells them


def test_rows_are_fetched_as_a_cursor_finds_them(alice: Caller) -> None:
    store(alice, "100 % of whales sing")
    sql = "SELECT content FROM memories_memory WHERE app_id = %s AND content LIKE '%%whales%%'"
    assert [tuple(row) for row in fetch_all(sql, [alice.app.pk])] == [("100 % of whales sing",)]
    assert fetch_all(sql, [0]) == []


def test_an_error_of_the_database_is_djangos(db: None) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        fetch_all("SELECT nothing FROM nowhere", [])
    assert [tuple(row) for row in fetch_all("SELECT 1", [])] == [(1,)]


def test_nothing_is_asked_within_a_transaction_that_is_broken(db: None) -> None:
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(transaction.TransactionManagementError):
            fetch_all("SELECT 1", [])
        transaction.set_rollback(False)


def test_each_is_counted_where_somebody_counts(db: None, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        fetch_all("SELECT 1", [])
        fetch_all("SELECT %s", [2])


def test_who_wraps_queries_hears_of_each(db: None) -> None:
    heard: list[str] = []

    def hear(execute: Any, sql: str, *rest: Any) -> Any:
        heard.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(hear):
        fetch_all("SELECT 1", [])
    assert heard == ["SELECT 1"]


@pytest.mark.django_db(transaction=True)
def test_a_thread_without_a_connection_makes_one() -> None:
    def work() -> list[Any]:
        try:
            return fetch_all("SELECT 1", [])
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        assert [tuple(row) for row in pool.submit(work).result()] == [(1,)]


def of_acme() -> Prepared[Any]:
    return Prepared(lambda app: Memory.objects.for_app(app).select_related("app__policy").order_by("pk"))


def test_as_of_one_commit_it_is_asked_once(alice: Caller, django_assert_num_queries: Any) -> None:
    store(alice, "whales sing", tags=["sea"])
    query = of_acme()
    with django_assert_num_queries(1):
        seen = [[row.content for row in query.as_of((1, 1), alice.app)] for _ in range(3)]
    assert seen == [["whales sing"]] * 3
    store(alice, "herons stand")
    with django_assert_num_queries(2):
        later = [len(query.as_of(commit, alice.app)) for commit in ((1, 1), (1, 2), (1, 2), (2, 1))]
    assert later == [1, 2, 2, 2]


def test_where_no_commit_is_known_it_is_asked_each_time(alice: Caller, django_assert_num_queries: Any) -> None:
    query = of_acme()
    with django_assert_num_queries(2):
        assert [query.as_of(None, alice.app) for _ in range(2)] == [[], []]


def test_what_is_kept_for_one_app_is_told_to_no_other(alice: Caller, charlie: Caller) -> None:
    store(alice, "whales sing")
    query = of_acme()
    assert [len(query.as_of((1, 1), caller.app)) for caller in (alice, charlie, alice)] == [1, 0, 1]


@pytest.mark.parametrize("commit", [None, (1, 1)], ids=str)
def test_what_a_caller_changes_is_its_own(alice: Caller, commit: Commit | None) -> None:
    """Also where no commit is known, so that nothing hangs on the database."""
    store(alice, "whales sing", tags=["sea"], metadata={"depth": [1, {"of": "whales"}]})
    query = of_acme()
    for _ in range(3):
        (row,) = query.as_of(commit, alice.app)
        assert (row.content, row.tags, row.metadata) == ("whales sing", ["sea"], {"depth": [1, {"of": "whales"}]})
        assert row.app.policy.turn_limit == alice.app.policy.turn_limit
        row.content, row.app.policy.turn_limit = "herons stand", 1
        row.tags.append("land")
        row.metadata["depth"][1].update(of="herons")


def test_what_is_kept_is_the_last_of_it(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "ANSWERS_KEPT", 2)
    query = Prepared(lambda app, pk: Memory.objects.for_app(app).filter(pk=pk))
    for pk in range(5):
        query.as_of((1, 1), alice.app, pk)
    assert len(query.latest.values) == 2
