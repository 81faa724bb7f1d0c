"""The questions of `memories.providers.llm.provider` put to a language model, and its answers checked.

What others wrote goes to the model behind a fence. What comes back is believed only as far as it can be checked:
numbers that were shown, words that were said, lengths that fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from memories.language.messages import Message
from memories.language.relate import Verdict
from memories.providers.llm.prompting.extraction import ask_facts, read_facts, show_chunk
from memories.providers.llm.prompting.operations import (
    LAST_MESSAGES,
    MESSAGES_CHARACTERS,
    NOT_ASKED,
    ask_choice,
    ask_digest,
    ask_insight,
    ask_query,
    ask_summary,
    ask_verdicts,
    ask_worth,
    grouped,
    nearest,
    read_choice,
    read_digest,
    read_insight,
    read_query,
    read_summary,
    read_verdicts,
    read_worth,
    show_memories,
)
from memories.providers.llm.prompting.prompt import show_conversation, show_last
from memories.providers.llm.provider import (
    Ask,
    Chat,
    Choice,
    Chunk,
    Comparison,
    Fact,
    LLMUnusable,
    Meter,
    Noted,
    Setting,
    Worth,
    Written,
)

__all__ = ["LLMProvider"]


class LLMProvider:
    """One request per question, none where there is nothing to ask about. Raises LLMError like its `chat`.

    Answers carry the model that gave them; `name` is the large one. Each request is told to `meter`.
    """

    def __init__(self, chat: Chat, meter: Meter, *, lean: Callable[[], bool] = lambda: False) -> None:
        """Where it is `lean` facts are asked for with four fields each, which small models can fill."""
        self.name = chat.made_by(large=True)
        self._chat = chat
        self._meter = meter
        self._lean = cache(lean)

    def gate(self, chunk: Chunk) -> Worth:
        conversation = show_chunk(chunk)
        if not conversation.text:
            return Worth(keep=False, score=0.0, reason="nothing was said")
        return read_worth(*self._answer(ask_worth(conversation)))

    def extract(self, chunk: Chunk, setting: Setting) -> list[Fact]:
        conversation = show_chunk(chunk)
        if not conversation.text:
            return []
        try:
            answer, made_by = self._answer(ask_facts(chunk, conversation, setting, lean=self._lean()))
        except LLMUnusable:
            # Whoever fills no form of sixteen fields may fill one of four, from now on.
            if self._lean():
                raise
            self._lean = cache(lambda: True)
            answer, made_by = self._answer(ask_facts(chunk, conversation, setting, lean=True))
        return read_facts(answer, chunk, conversation, setting, made_by)

    def relate(self, new: str, existing: Sequence[str], subject: str, cosines: Sequence[float | None]) -> list[Verdict]:
        """Of very many statements the nearest are asked about; the others pass for different, with a score of 0."""
        (verdicts,) = self.relate_many([Comparison(new, existing, subject, cosines)])
        return verdicts

    def relate_many(self, questions: Sequence[Comparison]) -> list[list[Verdict]]:
        """Ask one question about as many statements as it can hold."""
        chosen = [nearest(question.existing, question.cosines) for question in questions]
        verdicts = [[NOT_ASKED] * len(question.existing) for question in questions]
        for group in grouped(chosen):
            pairs = [(index, place) for index in group for place in chosen[index]]
            compared = [
                replace(questions[index], existing=[questions[index].existing[question] for question in chosen[index]])
                for index in group
            ]
            answer, made_by = self._answer(ask_verdicts(compared))
            for (index, place), verdict in zip(pairs, read_verdicts(answer, len(pairs), made_by), strict=True):
                verdicts[index][place] = verdict
        return verdicts

    def summarise(self, category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Written:
        if not facts:
            return Written("")
        answer, made_by = self._answer(ask_summary(category, facts, previous, max_characters))
        return read_summary(answer, max_characters, made_by)

    def digest(self, messages: Sequence[Message], now: datetime, max_characters: int) -> Written:
        conversation = show_conversation(messages)
        if not conversation.text:
            return Written("")
        answer, made_by = self._answer(ask_digest(conversation, now, max_characters))
        return read_digest(answer, max_characters, made_by)

    def insight(self, facts: Sequence[Noted], max_characters: int) -> Written:
        if not facts:
            return Written("")
        answer, made_by = self._answer(ask_insight(facts, max_characters))
        return read_insight(answer, max_characters, made_by)

    def make_room(
        self,
        memories: Sequence[Noted],
        now: datetime,
        max_characters: int,
        coming: Sequence[str] = (),
        seconds: float = 30.0,
    ) -> Choice:
        """Raise LLMUnusable if nothing may go."""
        if all(memory.pinned for memory in memories):
            raise LLMUnusable("no memory may go: all are pinned")
        listing = show_memories(memories)
        answer, made_by = self._answer(ask_choice(listing, now, max_characters, coming, seconds))
        return read_choice(answer, listing, max_characters, made_by, coming)

    def rewrite(self, messages: Sequence[Message], now: datetime) -> Written:
        last = show_last(messages, LAST_MESSAGES, MESSAGES_CHARACTERS)
        return read_query(*self._answer(ask_query(last, now))) if last else Written("")

    def _answer(self, ask: Ask) -> tuple[dict[str, Any], str]:
        """Return the answer, and who gave it."""
        return self._chat.ask(ask, self._meter), self._chat.made_by(ask.large)
