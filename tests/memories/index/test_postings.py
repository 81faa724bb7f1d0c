"""What is kept of the words that were asked for, and how much of it."""

from __future__ import annotations

import numpy as np
import pytest

from memories.index import app_index
from memories.index.app_index import WORD_COST, Posting, Postings


def posting(count: int, asked: int = 10) -> Posting:
    return Posting(np.arange(count), asked, whole=True)


@pytest.fixture
def room_for_100(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_index, "LEAST_KEPT", 100)


def test_more_rows_come_after_those_before() -> None:
    assert posting(2).and_then([11, 12], 13).rows.tolist() == [0, 1, 11, 12]
    before = posting(2)
    after = before.and_then([], 13)
    assert after.rows is before.rows
    assert (after.asked, after.whole) == (13, True)


@pytest.mark.usefixtures("room_for_100")
def test_what_was_put_in_first_goes_first() -> None:
    kept = Postings()
    for word in ("whale", "heron", "sea"):
        kept.put(word, posting(30 - WORD_COST))
    assert (list(kept.kept), kept.cost) == (["whale", "heron", "sea"], 90)
    kept.put("whale", posting(40 - WORD_COST))
    assert (list(kept.kept), kept.cost) == (["heron", "sea", "whale"], 100)
    kept.put("night", posting(20 - WORD_COST))
    assert (list(kept.kept), kept.cost) == (["sea", "whale", "night"], 90)
    assert kept.get("heron") is None


@pytest.mark.usefixtures("room_for_100")
def test_one_is_kept_however_large_it_is() -> None:
    kept = Postings()
    kept.put("whale", posting(30))
    kept.put("the", posting(1000))
    assert (list(kept.kept), kept.cost) == (["the"], 1000 + WORD_COST)


@pytest.mark.usefixtures("room_for_100")
def test_a_larger_index_keeps_more() -> None:
    kept = Postings()
    for word in ("whale", "heron", "sea"):
        kept.put(word, posting(60, asked=100))
    assert len(kept.kept) == 3
