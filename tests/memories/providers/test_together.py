import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from memories.providers.embeddings.base import EmbedderUnavailable, Vectors
from memories.providers.embeddings.together import MOST, Together

PATIENCE_SECONDS = 60


class Gate:
    """An embedder that stands still until it is let go. A text's vector is its number."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.began, self.may_go = Event(), Event()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        self.began.set()
        assert self.may_go.wait(PATIENCE_SECONDS)
        if "bad" in texts:
            raise EmbedderUnavailable("away")
        return np.array([[float(text)] for text in texts], np.float32)


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def threads():
    with ThreadPoolExecutor(MOST + 8) as pool:
        yield pool


def wait_for(together: Together, number: int) -> None:
    while len(together.waiting) < number:
        os.sched_yield()


def test_one_alone_goes_alone(gate):
    gate.may_go.set()
    together = Together(gate, 1)
    assert [together("1").tolist(), together("2").tolist()] == [[1.0], [2.0]]
    assert gate.batches == [["1"], ["2"]]


def test_what_comes_meanwhile_goes_together(gate, threads):
    together = Together(gate, 1)
    first = threads.submit(together, "0")
    assert gate.began.wait(PATIENCE_SECONDS)
    others = [threads.submit(together, str(number)) for number in range(1, 8)]
    wait_for(together, 7)
    gate.may_go.set()
    assert [one.result(PATIENCE_SECONDS).tolist() for one in [first, *others]] == [[float(n)] for n in range(8)]
    assert [len(batch) for batch in gate.batches] == [1, 7]


def test_no_batch_is_larger_than_may_be(gate, threads):
    together = Together(gate, 1)
    first = threads.submit(together, "0")
    assert gate.began.wait(PATIENCE_SECONDS)
    others = [threads.submit(together, str(number)) for number in range(1, MOST + 4)]
    wait_for(together, MOST + 3)
    gate.may_go.set()
    assert [one.result(PATIENCE_SECONDS)[0] for one in [first, *others]] == list(range(MOST + 4))
    assert [len(batch) for batch in gate.batches] == [1, MOST, 3]


def test_as_many_runs_at_a_time_as_are_allowed(gate, threads):
    together = Together(gate, 2)
    both = [threads.submit(together, "1"), threads.submit(together, "2")]
    while len(gate.batches) < 2:
        os.sched_yield()
    third = threads.submit(together, "3")
    wait_for(together, 1)
    gate.may_go.set()
    assert [one.result(PATIENCE_SECONDS)[0] for one in [*both, third]] == [1, 2, 3]


def test_who_was_in_a_batch_that_failed_is_told_and_the_next_are_embedded(gate, threads):
    together = Together(gate, 1)
    first = threads.submit(together, "0")
    assert gate.began.wait(PATIENCE_SECONDS)
    unlucky = [threads.submit(together, "bad"), threads.submit(together, "1")]
    wait_for(together, 2)
    gate.may_go.set()
    assert first.result(PATIENCE_SECONDS).tolist() == [0.0]
    for one in unlucky:
        with pytest.raises(EmbedderUnavailable):
            one.result(PATIENCE_SECONDS)
    assert together("5").tolist() == [5.0]
