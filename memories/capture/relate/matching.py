"""Lay two statements side by side: what they share, what each has alone, where their signs clash."""

from dataclasses import dataclass
from functools import cached_property

from .quantities import Agreement, Quantity, are_comparable, compare
from .statement import Statement, Term

MIN_TELLING_WEIGHT = 0.5
"""Terms below it ("run", "first", "user") are too common to tell two matters apart."""


@dataclass(frozen=True)
class Pair:
    """Two statements; `similarity` is scaled to 0-1 by `Thresholds.scale`, None when unknown."""

    existing: Statement
    new: Statement
    similarity: float | None

    @cached_property
    def overlap(self) -> float:
        """Return the shared weight: mean of its share of the shorter statement and of both (0-1)."""
        left, right = self.existing.weights, self.new.weights
        shared = sum(min(weight, right[concept]) for concept, weight in left.items() if concept in right)
        smaller, total = (
            min(sum(left.values()), sum(right.values())),
            sum(left.values()) + sum(right.values()),
        )
        if smaller <= 0:
            return 0.0
        return min((shared / smaller + 2 * shared / total) / 2, 1.0)

    @cached_property
    def topic(self) -> float:
        """Return how surely both speak about one matter (0-1): half words, half embedding."""
        if self.similarity is None:
            return self.overlap
        return (self.overlap + self.similarity) / 2

    @cached_property
    def only_existing(self) -> list[Term]:
        """Return the telling terms that only the existing statement has."""
        return _missing_from(self.new, self.existing)

    @cached_property
    def only_new(self) -> list[Term]:
        """Return the telling terms that only the new statement has."""
        return _missing_from(self.existing, self.new)

    @cached_property
    def shared(self) -> frozenset[str]:
        """Return the telling concepts that both have."""
        left, right = self.existing.weights, self.new.weights
        return frozenset(c for c in left.keys() & right.keys() if left[c] >= MIN_TELLING_WEIGHT)

    @cached_property
    def clashes(self) -> list[tuple[Term, Term]]:
        """Return pairs of terms of one concept, one affirmed and one denied."""
        left, right = self.existing.signs, self.new.signs
        opposed = [concept for concept in left.keys() & right.keys() if not left[concept] & right[concept]]
        pairs = [(_first(self.existing, concept), _first(self.new, concept)) for concept in sorted(opposed)]
        return [(old, new) for old, new in pairs if not self._is_explained(old, new)]

    def _is_explained(self, old: Term, new: Term) -> bool:
        """Tell whether another word of the same negation has the same sign on the other side."""
        for term, side, other in ((old, self.existing, self.new), (new, self.new, self.existing)):
            fellows = (t for t in side.terms if t.cue == term.cue and t.concept != term.concept)
            if term.cue is not None and any(t.sign in other.signs.get(t.concept, ()) for t in fellows):
                return True
        return False

    @cached_property
    def quantities(self) -> list[tuple[Agreement, Quantity, Quantity]]:
        """Return how the quantities of one kind agree; those without a partner are left out."""
        return _match_quantities(self.existing.quantities, self.new.quantities)


def _missing_from(other: Statement, statement: Statement) -> list[Term]:
    telling = (term for term in statement.terms if term.weight >= MIN_TELLING_WEIGHT)
    return [term for term in telling if term.concept not in other.signs]


def _first(statement: Statement, concept: str) -> Term:
    return next(term for term in statement.terms if term.concept == concept)


def _match_quantities(
    left: tuple[Quantity, ...], right: tuple[Quantity, ...]
) -> list[tuple[Agreement, Quantity, Quantity]]:
    """Pair equal quantities first; those left over on both sides are in conflict."""
    matches: list[tuple[Agreement, Quantity, Quantity]] = []
    for wanted in (Agreement.EQUAL, Agreement.COMPATIBLE, Agreement.CONFLICT):
        for old in left:
            for new in right:
                if not are_comparable(old, new) or _agreement(old, new) is not wanted:
                    continue
                if wanted is Agreement.EQUAL or not _is_paired(old, new, matches):
                    matches.append((wanted, old, new))
    return matches


def _agreement(old: Quantity, new: Quantity) -> Agreement:
    """Compare with signs: "302, not 200" against "200" is a conflict; two denied values are no statement."""
    agreement = compare(old, new)
    if old.sign == new.sign:
        return agreement
    return Agreement.CONFLICT if agreement is Agreement.EQUAL else Agreement.COMPATIBLE


def _is_paired(old: Quantity, new: Quantity, matches: list[tuple[Agreement, Quantity, Quantity]]) -> bool:
    """Tell whether either has already found an equal."""
    return any(match[1] is old or match[2] is new for match in matches)
