"""Lay the words of two statements side by side and say how well each is matched."""

from dataclasses import dataclass
from functools import cached_property

from .outline import Outline, Word

EXACT = 1.0
SYNONYM = 0.9
COVERED = 0.6
"""From here on a word counts as matched."""

LONE_WEIGHT = 0.3
"""What weighs more is missed on the other side; the subject's name weighs less."""

Words = tuple[Word, ...]


@dataclass(frozen=True)
class Alignment:
    """`best_existing` and `best_new` hold, per content word, (how well it is matched 0-1, by which word)."""

    existing: Words
    new: Words

    @cached_property
    def best_existing(self) -> list[tuple[float, int]]:
        return _best(self.existing, self.new)

    @cached_property
    def best_new(self) -> list[tuple[float, int]]:
        return _best(self.new, self.existing)

    @cached_property
    def lone_existing(self) -> Words:
        """Return the telling words that only the existing statement has."""
        return _lone(self.existing, self.best_existing)

    @cached_property
    def lone_new(self) -> Words:
        return _lone(self.new, self.best_new)


def align(existing: Outline, new: Outline) -> Alignment:
    return Alignment(existing.words, new.words)


def match(left: Word, right: Word) -> float:
    """Return how far two words mean the same: by stem, or by a group of synonyms."""
    if left.stem == right.stem:
        return EXACT
    return SYNONYM if left.groups & right.groups else 0.0


def _best(words: Words, others: Words) -> list[tuple[float, int]]:
    """The first of the others that has its stem, or else one of its synonym groups."""
    by_stem: dict[str, int] = {}
    by_group: dict[int, int] = {}
    for at, other in enumerate(others):
        by_stem.setdefault(other.stem, at)
        for group in other.groups:
            by_group.setdefault(group, at)
    return [(EXACT, by_stem[w.stem]) if w.stem in by_stem else _best_synonym(w, by_group) for w in words]


def _best_synonym(word: Word, places: dict[int, int]) -> tuple[float, int]:
    found = [places[group] for group in word.groups if group in places]
    return (SYNONYM, min(found)) if found else (0.0, 0)


def _lone(words: Words, best: list[tuple[float, int]]) -> Words:
    return tuple(
        word for word, (value, _) in zip(words, best, strict=True) if value < COVERED and word.weight > LONE_WEIGHT
    )
