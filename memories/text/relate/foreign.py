"""Statements in a language whose grammar is not known here."""

from .language import FOREIGN_WORDS
from .matching import clashes, terms_missing_from
from .statement import Statement
from .verdict import Relation, Verdict

SAME_FROM = 1.125
"""Scaled cosine: a little above what the embedder calls the same."""


def judge_foreign(existing: Statement, new: Statement, closeness: float | None) -> Verdict | None:
    """Only a near copy with the same numbers counts as the same; None when both are English."""
    if existing.is_english and new.is_english:
        return None
    near = closeness is not None and closeness >= SAME_FROM
    if near and _is_near_copy(existing, new):
        return Verdict(Relation.SAME, "near copy in a language without rules", 0.9)
    return Verdict(Relation.DIFFERENT, "not known to be English; too little certainty", 0.5)


def _is_near_copy(existing: Statement, new: Statement) -> bool:
    numbers_agree = sorted(q.named for q in existing.quantities) == sorted(q.named for q in new.quantities)
    denials_agree = existing.foreign_denials == new.foreign_denials
    # One more word may be a "not" that is not known here.
    has_more = _has_own_words(existing, new) or _has_own_words(new, existing)
    return numbers_agree and denials_agree and not has_more and not clashes(existing, new)


def _has_own_words(statement: Statement, other: Statement) -> bool:
    return any(term.word not in FOREIGN_WORDS for term in terms_missing_from(other, statement))
