"""What is derived from memories, damaged in every way: nobody is answered 500, or empty and in silence; `verify` names
it, and it is made anew.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from time_machine import travel

from memories.import_export.export import exported
from memories.index import index_cache
from memories.maintain import derived
from memories.maintain.derived import damage_in, here, mend, mend_reported
from memories.models import Entity, Memory, Mention, Passage, Summary, Vector
from memories.store import damage, vacuum
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.caches import clear_caches
from tests.conftest import Caller, fresh_caller, make_app, make_caller
from tests.memories.retrieve.asking import search
from tests.shared_data import module_fixture
from tests.tables import each_row
from tests.upkeep import do

of_sqlite = pytest.mark.sqlite("only there are these files and tables beside the memories")
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
TEXTS = ("Whales sing in the cold sea", "Bees dance before the hive", "Cats purr on the warm stove",
         "Owls hunt at night", "Frogs croak beside the pond", "Wolves howl at the moon")  # fmt: skip
Rung = list[tuple[str, int]]


def build_some() -> Caller:
    alice = make_caller(make_app("acme", capture_summaries=True, tiered=False), "alice")
    for text in TEXTS:
        alice.remember(text, subject=text.split()[0], category="animals")
    with travel(NOW + timedelta(minutes=5), tick=False):
        do("summaries")
        do("embedding")
    assert Passage.objects.for_app(alice.app).exclude(data=None).exists()
    return alice


built = module_fixture(build_some, NOW)


@pytest.fixture
def alice(built: Caller, db: None) -> Caller:
    clear_caches()
    with travel(NOW, tick=False):
        return fresh_caller(built)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> Rung:
    """Whom a worker was rung for."""
    heard: Rung = []
    monkeypatch.setattr(damage, "send", lambda task, args: heard.append((task, *args)))
    return heard


def start_anew(rung: Rung) -> None:
    """As a process that has told of nothing and keeps nothing."""
    damage.reported.clear()
    rung.clear()
    clear_caches()


def execute(sql: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def search_words(caller: Caller, query: str, **fields: Any) -> tuple[list[str], list[str]]:
    """Contents, and what is degraded."""
    answer = caller.post("memories/search", {"query": query, **fields})
    assert answer.status_code == 200, answer.content
    body = answer.json()
    return [hit["content"] for hit in body["results"]], body["degraded"]


def ask_around(caller: Caller) -> None:
    """Context, a search by each arm, a write and an edit: each is done, or told to try again."""
    assert caller.post("context", {"query": "Where do whales sing?"}).status_code == 200
    for mode in ("auto", "dual", "vector", "fulltext", "graph", "tiered"):
        assert caller.post("memories/search", {"query": "whales", "mode": mode}).status_code == 200, mode
    some = Memory.objects.for_app(caller.app).order_by("pk").first()
    assert some is not None
    writes: tuple[Callable[[], Any], ...] = (
        lambda: caller.post("memories", {"content": "Whales sing in the warm sea", "subject": "Whales"}),
        lambda: caller.patch(f"memories/{some.uid}", {"content": "Whales sing in the deep sea"}),
        lambda: caller.delete(f"memories/{some.uid}"),
    )
    for write in writes:
        with transaction.atomic():
            answer = write()
            assert answer.status_code in (200, 201, 204, 503), answer.content
            if answer.status_code == 503:
                assert answer.json()["code"] == "index_damaged"
                assert int(answer["Retry-After"]) > 0
            transaction.set_rollback(True)
    clear_caches()


def named_now(app: App) -> set[str]:
    return set(damage_in(here(thorough=True)))


def heal(app: App) -> None:
    """As the worker does that was rung for, and the jobs of the next minutes after it."""
    mend_reported(app)
    do("embedding")
    do("summaries")
    assert named_now(app) == set()


def vector_of(app: App, text: str = TEXTS[0]) -> Any:
    return Vector.objects.for_app(app).filter(memory__content=text)


def floats(*numbers: float) -> bytes:
    return np.array([*numbers, *[0.0] * (64 - len(numbers))], "<f4").tobytes()


def of_length(change: Callable[[bytes], bytes]) -> Callable[[App], None]:
    def damage_one(app: App) -> None:
        row = vector_of(app).get()
        vector_of(app).update(data=change(bytes(row.data)))

    return damage_one


GARBAGE = np.random.default_rng(7).bytes(4096)


@each_row(
    "how, break_one, is_degraded",
    [
        ("wrong length", of_length(lambda data: data[:7]), True),
        ("half of it", of_length(lambda data: data[: len(data) // 2]), True),
        ("twice", of_length(lambda data: data * 2), True),
        ("empty", of_length(lambda data: b""), True),
        ("zero bytes", of_length(lambda data: bytes(len(data))), False),
        ("nan", of_length(lambda data: data[:-4] + floats(np.nan)[:4]), True),
        ("infinite", of_length(lambda data: data[:-4] + floats(np.inf)[:4]), True),
        ("beyond all bounds", of_length(lambda data: floats(*[3e38] * 64)[:4] * (len(data) // 4)), True),
        ("garbage", of_length(lambda data: GARBAGE[: len(data)]), True),
        ("another length told", lambda app: vector_of(app).update(dim=3), False),
        ("no length told", lambda app: vector_of(app).update(dim=0), False),
        ("missing", lambda app: vector_of(app).delete(), False),
        ("all missing", lambda app: Vector.objects.for_app(app).delete(), False),
    ],
    rolled_back=True,
)
def test_a_vector(
    how: str, break_one: Callable[[App], None], is_degraded: bool, alice: Caller, rung: Rung
) -> None:  # fmt: skip
    start_anew(rung)
    break_one(alice.app)
    texts, degraded = search_words(alice, "where whales sing")
    assert texts[0] == TEXTS[0]
    assert ("vector" in degraded) == is_degraded
    for _ in range(2):
        search_words(alice, "bees")
    assert len(rung) == int(is_degraded), "once"
    ask_around(alice)
    assert {"vectors", "missing vectors"} & named_now(alice.app)
    heal(alice.app)
    texts, degraded = search_words(alice, "where whales sing", mode="vector")
    assert (texts[0], degraded) == (TEXTS[0], [])


@of_sqlite
@each_row(
    "how, sql",
    [
        ("text", "UPDATE memories_vector SET data = 'abc'"),
        ("a number", "UPDATE memories_vector SET data = 256"),
        ("text for a length", "UPDATE memories_vector SET dim = 'abc'"),
    ],
    rolled_back=True,
)
def test_vectors_of_another_type(how: str, sql: str, alice: Caller, rung: Rung) -> None:
    start_anew(rung)
    execute(sql)
    assert search_words(alice, "where whales sing")[0][0] == TEXTS[0]
    ask_around(alice)
    assert alice.client.get("/api/v1/memories").status_code == 200
    assert "vectors" in named_now(alice.app)
    heal(alice.app)
    assert (
        search_words(alice, "where whales sing", mode="vector") == ([TEXTS[0]], [])
        or search_words(alice, "whales")[1] == []
    )


@each_row(
    "how, break_it, name",
    [
        ("no mentions", lambda app: Mention.objects.for_app(app).delete(), "names in memories"),
        ("names of nothing", lambda app: Entity.objects.create(app=app, key="ghost", name="Ghost", created_at=NOW),
         "names of nothing"),
        ("too many counted", lambda app: App.objects.filter(pk=app.pk).update(memory_count=5_000), "counts"),
        ("none counted", lambda app: App.objects.filter(pk=app.pk).update(memory_count=0), "counts"),
        ("changes behind", lambda app: App.objects.filter(pk=app.pk).update(change_number=1), "counts"),
        ("passages cut off", lambda app: Passage.objects.for_app(app).update(data=b"abc"), "vectors of summaries"),
        ("passages emptied", lambda app: Passage.objects.for_app(app).update(data=b""), "vectors of summaries"),
        ("passages nan", lambda app: Passage.objects.for_app(app).update(data=floats(np.nan)), "vectors of summaries"),
        ("passages garbage", lambda app: Passage.objects.for_app(app).update(data=GARBAGE[:256]),
         "vectors of summaries"),
    ],
    rolled_back=True,
)  # fmt: skip
def test_what_is_named_counted_and_summed_up(
    how: str, break_it: Callable[[App], None], name: str, alice: Caller, rung: Rung
) -> None:  # fmt: skip
    start_anew(rung)
    break_it(alice.app)
    assert search_words(alice, "where whales sing")[0][0] == TEXTS[0]
    ask_around(alice)
    assert name in named_now(alice.app)
    heal(alice.app)


@of_sqlite
@each_row(
    "how, sql, name",
    [
        ("no UTF-8", "UPDATE memories_summary SET content = CAST(x'fffe41' AS TEXT)", "summaries"),
        ("zero bytes", "UPDATE memories_summary SET content = CAST(zeroblob(9) AS TEXT)", "summaries"),
        ("emptied", "UPDATE memories_summary SET content = ''", "summaries"),
        ("lines no UTF-8", "UPDATE memories_passage SET text = CAST(x'fffe41' AS TEXT)", "summaries"),
        ("a vector of text", "UPDATE memories_passage SET data = 'abc'", "vectors of summaries"),
        ("text for a number", "UPDATE tenancy_app SET memory_count = 'abc'", "counts"),
        ("text for a place", "UPDATE tenancy_app SET embedded_to = 'abc'", "counts"),
    ],
    rolled_back=True,
)
def test_what_is_of_another_type(how: str, sql: str, name: str, alice: Caller, rung: Rung) -> None:
    start_anew(rung)
    execute(sql)
    assert search_words(alice, "where whales sing", mode="tiered")[0][0] == TEXTS[0]
    assert search_words(alice, "where whales sing")[0][0] == TEXTS[0]
    assert name in named_now(alice.app)
    heal(alice.app)
    ask_around(alice)
    assert Summary.objects.for_app(alice.app).current().exists()


def changed(change: Callable[[bytearray], object]) -> Callable[[Path], None]:
    def damage_one(path: Path) -> None:
        data = bytearray(path.read_bytes())
        change(data)
        path.write_bytes(data)

    return damage_one


def zeroed(data: bytearray) -> None:
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)


@of_sqlite
@each_row(
    "how, break_it",
    [
        ("emptied", lambda path: path.write_bytes(b"")),
        ("garbage", lambda path: path.write_bytes(GARBAGE)),
        ("cut off", changed(lambda data: data.__delitem__(slice(len(data) // 2, None)))),
        ("half of it zeroed", changed(zeroed)),
        ("vectors zeroed", changed(lambda data: data.__setitem__(slice(-8192, None), bytes(8192)))),
        ("all behind the head zeroed", changed(lambda data: data.__setitem__(
            slice(8192, None), bytes(len(data) - 8192)))),
        ("head of another kind", changed(lambda data: data.__setitem__(slice(24, 30), b"[1,2,3"))),
    ],
    rolled_back=True,
)  # fmt: skip
def test_a_file_of_an_index(
    how: str, break_it: Callable[[Path], None], alice: Caller, rung: Rung, tmp_path: Path, monkeypatch: Any
) -> None:  # fmt: skip
    monkeypatch.setattr(vacuum, "index_folder", lambda: tmp_path)
    monkeypatch.setattr(index_cache, "LEAST_ROWS", 1)
    monkeypatch.setattr(index_cache, "write_in_background", lambda kind, state, _: index_cache.write_index(kind, state))
    start_anew(rung)
    search_words(alice, "whales")
    (path,) = tmp_path.glob("*.index")
    break_it(path)
    clear_caches()
    assert named_now(alice.app) == {"files of indexes"}
    monkeypatch.setattr(index_cache, "write_in_background", lambda *_: None)
    assert search_words(alice, "where whales sing") == search_words(alice, "where whales sing")
    assert search_words(alice, "where whales sing")[0][0] == TEXTS[0]
    mend(alice.app, Unclaimed(until=NOW))
    assert not path.exists()


def lose_words(app: App) -> None:
    """As where a text was written while the function that splits it was another one."""
    execute("ALTER FUNCTION memsite_plain RENAME TO memsite_plain_kept")
    execute("CREATE FUNCTION memsite_plain(told text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'moss' $$")
    execute("UPDATE memories_memory SET content = content WHERE app_id = %s AND content = %s", app.pk, TEXTS[0])
    execute("DROP FUNCTION memsite_plain; ALTER FUNCTION memsite_plain_kept RENAME TO memsite_plain")


def lose_from_index(app: App) -> None:
    """As where the index has lost some of its pages."""
    ready = "UPDATE pg_index SET indisready = %s WHERE indexrelid = 'memories_fulltext'::regclass"
    execute(ready, False)
    # Written with other words, and back: what has the same words stays where the index has it.
    for content in ("content || ' lost'", "left(content, -5)"):
        execute(f"UPDATE memories_memory SET content = {content} WHERE app_id = %s", app.pk)  # noqa: S608
    execute(ready, True)


@pytest.mark.postgres("its search vectors are a column, and its index of words is one of the database's own")
@each_row(
    "how, break_it, name",
    [
        ("another text's words", lose_words, "search vectors"),
        ("lost from the index", lose_from_index, "index of words"),
        ("no index", lambda app: execute("DROP INDEX memories_fulltext"), "index of words"),
    ],
    rolled_back=True,
)
def test_words_in_postgres(how: str, break_it: Callable[[App], None], name: str, alice: Caller, rung: Rung) -> None:
    break_it(alice.app)
    start_anew(rung)
    ask_around(alice)
    assert name in named_now(alice.app)
    # The test's own transaction has written to the table that gets an index.
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    heal(alice.app)
    clear_caches()
    assert search_words(alice, "whales", mode="fulltext")[0] == [TEXTS[0]]


def test_whole_it_is_called_whole(alice: Caller) -> None:
    assert named_now(alice.app) == set()
    assert "whole" in str(call_command("verify"))


def test_verify_names_what_is_damaged_and_repairs_it(alice: Caller) -> None:
    vector_of(alice.app).update(data=b"abc")
    with pytest.raises(CommandError, match=r"Damaged: vectors \(1\)"):
        call_command("verify")
    assert "vectors (1)" in str(call_command("verify", "--repair"))
    do("embedding")
    assert "whole" in str(call_command("verify"))


def test_each_night_mends(alice: Caller) -> None:
    vector_of(alice.app).update(data=b"abc")
    assert do("nightly")["mended"] == 1
    do("embedding")
    assert named_now(alice.app) == set()


def test_what_cannot_be_read_is_in_no_export(alice: Caller) -> None:
    vector_of(alice.app).update(data=b"abc")
    with exported(alice.app, vectors=True) as file:
        assert file.read().count(b'"type":"vector"') == len(TEXTS) - 1
    assert search(alice, "whales").hits
    assert derived.named({"counts": derived.Counter({derived.SITE: 1})}) == "counts"
