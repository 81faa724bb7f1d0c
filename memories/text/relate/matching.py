"""Where the signs of two statements clash, and which of their terms only one has."""

from .statement import Statement, Term

Clash = tuple[Term, Term]
MIN_TELLING_WEIGHT = 0.5
"""Terms below it ("run", "first", "user") are too common to tell two matters apart."""


def clashes(existing: Statement, new: Statement) -> list[Clash]:
    """Return pairs of terms of one concept, one affirmed and one denied."""
    left, right = existing.signs, new.signs
    opposed = [concept for concept in left.keys() & right.keys() if not left[concept] & right[concept]]
    pairs = [(_first(existing, concept), _first(new, concept)) for concept in sorted(opposed)]
    return [(old, now) for old, now in pairs if not _is_explained((old, existing, new), (now, new, existing))]


def terms_missing_from(other: Statement, statement: Statement) -> list[Term]:
    """Return the telling terms of a statement that the other lacks."""
    telling = (term for term in statement.terms if term.weight >= MIN_TELLING_WEIGHT)
    return [term for term in telling if term.concept not in other.signs]


def _is_explained(*views: tuple[Term, Statement, Statement]) -> bool:
    """Tell whether another word of the same negation has the same sign on the other side."""
    for term, side, other in views:
        fellows = (t for t in side.terms if t.cue == term.cue and t.concept != term.concept)
        if term.cue is not None and any(t.sign in other.signs.get(t.concept, ()) for t in fellows):
            return True
    return False


def _first(statement: Statement, concept: str) -> Term:
    return next(term for term in statement.terms if term.concept == concept)
