"""Asks one service: in turn, within the time, once more if the answer is of no use; and tells what it took."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import BoundedSemaphore
from time import monotonic
from typing import Any

from memories.providers.errors import AnswerTooLong, ServiceAway, ServiceRefused
from memories.providers.http import JsonApi

from .answers import read_answer
from .chat import Ask
from .circuit import Circuit
from .provider import LLMError, LLMMisconfigured, LLMUnavailable, LLMUnusable, Meter, Usage
from .schema import Unfit
from .wire import Dialect, Reply

Prices = Mapping[str, tuple[float, float]]
"""Per model, US dollars for a million tokens of input and of output."""

MAX_MAKER_CHARACTERS = 120
REFUSALS_OF_A_PART = frozenset({400, 422, 501})
PAYLOAD_TOO_LARGE = 413
_TOO_LONG = re.compile(r"context[ _](?:length|window|size)|maximum context|prompt is too long", re.IGNORECASE)
_OUTCOMES = {LLMUnavailable: "unavailable", LLMMisconfigured: "misconfigured"}
_CUT_OFF = "it was cut off, because it was too long"


@dataclass(frozen=True, slots=True)
class Models:
    small: str
    large: str


class ModelChat:
    """A `Chat` over one service. Circuit, connections and the limit on calls at a time belong to the service."""

    def __init__(
        self,
        dialect: Dialect,
        api: JsonApi,
        models: Models,
        prices: Prices,
        concurrency: int = 4,
        circuit: Circuit | None = None,
    ) -> None:
        self.name = dialect.name
        self._dialect = dialect
        self._api = api
        self._models = models
        self._prices = prices
        self._places = BoundedSemaphore(concurrency)
        self._circuit = circuit or Circuit(api.host)
        # what a model or its server did not take, so that it is not sent again
        self._refused: dict[str, frozenset[str]] = {}

    def made_by(self, large: bool) -> str:
        return f"{self.name}:{self._model(large)}"[:MAX_MAKER_CHARACTERS]

    def state(self) -> str:
        return self._circuit.state()

    def wait_seconds(self) -> float:
        """Until the service is tried again; 0 unless its circuit is open."""
        return self._circuit.wait_seconds()

    def close(self) -> None:
        self._api.close()

    def ask(self, ask: Ask, meter: Meter) -> dict[str, Any]:
        deadline = monotonic() + ask.total_seconds
        try:
            return self._answer(ask, deadline, meter)
        except Unfit as unfit:
            problem = str(unfit)
        if monotonic() < deadline:
            try:
                return self._answer(with_problem(ask, problem), deadline, meter)
            except Unfit as unfit:
                problem = str(unfit)
        raise LLMUnusable(f"{self._api.host} did not answer {ask.operation} with what was asked for: {problem}")

    def _answer(self, ask: Ask, deadline: float, meter: Meter) -> dict[str, Any]:
        """One call, metered."""
        model = self._model(ask.large)
        with self._place(deadline), self._circuit.guard():
            started = monotonic()
            reply, outcome = None, "unusable"
            try:
                reply = self._exchange(ask, model, deadline)
                answer = usable(reply, ask)
                outcome = "ok"
            except LLMError as error:
                outcome = _OUTCOMES.get(type(error), outcome)
                raise
            finally:
                meter(self._usage(ask.operation, model, reply, monotonic() - started, outcome))
            return answer

    def _model(self, large: bool) -> str:
        return self._models.large if large else self._models.small

    @contextmanager
    def _place(self, deadline: float) -> Iterator[None]:
        if not self._places.acquire(timeout=max(deadline - monotonic(), 0.0)):
            raise LLMUnavailable(f"{self._api.host} is still busy with our other questions")
        try:
            yield
        finally:
            self._places.release()

    def _exchange(self, ask: Ask, model: str, deadline: float) -> Reply:
        """Asks until nothing is refused any more, and remembers it."""
        refused = self._refused.get(model, frozenset())
        while True:
            try:
                answer = self._post(self._dialect.request(ask, model, refused), deadline)
            except ServiceRefused as error:
                refused |= {self._concession(error, model, refused)}
            else:
                self._refused[model] = refused
                break
        if (reply := self._dialect.reply(answer)) is None:
            raise LLMUnavailable(f"{self._api.host} answered without a message")
        return reply

    def _post(self, payload: object, deadline: float) -> object:
        try:
            return self._api.post("", payload, within=deadline - monotonic())
        except AnswerTooLong as error:
            raise LLMUnusable(str(error)) from None
        except ServiceAway as error:
            raise LLMUnavailable(str(error), error.wait_seconds) from None

    def _concession(self, error: ServiceRefused, model: str, refused: frozenset[str]) -> str:
        """What to leave out next. Raises LLMError when the refusal is final."""
        if error.status == PAYLOAD_TOO_LARGE or _TOO_LONG.search(error.detail):
            raise LLMUnusable(f"the question is too long for {model}") from None
        if error.status in REFUSALS_OF_A_PART and (less := self._dialect.concession(error.detail, refused)):
            return less
        raise LLMMisconfigured(str(error)) from None

    def _usage(self, operation: str, model: str, reply: Reply | None, seconds: float, outcome: str) -> Usage:
        tokens_in, tokens_out = (reply.input_tokens, reply.output_tokens) if reply else (0, 0)
        price = self._prices.get(model) if tokens_in or tokens_out else None
        cost = (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000 if price else None
        return Usage(operation, model, tokens_in, tokens_out, seconds, cost, outcome)


def usable(reply: Reply, ask: Ask) -> dict[str, Any]:
    """Raises Unfit, or LLMUnusable if another try is in vain."""
    if reply.declined:
        raise LLMUnusable(f"the model declined to answer {ask.operation}")
    # a text that ends with a whole object was only cut in what followed it
    if reply.cut and not isinstance(reply.content, str):
        raise Unfit(_CUT_OFF)
    try:
        return read_answer(reply.content, ask.schema)
    except Unfit:
        if reply.cut:
            raise Unfit(_CUT_OFF) from None
        raise


def with_problem(ask: Ask, problem: str) -> Ask:
    """The question once more, with what was wrong with the answer, and with more room if that was it."""
    told = f"Your last answer to this could not be used: {problem}. Answer again, in full and as asked."
    room = 2 if problem == _CUT_OFF else 1
    return replace(ask, prompt=f"{ask.prompt}\n\n{told}", max_tokens=ask.max_tokens * room)
