"""One call to a service: what it may take, and what it took."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic

from memories.text.tokens import most_tokens

from .chat import Ask
from .provider import Expected, LLMError, LLMMisconfigured, LLMUnavailable, Price, Usage
from .wire import Dialect, Reply

LEAST_ANSWER_TOKENS = 1_000
"""Some facts, or a paragraph: with less room than this a question is not worth asking."""
UNUSABLE = "unusable"
_OUTCOMES = {LLMUnavailable: "unavailable", LLMMisconfigured: "misconfigured"}


class Refused(Exception):
    """The service does not take a part of the request, which can be left out."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


def expect(dialect: Dialect, ask: Ask, model: str, refused: Set[str], price: Price | None) -> Expected:
    request = json.dumps(dialect.request(ask, model, refused), ensure_ascii=False)
    room = dialect.room(ask, refused)
    least = room - ask.max_tokens + min(ask.max_tokens, LEAST_ANSWER_TOKENS)
    return Expected(ask.operation, most_tokens(request), room, least, price)


def within(ask: Ask, expected: Expected, output_tokens: int) -> Ask:
    """The same with no more room than was granted."""
    return replace(ask, max_tokens=ask.max_tokens - expected.output_tokens + output_tokens)


@dataclass(slots=True)
class Call:
    """Filled in while it is made."""

    operation: str
    model: str
    provider: str
    is_made: bool = False
    reply: Reply | None = None
    outcome: str = UNUSABLE
    seconds: float = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        started, self.is_made = monotonic(), True
        try:
            yield
        except Refused:
            self.is_made = False
            raise
        except LLMError as error:
            self.outcome = _OUTCOMES.get(type(error), UNUSABLE)
            raise
        finally:
            self.seconds = monotonic() - started

    def usage(self, prices: Mapping[str, Price]) -> Usage | None:
        """None if it was not made."""
        if not self.is_made:
            return None
        tokens_in, tokens_out = (self.reply.input_tokens, self.reply.output_tokens) if self.reply else (0, 0)
        price = prices.get(self.model) if tokens_in or tokens_out else None
        cost = (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000 if price else None
        return Usage(self.operation, self.model, tokens_in, tokens_out, self.seconds, cost, self.outcome, self.provider)
