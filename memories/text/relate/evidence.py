"""What the features of a pair are gathered in."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from .alignment import COVERED, Alignment
from .outline import LIGHT_WEIGHT, Outline, Word
from .statement import Statement


@dataclass(frozen=True)
class Seen:
    """One statement, as the other one sees it: how well it has each of its words."""

    outline: Outline
    best: list[tuple[float, int]]

    @cached_property
    def telling(self) -> list[tuple[Word, bool]]:
        """Its words that tell something, and whether the other statement has each."""
        pairs = zip(self.outline.words, self.best, strict=True)
        return [(word, share >= COVERED) for word, (share, _) in pairs if word.weight >= LIGHT_WEIGHT]

    def has_only_known(self, start: int, end: int, besides: frozenset[str] = frozenset()) -> bool:
        """Tell whether the other has all that is told from one place to another."""
        told = (pair for pair in self.telling if start <= pair[0].at < end)
        return all(is_known or word.text in besides for word, is_known in told)


@dataclass(frozen=True)
class Sides:
    """Both statements, read both ways: as the outlines the model compares and as statements with quantities."""

    existing: Outline
    new: Outline
    aligned: Alignment
    existing_statement: Statement
    new_statement: Statement

    def both_ways(self) -> Iterator[tuple[Seen, Seen]]:
        """Each with the other."""
        old = Seen(self.existing, self.aligned.best_existing)
        new = Seen(self.new, self.aligned.best_new)
        yield old, new
        yield new, old


@dataclass
class Evidence:
    """Features by name, 0 meaning "nothing to see", and the words behind them for a reason."""

    features: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
