"""Which lines fit: the whole block, fence and header included, stays within the budget."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from memories.inject.render import Line
from memories.text.tokens import CHARACTERS_PER_TOKEN, estimate_tokens

Render = Callable[[Sequence[Line]], str]
# After this many lines in a row that are rendered and too long for what is left, nothing worth reading will fit.
MISSES = 20
# A heading that counts may say less once a line is added: "9 of 10 memories", "10 memories".
HEADING_CHARACTERS = 32


def fit(lines: Sequence[Line], budget_tokens: int, render: Render) -> tuple[list[Line], str]:
    """The lines taken, in order, and their block; a line too long for what is left is passed over.

    ([], "") when none fits: nothing to say is an empty string. What is by itself longer than what is left is not
    rendered, and counts for nothing: short ones may follow.
    """

    def fits(some: Sequence[Line]) -> bool:
        return estimate_tokens(render(some)) <= budget_tokens

    # The longest prefix first: its length is found with few renderings, however many lines there are.
    prefix = bisect_left(range(1, len(lines) + 1), True, key=lambda size: not fits(lines[:size]))
    taken, misses = list(lines[:prefix]), 0
    room = room_beside(taken, budget_tokens, render)
    for line in lines[prefix:]:
        if misses == MISSES:
            break
        if len(line.text) > room:
            continue
        misses += 1
        if fits([*taken, line]):
            taken, misses = [*taken, line], 0
            room = room_beside(taken, budget_tokens, render)
    return (taken, render(taken)) if taken else ([], "")


def room_beside(taken: Sequence[Line], budget_tokens: int, render: Render) -> int:
    """The characters that another line may have at most."""
    used = len(render(taken)) if taken else 0
    return budget_tokens * CHARACTERS_PER_TOKEN - used + HEADING_CHARACTERS
