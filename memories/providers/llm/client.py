"""Asks one service: in turn, within the time, once more if the answer is of no use; and tells what it took."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import BoundedSemaphore, Lock
from time import monotonic
from types import MappingProxyType
from typing import Any, Literal

from memories.language.scripts import most_tokens
from memories.providers.http import ORDINARY_NETWORKS, AnswerTooLong, JsonApi, Patience, ServiceAway, ServiceRefused
from memories.providers.llm import protocols
from memories.providers.llm.litellm import LiteLLMApi, ThroughLiteLLM
from memories.providers.llm.protocols import Dialect, Reply
from memories.providers.llm.provider import (
    Ask,
    Expected,
    LLMDenied,
    LLMError,
    LLMMisconfigured,
    LLMTooSlow,
    LLMUnavailable,
    LLMUnusable,
    Meter,
    Price,
    Usage,
)
from memories.providers.llm.schema import Unfit, read_answer

LEAST_ANSWER_TOKENS = 1_000
"""Some facts, or a paragraph: with less room than this a question is not worth asking."""
UNUSABLE = "unusable"
_OUTCOMES = {LLMUnavailable: "unavailable", LLMTooSlow: "unavailable", LLMMisconfigured: "misconfigured"}


class Refused(Exception):
    """The service does not take a part of the request, which can be left out, or not an answer of such a length."""

    def __init__(self, part: str, most_tokens: int | None = None) -> None:
        super().__init__(part)
        self.part = part
        self.most_tokens = most_tokens


def expect(dialect: Dialect, ask: Ask, model: str, refused: Set[str], price: Price | None) -> Expected:
    request = json.dumps(dialect.request(ask, model, refused), ensure_ascii=False)
    most = dialect.output_tokens(ask, refused)
    least = most - ask.max_tokens + min(ask.max_tokens, LEAST_ANSWER_TOKENS)
    return Expected(ask.operation, most_tokens(request), most, least, price)


def within(ask: Ask, expected: Expected, output_tokens: int) -> Ask:
    """Return the same with no more room than was granted."""
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


State = Literal["closed", "open", "half-open"]


class Circuit:
    """Opens after `failures` unavailable answers in a row, for `open_seconds`; then one call may try. Thread-safe."""

    def __init__(
        self,
        name: str,
        failures: int = 5,
        open_seconds: float = 30.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._name = name
        self._most_failures = failures
        self._open_seconds = open_seconds
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._opened_at: float | None = None
        self._on_trial = False

    def state(self) -> State:
        with self._lock:
            return self._state()

    def wait_seconds(self) -> float:
        """Until the service may be tried again; 0 unless open."""
        with self._lock:
            return self._left()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Around one call. Raises LLMUnavailable instead of calling while open, or while another call tries."""
        trial = self._enter()
        try:
            yield
        except LLMUnavailable:
            with self._lock:
                self._failures += 1
                if self._failures >= self._most_failures:
                    self._opened_at = self._clock()
                self._on_trial = False
            raise
        except LLMError:
            self._worked()
            raise
        except BaseException:
            # says nothing about the service
            if trial:
                with self._lock:
                    self._on_trial = False
            raise
        else:
            self._worked()

    def _state(self) -> State:
        if self._opened_at is None:
            return "closed"
        return "open" if self._left() > 0 else "half-open"

    def _left(self) -> float:
        if self._opened_at is None:
            return 0.0
        return max(self._opened_at + self._open_seconds - self._clock(), 0.0)

    def _enter(self) -> bool:
        """Tell whether this call is on trial."""
        with self._lock:
            state = self._state()
            if state == "closed":
                return False
            if state == "open" or self._on_trial:
                message = f"{self._name} is left alone after {self._failures} failures in a row"
                raise LLMUnavailable(message, wait_seconds=self._left())
            self._on_trial = True
            return True

    def _worked(self) -> None:
        with self._lock:
            self._failures = 0
            self._opened_at = None
            self._on_trial = False


Prices = Mapping[str, Price]
"""By model."""

MAX_MAKER_CHARACTERS = 120
REFUSALS_OF_A_PART = frozenset({400, 422, 501})
PAYLOAD_TOO_LARGE, SERVER_ERROR = 413, 500
LEAST_HALVED = 256
"""Tokens of an answer below which nothing fits: then the question is too long, not the answer."""
SECONDS = 60.0
"""For one question in all, unless it or the settings say otherwise."""
HURRIED = 1.0
"""Whoever waits no longer than this, waits no longer in any case."""
_TOO_MUCH_ASKED = re.compile(
    r"max_?(?:completion_|new_|output_)?tokens\b.{0,60}(?:too large|exceeds?|at most|maximum|>|less than or equal)"
    r"|in the completion|maximum (?:allowed )?number of (?:output|completion) tokens",
    re.IGNORECASE | re.DOTALL,
)
_FAILED_GENERATION = re.compile(r"failed_generation|json_validate_failed", re.IGNORECASE)
_CANNOT_READ_IT = re.compile(
    r"failed to (?:generate|validate|parse)(?! (?:the )?(?:request|body))|could not (?:parse|validate) the output",
    re.IGNORECASE,
)
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
        api: JsonApi | LiteLLMApi,
        models: Models,
        prices: Prices,
        concurrency: int = 4,
        circuit: Circuit | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.name = dialect.name
        self._dialect = dialect
        self._api = api
        self._models = models
        self._prices = prices
        self._places = BoundedSemaphore(concurrency)
        self._circuit = circuit or Circuit(api.host)
        # Too slow for whoever waits is not away for whoever can wait longer.
        self._hurried_circuit = Circuit(api.host)
        self._seconds = seconds
        # what a model or its server did not take, so that it is not sent again
        self._refused: dict[str, frozenset[str]] = {}
        self._most_tokens: dict[str, int] = {}
        self._in_time = ThreadPoolExecutor(concurrency, "hurried")

    def made_by(self, large: bool) -> str:
        return f"{self.name}:{self.model(large)}"[:MAX_MAKER_CHARACTERS]

    def state(self) -> str:
        return self._circuit.state()

    def wait_seconds(self) -> float:
        """Until the service is tried again; 0 unless its circuit is open."""
        return self._circuit.wait_seconds()

    def close(self) -> None:
        self._in_time.shutdown(wait=False, cancel_futures=True)
        self._api.close()

    def model(self, large: bool) -> str:
        return self._models.large if large else self._models.small

    def agreed(self, large: bool) -> str:
        """Return the format in which the model answers, as far as that was negotiated."""
        return self._dialect.agreed(self._refused.get(self.model(large), frozenset()))

    def ask(self, ask: Ask, meter: Meter) -> dict[str, Any]:
        deadline = monotonic() + (self._seconds if ask.total_seconds is None else ask.total_seconds)
        try:
            return self._answer(ask, deadline, meter)
        except Unfit as unfit:
            problem = str(unfit)
        if monotonic() < deadline:
            try:
                correction = (
                    f"Your last answer to this could not be used: {problem}. Answer again, in full and as asked."
                )
                factor = 2 if problem == _CUT_OFF else 1
                return self._answer(
                    replace(ask, prompt=f"{ask.prompt}\n\n{correction}", max_tokens=ask.max_tokens * factor),
                    deadline,
                    meter,
                )
            except LLMDenied as denied:
                problem += f"; it was not asked again: {denied}"
            except Unfit as unfit:
                problem = str(unfit)
        raise LLMUnusable(f"{self._api.host} did not answer {ask.operation} with what was asked for: {problem}")

    def _answer(self, ask: Ask, deadline: float, meter: Meter) -> dict[str, Any]:
        """Asks until nothing is refused any more."""
        model = self.model(ask.large)
        refused = self._refused.get(model, frozenset())
        circuit = self._hurried_circuit if is_hurried(ask) else self._circuit
        if self._circuit.state() == "open":
            circuit = self._circuit
        halved = False
        with self._place(deadline):
            while True:
                ask = replace(ask, max_tokens=min(ask.max_tokens, self._most_tokens.get(model, ask.max_tokens)))
                try:
                    # One call, metered.
                    expected = expect(self._dialect, ask, model, refused, self._prices.get(model))
                    grant = meter(expected)
                    call = Call(ask.operation, model, self.name)
                    try:
                        with circuit.guard(), call.timed():
                            request = within(ask, expected, grant.output_tokens)
                            call.reply = self._exchange(request, model, refused, deadline)
                            if halved:
                                self._most_tokens[model] = ask.max_tokens
                            answer = usable(call.reply, ask)
                            call.outcome = "ok"
                            return answer
                    finally:
                        grant.settle(call.usage(self._prices))
                except Refused as less:
                    refused |= {less.part} - {""}
                    if less.most_tokens:
                        halved = True
                        ask = replace(ask, max_tokens=less.most_tokens)

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
            answer = self._post(self._dialect.request(ask, model, refused), deadline, is_hurried(ask))
        except ServiceRefused as error:
            if is_failed_generation(error.detail):
                return failed_generation(error.detail)
            raise self._concession(error, ask, model, refused) from None
        self._refused[model] = refused
        if (reply := self._dialect.reply(answer)) is None:
            raise LLMUnavailable(f"{self._api.host} answered without a message")
        return reply

    def _post(self, payload: object, deadline: float, hurried: bool) -> object:
        left = deadline - monotonic()
        try:
            if not hurried:
                return self._api.post("", payload, within=left)
            # Names are looked up, and connections made, in a time that nobody bounds.
            answer = self._in_time.submit(self._api.post, "", payload, left)
            try:
                return answer.result(max(left, 0.001))
            finally:
                answer.cancel()
        except TimeoutError:
            raise LLMTooSlow(f"{self._api.host} took longer than {left:.1f} s") from None
        except AnswerTooLong as error:
            raise LLMUnusable(str(error)) from None
        except ServiceAway as error:
            if monotonic() >= deadline:
                raise LLMTooSlow(str(error), error.wait_seconds) from None
            raise LLMUnavailable(str(error), error.wait_seconds) from None

    def _concession(self, error: ServiceRefused, ask: Ask, model: str, refused: frozenset[str]) -> Refused:
        """Return what to leave out next. Raises LLMError when the refusal is final."""
        is_too_long = error.status == PAYLOAD_TOO_LARGE or bool(_TOO_LONG.search(error.detail))
        if _TOO_MUCH_ASKED.search(error.detail):
            if self._dialect.output_tokens(ask, refused) > ask.max_tokens:
                return Refused(protocols.THOUGHTS)
            if ask.max_tokens > LEAST_HALVED:
                return Refused("", ask.max_tokens // 2)
            is_too_long = True
        if is_too_long:
            raise LLMUnusable(f"the question is too long for {model}") from None
        if error.status in REFUSALS_OF_A_PART or error.status >= SERVER_ERROR:
            if less := self._dialect.concession(error.detail, refused):
                return Refused(less)
            if error.status >= SERVER_ERROR:
                raise LLMUnavailable(str(error)) from None
        raise LLMMisconfigured(str(error)) from None


def is_hurried(ask: Ask) -> bool:
    return ask.total_seconds is not None and ask.total_seconds <= HURRIED


def is_refusal(detail: str) -> bool:
    """Return whether a 5xx speaks of what can be left out of a request, or of an answer that was none."""
    named = protocols.names_format(detail) or protocols.names_system(detail)
    return named or bool(_TOO_MUCH_ASKED.search(detail)) or is_failed_generation(detail)


def is_failed_generation(detail: str) -> bool:
    """Return whether a server refuses its own model's answer, not our request."""
    is_vague = bool(_CANNOT_READ_IT.search(detail)) and not protocols.names_format(detail)
    return is_vague or bool(_FAILED_GENERATION.search(detail))


def failed_generation(detail: str) -> Reply:
    """Return what a server threw away because it was no JSON: there may be some in it."""
    try:
        generated = protocols.part(json.loads(detail), "error", "failed_generation")
    except ValueError:
        generated = None
    return Reply(generated if isinstance(generated, str) else "", 0, 0)


def usable(reply: Reply, ask: Ask) -> dict[str, Any]:
    """Raise Unfit, or LLMUnusable if another try is in vain."""
    if reply.declined:
        raise LLMUnusable(f"the model declined to answer {ask.operation}")
    # a text that ends with a whole object was only cut in what followed it
    if reply.cut and not isinstance(reply.content, str):
        raise Unfit(_CUT_OFF)
    try:
        answer = read_answer(reply.content, ask.schema)
    except Unfit:
        if reply.cut:
            raise Unfit(_CUT_OFF) from None
        raise
    if answer == ask.example:
        # Small models that know none repeat the one they were shown.
        raise LLMUnusable(f"the model repeated the example of {ask.operation}")
    return answer


Kind = Literal["rules", "anthropic", "openai", "ollama", "litellm"]

# The longest answers are a few hundred kilobytes; other alphabets take up to six bytes a letter in JSON.
MAX_ANSWER_BYTES = 8 * 1024 * 1024
# The caller's deadline bounds the waits, not this.
PATIENCE = Patience(total_seconds=SECONDS, first_wait_seconds=0.5, longest_wait_seconds=60.0)


@dataclass(frozen=True)
class LLMSettings:
    """Empty fields take the kind's defaults.

    With an address of one's own, and with Ollama, at least one model has to be named; it then stands for both.
    `prices`: per model, US dollars for a million tokens of input and of output. `concurrency`: calls at a time.
    `seconds`: for one question in all. `networks`: private ones that the address may lead into.
    """

    kind: Kind = "rules"
    url: str = ""
    api_key: str = field(default="", repr=False)
    small_model: str = ""
    large_model: str = ""
    prices: Prices = field(default_factory=dict, hash=False)
    concurrency: int = 4
    seconds: float = SECONDS
    networks: tuple[str, ...] = ORDINARY_NETWORKS


@dataclass(frozen=True)
class Defaults:
    dialect: type[Dialect]
    url: str
    models: Models


DEFAULTS: Mapping[str, Defaults] = MappingProxyType(
    {
        "anthropic": Defaults(
            protocols.Anthropic, protocols.ANTHROPIC_URL, Models(protocols.ANTHROPIC_SMALL, protocols.ANTHROPIC_LARGE)
        ),
        "openai": Defaults(
            protocols.OpenAI, protocols.OPENAI_URL, Models(protocols.OPENAI_SMALL, protocols.OPENAI_LARGE)
        ),
        "ollama": Defaults(protocols.Ollama, protocols.OLLAMA_URL, Models("", "")),
        "litellm": Defaults(ThroughLiteLLM, "", Models("", "")),
    }
)

_lock = Lock()


def make_chat(settings: LLMSettings) -> ModelChat | None:
    """Return the same client for the same settings, so that its circuit and its connections exist once per process.

    None for the rules. Sends nothing yet. Raises LLMMisconfigured for settings that cannot work.
    """
    with _lock:  # lru_cache alone would let two threads build two at once
        return _make(settings)


@lru_cache(maxsize=8)
def _make(settings: LLMSettings) -> ModelChat | None:
    return None if settings.kind == "rules" else build_chat(settings)


def build_chat(settings: LLMSettings, patience: Patience = PATIENCE, circuit: Circuit | None = None) -> ModelChat:
    """Return a client of its own. Raises LLMMisconfigured."""
    defaults = DEFAULTS.get(settings.kind)
    if defaults is None:
        raise LLMMisconfigured(f"there is no language model of the kind {settings.kind!r}")
    if settings.concurrency < 1:
        raise LLMMisconfigured("at least one call at a time has to be allowed")
    dialect = defaults.dialect()
    try:
        if isinstance(dialect, ThroughLiteLLM):
            api: JsonApi | LiteLLMApi = LiteLLMApi(settings.url, settings.api_key)
        else:
            api = JsonApi(
                dialect.endpoint(settings.url or defaults.url),
                dialect.headers(settings.api_key),
                patience,
                dialect.hints,
                MAX_ANSWER_BYTES,
                settings.networks,
                is_refusal,
            )
    except ServiceRefused as error:
        raise LLMMisconfigured(str(error)) from None
    usual = Models("", "") if settings.url else defaults.models
    small = settings.small_model or usual.small or settings.large_model
    large = settings.large_model or usual.large or settings.small_model
    if not small:
        raise LLMMisconfigured(f"the models of {settings.kind} have to be named")
    return ModelChat(
        dialect, api, Models(small, large), settings.prices, settings.concurrency, circuit, settings.seconds
    )
