"""What is asked of a language model, whatever protocol it speaks: a prompt, and JSON that fits a schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .provider import Meter


@dataclass(frozen=True, slots=True)
class Ask:
    """One question. `operation` names it for the meter.

    `schema` is the JSON schema of the answer, an object at the top, in the words that `schema.py` knows.
    `large` asks the large model, not the small one. `total_seconds` bounds everything: waiting for a free place,
    retries, and the second answer when the first is of no use.
    """

    operation: str
    system: str
    prompt: str
    schema: Mapping[str, Any]
    max_tokens: int
    large: bool = True
    total_seconds: float = 60.0


class Chat(Protocol):
    """Two models of one service. May be used from several threads at once."""

    name: str

    def ask(self, ask: Ask, meter: Meter) -> dict[str, Any]:
        """The answer, which fits the schema. Raises LLMError, LLMDenied among them.

        `meter` is asked before each call and told of every answer and every failed one.
        """

    def made_by(self, large: bool) -> str:
        """Who answers: the kind of service and the name of its model, such as "ollama:gemma3:4b"."""

    def state(self) -> str:
        """Of its circuit: "closed" when it is asked, "open" when it is left alone, "half-open" when on trial."""

    def close(self) -> None:
        """Gives up its connections."""
