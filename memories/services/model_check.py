"""Ask the language model every question once: whether it answers as asked, and what that takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import monotonic
from typing import Any, NamedTuple

from django.utils import timezone

from memories.language.messages import ASSISTANT, USER, Message
from memories.providers.llm.client import ModelChat
from memories.providers.llm.prompting import LLMProvider
from memories.providers.llm.provider import (
    LEAN,
    Ask,
    Chunk,
    Expected,
    Grant,
    LLMError,
    LLMTooSlow,
    Meter,
    Noted,
    Setting,
    Usage,
)
from memsite.config.conf import get_conf

SMALL_MODEL_ASKED = frozenset({"gate", "rewrite"})
PARSED = "parsed"
LEAST_SECONDS = 0.2


class Checked(NamedTuple):
    """What came of one question. `outcome` is PARSED, or what was wrong."""

    operation: str
    model: str
    input_tokens: int
    output_tokens: int
    seconds: float
    format: str
    outcome: str


class InTime:
    """A chat that answers until a deadline."""

    def __init__(self, chat: ModelChat, seconds: float) -> None:
        self._chat = chat
        self._until = monotonic() + seconds
        self.made_by = chat.made_by

    def ask(self, ask: Ask, meter: Meter) -> dict[str, Any]:
        left = self._until - monotonic()
        if left < LEAST_SECONDS:
            raise LLMTooSlow("not asked: the other questions took all the time")
        return self._chat.ask(replace(ask, total_seconds=min(ask.total_seconds or left, left)), meter)


def check_model(chat: ModelChat, seconds: float | None = None) -> Iterator[Checked]:
    """Yield a line for each question, when it is answered; all together take so many seconds at most."""
    usages: list[Usage] = []

    def grant(expected: Expected) -> Grant:
        return Grant(expected.output_tokens, lambda usage: usages.append(usage) if usage else None)

    bounded: Any = chat if seconds is None else InTime(chat, seconds)
    for operation, ask in QUESTIONS.items():
        usages.clear()
        begun = monotonic()
        try:
            ask(LLMProvider(bounded, grant, lean=lambda: get_conf().llm_lean))
            outcome = PARSED
        except LLMError as error:
            outcome = str(error)
        took, large = monotonic() - begun, operation not in SMALL_MODEL_ASKED
        tokens = sum(usage.input_tokens for usage in usages), sum(usage.output_tokens for usage in usages)
        lean = ", lean" if any(usage.operation == LEAN for usage in usages) else ""
        yield Checked(operation, chat.made_by(large), *tokens, took, f"{chat.agreed(large)}{lean}", outcome)


SAID = (
    Message(USER, "I moved to Lisbon in May, and the shop's database runs on port 5433 now."),
    Message(ASSISTANT, "Noted. I updated deploy.sh to use port 5433."),
    Message(USER, "Thanks! Which port was it before?"),
)
MEMORIES = (Noted(1, "The database of the shop runs on port 5432."), Noted(2, "The user lives in Porto."))
Question = Callable[[LLMProvider], object]
QUESTIONS: dict[str, Question] = {
    "gate": lambda llm: llm.gate(Chunk(SAID, timezone.now())),
    "extract": lambda llm: llm.extract(Chunk(SAID, timezone.now()), Setting(known=(MEMORIES[0].content,))),
    "relate": lambda llm: llm.relate(
        "The user lives in Lisbon.", [memory.content for memory in MEMORIES], "", [None, None]
    ),
    "summarise": lambda llm: llm.summarise("work", MEMORIES, "", 500),
    "digest": lambda llm: llm.digest(SAID, timezone.now(), 500),
    "insight": lambda llm: llm.insight(MEMORIES, 300),
    "make_room": lambda llm: llm.make_room(MEMORIES, timezone.now(), 300, ["The user likes tea."]),
    "rewrite": lambda llm: llm.rewrite(SAID, timezone.now()),
}
