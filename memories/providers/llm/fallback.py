"""A model as far as it answers, and the rules where they do instead: never silently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar, cast

import structlog

from memories.language.messages import Message
from memories.language.relate import Verdict
from memories.providers.llm.provider import (
    NOT_ANSWERED,
    Choice,
    Chunk,
    Comparison,
    Fact,
    LLMError,
    LLMUnusable,
    Noted,
    Provider,
    Setting,
    Worth,
    Written,
)
from memories.providers.relation import is_doubtful

log = structlog.get_logger("memories.llm")
SURELY_NOTHING, SURELY_SOMETHING = 0.07, 0.95
"""Scores of the rules' gate below which, and from which, no model is asked.

Of 600 labelled excerpts (`tests/data/learning`) that decides 213, one of each kind wrongly. Where the rules find no
sign of either, as in a language that they do not read, they score just above.
"""
Answer = TypeVar("Answer")


class Fallback(NamedTuple):
    operation: str
    reason: str


class Careful:
    """A `Provider` that asks `model`, and `rules` when it raises LLMError. For one piece of work.

    What is asked again later without loss is not answered by the rules: `extract` and `digest` raise, unless the
    model answered with something unusable, which it would do again. `make_room` raises too: whoever asks knows
    what goes then. `fallbacks` lists where the rules answered: their answers carry `made_by` as far as they have one,
    and verdicts have none.
    """

    def __init__(self, model: Provider, rules: Provider) -> None:
        self.name = model.name
        self.fallbacks: list[Fallback] = []
        self._model = model
        self.rules = rules

    def gate(self, chunk: Chunk) -> Worth:
        """Ask the model only about what is no clear case for the rules."""
        worth = self.rules.gate(chunk)
        if worth.score < SURELY_NOTHING or worth.score >= SURELY_SOMETHING:
            return worth
        return self._or_rules("gate", lambda provider: provider.gate(chunk))

    def extract(self, chunk: Chunk, setting: Setting) -> list[Fact]:
        """Raise LLMUnavailable and LLMMisconfigured: the text waits for the model."""
        return self._or_rules("extract", lambda provider: provider.extract(chunk, setting), LLMUnusable)

    def relate(self, new: str, existing: Sequence[str], subject: str, cosines: Sequence[float | None]) -> list[Verdict]:
        """Judge by the rules where something exact speaks against a model's verdict, and where it gave none."""
        verdicts = self._or_rules("relate", lambda provider: provider.relate(new, existing, subject, cosines))
        return self._exact(Comparison(new, existing, subject, cosines), verdicts)

    def relate_many(self, questions: Sequence[Comparison]) -> list[list[Verdict]]:
        answers = self._or_rules("relate", lambda provider: provider.relate_many(questions))
        return [self._exact(question, verdicts) for question, verdicts in zip(questions, answers, strict=True)]

    def _exact(self, comparison: Comparison, verdicts: list[Verdict]) -> list[Verdict]:
        pairs = enumerate(zip(comparison.existing, verdicts, strict=True))
        doubted = [
            index
            for index, (known, judged) in pairs
            if judged is NOT_ANSWERED or is_doubtful(known, comparison.new, judged.relation)
        ]
        if not doubted:
            return verdicts
        some, alike = (
            [comparison.existing[index] for index in doubted],
            [comparison.cosines[index] for index in doubted],
        )
        exact = dict(zip(doubted, self.rules.relate(comparison.new, some, comparison.subject, alike), strict=True))
        return [exact.get(index, verdict) for index, verdict in enumerate(verdicts)]

    def summarise(self, category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Written:
        return self._or_rules(
            "summarise", lambda provider: provider.summarise(category, facts, previous, max_characters)
        )

    def digest(self, messages: Sequence[Message], now: datetime, max_characters: int) -> Written:
        """Raise LLMUnavailable and LLMMisconfigured: the session waits for the model."""
        return self._or_rules("digest", lambda provider: provider.digest(messages, now, max_characters), LLMUnusable)

    def insight(self, facts: Sequence[Noted], max_characters: int) -> Written:
        return self._or_rules("insight", lambda provider: provider.insight(facts, max_characters))

    def make_room(
        self,
        memories: Sequence[Noted],
        now: datetime,
        max_characters: int,
        coming: Sequence[str] = (),
        seconds: float = 30.0,
    ) -> Choice:
        """Raise LLMError."""
        return self._model.make_room(memories, now, max_characters, coming, seconds)

    def rewrite(self, messages: Sequence[Message], now: datetime) -> Written:
        return self._or_rules("rewrite", lambda provider: provider.rewrite(messages, now))

    def _or_rules(
        self, operation: str, ask: Callable[[Provider], Answer], forgiven: type[LLMError] = LLMError
    ) -> Answer:
        try:
            return ask(self._model)
        except forgiven as error:
            self._note(Fallback(operation, str(error)))
        return ask(self.rules)

    def _note(self, fallback: Fallback) -> None:
        # Hundreds of questions may meet the same closed door: one line is enough.
        if fallback not in self.fallbacks:
            log.warning("rules_answered", operation=fallback.operation, model=self.name, reason=fallback.reason)
        self.fallbacks.append(fallback)


def refusing(error: LLMError) -> Provider:
    """Return a provider that answers every question with this error."""
    return cast(Provider, _Refusing(error))


class _Refusing:
    name = "misconfigured"

    def __init__(self, error: LLMError) -> None:
        self._error = error

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def refuse(*_: Any) -> Any:
            raise self._error

        return refuse
