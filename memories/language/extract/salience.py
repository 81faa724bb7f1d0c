"""How much of substance a statement or conversation has: marks are found, weighed and added up."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memories.language.extract.evidence import Mark, count_ops, weigh_impersonal, weigh_personal
from memories.language.extract.lexicon import KIN, is_finite
from memories.language.messages import ASSISTANT, USER
from memories.language.wordlists import any_of, read_rows

BIAS = {USER: -2.51, ASSISTANT: -2.69}
WEIGHTS: dict[str, dict[str, float]] = {USER: {}, ASSISTANT: {}}
GATE_BIAS = -2.57
GATE_WEIGHTS: dict[str, float] = {}
MARKS: defaultdict[str, list[Mark]] = defaultdict(list)
for _table, _name, _most, _exact, *_given, _pattern in read_rows(Path(__file__).with_name("salience.tsv")):
    for _weights, _weight in zip((WEIGHTS[USER], WEIGHTS[ASSISTANT], GATE_WEIGHTS), _given, strict=True):
        if _weight:
            _weights[_name] = float(_weight)
    if _pattern:
        MARKS[_table].append(Mark(_name, _pattern.replace("<KIN>", any_of(KIN)), bool(_exact), most=int(_most or 1)))

_MOST = 2
"""So many finds of a mark count in full."""


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


_USED = {
    role: [[mark for mark in MARKS[table] if mark.name in weights] for table in (role, "inside")]
    for role, weights in WEIGHTS.items()
}


def weigh_matter(text: str, around: Surroundings) -> float:
    """0 to 1: how likely somebody would want to keep this."""
    weights = WEIGHTS[around.role]
    shares = _measure(text, around, *_USED[around.role])
    total = BIAS[around.role] + sum(weights.get(name, 0.0) * share for name, share in shares.items())
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
    said = {"message": message.lower(), "asked": asked.lower(), "before": before.lower(), "reply": reply.lower()}
    shares = {mark.name: float(bool(mark.pattern.search(low))) for place, low in said.items() for mark in MARKS[place]}
    return shares | {"a long message": min(1.0, len(message) / 400)}
