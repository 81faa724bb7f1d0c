"""Feedback on the wire."""

from __future__ import annotations

from typing import Any

from memories.api.fields import Id, Number, RawText, Shape, Text, Whole
from memories.learn.feedback import Feedback, Judged
from sessions.models import MAX_TURN

MAX_RESPONSE_CHARACTERS = 1_000_000


class Answered(Shape):
    turn_number = Whole(min_value=1, max_value=MAX_TURN)
    text = RawText(
        max_length=MAX_RESPONSE_CHARACTERS, allow_blank=True, trim_whitespace=False, help_text="What the agent said."
    )
    question = RawText(
        max_length=MAX_RESPONSE_CHARACTERS, allow_blank=True, trim_whitespace=False, required=False, default="",
        help_text="What it was asked; to say that again is no use of a memory. If not given, the stored turn's.",
    )  # fmt: skip


class JudgedShown(Shape):
    id = Id()
    word_share = Number(help_text="Share of its telling words in the answer, 0 to 1.")
    similarity = Number(allow_null=True, help_text="Highest cosine with a passage of it; null where not compared.")
    evidence = Text()


class FeedbackShown(Shape):
    used = JudgedShown(many=True)
    ignored = JudgedShown(many=True)


def show_feedback(feedback: Feedback) -> dict[str, Any]:
    return {
        "used": [show_judged(one) for one in feedback.used],
        "ignored": [show_judged(one) for one in feedback.ignored],
    }


def show_judged(judged: Judged) -> dict[str, Any]:
    verdict = judged.verdict
    return {
        "id": judged.memory.uid,
        "word_share": verdict.word_share,
        "similarity": verdict.similarity,
        "evidence": verdict.evidence,
    }
