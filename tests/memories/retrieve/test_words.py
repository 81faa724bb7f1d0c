"""A question's words against the memories of a reading, however few or many hold them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from memories.retrieve.reading import Reading
from memories.retrieve.words import Words, match_words

SIZE = 400


def matched(*places: list[int]) -> Words:
    """Among memories that are all as long as the mean."""
    stub = SimpleNamespace(size=SIZE, length_discount=lambda places: np.ones(len(places), np.float32))
    names = [f"word{number}" for number in range(len(places))]
    return match_words(cast(Reading, cast(Any, stub)), names, [np.array(where, np.intp) for where in places])


@pytest.mark.parametrize("held_by", [[[7, 3], [3, 250]], [list(range(0, SIZE, 2)), [1, 2], []], [[], []]])
def test_those_that_hold_any_word_are_known_once(held_by: list[list[int]]) -> None:
    words = matched(*held_by)
    assert sorted(words.holding.tolist()) == sorted({place for where in held_by for place in where})
    assert np.flatnonzero(words.bm25).tolist() == sorted(words.holding.tolist())


def test_what_is_held_is_told_in_bits_and_weighs_what_its_words_weigh() -> None:
    places = [[number] for number in range(32)]
    places[31] = [0, 31]
    words = matched(*places)
    assert words.bits[0] == 1 | 1 << 31
    assert words.weight_of(words.bits[:32]).tolist() == pytest.approx(
        [words.weight[0] + words.weight[31], *words.weight[1:]], rel=1e-6
    )
