import numpy as np
import pytest

from bench import capacity, latency, recall, request_latency, vector_latency
from bench.metrics import Score
from bench.page import TITLES, circumstances, table, write_section
from bench.request_latency import AGAIN, EMBEDDING, REQUEST
from bench.synthetic import texts_of, unit_vectors
from memories.models import RecallCount
from memories.providers.embeddings import HashEmbedder
from memories.services import current_embedder
from tests.bench.invented import conversation


def test_a_section_takes_the_place_of_its_predecessor(tmp_path):
    page = tmp_path / "docs" / "page.md"
    for title, body in (("Recall", "old\n\n### part"), ("Latency", "fast"), ("Recall", "new \\1")):
        write_section(title, body, page)
    assert page.read_text().endswith("\n## Recall\n\nnew \\1\n\n## Latency\n\nfast\n")
    assert page.read_text().startswith("# Benchmark results\n")


@pytest.mark.parametrize("page", TITLES, ids=lambda page: page.name)
def test_each_page_begins_with_what_is_on_it(page):
    assert page.read_text().startswith(TITLES[page])


def test_a_table_is_markdown():
    assert table(["", "n"], [["a", 1]]) == "|  | n |\n| --- | ---: |\n| a | 1 |"


def test_circumstances_name_the_machine_and_the_note():
    output = circumstances("shared machine")
    assert "cores" in output
    assert output.endswith("; shared machine.")


@pytest.mark.django_db
def test_recall_is_reported_beside_every_baseline(monkeypatch):
    monkeypatch.setattr(recall, "LEARNT_FROM", {"one", "two"})
    conversations = [conversation("one"), conversation("two", "realtalk")]
    measured = recall.measure_all(conversations, HashEmbedder(512))
    left_out = {"locomo": {name: [0.5, 0.25, 0.125] for name in ("all", "single_hop", "multi_hop")}}
    body = recall.render(conversations, measured, [0.001], left_out, "today.")
    assert "2 apps of conversations (LoCoMo, CC BY-NC 4.0; REALTALK) and " in body
    assert "learnt from 2 of these apps" in body
    assert "20 memories, 6 questions" in body
    assert body.count("\n| cosine |") == body.count(f"\n| {recall.OURS} |") == 2
    assert "|  | all (3) | multi hop (1) | single hop (2) |" in body
    assert f"| {recall.LEFT_OUT} | 0.500 / 0.250 / 0.125 |" in body
    assert len(measured.search_seconds) == 6


@pytest.mark.django_db
def test_conversations_that_the_ranking_does_not_know_are_told_apart(monkeypatch):
    monkeypatch.setattr(recall, "LEARNT_FROM", {"one"})
    conversations = [conversation("one"), conversation("new")]
    body = recall.render(conversations, recall.measure_all(conversations, HashEmbedder(512)), [0.001], {}, "today.")
    assert "learnt from 1 of these apps; what they were not learnt from stands apart" in body
    assert body.index("**locomo**") < body.index("**locomo, not learnt from**")


def test_what_is_furthest_behind_its_best_baseline_comes_first():
    measured = recall.Measured()
    for data_set, our_share, their_share in (("ahead", 1.0, 0.5), ("behind", 0.25, 0.75), ("level", 0.5, 0.5)):
        for name, share in ((recall.OURS, our_share), ("cosine", their_share), ("none", 0.0)):
            measured.scores[data_set][name][recall.ALL] = [Score(share, share, share)]
    lines = recall.worst_first(measured, [(name, recall.ALL) for name in measured.scores], 2).splitlines()[2:]
    assert [line.split(" | ")[0] for line in lines] == ["| behind", "| level"]
    assert lines[0].endswith("| 1 | cosine | 0.750 / 0.750 / 0.750 | 0.250 / 0.250 / 0.250 | -0.500 |")


def test_latency_is_reported_with_its_limit(monkeypatch):
    monkeypatch.setattr(vector_latency, "QUERIES", 3)
    requested = {EMBEDDING: [0.004, 0.004], REQUEST: [0.007, 0.007], AGAIN: [0.002, 0.004]}
    body = latency.render(70, requested, {500: vector_latency.measure_vectors(500)}, "today.")
    assert "app of 70 memories" in body
    assert f"| {EMBEDDING} | 4.0 (1.00×) | 4.0 (1.00×) |" in body
    assert f"| {REQUEST} | 7.0 (1.75×) | 7.0 (1.75×) |" in body
    assert "| reading the matrix once |" in body
    assert "(1.00×)" in body
    assert "best of 5% |" in body
    assert "r 1.000" in body


@pytest.mark.django_db
def test_whole_requests_are_measured_beside_their_embedding(monkeypatch):
    monkeypatch.setattr(request_latency, "QUESTIONS", 3)
    embedder = current_embedder()
    seconds = request_latency.measure_requests(60, embedder, embedder)
    assert {name: len(taken) for name, taken in seconds.items()} == {EMBEDDING: 3, REQUEST: 3, AGAIN: 3}
    assert RecallCount.objects.get().searches == 7


def test_synthetic_data_is_the_same_each_time():
    vectors, queries = unit_vectors(600, 4, 64, seed=1)
    assert np.array_equal(vectors, unit_vectors(600, 4, 64, seed=1)[0])
    assert np.allclose(np.linalg.norm(queries, axis=1), 1, atol=1e-6)
    assert texts_of(3, 5, 1) == texts_of(3, 5, 1)
    assert texts_of(3, 5, 1) != texts_of(3, 5, 2)


def test_capacity_is_what_the_cores_that_are_used_up_first_allow():
    seconds = {capacity.WEB: 0.003, capacity.WORKER: 0.0, capacity.DATABASE: 0.002}
    assert capacity.carried(seconds, 0.001) == (pytest.approx(2_000), "host")
    assert capacity.carried(seconds | {capacity.DATABASE: 0.01}, 0.001) == (pytest.approx(1_600), "database")
    apart = capacity.Apart(448, 1_000, capacity.Counter(tuple=3), capacity.Counter({"tuple: UPDATE x": 2}))
    output = capacity.render({"a search": seconds}, 0.001, apart, 10_000, 100, 64, "today.")
    assert "| a search | 3.00 | 0.00 | 2.00 | 2,000 | host |" in output
    assert "waited for one another in tuple 3; sessions of different apps in 2: tuple: UPDATE x." in output
