"""The rules: the questions of `memories.providers.llm.provider` answered without a model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memories.providers.llm.provider import RULES, Choice, Chunk, Fact, Noted, Setting, Worth, Written
from memories.providers.llm.rules import digest, facts, gate, insight, room, summaries
from memories.text.messages import Message
from memories.text.relate import Thresholds, Verdict, relate
from memories.text.rewrite import rewrite


class RulesProvider:
    """A `Provider` that always answers, at once and for nothing. `bands` are the embedder's."""

    name = RULES

    def __init__(self, bands: Thresholds | None = None) -> None:
        self.bands = bands or Thresholds()

    def gate(self, chunk: Chunk) -> Worth:
        return gate.gate(chunk)

    def extract(self, chunk: Chunk, setting: Setting) -> list[Fact]:
        return facts.extract(chunk, setting)

    def relate(self, new: str, existing: Sequence[str], subject: str, cosines: Sequence[float | None]) -> list[Verdict]:
        pairs = zip(existing, cosines, strict=True)
        return [relate(known, new, cosine, subject, self.bands) for known, cosine in pairs]

    def summarise(self, category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Written:
        return summaries.summarise(category, facts, previous, max_characters)

    def digest(self, messages: Sequence[Message], now: datetime, max_characters: int) -> Written:
        return digest.digest(messages, now, max_characters)

    def insight(self, facts: Sequence[Noted], max_characters: int) -> Written:
        return insight.insight(facts, max_characters)

    def make_room(
        self, memories: Sequence[Noted], now: datetime, max_characters: int, coming: Sequence[str] = (),
        seconds: float = 30.0,
    ) -> Choice:  # fmt: skip
        return room.make_room(memories, now, max_characters)

    def rewrite(self, messages: Sequence[Message], now: datetime) -> Written:
        return Written(rewrite(messages, now).query)
