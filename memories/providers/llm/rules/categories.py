"""The drawer a statement belongs into."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.providers.llm.rules.evidence import count_ops
from memories.providers.llm.rules.households import is_of_a_home, without_reason
from memories.providers.llm.rules.words_categories import OPERATIONAL, PERSONAL, POINTERS, WEIGHTS

GENERAL, WORK = "general", "work"
_WORD = re.compile(r"[\w+'-]+")
INSTRUCTED = "a standing instruction"
_BY_EVIDENCE = {
    "health": "health",
    "likes": "preferences",
    "name": "general",
    "own people": "relationships",
    INSTRUCTED: "preferences",
    "a decision": "dependency",
}


def read_category(content: str, evidence: str, allowed: Sequence[str]) -> str:
    """One of `allowed`, or of all we know without any; "general" when nothing points anywhere."""
    what = without_reason(content)
    named = {word.lower().removesuffix("'s") for word in _WORD.findall(what)}
    is_ops = count_ops(what) > 0 and not content.startswith("User")
    operational = (*OPERATIONAL, "preferences") if evidence == INSTRUCTED else OPERATIONAL
    pool = tuple(allowed) or (operational if is_ops else PERSONAL)
    if is_of_a_home(content):
        pool = tuple(name for name in pool if name != WORK) or pool
    scores = {name: _score(name, named, is_ops) for name in pool}
    hinted = _BY_EVIDENCE.get(evidence, "")
    if hinted in scores:
        scores[hinted] += 0.8
    best = max(scores, key=lambda name: scores[name], default=GENERAL)
    if scores.get(best, 0) > 0:
        return best
    return _fallback(is_ops, pool)


def _score(name: str, named: set[str], is_ops: bool) -> float:
    """Words that point to a known category; an unknown one is pointed to by its own name."""
    pointers = POINTERS.get(name) or frozenset(re.split(r"[_-]", name)) | {name.rstrip("s"), name + "s"}
    score = len(pointers & named) * WEIGHTS.get(name, 1.0)
    return score * (1.5 if is_ops and name in OPERATIONAL else 1.0)


def _fallback(is_ops: bool, pool: Sequence[str]) -> str:
    if is_ops and "behavior" in pool:
        return "behavior"
    return WORK if is_ops and WORK in pool else GENERAL
