"""The budget holds for whatever is to be said, and nothing that would have fitted is left out by what would not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from memories.inject.render import MISSES, fit
from memories.language.scripts import CHARACTERS_PER_TOKEN, estimate_tokens

HEADER = "Known:"
TEXTS = st.lists(st.text(max_size=200), max_size=MISSES)


class Said(NamedTuple):
    text: str


def render(texts: Sequence[str]) -> str:
    return "\n".join([HEADER, *(f"- {text}" for text in texts)])


def fitted(texts: Sequence[str], budget: int) -> tuple[list[str], str]:
    statements = [Said(text) for text in texts]
    taken, block = fit(statements, budget, lambda lines: render([line.text for line in lines]))  # type: ignore[arg-type]
    return [line.text for line in taken], block


@given(TEXTS, st.integers(0, 300))
def test_the_whole_block_is_within_the_budget(texts: list[str], budget: int) -> None:
    taken, block = fitted(texts, budget)
    assert estimate_tokens(block) <= budget
    assert block == (render(taken) if taken else "")


@given(TEXTS, st.integers(0, 300))
def test_lines_keep_their_order_and_are_taken_once(texts: list[str], budget: int) -> None:
    taken, _ = fitted(texts, budget)
    waiting = iter(texts)
    assert all(line in waiting for line in taken)


@given(TEXTS, st.integers(0, 300))
def test_no_line_that_would_still_have_fitted_is_left_out(texts: list[str], budget: int) -> None:
    """Each that was passed over was too long beside those taken before it."""
    taken, _ = fitted(texts, budget)
    here, left = [], list(taken)
    for text in texts:
        if left and text == left[0]:
            here.append(left.pop(0))
        else:
            assert estimate_tokens(render([*here, text])) > budget


@given(TEXTS)
def test_where_there_is_capacity_for_all_all_are_taken(texts: list[str]) -> None:
    taken, _ = fitted(texts, estimate_tokens(render(texts)))
    assert taken == texts


def test_long_ones_in_a_row_do_not_hide_the_short_ones_behind_them() -> None:
    short = [f"short {number}" for number in range(10)]
    taken, _ = fitted(["first", *["x" * 900] * 5 * MISSES, *short], 100)
    assert taken == ["first", *short]


def test_what_cannot_fit_is_not_rendered() -> None:
    sizes: list[int] = []

    def count(lines: Sequence[object]) -> str:
        sizes.append(len(lines))
        return HEADER

    capacity = 100 * CHARACTERS_PER_TOKEN
    lines = [Said("x" * 2 * capacity)] * 1_000
    fit(lines, 100, lambda some: count(some) + "".join(line.text for line in some))  # type: ignore[arg-type]
    assert len(sizes) < 20
