"""Two versions of a text, laid side by side: lines that went, lines that came, and the words that changed in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

What = Literal["same", "gone", "new"]
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
# Of two lines that have less in common, the one was not made from the other.
REWORDED_FROM = 0.5


@dataclass(frozen=True, slots=True)
class Line:
    """`parts` are pieces of the line in their order, each with what has become of it."""

    what: What
    parts: Sequence[tuple[What, str]]


def compare(old: str, new: str) -> list[Line]:
    """Every line of both. What was reworded stands as gone and as new, its words marked."""
    before, after = old.splitlines(), new.splitlines()
    lines: list[Line] = []
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [Line("same", [("same", line)]) for line in before[i:j]]
        else:
            lines += changed(before[i:j], after[k:m])
    return lines


def changed(gone: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    for old, now in zip_longest(gone, new):
        if old is not None and now is not None and alike(old, now) >= REWORDED_FROM:
            yield from reworded(old, now)
            continue
        if old is not None:
            yield Line("gone", [("gone", old)])
        if now is not None:
            yield Line("new", [("new", now)])


def reworded(old: str, new: str) -> Iterator[Line]:
    before, after = WORDS.findall(old), WORDS.findall(new)
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    yield Line("gone", [(part(tag, "gone"), "".join(before[i:j])) for tag, i, j, _, _ in steps if j > i])
    yield Line("new", [(part(tag, "new"), "".join(after[k:m])) for tag, _, _, k, m in steps if m > k])


def part(tag: str, changed_to: What) -> What:
    return "same" if tag == "equal" else changed_to


def alike(old: str, new: str) -> float:
    """From 0 to 1, by words."""
    return SequenceMatcher(None, WORDS.findall(old), WORDS.findall(new), autojunk=False).ratio()
