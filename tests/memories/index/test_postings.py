"""What is kept of the words that were asked for, and how much of it."""

from __future__ import annotations

import numpy as np
import pytest

from memories.index import app_index
from memories.index.app_index import WORD_COST, Posting, Postings


def posting(count: int, requests: int = 10) -> Posting:
    return Posting(np.arange(count), requests, whole=True)


@pytest.fixture
def limit_of_100(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_index, "LEAST_KEPT", 100)


def test_more_rows_come_after_those_before() -> None:
    assert posting(2).and_then([11, 12], 13).rows.tolist() == [0, 1, 11, 12]
    before = posting(2)
    after = before.and_then([], 13)
    assert after.rows is before.rows
    assert (after.asked, after.whole) == (13, True)


@pytest.mark.usefixtures("limit_of_100")
def test_what_was_put_in_first_goes_first() -> None:
    remaining = Postings()
    for word in ("whale", "heron", "sea"):
        remaining.put(word, posting(30 - WORD_COST))
    assert (list(remaining.by_word), remaining.cost) == (["whale", "heron", "sea"], 90)
    remaining.put("whale", posting(40 - WORD_COST))
    assert (list(remaining.by_word), remaining.cost) == (["heron", "sea", "whale"], 100)
    remaining.put("night", posting(20 - WORD_COST))
    assert (list(remaining.by_word), remaining.cost) == (["sea", "whale", "night"], 90)
    assert remaining.get("heron") is None


@pytest.mark.usefixtures("limit_of_100")
def test_one_is_kept_however_large_it_is() -> None:
    remaining = Postings()
    remaining.put("whale", posting(30))
    remaining.put("the", posting(1000))
    assert (list(remaining.by_word), remaining.cost) == (["the"], 1000 + WORD_COST)


@pytest.mark.usefixtures("limit_of_100")
def test_a_larger_index_keeps_more() -> None:
    remaining = Postings()
    for word in ("whale", "heron", "sea"):
        remaining.put(word, posting(60, requests=100))
    assert len(remaining.by_word) == 3
