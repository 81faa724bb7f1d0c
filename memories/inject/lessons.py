"""What users corrected and agents learnt as a prompt block of its own, before all else that is known."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memories.inject.budget import fit
from memories.inject.neutral import neutralise
from memories.inject.pipeline import Injected
from memories.inject.render import Line, fence, note_of, show_confidence
from memories.models import Memory
from memories.models.injection import LESSONS
from memories.retrieve.harmless import harmless
from memories.text.tokens import estimate_tokens
from memsite.tenancy.policy import AppPolicy

HEADING = "## Lessons"


def lesson_line(lesson: Memory, note: str = "") -> str:
    return f"- {neutralise(lesson.content)} (confidence: {show_confidence(lesson.confidence)}{note})"


def lessons_block(lines: Sequence[Line], total: int) -> str:
    """The fenced block; its heading says so where there are more of them."""
    heading = HEADING if len(lines) == total else f"{HEADING} ({len(lines)} of {total})"
    return fence("\n".join([heading, "", *(line.text for line in lines)]))


def inject_lessons(
    lessons: Sequence[Memory], policy: AppPolicy, total: int, budget_tokens: int, at_odds: Collection[int] = ()
) -> Injected:
    """As many of these, in this order, as the budget holds. `total`: how many there are to choose from."""
    told = harmless(lessons, policy)
    lines = [Line(lesson, lesson_line(lesson, note_of(lesson, policy, at_odds))) for lesson in told]
    taken, text = fit(lines, budget_tokens, lambda some: lessons_block(some, total))
    shown = tuple(line.text for line in taken)
    return Injected(text, estimate_tokens(text), [line.memory for line in taken], total, LESSONS, shown, at_odds)
