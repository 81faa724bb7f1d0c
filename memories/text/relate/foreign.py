"""Statements in a language whose grammar is not known here."""

from .evidence import Sides
from .tokens import canonical_text
from .verdict import Relation, Verdict

SAME_FROM = 1.125
"""Scaled cosine: a little above what the embedder calls the same."""

_DEFINITE = {"ein": "der", "eine": "die", "einen": "den", "einem": "dem", "une": "la", "una": "la", "een": "de"}


def judge_foreign(sides: Sides, closeness: float | None) -> Verdict | None:
    """Only "a" for "the" still counts as the same; None when both are English."""
    if sides.existing_statement.is_english and sides.new_statement.is_english:
        return None
    near = closeness is not None and closeness >= SAME_FROM
    if near and _with_articles_alike(sides.existing.written) == _with_articles_alike(sides.new.written):
        return Verdict(Relation.SAME, "near copy in a language without rules", 0.9)
    return Verdict(Relation.DIFFERENT, "not known to be English; too little certainty", 0.5)


def _with_articles_alike(text: str) -> list[str]:
    """Any other word may deny what is said or turn it round, and so may another order."""
    return [_DEFINITE.get(word, word) for word in canonical_text(text).split()]
