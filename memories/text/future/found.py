"""What a reader of coming times hands back, and the text it reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time
from enum import Enum

from memories.text.temporal.calendar import DAY, Span
from memories.text.temporal.tokens import Reading

BREAK = "\n"
"""The word of the token that stands for the end of a line, where a line ends a thought."""


@dataclass(frozen=True, slots=True)
class Speech(Reading):
    """A text being read, its time words in English. `language` is "en", "de", "es", "fr", "it" or "pt"."""

    language: str = "en"

    def said(self, at: int) -> str:
        """The word as it was said, in lower case and with a plain apostrophe; "" outside of the text."""
        return self.tokens[at].text.lower().replace("’", "'") if 0 <= at < len(self.tokens) else ""

    def is_glued(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].glued


class Proof(Enum):
    """What the clause must tell before a time counts as coming."""

    NONE = "it is coming whatever is said about it"
    NOT_OVER = "nothing tells that it is over"
    NOT_PAST = "nothing tells that it is over or any such day"
    NO_HABIT = "no verb in the plain present either"
    FUTURE = "something tells that it is to come"


@dataclass(frozen=True, slots=True)
class Found:
    """What was read over `words` tokens. `first` and `last` are midnights; `last` is a day of the span.

    `begin` is where a span that may be running begins. `part` is a key of DAY_PARTS where one was said, and tells
    whether a bare "at 8" is early or late.
    """

    words: int
    first: datetime
    last: datetime | None = None
    proof: Proof = Proof.NOT_PAST
    at: time | None = None
    rule: str = ""
    part: str = ""
    begin: datetime | None = None

    @property
    def end(self) -> datetime:
        return self.last or self.first

    def moved(self, more_words: int) -> Found:
        return replace(self, words=self.words + more_words)


def from_span(words: int, span: Span, today: datetime, proof: Proof = Proof.NOT_PAST) -> Found:
    """What of a span is still to come; all of it if it is over."""
    last = span.end - DAY
    first = max(span.start, today) if last >= today else span.start
    return Found(words, first, last if last > first else None, proof, begin=span.start)
