"""Clauses that only tell who does what was told just before them."""

from __future__ import annotations

import re

MOST_LEANING_WORDS = 9
_LEANING = re.compile(
    r"(?:(?:then|so|and|but|instead) )?(?:[\w'-]+ ){1,3}?(?:(?:always|usually|normally|often|still|also) )?"
    r"(?<!\bto )(?:does|do|did|will|can|has to|have to|takes over|take over|steps in|step in)(?: (?:it|that|this|so))?"
    r"(?: instead| for (?:me|us|her|him|them)| then)?",
    re.IGNORECASE,
)
"""What somebody does is told by the clause before."""


def leans_on_what_is_done(clause: str) -> bool:
    """Whether a clause only tells who does what was just told: "I can't fetch him, then grandma does it"."""
    return len(clause.split()) <= MOST_LEANING_WORDS and bool(_LEANING.fullmatch(clause))
