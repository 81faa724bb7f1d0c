"""What we ask when something has to be understood: of a language model, or of the rules that stand in for one.

Everything here is plain data. A `Provider` answers; whoever asks decides what becomes of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from memories.language.messages import Message
from memories.language.relate import Relation, Verdict

RULES = "rules"
"""The provider's name that a memory carries when no model had a part in it."""


EXTRACT, LEAN = "extract", "extract_lean"
"""The question for facts, and the same for small models, with four fields for each."""
NOT_ANSWERED = Verdict(Relation.DIFFERENT, "the model said nothing of it", 0.0)
"""In the place of a verdict that an answer leaves out."""


class LLMError(Exception):
    """No usable answer. Messages name host and reason, never keys, prompts or answers."""


class LLMUnavailable(LLMError):
    """Away, too slow, too busy, or its circuit is open. Worth asking again after `wait_seconds`, if known."""

    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds


class LLMTooSlow(LLMUnavailable):
    """Took longer than the time it had."""


class LLMDenied(LLMUnavailable):
    """Was not asked: the asker may not spend so much before `until`, or (None) before its agents have more energy."""

    def __init__(self, message: str, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class LLMTooDear(LLMDenied):
    """The call takes more than a whole day may: it waits in vain for `until`, unless somebody raises the limit."""


class LLMMisconfigured(LLMError):
    """Refuses us: key, address or model name. Somebody has to change a setting."""


class LLMUnusable(LLMError):
    """Answered, but not with what was asked for, also when told so."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call to a model took. `cost` in US dollars, None if the price is not known.

    `provider` is whose service it was: anthropic, openai, ollama.
    """

    operation: str
    model: str
    input_tokens: int
    output_tokens: int
    seconds: float
    cost: float | None = None
    outcome: str = "ok"
    provider: str = ""


Price = tuple[float, float]
"""US dollars for a million tokens of input and of output."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The most that a call may take, in tokens. An answer of `least_output_tokens` would be of use, too."""

    operation: str
    input_tokens: int
    output_tokens: int
    least_output_tokens: int
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    """Leave to make one call, whose answer may take so many tokens.

    `settle` is told once what the call took, or None if it was not made after all.
    """

    output_tokens: int
    settle: Callable[[Usage | None], None]


Meter = Callable[[Expected], Grant]
"""Asked before each call. Raises LLMDenied."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A window of a conversation. `before` was in an earlier window and is context only.

    `now` is when it was said, in the app's time zone: what "yesterday" counts from.
    """

    messages: tuple[Message, ...]
    now: datetime
    before: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """What the asker knows.

    Categories and subjects in use, the nearest memories by text, limits, and what its operator says matters
    (`guidance`).
    """

    categories: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    max_characters: int = 2_000
    most_facts: int = 40
    guidance: str = ""


@dataclass(frozen=True, slots=True)
class Worth:
    """Whether a chunk holds anything to keep; `score` is 0 to 1."""

    keep: bool
    score: float
    reason: str
    made_by: str = RULES


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement that stands on its own, in the language it was said in.

    kind: decision insight fact preference project conversation general lesson. strength: explicit implied inferred.
    sentiment: frustrated excited uncertain neutral. `verifiable` (a fact, not an opinion) and `useful` (not chatter)
    are 0 to 1. `message` is the place in the chunk's messages where it was said, `quote` the words there. `doubt` is
    why it seems not to have been said, "" if it was. `updates` is the number of the known memory that it makes
    outdated, counted from 1; 0 if none.
    """

    content: str
    message: int
    quote: str = ""
    kind: str = "fact"
    category: str = "general"
    subject: str = ""
    tags: tuple[str, ...] = ()
    importance: int = 3
    strength: str = "explicit"
    sentiment: str = "neutral"
    verifiable: float = 1.0
    useful: float = 1.0
    entities: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    made_by: str = RULES
    doubt: str = ""
    updates: int = 0


@dataclass(frozen=True, slots=True)
class Noted:
    """A stored memory as a provider sees it. `number` is the asker's own and comes back in answers."""

    number: int
    content: str
    category: str = "general"
    subject: str = ""
    kind: str = "fact"
    importance: int = 3
    confidence: float = 0.7
    said_at: datetime | None = None
    confirmed_at: datetime | None = None
    access_count: int = 0
    pinned: bool = False


CLEAR_LEAD = 0.3
"""More confidence than what one statement to the contrary takes away."""


def outdoes(memory: Noted, other: Noted) -> bool:
    """Of two that are at odds: whether `one` is much surer, or the newer where none is."""
    if abs(memory.confidence - other.confidence) >= CLEAR_LEAD:
        return memory.confidence > other.confidence
    return _last_said(memory) > _last_said(other)


def _last_said(noted: Noted) -> tuple[float, float, int]:
    times = [moment.timestamp() for moment in (noted.said_at, noted.confirmed_at) if moment]
    return max(times, default=0.0), noted.confidence, noted.number


@dataclass(frozen=True, slots=True)
class Choice:
    """How to make room for one more: delete one memory, or rewrite one so that it also holds another (deleted).

    `number` is the memory that is deleted; with `into`, that one lives on with `content`, which says both.
    """

    number: int
    reason: str
    into: int | None = None
    content: str = ""
    made_by: str = RULES


@dataclass(frozen=True, slots=True)
class Written:
    """A text that was made of others."""

    text: str
    made_by: str = RULES


@dataclass(frozen=True, slots=True)
class Comparison:
    """A new statement, and those that are known with their cosines."""

    new: str
    existing: Sequence[str]
    subject: str
    cosines: Sequence[float | None]


class Provider(Protocol):
    """Answers with LLMError when it cannot; the rules always can."""

    name: str

    def gate(self, chunk: Chunk) -> Worth:
        """Tell whether anything in here is worth keeping."""

    def extract(self, chunk: Chunk, setting: Setting) -> list[Fact]:
        """Return what is stated in here, one statement each."""

    def relate(self, new: str, existing: Sequence[str], subject: str, cosines: Sequence[float | None]) -> list[Verdict]:
        """One verdict per existing memory: how the new statement stands to it."""

    def relate_many(self, questions: Sequence[Comparison]) -> list[list[Verdict]]:
        """Return for each of several new statements what `relate` would."""

    def summarise(self, category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Written:
        """Markdown that says what is known in a category, from its facts alone; `previous` only for continuity."""

    def digest(self, messages: Sequence[Message], now: datetime, max_characters: int) -> Written:
        """2 to 4 sentences on a conversation; "" when nothing in it is worth keeping."""

    def insight(self, facts: Sequence[Noted], max_characters: int) -> Written:
        """One statement for a group of archived facts on one matter."""

    def make_room(
        self,
        memories: Sequence[Noted],
        now: datetime,
        max_characters: int,
        coming: Sequence[str] = (),
        seconds: float = 30.0,
    ) -> Choice:
        """Return which memory goes for new ones that say what is `coming`.

        Pinned ones never do; they may be among `memories`.

        An answer after so many `seconds` is of no use.
        """

    def rewrite(self, messages: Sequence[Message], now: datetime) -> Written:
        """Return the question behind the last messages, to be understood without them; "" when nothing is asked."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question. `operation` names it for the meter.

    `schema` is the JSON schema of the answer, an object at the top, in the words that `schema.py` knows.
    `large` asks the large model, not the small one. `example` is the answer that the prompt shows, and is none.
    `total_seconds` bounds everything: waiting for a free place, retries, and the second answer when the first is of no
    use; None is what the service's settings say.
    """

    operation: str
    system: str
    prompt: str
    schema: Mapping[str, Any]
    max_tokens: int
    large: bool = True
    total_seconds: float | None = None
    example: Mapping[str, Any] | None = None


class Chat(Protocol):
    """Two models of one service. May be used from several threads at once."""

    name: str

    def ask(self, ask: Ask, meter: Meter) -> dict[str, Any]:
        """Return the answer, which fits the schema. Raises LLMError, LLMDenied among them.

        `meter` is asked before each call and told of every answer and every failed one.
        """

    def made_by(self, large: bool) -> str:
        """Return who answers: the kind of service and the name of its model, such as "ollama:gemma3:4b"."""

    def state(self) -> str:
        """Of its circuit: "closed" when it is asked, "open" when it is left alone, "half-open" when on trial."""

    def close(self) -> None:
        """Give up its connections."""
