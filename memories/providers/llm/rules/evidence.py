"""What speaks for and against keeping a statement: named marks with weights, added up. 0.5 is enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memories.providers.llm.rules.evidence_marks import (
    AGAINST_IMPERSONAL,
    AGAINST_PERSONAL,
    IMPERSONAL,
    PERSONAL,
    SAYS_WHAT_IS,
    Mark,
)
from memories.providers.llm.rules.verbs import is_finite
from memories.providers.llm.rules.words import OPS_NOUNS, OPS_PRODUCTS

ENOUGH = 0.5
_OPS = OPS_NOUNS | OPS_PRODUCTS


UNREAL = re.compile(
    r"\b(?:imagine|suppose|supposing|pretend|what if|let's say|lets say|say i|hypothetically|in theory|as if i|"
    r"if (?:i|we|my|only|they|he|she) (?:were|was|had|won|could|ever|got|did|lived|moved|knew|didn't|wasn't)|(?:i|"
    r"we) wish|would(?:n't)? have|could have been|were i|in my dream|i dreamt|i dreamed)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|my|My|we|We|we're|We're|we've|We've|we'll|our|Our|me|us|ours|mine|Mine|myself)\b"
)


@dataclass(frozen=True, slots=True)
class Finding:
    score: float
    name: str
    """The strongest mark."""


@lru_cache(maxsize=256)
def weigh_personal(clause: str) -> Finding:
    """How much a statement in the first person tells about its speaker."""
    return _weigh(clause, PERSONAL, AGAINST_PERSONAL, 0.0)


@lru_cache(maxsize=256)
def weigh_impersonal(clause: str) -> Finding:
    """How much a statement about something tells that will matter later."""
    if not SAYS_WHAT_IS.search(clause):
        return Finding(0.0, "nothing")
    return _weigh(clause, IMPERSONAL, AGAINST_IMPERSONAL, 0.45 + 0.2 * min(count_ops(clause), 2))


def is_first_person(clause: str) -> bool:
    return bool(_FIRST_PERSON.search(clause))


def _weigh(clause: str, marks: tuple[Mark, ...], against: tuple[Mark, ...], start: float) -> Finding:
    low = clause.lower()
    found = [(mark.weight, mark.name) for mark in marks if mark.pattern.search(clause if mark.is_exact else low)]
    total = start + sum(weight for weight, _ in found)
    if total > 0:
        total += sum(mark.weight for mark in against if mark.pattern.search(clause if mark.is_exact else low))
    strongest = max(found, default=(0.0, "nothing"))
    return Finding(max(0.0, min(1.0, total)), strongest[1])


@lru_cache(maxsize=1024)
def _is_ops(word: str) -> bool:
    return word in _OPS or word.removesuffix("'s") in _OPS


def count_ops(text: str) -> int:
    """How many words of operations and development a text has."""
    return sum(_is_ops(word) for word in re.findall(r"[\w'-]+", text.lower()))


def says_something(clause: str) -> bool:
    """Whether there is a finite verb behind the first word."""
    return any(is_finite(word) for word in re.findall(r"[\w']+", clause.lower())[1:])
