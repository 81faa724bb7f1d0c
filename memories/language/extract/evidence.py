"""What speaks for and against keeping a statement: named marks with weights, added up. 0.5 is enough."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from memories.language.extract.decisions import BEGAN, FROM_NOW_ON, NOWADAYS, RESUMED
from memories.language.extract.lexicon import (
    HELPERS,
    KIN,
    OPS_NOUNS,
    OPS_PRODUCTS,
    OWN_THINGS,
    PASSING_THINGS,
    is_finite,
)
from memories.language.wordlists import any_of, read_rows


@dataclass(frozen=True)
class Mark:
    name: str
    regex: str
    is_exact: bool
    """Whether capitals count; other patterns are matched against lower case, which is twice as fast as ignoring it."""
    weight: float = 0.0
    most: int = 1
    """So many finds count."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when a text is read: compiling all of them takes longer than most commands."""
        if self.is_exact:
            return re.compile(self.regex)
        # Escapes like \\W keep their case.
        return re.compile(_LETTER.sub(lambda found: found[0] if found[0][0] == "\\" else found[0].lower(), self.regex))


_LETTER = re.compile(r"\\.|[A-Z]")
_PARTS = {
    "KIN": any_of(KIN),
    "OWN": any_of(OWN_THINGS),
    "HELPERS": any_of(HELPERS),
    "PASSING": any_of(PASSING_THINGS),
    "BEGAN": BEGAN,
    "RESUMED": RESUMED,
    "FROM_NOW_ON": FROM_NOW_ON,
    "NOWADAYS": NOWADAYS,
}
MARKS: defaultdict[str, list[Mark]] = defaultdict(list)
for _table, _name, _weight, _exact, _pattern in read_rows(Path(__file__).with_name("evidence.tsv")):
    _pattern = re.sub(r"<([A-Z_]+)>", lambda part: _PARTS[part[1]], _pattern)
    if _table == "part":
        _PARTS[_name] = _pattern
    else:
        MARKS[_table].append(Mark(_name, _pattern, bool(_exact), float(_weight)))
AGE = _PARTS["AGE"]
_SAYS_WHAT_IS = re.compile(_PARTS["SAYS_WHAT_IS"], re.IGNORECASE)
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
    """Return how much a statement in the first person tells about its speaker."""
    return _weigh(clause, "personal", 0.0)


@lru_cache(maxsize=256)
def weigh_impersonal(clause: str) -> Finding:
    """Return how much of what a statement tells about something will matter later."""
    if not _SAYS_WHAT_IS.search(clause):
        return Finding(0.0, "nothing")
    return _weigh(clause, "impersonal", 0.45 + 0.2 * min(count_ops(clause), 2))


def is_first_person(clause: str) -> bool:
    return bool(_FIRST_PERSON.search(clause))


def _weigh(clause: str, table: str, start: float) -> Finding:
    low = clause.lower()
    found = [(mark.weight, mark.name) for mark in MARKS[table] if mark.pattern.search(clause if mark.is_exact else low)]
    total = start + sum(weight for weight, _ in found)
    if total > 0:
        against = MARKS[f"against {table}"]
        total += sum(mark.weight for mark in against if mark.pattern.search(clause if mark.is_exact else low))
    strongest = max(found, default=(0.0, "nothing"))
    return Finding(max(0.0, min(1.0, total)), strongest[1])


@lru_cache(maxsize=1024)
def _is_ops(word: str) -> bool:
    return word in _OPS or word.removesuffix("'s") in _OPS


def count_ops(text: str) -> int:
    """Return how many words of operations and development a text has."""
    return sum(_is_ops(word) for word in re.findall(r"[\w'-]+", text.lower()))


def says_something(clause: str) -> bool:
    """Tell whether there is a finite verb behind the first word."""
    return any(is_finite(word) for word in re.findall(r"[\w']+", clause.lower())[1:])
