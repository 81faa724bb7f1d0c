"""`manage.py check_llm`: whether the language model answers what Memsite asks, and what that takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories.language.messages import ASSISTANT, USER, Message
from memories.providers.llm.client import ModelChat, make_chat
from memories.providers.llm.prompting import LLMProvider
from memories.providers.llm.provider import (
    Chunk,
    Expected,
    Grant,
    LLMError,
    LLMMisconfigured,
    Noted,
    Setting,
    Usage,
)
from memsite.config.conf import get_conf

SMALL_MODEL_ASKED = frozenset({"gate", "rewrite"})


class Command(BaseCommand):
    help = "Ask the configured language model every question once and print tokens, seconds, format and outcome."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> str:
        try:
            chat = make_chat(get_conf().llm_settings)
        except LLMMisconfigured as error:
            raise CommandError(f"MEMSITE_LLM cannot work: {error}.") from error
        if chat is None:
            return "MEMSITE_LLM is `rules`: no language model is asked."
        line = "{:<11} {:<36} {:>8} {:>8} {:>8}  {:<24} {}".format
        self.stdout.write(line("question", "model", "tokens", "answer", "seconds", "format", "outcome"))
        failed = 0
        for row in check(chat):
            failed += row[-1] != "parsed"
            self.stdout.write(line(*row))
        if failed:
            raise CommandError(f"{failed} of the questions were not answered as asked; rules would answer these.")
        return "All questions were answered as asked."


def check(chat: ModelChat) -> Iterator[tuple[str, ...]]:
    """Yield a line for each question, when it is answered."""
    usages: list[Usage] = []

    def grant(expected: Expected) -> Grant:
        return Grant(expected.output_tokens, lambda usage: usages.append(usage) if usage else None)

    for operation, ask in QUESTIONS.items():
        usages.clear()
        begun = monotonic()
        try:
            ask(LLMProvider(chat, grant))
            outcome = "parsed"
        except LLMError as error:
            outcome = str(error)
        seconds, large = monotonic() - begun, operation not in SMALL_MODEL_ASKED
        tokens = sum(usage.input_tokens for usage in usages), sum(usage.output_tokens for usage in usages)
        name = chat.made_by(large)
        yield operation, name, f"{tokens[0]:,}", f"{tokens[1]:,}", f"{seconds:.1f}", chat.agreed(large), outcome


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
