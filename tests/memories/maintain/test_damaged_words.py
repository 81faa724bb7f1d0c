"""SQLite's index of words, damaged in every way: searches go on without it and say so, writes are done or told to try
again, and it is made anew. With commits, as it is in use: what it refuses takes back a whole transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from memories.maintain.derived import damage_in, damage_in_copy, here, mend, mend_reported
from memories.models import Revision
from memories.store import Candidate, damage, writing
from memsite.jobs.job import Unclaimed
from memsite.tenancy.append_only import purge_permit
from sessions.models import Event
from tests.caches import clear_caches
from tests.conftest import NOON, Caller
from tests.tables import each_row
from tests.upkeep import do

pytestmark = [pytest.mark.sqlite("PostgreSQL's is a column of the memories"), pytest.mark.django_db(transaction=True)]
TEXTS = ("Whales sing in the cold sea", "Bees dance before the hive", "Cats purr on the warm stove",
         "Owls hunt at night", "Frogs croak beside the pond", "Wolves howl at the moon")  # fmt: skip
Rung = list[tuple[str, int]]


@pytest.fixture
def some(transactional_db: None, alice: Caller) -> Iterator[Caller]:
    for text in TEXTS:
        alice.remember(text, subject=text.split()[0])
    do("embedding")
    yield alice
    execute("INSERT INTO memories_fulltext (memories_fulltext) VALUES ('rebuild')")
    with purge_permit():
        Event.objects.all().delete()
        Revision.objects.all().delete()


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> Rung:
    """Whom a worker was rung for."""
    heard: Rung = []
    monkeypatch.setattr(damage, "send", lambda task, args: heard.append((task, *args)))
    return heard


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def search(caller: Caller, query: str, **fields: Any) -> tuple[list[str], list[str]]:
    """Contents, and what is degraded."""
    answer = caller.post("memories/search", {"query": query, **fields})
    assert answer.status_code == 200, answer.content
    return [hit["content"] for hit in answer.json()["results"]], answer.json()["degraded"]


def named() -> set[str]:
    return set(damage_in(here(thorough=True)))


@each_row(
    "how, sql, is_degraded",
    [
        ("zeroed", "UPDATE memories_fulltext_data SET block = zeroblob(length(block)) WHERE id > 10", True),
        ("all zeroed", "UPDATE memories_fulltext_data SET block = zeroblob(length(block))", True),
        ("emptied", "UPDATE memories_fulltext_data SET block = x'' WHERE id > 10", True),
        ("nothing", "UPDATE memories_fulltext_data SET block = NULL WHERE id > 10", True),
        ("text", "UPDATE memories_fulltext_data SET block = 'abc' WHERE id > 10", True),
        ("garbage", "UPDATE memories_fulltext_data SET block = CAST(hex(block) AS BLOB) WHERE id > 10", True),
        ("cut off", "UPDATE memories_fulltext_data SET block = substr(block, 1, 40) WHERE id > 10", True),
        ("missing", "DELETE FROM memories_fulltext_data WHERE id > 10", True),
        ("all missing", "DELETE FROM memories_fulltext_data", True),
        ("sizes missing", "DELETE FROM memories_fulltext_docsize", False),
        ("sizes garbage", "UPDATE memories_fulltext_docsize SET sz = x'fe07c3ff12'", False),
        ("rows missing", "INSERT INTO memories_fulltext (memories_fulltext, rowid, app, content, subject, tags) "
         "SELECT 'delete', id, app, content, subject, tags FROM memories_fulltext_source", True),
        ("rows too many", "INSERT INTO memories_fulltext (rowid, app, content, subject, tags) "
         "VALUES (9999, 'app1', 'Whales', '', '[]')", False),
    ],
)  # fmt: skip
def test_the_index_of_words(how: str, sql: str, is_degraded: bool, some: Caller, rung: Rung) -> None:
    spare = some.remember(f"Mice squeak {how}", dedupe=False)["id"]
    damage.reported.clear()
    rung.clear()
    clear_caches()
    execute(sql)
    texts, degraded = search(some, "where whales sing")
    assert texts[0] == TEXTS[0]
    assert ("fulltext" in degraded) == is_degraded
    assert ("fulltext" in search(some, "whales", mode="fulltext")[1]) == is_degraded
    assert len(rung) == int(is_degraded), "once"
    assert some.post("context", {"query": "Where do whales sing?"}).status_code == 200
    for write in (
        lambda: some.post("memories", {"content": f"Mice sleep {how}", "dedupe": False}),
        lambda: some.patch(f"memories/{spare}", {"content": f"Mice eat {how}"}),
        lambda: some.delete(f"memories/{spare}"),
    ):
        answer = write()
        assert answer.status_code in (200, 201, 204, 503), answer.content
        if answer.status_code == 503:
            assert answer.json()["code"] == "index_damaged"
            assert int(answer["Retry-After"]) > 0
            assert rung
    assert named() == {"index of words"}
    mend_reported(some.app)
    assert named() == set()
    some.app.refresh_from_db()
    assert search(some, "whales", mode="fulltext") == ([TEXTS[0]], [])
    remaining = some.remember(f"Mice nibble {how}", dedupe=False)["id"]
    assert some.delete(f"memories/{remaining}").status_code in (200, 204)


def test_each_night_looks_at_the_words_too(some: Caller) -> None:
    execute("UPDATE memories_fulltext_data SET block = zeroblob(length(block)) WHERE id > 10")
    assert do("nightly")["mended"] == 1
    assert named() == set()


def test_an_index_without_its_list_of_pages_is_noticed_though_it_says_that_it_is_whole(some: Caller) -> None:
    with writing(some.app, "agent:alice", NOON) as write:
        write.create_all([Candidate(content=f"Number {n} is {n * 7919}") for n in range(400)])
    execute("INSERT INTO memories_fulltext (memories_fulltext) VALUES ('optimize')")
    execute("DELETE FROM memories_fulltext_idx")
    assert "index of words" in named()
    mend(some.app, Unclaimed(until=NOON), thorough=True)
    assert "index of words" not in named()


def test_a_copy_names_it(some: Caller) -> None:
    execute("UPDATE memories_fulltext_data SET block = zeroblob(length(block)) WHERE id > 10")
    assert connection.connection is not None
    assert set(damage_in_copy(connection.connection)) == {"index of words"}
