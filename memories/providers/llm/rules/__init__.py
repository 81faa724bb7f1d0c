"""The rules: the questions of `memories.providers.llm.provider` answered without a model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memories.language.messages import Message
from memories.language.relate import Thresholds, Verdict
from memories.language.rewrite import rewrite
from memories.providers.llm.provider import RULES, Choice, Chunk, Comparison, Fact, Noted, Setting, Worth, Written
from memories.providers.llm.rules import digest, eviction, extraction, gate, summaries
from memories.providers.relation import Judge, Pair, relate_all


class RulesProvider:
    """A `Provider` that always answers, for nothing. `bands` are the embedder's; `judge` tells relations and worth."""

    name = RULES

    def __init__(self, bands: Thresholds | None = None, judge: Judge = "rules") -> None:
        self.bands = bands or Thresholds()
        self.judge = judge

    def gate(self, chunk: Chunk) -> Worth:
        return gate.gate(chunk, self.judge)

    def extract(self, chunk: Chunk, setting: Setting) -> list[Fact]:
        return extraction.extract(chunk, setting, self.judge)

    def relate(self, new: str, existing: Sequence[str], subject: str, cosines: Sequence[float | None]) -> list[Verdict]:
        pairs = [Pair(known, new, subject, cosine) for known, cosine in zip(existing, cosines, strict=True)]
        return relate_all(pairs, self.bands, self.judge)

    def relate_many(self, questions: Sequence[Comparison]) -> list[list[Verdict]]:
        return [
            self.relate(question.new, question.existing, question.subject, question.cosines) for question in questions
        ]

    def summarise(self, category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Written:
        return summaries.summarise(category, facts, previous, max_characters)

    def digest(self, messages: Sequence[Message], now: datetime, max_characters: int) -> Written:
        return digest.digest(messages, now, max_characters, self.judge)

    def insight(self, facts: Sequence[Noted], max_characters: int) -> Written:
        return summaries.insight(facts, max_characters)

    def make_room(
        self,
        memories: Sequence[Noted],
        now: datetime,
        max_characters: int,
        coming: Sequence[str] = (),
        seconds: float = 30.0,
    ) -> Choice:
        return eviction.make_room(memories, now, max_characters)

    def rewrite(self, messages: Sequence[Message], now: datetime) -> Written:
        return Written(rewrite(messages, now).query)
