"""A statement that may be worth keeping."""

from __future__ import annotations

from dataclasses import dataclass

STATEMENT, INSTRUCTION, DECISION = "statement", "instruction", "decision"
CORRECTION, OUTCOME, GUESS = "correction", "outcome", "guess"
SAID = "said"
"""In the words it was said in, because of what it has in it rather than how it is built."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """`text` stands as it was said, in the first person; `is_final` tells that it is already worded for keeping."""

    text: str
    message: int
    quote: str
    score: float
    evidence: str
    type: str = STATEMENT
    is_final: bool = False
    is_foreign: bool = False
    is_hedged: bool = False
    is_lesson: bool = False
    group: str = ""
    """Whom "we" means."""
    category: str = ""
    """Empty where the words have to tell it."""
    worth: float = 0.0
    """The probability that it is worth keeping, where the network was asked."""
    speaker: str = "User"
    """Who says "I"."""
    is_passing: bool = False
    """Kept only where it changes what is known, as "the backup goes to Backblaze now" does."""

    @property
    def is_dated(self) -> bool:
        """Whether its relative dates may be written out: not in other languages."""
        return not self.is_foreign
