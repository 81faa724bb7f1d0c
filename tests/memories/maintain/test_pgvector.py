"""An app that has grown large finds by pgvector what it found before, and nothing that it should not."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from structlog.testing import capture_logs

from memories.import_export import BY_NAME
from memories.import_export.restore import insert
from memories.index import app_embedder
from memories.index import pgvector_store as asking
from memories.index.app_index import IndexView
from memories.index.pgvector_store import PgvectorStore
from memories.index.similarity import IndexedCosines
from memories.index.vector_store import InProcessStore
from memories.maintain import embedding as reembedding
from memories.maintain import pgvector
from memories.maintain.derived import damage_in, here, mend_reported
from memories.maintain.embedding import reembed
from memories.maintain.merge import near_pairs
from memories.maintain.pgvector import apps_to_move, move
from memories.models import Memory, Vector, pgvector_table
from memories.providers.embeddings import HashEmbedder, Vectors
from memories.retrieve.pipeline import index_of
from memories.services import MemoryAgent
from memories.services import base as agent_module
from memories.store import writing
from memsite.config import checks
from memsite.jobs.job import Unclaimed
from memsite.tenancy import row_level_security
from memsite.tenancy.models import App
from memsite.tenancy.row_level_security import SITE, confined, standing
from tests.conftest import Caller
from tests.memories.maintain.upkeep import Fragile, carry_on
from tests.upkeep import upkeep_purge

on_postgres = pytest.mark.postgres("SQLite has no pgvector")
MODEL = "dense-64"
WORDS = ("whale", "bear", "cat", "owl", "bee", "wolf", "fox", "hare", "deer", "lynx", "seal", "crow")
DOES = ("sings at night", "sleeps in winter", "hunts mice", "dances in rain", "hides from storms")
QUESTIONS = ("a whale that sings", "who sleeps in winter", "owl mice", "storms and bees", "wolf dances")


class Dense(HashEmbedder):
    """With signs that say something, as those of models do: the same vectors, turned."""

    def __init__(self, dim: int = 64) -> None:
        super().__init__(dim)
        self.name = f"dense-{dim}"
        self.turn = np.linalg.qr(np.random.default_rng(dim).standard_normal((dim, dim)))[0].astype(np.float32)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        turned: Vectors = super().embed_documents(texts) @ self.turn
        return turned


@pytest.fixture
def large(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are many here."""
    dense = Dense()
    monkeypatch.setattr(agent_module, "current_embedder", lambda: dense)
    settings.MEMSITE = replace(settings.MEMSITE, pgvector_from=20)
    monkeypatch.setattr(pgvector, "BATCH", 7)
    monkeypatch.setattr(asking, "EXACT_ROWS", 5)
    monkeypatch.setattr(asking, "NEAREST", 10)


@pytest.fixture
def grown(alice: Caller, large: None) -> Caller:
    rows = [{"content": f"The {word} {does}"} for word in WORDS for does in DOES]
    answer = alice.post("memories/batch", {"memories": rows, "dedupe": False})
    assert answer.status_code == 200, answer.content
    return alice


@pytest.fixture
def moved(grown: Caller) -> Caller:
    do(grown.app)
    return grown


def do(app: App, run: Unclaimed | None = None) -> Mapping[str, int]:
    run = run or Unclaimed(timezone.now())
    move(App.objects.select_related("policy").get(pk=app.pk), run.until, run)
    return +run.counts


def view_of(caller: Caller) -> IndexView:
    agent = MemoryAgent(App.objects.get(pk=caller.app.pk), caller.agent, "test")
    return index_of(agent.app, agent.embedder).view()


def hits(caller: Caller, query: str, **more: Any) -> list[tuple[str, float]]:
    answer = caller.post("memories/search", {"query": query, "limit": 10, **more}).json()
    assert answer["degraded"] == []
    return [(hit["content"], hit["score"]) for hit in answer["results"]]


def search(caller: Caller, query: str, **more: Any) -> list[str]:
    return [content for content, _ in hits(caller, query, mode="vector", **more)]


def first_of(caller: Caller, query: str, **more: Any) -> str:
    return search(caller, query, **more)[0]


def copies(app: App) -> dict[str, int]:
    """By model."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT model, count(*) FROM memories_near WHERE app_id = %s GROUP BY model", [app.pk])
        return dict(cursor.fetchall())


def indexes() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename = %s AND indexdef LIKE '%%hnsw%%'", [pgvector_table.TABLE]
        )
        return [name for (name,) in cursor.fetchall()]


def being_made(*_: Any) -> None:
    raise pgvector_table.BeingMade


def model_of(app: App) -> str:
    return App.objects.get(pk=app.pk).near_model


# --- the same is found


@on_postgres
@pytest.mark.parametrize(("exact_rows", "modes"), [(5, ("vector",)), (100, ("auto", "vector", "dual"))])
def test_an_app_moves_when_it_has_grown_and_finds_the_same(
    grown: Caller, monkeypatch: pytest.MonkeyPatch, exact_rows: int, modes: Sequence[str]
) -> None:
    monkeypatch.setattr(asking, "EXACT_ROWS", exact_rows)
    before = {(mode, query): hits(grown, query, mode=mode, limit=60) for mode in modes for query in QUESTIONS}
    assert isinstance(view_of(grown).held, InProcessStore)
    assert list(apps_to_move()) == [grown.app]
    assert do(grown.app) == {"copied": 60, "moved": 1}
    assert not apps_to_move().exists()
    view = view_of(grown)
    assert isinstance(view.held, PgvectorStore)
    assert view.columns.vectors.nbytes == 0
    assert len(indexes()) == 1
    for (mode, query), expected in before.items():
        now = hits(grown, query, mode=mode)
        # In half precision; of what is equally near, the order is nobody's.
        assert [score for _, score in now] == pytest.approx([score for _, score in expected[:10]], abs=0.002)
        assert dict(expected)[now[0][0]] == pytest.approx(expected[0][1], abs=0.002)


@on_postgres
def test_the_index_is_asked_where_most_may_be_seen(moved: Caller, django_assert_num_queries: Any) -> None:
    view = view_of(moved)
    query = MemoryAgent(moved.app, moved.agent, "x").embedder.embed_query("a whale that sings")
    assert isinstance(view.held, PgvectorStore)
    pks, alike = view.held.by_index(query, 10)
    exact = view.held.of(np.arange(60)) @ query
    assert len(pks) == 10
    assert alike == pytest.approx(np.sort(exact)[::-1][:10], abs=0.002)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        cursor.execute(
            "EXPLAIN SELECT memory_id FROM memories_near WHERE app_id = %s AND model = %s "
            "ORDER BY near::halfvec(64) <=> %s::halfvec(64) LIMIT 3",
            [moved.app.pk, view.held.model, pgvector_table.written(query)],
        )
        assert indexes()[0] in str(cursor.fetchall())


@on_postgres
@pytest.mark.parametrize("least_share", [0.0, 2.0])
def test_all_that_is_measured_is_as_it_is_in_the_process(
    moved: Caller, monkeypatch: pytest.MonkeyPatch, least_share: float
) -> None:
    """By the index, and by ids."""
    monkeypatch.setattr(asking, "LEAST_SHARE", least_share)
    # By its signs, what is third nearest is the 41st in the worst case.
    monkeypatch.setattr(asking.near, "SIGN_CANDIDATES", 45)
    view = view_of(moved)
    rows = np.arange(60)
    exact = view.held.of(rows)
    for question in QUESTIONS:
        query = MemoryAgent(moved.app, moved.agent, "x").embedder.embed_query(question)
        best = np.sort(exact @ query)[::-1][:3]
        measured = view.held.measure(query, rows, view.rows_of).at(rows)
        assert np.sort(measured)[::-1][:3] == pytest.approx(best, abs=0.002)
        index, alike = view.held.nearest(query, rows, 5)
        assert alike == pytest.approx(exact[index] @ query, abs=0.002)


@on_postgres
def test_an_index_that_ends_among_the_wrong_ones_is_not_believed(
    moved: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it may where an app has memories of two kinds that have little in common."""
    view = view_of(moved)
    assert isinstance(view.held, PgvectorStore)
    query, rows = MemoryAgent(moved.app, moved.agent, "x").embedder.embed_query("a whale that sings"), np.arange(60)
    assert isinstance(view.held.measure(query, rows, view.rows_of), IndexedCosines)
    exact = view.held.of(rows) @ query
    worst = np.argsort(exact)[:10]
    monkeypatch.setattr(PgvectorStore, "by_index", lambda *_: (view.columns.pk[worst], exact[worst]))
    assert view.held.measure(query, rows, view.rows_of).best == pytest.approx(exact.max(), abs=0.002)


# --- copies that are damaged


def change_copy(app: App, change: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE memories_near SET {change} WHERE memory_id = (SELECT min(memory_id) FROM memories_near)"  # noqa: S608
        )


def delete_copy(app: App) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM memories_near WHERE memory_id = (SELECT min(memory_id) FROM memories_near)")


def leave_alone(app: App) -> None:
    """Without the memory's own vector, which takes its copy along where nothing is wrong."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO memories_near (memory_id, model, app_id, near) "
            "SELECT 0, model, app_id, near FROM memories_near LIMIT 1"
        )


@on_postgres
@pytest.mark.parametrize(
    "break_it",
    [
        delete_copy,
        lambda app: change_copy(app, "near = (SELECT near FROM memories_near ORDER BY memory_id DESC LIMIT 1)"),
        lambda app: change_copy(app, "app_id = app_id + 1000"),
        lambda app: pgvector_table.drop_indexes(app, ""),
        leave_alone,
    ],
    ids=["missing", "another vector's", "another app's", "no index", "of nothing"],
)
def test_a_damaged_copy_is_named_and_made_anew(moved: Caller, break_it: Callable[[App], None]) -> None:
    before = search(moved, QUESTIONS[0])
    assert "copies for pgvector" not in damage_in(here())
    break_it(moved.app)
    assert search(moved, QUESTIONS[0])
    assert "copies for pgvector" in damage_in(here())
    mend_reported(App.objects.get(pk=moved.app.pk))
    assert "copies for pgvector" not in damage_in(here())
    assert len(indexes()) == 1
    assert search(moved, QUESTIONS[0]) == before


@on_postgres
def test_a_copy_of_another_length_is_no_error_and_made_anew(moved: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the index it cannot be there. The index is not made here: in one transaction it would hold the old row."""
    monkeypatch.setattr(pgvector_table, "make_index", lambda *_: None)
    before = first_of(moved, QUESTIONS[0])
    pgvector_table.drop_indexes(moved.app, "")
    change_copy(moved.app, "near = subvector(near::vector, 1, 63)::halfvec")
    assert search(moved, QUESTIONS[0])
    mend_reported(App.objects.get(pk=moved.app.pk))
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), max(vector_dims(near)), min(vector_dims(near)) FROM memories_near")
        assert cursor.fetchone() == (60, 64, 64)
    assert first_of(moved, QUESTIONS[0]) == before


# --- who may see what


@on_postgres
def test_what_filters_let_through_is_found_however_little_it_is(moved: Caller, bob: Caller, charlie: Caller) -> None:
    moved.remember("The whale is mine", visibility="agent")
    moved.remember("The whale is Ann's", user_id="ann")
    charlie.remember("The whale is Charlie's")
    query = "the whale is whose"
    assert "The whale is Ann's" in search(moved, query, user_id="ann")
    assert "The whale is Ann's" not in search(moved, query, user_id="bea")
    assert "The whale is mine" in search(moved, query)
    assert "The whale is mine" not in search(bob, query)
    assert search(charlie, query) == ["The whale is Charlie's"]
    assert "The whale is Charlie's" not in search(moved, query)
    assert model_of(charlie.app) == ""


@on_postgres
def test_a_status_that_is_left_out_takes_nobodys_place(moved: Caller) -> None:
    """Three quarters are in the archive, the nearest among them: it is looked on until there are enough others."""
    rows = Memory.objects.for_app(moved.app).exclude(content__regex="crow|seal|lynx")
    with writing(moved.app, "test", timezone.now()) as write:
        write.archive_all([(row, "") for row in rows])
    answer = search(moved, "The whale sings at night")
    assert {"The crow sings at night", "The seal sings at night", "The lynx sings at night"} == set(answer[:3])
    assert not [content for content in answer if content.startswith("The whale")]


# --- what is written


@on_postgres
def test_what_is_written_is_found_at_once_and_what_goes_is_not(moved: Caller) -> None:
    memory = moved.remember("Dolphins whistle under water")
    assert first_of(moved, "dolphins whistle") == "Dolphins whistle under water"
    assert copies(moved.app) == {MODEL: 61}
    moved.patch(f"memories/{memory['id']}", {"content": "Penguins march on ice"})
    assert first_of(moved, "penguins march") == "Penguins march on ice"
    assert "Dolphins whistle under water" not in search(moved, "dolphins whistle")
    moved.delete(f"memories/{memory['id']}")
    assert "Penguins march on ice" not in search(moved, "penguins march")
    assert copies(moved.app) == {MODEL: 60}


@on_postgres
def test_what_is_in_the_cold_archive_or_withdrawn_has_no_place(moved: Caller) -> None:
    cold = Memory.objects.for_app(moved.app).get(content="The whale sings at night")
    with writing(moved.app, "test", timezone.now()) as write:
        write.freeze([cold], "nobody asked for it")
    withdrawn = Memory.objects.for_app(moved.app).get(content="The bear sleeps in winter")
    with writing(moved.app, "test", timezone.now()) as write:
        write.edit(withdrawn, {"status": "withdrawn"})
    assert "The whale sings at night" not in search(moved, "whale sings at night")
    assert "The bear sleeps in winter" not in search(moved, "bear sleeps in winter")
    assert copies(moved.app) == {MODEL: 59}


@on_postgres
def test_a_vector_that_comes_late_comes_to_both(moved: Caller) -> None:
    memory = Memory.objects.for_app(moved.app).first()
    assert memory is not None
    with writing(moved.app, "test", timezone.now()) as write:
        memory.vectors.all().delete()
        assert copies(moved.app) == {MODEL: 59}
        write.embed([memory], np.eye(1, 64, dtype=np.float32), MODEL)
    assert copies(moved.app) == {MODEL: 60}
    view = view_of(moved)
    row = view.rows_of(np.array([memory.pk]))
    assert view.held.of(row).tolist() == np.eye(1, 64).tolist()


@on_postgres
def test_a_vector_that_is_imported_comes_to_both(moved: Caller) -> None:
    row = Vector.objects.for_app(moved.app).first()
    assert row is not None
    Vector.objects.for_app(moved.app).filter(pk=row.pk).delete()
    assert copies(moved.app) == {MODEL: 59}
    with writing(moved.app, "test", timezone.now()) as write:
        insert(write, BY_NAME["vector"], [row], [], is_fresh=False)
    assert copies(moved.app) == {MODEL: 60}


@on_postgres
def test_a_text_without_words_is_near_nothing(moved: Caller) -> None:
    memory = Memory.objects.for_app(moved.app).get(content="The whale sings at night")
    with writing(moved.app, "test", timezone.now()) as write:
        write.embed([memory], np.zeros((1, 64), np.float32), MODEL)
    assert "The whale sings at night" not in search(moved, "The whale sings at night")


@on_postgres
def test_duplicates_are_known_and_pairs_are_found(moved: Caller) -> None:
    view = view_of(moved)
    rows = np.arange(60)
    vectors = view.held.of(rows)
    assert vectors.tobytes() == b"".join(
        bytes(Vector.objects.get(memory_id=pk).data) for pk in view.columns.pk.tolist()
    )
    alike = vectors @ vectors.T
    # Some are alike by exactly 0.75: whether they are is a matter of the last bit, which processors do not agree on.
    least = 0.74
    assert np.abs(alike - least).min() > 1e-3
    expected = {(a, b) for a in range(60) for b in range(a + 1, 60) if alike[a, b] >= least}
    assert expected
    assert {(a, b) for a, b, _ in near_pairs(view.held, rows, 0, 60, least, 60)} == expected
    assert len(view.held.worth_comparing(rows[:1], rows, 0.99)) < 30
    again = moved.post("memories", {"content": "The whale sings at night"})
    assert again.json()["content"] == "The whale sings at night"
    assert Memory.objects.for_app(moved.app).count() == 60


@on_postgres
def test_what_is_deleted_for_good_leaves_nothing_behind(moved: Caller, operator: Any) -> None:
    answer = operator.delete(f"/api/v1/apps/{moved.app.app_id}?purge_memories=true")
    assert answer.status_code == 200, answer.content
    assert list(apps_to_move()) == [moved.app]
    do(moved.app)
    assert indexes() == []
    upkeep_purge()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memories_near")
        assert cursor.fetchone() == (0,)


@on_postgres
def test_behind_row_level_security_are_no_other_apps_vectors(moved: Caller, charlie: Caller, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, database_url="postgresql://", row_security=True)
    already = row_level_security.tell_first in connection.execute_wrappers
    row_level_security.build()
    row_level_security.tell_new_connection(connection)
    try:
        with confined(charlie.app.pk):
            assert copies(moved.app) == {}
        with confined(moved.app.pk):
            assert copies(moved.app) == {MODEL: 60}
            assert isinstance(view_of(moved).held, PgvectorStore)
        # A request stays behind the wall, and its client in here with it.
        with standing(SITE):
            assert first_of(moved, "whale sings at night") == "The whale sings at night"
        with standing(SITE):
            moved.remember("Dolphins whistle under water")
        with standing(SITE):
            assert first_of(moved, "dolphins whistle") == "Dolphins whistle under water"
    finally:
        row_level_security.tell(connection)
        if not already:
            connection.execute_wrappers.remove(row_level_security.tell_first)


# --- moving


@on_postgres
def test_a_batch_of_copies_reads_none_of_those_before_it(grown: Caller) -> None:
    """Else the last of a million would take a thousand times as long as the first."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan TO off")
        cursor.execute(f"EXPLAIN {pgvector_table.MISSING}", [grown.app.pk, MODEL, 17, 64, 17, 7])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    vectors, copies = plan.split(f"on {pgvector_table.TABLE} ")
    assert "memory_id > 17" in vectors
    assert "memory_id > 17" in copies


@on_postgres
def test_whoever_is_killed_on_the_way_is_gone_on_for(grown: Caller) -> None:
    run = Fragile(timezone.now(), luck=random.Random(4), share=0.3)
    killed = carry_on(lambda run: do(grown.app, run), run)
    assert killed > 2
    assert run.counts["copied"] == 60
    assert copies(grown.app) == {MODEL: 60}
    assert model_of(grown.app) == MODEL
    assert not apps_to_move().exists()


@on_postgres
def test_until_all_is_there_the_process_answers(grown: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgvector_table, "make_index", being_made)
    assert do(grown.app) == {"copied": 60}
    assert model_of(grown.app) == ""
    assert isinstance(view_of(grown).held, InProcessStore)
    assert list(apps_to_move()) == [grown.app]


@on_postgres
def test_what_is_written_on_the_way_comes_along(grown: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    make_index = pgvector_table.make_index

    def late(*arguments: Any) -> None:
        grown.remember("Dolphins whistle under water")
        make_index(*arguments)

    monkeypatch.setattr(pgvector_table, "make_index", late)
    do(grown.app)
    assert copies(grown.app) == {MODEL: 61}
    assert first_of(grown, "dolphins whistle") == "Dolphins whistle under water"


@on_postgres
def test_it_comes_back_below_half_and_not_before(moved: Caller, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, pgvector_from=100)
    assert not apps_to_move().exists()
    settings.MEMSITE = replace(settings.MEMSITE, pgvector_from=121)
    before = hits(moved, QUESTIONS[0])
    assert list(apps_to_move()) == [moved.app]
    assert do(moved.app) == {"returned": 1, "dropped": 60}
    assert isinstance(view_of(moved).held, InProcessStore)
    assert (copies(moved.app), indexes(), model_of(moved.app)) == ({}, [], "")
    assert hits(moved, QUESTIONS[0])[0][0] == before[0][0]
    assert not apps_to_move().exists()


@on_postgres
def test_zero_is_never(moved: Caller, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, pgvector_from=0)
    assert list(apps_to_move()) == [moved.app]
    assert do(moved.app) == {"returned": 1, "dropped": 60}
    assert not apps_to_move().exists()


@on_postgres
def test_another_embedder_serves_when_pgvector_is_ready_for_it(moved: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    new = Dense(128)
    monkeypatch.setattr(agent_module, "current_embedder", lambda: new)
    monkeypatch.setattr(app_embedder, "known_embedders", lambda name: iter([Dense()]))
    prepare, seen = pgvector.prepare, []

    def watched(*arguments: Any) -> int:
        seen.append((model_of(moved.app), first_of(moved, "whale sings at night")))
        return prepare(*arguments)

    monkeypatch.setattr(pgvector, "prepare", watched)
    app = App.objects.select_related("policy").get(pk=moved.app.pk)
    reembed(app, timezone.now(), Unclaimed(timezone.now()), new)
    assert seen == [(MODEL, "The whale sings at night")]
    assert model_of(moved.app) == new.name
    assert copies(moved.app) == {new.name: 60}
    assert indexes() == [pgvector_table.index_name(moved.app.pk, new.name)]
    assert isinstance(view_of(moved).held, PgvectorStore)
    assert first_of(moved, "whale sings at night") == "The whale sings at night"
    assert not apps_to_move().exists()


@on_postgres
def test_while_somebody_else_makes_its_index_no_other_embedder_serves(
    moved: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor are all vectors loaded into each process, as where pgvector cannot have them."""
    new = Dense(128)
    monkeypatch.setattr(agent_module, "current_embedder", lambda: new)
    monkeypatch.setattr(app_embedder, "known_embedders", lambda name: iter([Dense()]))
    app = App.objects.select_related("policy").get(pk=moved.app.pk)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(pgvector_table, "make_index", being_made)
        reembed(app, timezone.now(), Unclaimed(timezone.now()), new)
    assert model_of(moved.app) == MODEL
    assert App.objects.get(pk=app.pk).vector_model == MODEL
    assert isinstance(view_of(moved).held, PgvectorStore)
    reembed(app, timezone.now(), Unclaimed(timezone.now()), new)
    assert model_of(moved.app) == new.name


@pytest.fixture
def replaced(moved: Caller, monkeypatch: pytest.MonkeyPatch) -> Dense:
    """Another model under the name of the one before."""
    new = Dense(128)
    monkeypatch.setattr(new, "name", MODEL)
    monkeypatch.setattr(new, "in_process", False)
    monkeypatch.setattr(agent_module, "current_embedder", lambda: new)
    return new


@on_postgres
def test_until_it_is_noticed_that_a_model_was_replaced_words_carry_all(moved: Caller, replaced: Dense) -> None:
    assert isinstance(view_of(moved).held, PgvectorStore)
    answer = moved.post("memories/search", {"query": "a whale that sings"})
    assert (answer.status_code, answer.json()["results"][0]["content"]) == (200, "The whale sings at night")
    added = moved.remember("The whale sings at noon")
    edited = Memory.objects.for_app(moved.app).get(content="The owl hunts mice")
    assert moved.patch(f"memories/{edited.uid}", {"subject": "birds"}).status_code == 200
    uids = Vector.objects.for_app(moved.app).filter(dim=128).values_list("memory__uid", flat=True)
    assert {str(uid) for uid in uids} == {added["id"], str(edited.uid)}
    assert moved.post("context", {"query": "whales at noon"}).status_code == 200
    assert pgvector_table.fill(moved.app, MODEL, 64, 0, 100) == []


@on_postgres
@pytest.mark.django_db(transaction=True)
def test_a_model_that_was_replaced_comes_back_to_pgvector_with_all_of_its_vectors(
    moved: Caller, replaced: Dense, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a transaction an index would be made of what was deleted in it, too."""
    moved.remember("Dolphins whistle under water")
    app = App.objects.select_related("policy").get(pk=moved.app.pk)
    with monkeypatch.context() as once:
        once.setattr(reembedding, "drop", being_made)
        with pytest.raises(pgvector_table.BeingMade):
            reembed(app, timezone.now(), Unclaimed(timezone.now()), replaced)
    assert model_of(moved.app) == ""
    assert do(moved.app) == {}
    assert not apps_to_move().exists()
    reembed(app, timezone.now(), Unclaimed(timezone.now()), replaced)
    assert set(Vector.objects.for_app(moved.app).values_list("model", "dim")) == {(MODEL, 128)}
    assert isinstance(view_of(moved).held, InProcessStore)
    best = [search(moved, query) for query in QUESTIONS]
    assert apps_to_move().get() == moved.app
    do(moved.app)
    assert copies(moved.app) == {MODEL: 61}
    assert isinstance(view_of(moved).held, PgvectorStore)
    assert [search(moved, query)[0] for query in QUESTIONS] == [contents[0] for contents in best]


@on_postgres
def test_an_app_whose_model_is_replaced_while_it_is_moved_is_not_moved(
    grown: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_index = pgvector_table.make_index

    def meanwhile(*arguments: Any) -> None:
        make_index(*arguments)
        App.objects.filter(pk=grown.app.pk).update(vectors_lost=True)

    monkeypatch.setattr(pgvector_table, "make_index", meanwhile)
    assert "moved" not in do(grown.app)
    assert model_of(grown.app) == ""
    assert copies(grown.app) == {}
    assert indexes() == []


@on_postgres
def test_an_index_is_made_by_one_at_a_time(large: None, transactional_db: None) -> None:
    app = App.objects.create(app_id="acme", name="Acme")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [pgvector_table.index_name(app.pk, "m")])
        with pytest.raises(pgvector_table.BeingMade):
            pgvector_table.make_index(app, "m", 8)
    finally:
        other.close()
    assert pgvector_table.index_name(app.pk, "m") not in indexes()


@on_postgres
def test_an_index_is_made_with_care(large: None, transactional_db: None) -> None:
    app = App.objects.create(app_id="acme", name="Acme")
    pgvector_table.make_index(app, "m", 8)
    with connection.cursor() as cursor:
        name = pgvector_table.index_name(app.pk, "m")
        cursor.execute("SELECT reloptions FROM pg_class WHERE oid = to_regclass(%s)", [name])
        assert cursor.fetchone() == ([f"ef_construction={pgvector_table.WEIGHED}"],)
        # Who gets the connection next does not wait without end.
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == (f"{settings.LOCK_SECONDS}s",)
    pgvector_table.drop_indexes(app, "")


@on_postgres
def test_an_index_over_vectors_of_another_length_is_made_anew(large: None, transactional_db: None) -> None:
    app = App.objects.create(app_id="acme", name="Acme")
    for dim in (8, 16):
        pgvector_table.make_index(app, "m", dim)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_indexdef(to_regclass(%s))", [pgvector_table.index_name(app.pk, "m")])
        assert "halfvec(16)" in cursor.fetchone()[0]
    pgvector_table.drop_indexes(app, "")


@on_postgres
def test_a_write_reads_nothing_of_other_apps(db: None) -> None:
    """Where a few large ones share the table, PostgreSQL would read it until there is a row of this one."""
    with connection.cursor() as cursor:
        for app_pk in (1, 2):
            cursor.execute(
                "INSERT INTO memories_near SELECT %s * 100000 + n, 'm', %s, '[1,2]' FROM generate_series(1, 20000) n",
                [app_pk, app_pk],
            )
        cursor.execute(f"ANALYZE {pgvector_table.TABLE}")
        cursor.execute(f"EXPLAIN {pgvector_table.PUT}", ["m", 2, [7], ["[1,2]"], 2, 2, "m", 2])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert f"Index Scan using {pgvector_table.TABLE}_app" in plan
    assert "Seq Scan" not in plan


@on_postgres
def test_an_index_that_was_broken_off_is_made_anew(large: None, transactional_db: None) -> None:
    """Outside of a transaction, so that nobody waits."""
    app = App.objects.create(app_id="acme", name="Acme")
    name = pgvector_table.index_name(app.pk, "m")
    with connection.cursor() as cursor:
        pgvector_table.make_index(app, "m", 8)
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [name])
        pgvector_table.make_index(app, "m", 8)
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        assert cursor.fetchone() == (True,)
    pgvector_table.drop_indexes(app, "")
    assert name not in indexes()


# --- where there is none


@on_postgres
def test_without_the_extension_all_is_as_before(grown: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgvector_table, "is_there", lambda: False)
    with capture_logs() as logs:
        assert not apps_to_move().exists()
    assert [line["event"] for line in logs] == ["pgvector_missing"]
    assert first_of(grown, "whale sings at night") == "The whale sings at night"


@on_postgres
def test_the_table_is_made_with_the_extension_and_only_then(moved: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {pgvector_table.TABLE}; DROP TRIGGER {pgvector_table.GONE} ON memories_vector")
        monkeypatch.setattr(pgvector_table, "version", lambda: (0, 7, 4))
        pgvector_table.build()
        assert not pgvector_table.is_there()
        monkeypatch.undo()
        pgvector_table.build()
        assert pgvector_table.is_there()
        assert model_of(moved.app) == ""
        cursor.execute("SELECT count(*) FROM pg_policies WHERE tablename = %s", [pgvector_table.TABLE])
        assert cursor.fetchone() == (1,)
    pgvector_table.build()


@pytest.mark.sqlite("pgvector is of PostgreSQL")
def test_sqlite_notices_nothing(grown: Caller, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert not apps_to_move().exists()
    pgvector_table.build()
    assert not pgvector_table.is_there()
    assert isinstance(view_of(grown).held, InProcessStore)


def test_who_asks_for_it_by_hand_is_told_where_there_is_none(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    def problems(databases: Any = None) -> list[str | None]:
        return [message.id for message in checks.check_pgvector(databases=databases)]

    assert problems(["default"]) == []
    monkeypatch.setenv("MEMSITE_PGVECTOR_FROM", "1000")
    if connection.vendor == "sqlite":
        assert problems() == ["memsite.W006"]
        return
    assert problems(["default"]) == []
    monkeypatch.setattr(checks, "is_installable", lambda: False)
    assert problems() == []
    assert problems(["default"]) == ["memsite.W007"]
