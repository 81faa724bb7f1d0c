"""How a new statement stands to kept ones: all of them in one question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from memories.providers.llm.asking.question import INTEGER, NUMBER, TEXT, Question, list_of, object_of
from memories.providers.llm.asking.texts import fair_limit, one_line, share_of_one, shorten
from memories.providers.llm.chat import Ask
from memories.providers.llm.provider import LLMUnusable
from memories.text.relate import Relation, Verdict
from memories.text.relate.verdict import REASON_MAX_CHARS

MOST_EXISTING = 40
EXISTING_CHARACTERS = 24_000
MAX_NEW_CHARACTERS = 4_000
TOKENS_PER_VERDICT = 80
NOT_ASKED = Verdict(Relation.DIFFERENT, f"not among the {MOST_EXISTING} nearest, not looked at", 0.0)

_VERDICT = object_of(
    number=INTEGER, reason=TEXT, relation={"type": "string", "enum": [str(relation) for relation in Relation]},
    confidence=NUMBER,
)  # fmt: skip
_RELATE = Question("relate", object_of(verdicts=list_of(_VERDICT)), max_tokens=TOKENS_PER_VERDICT)


def nearest(existing: Sequence[str], cosines: Sequence[float | None]) -> list[int]:
    """The places of those to ask about, in their order: at most MOST_EXISTING, the unmeasured ones last."""
    if len(existing) <= MOST_EXISTING:
        return list(range(len(existing)))
    return sorted(sorted(range(len(existing)), key=lambda at: -_closeness(cosines, at))[:MOST_EXISTING])


def _closeness(cosines: Sequence[float | None], at: int) -> float:
    cosine = cosines[at] if at < len(cosines) else None
    return cosine if cosine is not None and math.isfinite(cosine) else -2.0


def ask_verdicts(new: str, existing: Sequence[str], subject: str) -> Ask:
    lines = [one_line(text) for text in existing]
    limit = fair_limit(map(len, lines), EXISTING_CHARACTERS)
    shown = {
        "new": shorten(one_line(new), MAX_NEW_CHARACTERS),
        "existing": "\n".join(f"[{number}] {shorten(line, limit)}" for number, line in enumerate(lines, 1)),
        "subject": one_line(subject)[:200],
    }
    return _RELATE.fill({}, shown, TOKENS_PER_VERDICT * (len(existing) + 2))


def read_verdicts(answer: Mapping[str, Any], count: int, name: str) -> list[Verdict]:
    """One for each of `count` statements; if a number comes twice, the first counts. Raises LLMUnusable."""
    by_number = {found["number"]: _read_verdict(found) for found in reversed(answer["verdicts"])}
    if not all(number in by_number for number in range(1, count + 1)):
        raise LLMUnusable(f"{name} did not say how each of the statements stands")
    return [by_number[number] for number in range(1, count + 1)]


def _read_verdict(found: Mapping[str, Any]) -> Verdict:
    reason = one_line(found["reason"])[:REASON_MAX_CHARS]
    return Verdict(Relation(found["relation"]), reason, round(share_of_one(found["confidence"]), 3))
