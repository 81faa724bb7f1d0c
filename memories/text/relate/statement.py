"""What a statement says, piece by piece: its terms with their signs, and its quantities."""

from dataclasses import dataclass
from functools import cached_property

from .quantities import Quantity


@dataclass(frozen=True)
class Term:
    """A word or phrase that carries matter.

    `sign` is -1 where the statement denies it; `cue` numbers the negation that does, None if no word but
    its own does. `slot` is the preposition or verb it hangs on, "subject" before the verb.
    """

    concept: str
    word: str
    sign: int
    slot: str
    weight: float
    clause: int = 0
    cue: int | None = None
    is_implied: bool = False


@dataclass(frozen=True)
class Statement:
    """One statement as read."""

    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    is_english: bool = True

    @cached_property
    def signs(self) -> dict[str, frozenset[int]]:
        """Return concept → the signs it is used with."""
        signs: dict[str, set[int]] = {}
        for term in self.terms:
            signs.setdefault(term.concept, set()).add(term.sign)
        return {concept: frozenset(found) for concept, found in signs.items()}
