"""Indexes are tidied without a search noticing, but for what was missing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from time_machine import travel

from memories.jobs import JOBS
from memories.maintain import housekeeping as reindexing
from memories.maintain.housekeeping import reindex
from memories.models import Memory, Vector
from memories.providers.embeddings import HashEmbedder
from memories.retrieve.pipeline import index_of
from memories.services import MemoryAgent
from memories.store import Candidate, writing
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.plans import plan_of

of_sqlite = pytest.mark.sqlite("its index of words is a table beside the memories")


def tidy(app: App, run: Unclaimed | None = None) -> Unclaimed:
    run = run or Unclaimed(until=timezone.now())
    reindex(app, timezone.now(), run)
    return run


def execute(sql: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


def lose_words(memory: Memory) -> None:
    execute(
        "INSERT INTO memories_fulltext (memories_fulltext, rowid, app, content, subject, tags)"
        " SELECT 'delete', id, app, content, subject, tags FROM memories_fulltext_source WHERE id = %s",
        memory.pk,
    )


def search(caller: Caller, query: str) -> list[str]:
    answer = caller.post("memories/search", {"query": query, "mode": "fulltext"}).json()
    return [hit["content"] for hit in answer["results"]]


@of_sqlite
def test_words_that_the_index_lost_are_put_back_once(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindexing, "REINDEX_BATCH", 2)
    texts = ["whales sing", "bears sleep", "cats purr", "owls hunt"]
    for text in texts:
        alice.remember(text)
    for memory in Memory.objects.exclude(content="cats purr"):
        lose_words(memory)
    assert search(alice, "whales") == []
    run = tidy(alice.app)
    assert (run.counts["words_put_back"], run.counts["reindexed"]) == (3, 1)
    assert [search(alice, text) for text in texts] == [[text] for text in texts]
    execute("INSERT INTO memories_fulltext (memories_fulltext, rank) VALUES ('integrity-check', 1)")
    assert tidy(alice.app).counts["words_put_back"] == 0


@of_sqlite
def test_other_apps_have_their_own_turn(alice: Caller, charlie: Caller) -> None:
    charlie.remember("whales sing")
    lose_words(Memory.objects.get())
    assert tidy(alice.app).counts["words_put_back"] == 0
    assert tidy(charlie.app).counts["words_put_back"] == 1


@of_sqlite
def test_many_segments_become_one(alice: Caller) -> None:
    for number in range(40):
        with writing(alice.app, "x", timezone.now()) as write:
            write.create(Candidate(content=f"Number {number} of the whales"))
    before = execute("SELECT count(DISTINCT segid) FROM memories_fulltext_idx")[0][0]
    tidy(alice.app)
    assert execute("SELECT count(DISTINCT segid) FROM memories_fulltext_idx")[0][0] <= 1 < before
    assert len(search(alice, "whales")) == 10
    assert tidy(alice.app).counts["merges"] == 0


def test_processes_load_their_index_anew(alice: Caller) -> None:
    alice.remember("whales sing")
    before = index_of(App.objects.get(pk=alice.app.pk), HashEmbedder())
    assert index_of(App.objects.get(pk=alice.app.pk), HashEmbedder()) is before
    tidy(alice.app)
    after = index_of(App.objects.get(pk=alice.app.pk), HashEmbedder())
    assert after is not before
    assert after.view().columns.pk.tolist() == [Memory.objects.get().pk]


def test_the_least_worthy_are_still_found_by_their_index(alice: Caller) -> None:
    for number in range(30):
        alice.remember(f"Number {number} of the whales", dedupe=False)
    tidy(alice.app)
    assert "memory_least" in plan_of(Memory.objects.for_app(alice.app).least_worthy()[:5])


@of_sqlite
def test_stopped_anywhere_it_can_be_run_again(alice: Caller) -> None:
    class Stopped(Exception):
        pass

    class Stopping(Unclaimed):
        def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
            raise Stopped

    alice.remember("whales sing")
    lose_words(Memory.objects.get())
    with pytest.raises(Stopped):
        tidy(alice.app, Stopping(until=timezone.now()))
    assert search(alice, "whales") == []
    tidy(alice.app)
    assert search(alice, "whales") == ["whales sing"]


def test_the_month_does_all_of_it(alice: Caller) -> None:
    alice.remember("whales sing")
    with travel(timezone.now() + timedelta(days=200)):
        alice.remember("bears sleep")
        Vector.objects.filter(memory__content="bears sleep").delete()
        run = Unclaimed(until=timezone.now())
        JOBS["monthly"].work(MemoryAgent(App.objects.get(pk=alice.app.pk), None, "system"), run)
    assert (run.counts["archived"], run.counts["embedded"], run.counts["reindexed"]) == (1, 1, 1)
    assert sorted(Memory.objects.values_list("status", flat=True)) == ["active", "cold"]
