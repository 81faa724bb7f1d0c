"""What the protocols of language models have in common."""

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Protocol

from .chat import Ask

# Models that think before they answer spend tokens on it, and those count.
ROOM_TO_THINK = 4_096

_FORMAT_WORDS = ("format", "schema", "grammar", "structured")
_LENGTHS = frozenset({"maxLength", "maxItems"})


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said: text, or an object that the protocol has already read.

    `cut`: it ran into the limit of tokens. `declined`: it would not answer. 0 tokens when the service did not tell.
    """

    content: str | Mapping[str, Any]
    input_tokens: int
    output_tokens: int
    cut: bool = False
    declined: bool = False


class Dialect(Protocol):
    """One protocol. What not every server or model knows has a name, and can be left out of a request."""

    name: str
    hints: Mapping[int, str]

    def endpoint(self, url: str) -> str:
        """Where to post, from the address that a user gave. Raises ServiceRefused."""

    def headers(self, api_key: str) -> dict[str, str]: ...

    def room(self, ask: Ask, refused: Set[str]) -> int:
        """Tokens that an answer may take at most, thoughts included."""

    def request(self, ask: Ask, model: str, refused: Set[str]) -> dict[str, object]:
        """The payload, without what was `refused` before."""

    def concession(self, detail: str, refused: Set[str]) -> str | None:
        """What to leave out next, from the words of a refusal; None when nothing would help."""

    def reply(self, answer: object) -> Reply | None:
        """None for an answer that holds no message."""


def part(value: Any, *path: str | int) -> Any:
    """What lies at `path` in parsed JSON, or None."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def count(value: object) -> int:
    """A number of tokens; whatever is no such number counts as none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def instructed(ask: Ask) -> str:
    """The system prompt with the schema: servers that enforce a schema do not show it to the model."""
    schema = json.dumps(ask.schema, ensure_ascii=False)
    return f"{ask.system}\n\nAnswer with one JSON object that fits this JSON schema, and with nothing else:\n{schema}"


def without_lengths(schema: Any) -> Any:
    """`schema` without limits of length: servers that make a grammar of it refuse long ones."""
    if isinstance(schema, Mapping):
        return {name: without_lengths(value) for name, value in schema.items() if name not in _LENGTHS}
    return schema


def less_strict(detail: str, refused: Set[str], formats: tuple[str, ...]) -> str | None:
    """The strictest of `formats` that was not refused yet, if that is what a refusal is about."""
    if not any(word in detail.lower() for word in _FORMAT_WORDS):
        return None
    return next((name for name in formats if name not in refused), None)
