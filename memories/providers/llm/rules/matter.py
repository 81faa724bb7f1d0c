"""How much matter a statement has: marks are found in it and around it, weighed and added up."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from memories.providers.llm.rules.evidence import count_ops, weigh_impersonal, weigh_personal
from memories.providers.llm.rules.gate_marks import ASSISTANT_MARKS, USER_MARKS, GateMark
from memories.providers.llm.rules.matter_marks import AROUND, BIAS, INSIDE, WEIGHTS, Cue
from memories.providers.llm.rules.verbs import is_finite
from memories.text.messages import ASSISTANT, USER

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


_MARKS: dict[str, tuple[GateMark, ...]] = {USER: USER_MARKS, ASSISTANT: ASSISTANT_MARKS}
_USED = {
    role: (
        tuple(mark for mark in _MARKS[role] if mark.name in weights),
        tuple(cue for cue in INSIDE if cue.name in weights),
    )
    for role, weights in WEIGHTS.items()
}


def weigh_matter(text: str, around: Surroundings) -> float:
    """0 to 1: how likely somebody would want to keep this."""
    weights = WEIGHTS[around.role]
    shares = measure(text, around, *_USED[around.role])
    total = BIAS[around.role] + sum(weights.get(name, 0.0) * share for name, share in shares.items())
    return 1.0 / (1.0 + math.exp(-total))


def measure(text: str, around: Surroundings, marks: tuple[GateMark, ...], cues: tuple[Cue, ...]) -> dict[str, float]:
    """Each mark's share, 0 to 1."""
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
    """The same for all statements of a message."""
    said = {"message": message.lower(), "asked": asked.lower(), "before": before.lower(), "reply": reply.lower()}
    shares = {name: float(bool(pattern.search(said[place]))) for name, place, pattern in AROUND}
    return shares | {"a long message": min(1.0, len(message) / 400)}
