"""The report on growth, measured in a small app."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from django.db import transaction

from bench.growth import steps
from bench.growth.__main__ import measure_apart
from bench.growth.report import HASHING, render
from bench.growth.steps import (
    AFTER,
    ASKED,
    COMMITTED,
    ELSEWHERE,
    FIRST,
    FOLLOWING,
    FOUND,
    HELD,
    LOOKED,
    REQUEST,
    SEARCH,
    START,
    UNDISTURBED,
    UNSYNCED,
    WRITE,
)
from bench.growth.transactions import transactions_watched
from bench.hashing import hashing
from bench.search_latency import Seconds, fill_app
from memories.index import index_cache
from memories.store import vacuum
from memsite.db.prepared import fetch_all
from memsite.tenancy.models import App

FEW = 8


def seconds(factor: float = 1.0) -> Seconds:
    return {
        FIRST: [0.5 * factor] * 3, REQUEST: [0.004 * factor] * 9, SEARCH: [0.002 * factor] * 9,
        UNDISTURBED: [0.002] * 9, AFTER: [0.003] * 9, ELSEWHERE: [0.004] * 9, WRITE: [0.006] * 9, HELD: [0.004] * 9,
        ASKED: [0.0005] * 9, COMMITTED: [0.0002] * 9, UNSYNCED: [0.0003] * 9, FOLLOWING: [0.0004] * 9,
        LOOKED: [0.01] * 9, START: [0.008] * 9,
    }  # fmt: skip


@pytest.mark.postgres("pgvector is an extension of it")
@pytest.mark.django_db(transaction=True)
def test_the_same_app_is_measured_in_pgvector() -> None:
    with hashing() as embedder:
        app = fill_app(400, embedder, "growth")
        results = dict(steps.measure_here(app, embedder, FEW))
    assert [name.split()[0] for name in results] == ["PostgreSQL", "pgvector"]
    for item in results.values():
        assert_plausible(item)
    assert App.objects.get(pk=app.pk).near_model == embedder.name


@pytest.mark.sqlite("no other database has indexes beside it")
@pytest.mark.django_db
def test_an_index_that_is_kept_is_measured_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(vacuum, "index_folder", lambda: tmp_path)
    monkeypatch.setattr(index_cache, "LEAST_ROWS", 400)
    monkeypatch.setattr(index_cache, "write_in_background", lambda kind, state, _: index_cache.write_index(kind, state))
    with hashing() as embedder:
        app = fill_app(400, embedder, "growth")
        results = steps.measure_loads(app, embedder, "who sees what")
    assert {name: len(seconds) for name, seconds in results.items()} == {FIRST: steps.LOADS, FOUND: steps.LOADS}


@pytest.mark.django_db(transaction=True)
def test_of_a_transaction_statements_and_commit_count() -> None:
    with transactions_watched() as spent:
        App.objects.count()
        assert (spent.whole, spent.waiting, spent.transactions) == (0, 0, 0), "there was none"
        with transaction.atomic():
            begun = spent.waiting
            App.objects.count()
            counted = spent.waiting
            assert counted > begun >= spent.committed == 0
            fetch_all("SELECT 1", [])
            assert spent.waiting > counted
        assert spent.committed > 0
        assert (spent.transactions, spent.waiting < spent.whole) == (1, True)
    before = spent.whole
    with transaction.atomic():
        App.objects.count()
    assert spent.whole == before, "nobody watches any more"


@pytest.mark.long
def test_each_database_is_measured_by_a_process_of_its_own() -> None:
    (results,) = measure_apart(400, "sqlite", ["--questions", str(FEW), "--data", "none"]).values()
    assert_plausible(results, UNSYNCED)


def assert_plausible(results: Seconds, *more: str) -> None:
    counts = {step: len(taken) for step, taken in results.items()}
    written = (UNDISTURBED, AFTER, ELSEWHERE, WRITE, HELD, ASKED, COMMITTED, FOLLOWING, LOOKED)
    writes = dict.fromkeys([*written, *more], FEW // steps.QUESTIONS_PER_WRITE)
    assert counts == {FIRST: steps.LOADS, REQUEST: FEW, SEARCH: FEW, START: steps.STARTS, **writes}
    for commit, question, stored, whole in zip(
        *[results[step] for step in (COMMITTED, ASKED, HELD, WRITE)], strict=True
    ):
        assert 0 < commit < question < stored < whole


def test_databases_stand_side_by_side_and_goals_below() -> None:
    both = {"SQLite": seconds(), "PostgreSQL 16": seconds(1.5)}
    output = render({1_000: both, 10_000: {"SQLite": {**seconds(2.0), FOUND: [0.04] * 3}}}, "today.", HASHING)
    assert "| 1,000 memories | SQLite | PostgreSQL 16 |" in output
    assert f"| {REQUEST} | 4.0 / 4.0 | 6.0 / 6.0 (1.5×) |" in output
    row = partial("| {} | {} | {} |".format)
    assert row("a whole request, beside SQLite's (at most 2× at 10,000): PostgreSQL 16", "1.50×", "–") in output
    assert row("a whole request, beside that in the smallest app: SQLite", "1.00×", "2.00×") in output
    assert row("the first search, from the database (below 1.5 s at 100,000): SQLite", "0.50 s", "1.00 s") in output
    assert (
        row(
            "statements and commit of a write between searches, ms, p50 / p95 (at most 1): SQLite", *["0.50 / 0.50"] * 2
        )
        in output
    )
    assert (
        row(
            "statements and commit of a write right after another, ms, p50 / p95 (at most 1): SQLite",
            *["0.40 / 0.40"] * 2,
        )
        in output
    )
    unsynced = "of one between searches that waits for no disk, ms, p50 / p95: SQLite"
    assert row(unsynced, *["0.30 / 0.30"] * 2) in output
    text = "the first search, where the index is kept on the disk (below 1.5 s at 100,000): SQLite"
    assert row(text, "–", "0.04 s") in output
    assert "kept on the disk (below 1.5 s at 100,000): PostgreSQL" not in output, "there is nothing to tell"
    assert f"| {FOUND} | 40.0 / 40.0 |" in output
    assert "(at most 1.2×): SQLite | 1.50× / 1.50× | 1.50× / 1.50× |" in output
    assert "of another process, beside it: SQLite | 2.00× / 2.00× | 2.00× / 2.00× |" in output
