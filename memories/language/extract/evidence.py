"""What speaks for and against keeping a statement or a conversation: named marks with weights, added up."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from memories.language.extract.lexicon import (
    HELPERS,
    KIN,
    OPS_NOUNS,
    OPS_PRODUCTS,
    OWN_THINGS,
    PASSING_THINGS,
    is_finite,
)
from memories.language.messages import ASSISTANT, USER
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
        # Escapes like \W keep their case.
        return re.compile(_LETTER.sub(lambda found: found[0] if found[0][0] == "\\" else found[0].lower(), self.regex))


_LETTER = re.compile(r"\\.|[A-Z]")
_PARTS = {
    "KIN": any_of(KIN),
    "OWN": any_of(OWN_THINGS),
    "HELPERS": any_of(HELPERS),
    "PASSING": any_of(PASSING_THINGS),
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

_BIAS = {USER: -2.51, ASSISTANT: -2.69}
_WEIGHTS: dict[str, dict[str, float]] = {USER: {}, ASSISTANT: {}}
"""Of marks in a statement, by who says it."""
GATE_BIAS = -2.57
GATE_WEIGHTS: dict[str, float] = {}
"""Of marks in a whole conversation."""
for _table, _name, _most, _exact, *_given, _pattern in read_rows(Path(__file__).with_name("salience.tsv")):
    for _weights, _weight in zip((_WEIGHTS[USER], _WEIGHTS[ASSISTANT], GATE_WEIGHTS), _given, strict=True):
        if _weight:
            _weights[_name] = float(_weight)
    if _pattern:
        _pattern = _pattern.replace("<KIN>", _PARTS["KIN"])
        MARKS[_table].append(Mark(_name, _pattern, bool(_exact), most=int(_most or 1)))
_USED = {
    role: [[mark for mark in MARKS[table] if mark.name in weights] for table in (role, "inside")]
    for role, weights in _WEIGHTS.items()
}

ENOUGH = 0.5
_MOST = 2
"""So many finds of a mark in a statement count in full."""
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


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was said around a statement. `message` is what it stands in; `asked` the question it may answer."""

    role: str
    message: str = ""
    asked: str = ""
    before: str = ""
    """The message before, another speaker's."""
    reply: str = ""
    is_asking: bool = False
    """Whether it stands in a question or a request."""
    is_fragment: bool = False
    is_resolved: bool = True


def weigh_matter(text: str, around: Surroundings) -> float:
    """0 to 1: how likely somebody would want to keep this."""
    weights = _WEIGHTS[around.role]
    shares = _measure(text, around, *_USED[around.role])
    total = _BIAS[around.role] + sum(weights.get(name, 0.0) * share for name, share in shares.items())
    return 1.0 / (1.0 + math.exp(-total))


def _measure(text: str, around: Surroundings, marks: Sequence[Mark], cues: Sequence[Mark]) -> dict[str, float]:
    """Return each mark's share, 0 to 1."""
    low = text.lower()
    shares = {mark.name: _count(mark.pattern, text if mark.is_exact else low) / _MOST for mark in marks}
    shares |= {cue.name: float(bool(cue.pattern.search(text if cue.is_exact else low))) for cue in cues}
    shares |= _measure_around(around.message, around.asked, around.before, around.reply)
    words = re.findall(r"[\w']+", low)
    return shares | {
        "few words": max(0.0, (6 - len(words)) / 6),
        "many words": min(1.0, len(words) / 25),
        "operations": min(3, count_ops(text)) / 3,
        "personal": weigh_personal(text).score,
        "impersonal": weigh_impersonal(text).score,
        "asking": float(around.is_asking),
        "an answer": float(bool(around.asked)),
        "a fragment": float(around.is_fragment),
        "left dangling": float(not around.is_resolved),
        "a verb": float(any(is_finite(word) for word in words[1:])),
    }


def _count(pattern: re.Pattern[str], text: str) -> int:
    first = pattern.search(text)
    if not first:
        return 0
    return 2 if pattern.search(text, first.end()) else 1


@lru_cache(maxsize=32)
def _measure_around(message: str, asked: str, before: str, reply: str) -> dict[str, float]:
    """Return what speaks for all statements of a message alike."""
    texts = {"message": message.lower(), "asked": asked.lower(), "before": before.lower(), "reply": reply.lower()}
    shares = {mark.name: float(bool(mark.pattern.search(low))) for place, low in texts.items() for mark in MARKS[place]}
    return shares | {"a long message": min(1.0, len(message) / 400)}
