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
from .call import Call, Refused, expect, within
from .chat import Ask
from .circuit import Circuit
from .provider import LLMDenied, LLMMisconfigured, LLMUnavailable, LLMUnusable, Meter, Price
from .schema import Unfit
from .wire import Dialect, Reply

Prices = Mapping[str, Price]
"""By model."""

MAX_MAKER_CHARACTERS = 120
REFUSALS_OF_A_PART = frozenset({400, 422, 501})
PAYLOAD_TOO_LARGE = 413
_TOO_LONG = re.compile(r"context[ _](?:length|window|size)|maximum context|prompt is too long", re.IGNORECASE)
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
            except LLMDenied as denied:
                problem += f"; it was not asked again: {denied}"
            except Unfit as unfit:
                problem = str(unfit)
        raise LLMUnusable(f"{self._api.host} did not answer {ask.operation} with what was asked for: {problem}")

    def _answer(self, ask: Ask, deadline: float, meter: Meter) -> dict[str, Any]:
        """Asks until nothing is refused any more."""
        model = self._model(ask.large)
        refused = self._refused.get(model, frozenset())
        with self._place(deadline):
            while True:
                try:
                    return self._call(ask, model, refused, deadline, meter)
                except Refused as less:
                    refused |= {less.part}

    def _call(
        self, ask: Ask, model: str, refused: frozenset[str], deadline: float, meter: Meter
    ) -> dict[str, Any]:  # fmt: skip
        """One call, metered."""
        expected = expect(self._dialect, ask, model, refused, self._prices.get(model))
        grant = meter(expected)
        call = Call(ask.operation, model, self.name)
        try:
            with self._circuit.guard(), call.timed():
                request = within(ask, expected, grant.output_tokens)
                call.reply = self._exchange(request, model, refused, deadline)
                answer = usable(call.reply, ask)
                call.outcome = "ok"
                return answer
        finally:
            grant.settle(call.usage(self._prices))

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

    def _exchange(self, ask: Ask, model: str, refused: frozenset[str], deadline: float) -> Reply:
        """Remembers what had to be left out for an answer."""
        try:
            answer = self._post(self._dialect.request(ask, model, refused), deadline)
        except ServiceRefused as error:
            raise Refused(self._concession(error, model, refused)) from None
        self._refused[model] = refused
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
