"""Clients that ask at a time, and what is made of how fast they are answered."""

from __future__ import annotations

from threading import Barrier

from bench import proxy
from bench.questions_at_once import ALONE, BATCHES, CROWD, ask, measure, questions_of, render
from memories.providers.embeddings import HashEmbedder, Vectors


class Meeting(HashEmbedder):
    """Answers nobody before as many have asked."""

    def __init__(self, clients: int) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.all_here = Barrier(clients)

    def embed_query(self, text: str) -> Vectors:
        self.texts.append(text)
        self.all_here.wait(timeout=30)
        return super().embed_query(text)


def test_clients_ask_at_a_time_and_each_question_once() -> None:
    embedder, questions = Meeting(4), questions_of(12)
    ask(embedder, 4, questions)
    assert sorted(embedder.texts) == sorted(questions)


def test_no_question_comes_twice() -> None:
    assert len(set(questions_of(2_000))) == 2_000


def test_loads_take_turns() -> None:
    assert {name: len(results) for name, results in measure(HashEmbedder(), 16, 3).items()} == {
        ALONE: 3, CROWD: 3, BATCHES: 3,
    }  # fmt: skip


def test_it_tells_how_many_times_as_many() -> None:
    output = render(
        {ALONE: [100.0, 50.0, 80.0], CROWD: [200.0, 150.0, 168.0], BATCHES: [300.0, 150.0, 240.0]},
        {ALONE: [40.0, 40.0, 40.0], CROWD: [90.0, 100.0, 80.0]},
        9,
        "today.",
    )
    assert f"| {ALONE} | 80 | 1.00× (1.00–1.00) |" in output
    assert f"| {CROWD} | 168 | 2.10× (2.00–3.00) |" in output
    assert f"| {CROWD} | 90 | 2.25× (2.00–2.50) |" in output


def test_what_a_proxy_adds_is_the_difference_of_the_medians() -> None:
    pair = proxy.Times([100.0, 101.0, 109.0], [150.0] * 3), proxy.Times([110.0, 113.0, 190.0], [152.0] * 3, 21.4)
    output = proxy.render({"streamed": pair}, 3, 1_000, "today.")
    assert "| streamed: first byte | 101.0 / 108.2 | 113.0 / 182.3 | **12.0** | 21 |" in output
    assert "| streamed: end | 150.0 / 150.0 | 152.0 / 152.0 | **2.0** | 21 |" in output
