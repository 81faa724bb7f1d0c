"""Whether a part of a conversation holds anything to keep: marks are counted, weighed and added up.

Long chunks are read in windows of a few messages, as one fact among much talk is still a fact.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from memories.language.extract.evidence import ENOUGH, GATE_BIAS, GATE_WEIGHTS, MARKS, Mark, count_ops
from memories.language.extract.prose import blank
from memories.language.extract.statements import CORRECTION, DECISION, INSTRUCTION, OUTCOME, STATEMENT, Candidate
from memories.language.messages import ASSISTANT, USER, Message
from memories.providers.llm.provider import Chunk, Worth
from memories.providers.llm.rules.extraction import find_candidates
from memories.providers.relation import Judge

KEEP_FROM = 0.5
PLAIN = 0.55
"""From this score on a statement is plain."""
_NOTHING = Worth(keep=False, score=0.0, reason="nothing is said")
WINDOW, STRIDE = 4, 2
"""Messages."""
MAX_READ_CHARACTERS = 4_000
"""Of one message; the gate is quick, and what comes later is seldom said by its speaker."""
_LONG_WORDS = 60
_MOST_OPS = 3
_TYPES = {
    "a statement": (STATEMENT,),
    "an instruction": (INSTRUCTION,),
    "a decision or correction": (DECISION, CORRECTION),
    "an outcome": (OUTCOME,),
}
_BREAKS = re.compile(r"\n\s*")
_APOSTROPHES = str.maketrans("’", "'")


def gate(chunk: Chunk, judge: Judge = "rules") -> Worth:
    """Count words first; only where they do not suffice, statements are read, which takes several times as long.

    Statements only ever add to the score, so that the shorter way never keeps what the longer would drop.
    """
    counted = [_count(message) for message in chunk.messages]
    windows = list(_windows(len(chunk.messages)))
    best = max((_judge(_add_up(counted[first:last], ())) for first, last in windows), key=_score, default=_NOTHING)
    if best.keep:
        return best
    candidates = find_candidates(chunk, judge)
    for first, last in windows:
        inside = [candidate for candidate in candidates if first <= candidate.message < last]
        best = max(best, _judge(_add_up(counted[first:last], inside)), *map(_judge_alone, inside), key=_score)
    return best


def _score(worth: Worth) -> float:
    return worth.score


def _judge_alone(candidate: Candidate) -> Worth:
    """One plain statement is enough, however short the talk."""
    if candidate.score < PLAIN:
        return _NOTHING
    return Worth(keep=True, score=round(candidate.score, 3), reason=candidate.evidence)


def _windows(count: int) -> Iterator[tuple[int, int]]:
    if count <= WINDOW + STRIDE:
        yield 0, count
        return
    for first in range(0, count - WINDOW + STRIDE, STRIDE):
        yield first, min(count, first + WINDOW)


def measure(messages: Sequence[Message], candidates: Sequence[Candidate]) -> dict[str, float]:
    """Each mark's share of the most that is counted, 0 to 1; empty when nothing is said."""
    return _add_up([_count(message) for message in messages], candidates)


def _count(message: Message) -> Counter[str]:
    """Return how often each mark is found in one message, and how many words it has."""
    is_read = message.role in {USER, ASSISTANT}
    prose = _BREAKS.sub("\n", blank(message.content[:MAX_READ_CHARACTERS])).strip() if is_read else ""
    if not prose:
        return Counter()
    text = prose.translate(_APOSTROPHES)
    low = text.lower()
    counts = Counter({mark.name: _count_mark(mark, text if mark.is_exact else low) for mark in MARKS[message.role]})
    counts[f"words of {message.role}"] = len(text.split())
    if message.role == USER:
        counts["operations"] = count_ops(text)
    return counts


def _count_mark(mark: Mark, text: str) -> int:
    return sum(1 for _ in islice(mark.pattern.finditer(text), mark.most))


def _add_up(counted: Sequence[Counter[str]], candidates: Sequence[Candidate]) -> dict[str, float]:
    totals = sum(counted, Counter[str]())
    if not totals:
        return {}
    shares = {mark.name: min(1.0, totals[mark.name] / mark.most) for mark in (*MARKS[USER], *MARKS[ASSISTANT])}
    for name, types in _TYPES.items():
        shares[name] = max((candidate.score for candidate in candidates if candidate.type in types), default=0.0)
    shares["several statements"] = (
        min(3, sum(candidate.type == STATEMENT and candidate.score >= ENOUGH for candidate in candidates)) / 3
    )
    shares["another language"] = max((candidate.score for candidate in candidates if candidate.is_foreign), default=0.0)
    shares["operations"] = min(1.0, totals["operations"] / _MOST_OPS)
    shares["much from the user"] = min(1.0, totals[f"words of {USER}"] / _LONG_WORDS)
    shares["much from the assistant"] = min(1.0, totals[f"words of {ASSISTANT}"] / _LONG_WORDS)
    return shares


def _judge(shares: dict[str, float]) -> Worth:
    if not shares:
        return _NOTHING
    parts = {name: GATE_WEIGHTS.get(name, 0.0) * share for name, share in shares.items()}
    score = 1.0 / (1.0 + math.exp(-(GATE_BIAS + sum(parts.values()))))
    keep = score >= KEEP_FROM
    names = sorted(
        (name for name in parts if (parts[name] > 0) == keep and parts[name]), key=lambda name: -abs(parts[name])
    )
    return Worth(keep=keep, score=round(score, 3), reason=", ".join(names[:3]) or "no evidence of a fact")
