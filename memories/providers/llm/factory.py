"""From settings to the one client a process uses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from types import MappingProxyType
from typing import Literal

from memories.providers.errors import ServiceRefused
from memories.providers.http import JsonApi
from memories.providers.outward import ORDINARY_NETWORKS
from memories.providers.patience import Patience

from . import anthropic, ollama, openai
from .circuit import Circuit
from .client import ModelChat, Models, Prices
from .provider import LLMMisconfigured
from .wire import Dialect

Kind = Literal["rules", "anthropic", "openai", "ollama"]

# The longest answers are a few hundred kilobytes; other alphabets take up to six bytes a letter in JSON.
MAX_ANSWER_BYTES = 8 * 1024 * 1024
# The caller's deadline bounds the waits, not this.
PATIENCE = Patience(total_seconds=60.0, first_wait_seconds=0.5, longest_wait_seconds=60.0)


@dataclass(frozen=True)
class LLMSettings:
    """Empty fields take the kind's defaults.

    With an address of one's own, and with Ollama, at least one model has to be named; it then stands for both.
    `prices`: per model, US dollars for a million tokens of input and of output. `concurrency`: calls at a time.
    `networks`: private ones that the address may lead into.
    """

    kind: Kind = "rules"
    url: str = ""
    api_key: str = field(default="", repr=False)
    small_model: str = ""
    large_model: str = ""
    prices: Prices = field(default_factory=dict, hash=False)
    concurrency: int = 4
    networks: tuple[str, ...] = ORDINARY_NETWORKS


@dataclass(frozen=True)
class Defaults:
    dialect: type[Dialect]
    url: str
    models: Models


DEFAULTS: Mapping[str, Defaults] = MappingProxyType(
    {
        "anthropic": Defaults(
            anthropic.Anthropic, anthropic.DEFAULT_URL, Models(anthropic.SMALL_MODEL, anthropic.LARGE_MODEL)
        ),
        "openai": Defaults(openai.OpenAI, openai.DEFAULT_URL, Models(openai.SMALL_MODEL, openai.LARGE_MODEL)),
        "ollama": Defaults(ollama.Ollama, ollama.DEFAULT_URL, Models("", "")),
    }
)

_lock = Lock()


def make_chat(settings: LLMSettings) -> ModelChat | None:
    """The same client for the same settings, so that its circuit and its connections exist once per process.

    None for the rules. Sends nothing yet. Raises LLMMisconfigured for settings that cannot work.
    """
    with _lock:  # lru_cache alone would let two threads build two at once
        return _make(settings)


@lru_cache(maxsize=8)
def _make(settings: LLMSettings) -> ModelChat | None:
    return None if settings.kind == "rules" else build_chat(settings)


def build_chat(settings: LLMSettings, patience: Patience = PATIENCE, circuit: Circuit | None = None) -> ModelChat:
    """A client of its own. Raises LLMMisconfigured."""
    defaults = DEFAULTS.get(settings.kind)
    if defaults is None:
        raise LLMMisconfigured(f"there is no language model of the kind {settings.kind!r}")
    if settings.concurrency < 1:
        raise LLMMisconfigured("at least one call at a time has to be allowed")
    dialect = defaults.dialect()
    try:
        api = JsonApi(
            dialect.endpoint(settings.url or defaults.url),
            dialect.headers(settings.api_key),
            patience,
            dialect.hints,
            MAX_ANSWER_BYTES,
            settings.networks,
        )
    except ServiceRefused as error:
        raise LLMMisconfigured(str(error)) from None
    return ModelChat(dialect, api, models_of(settings, defaults), settings.prices, settings.concurrency, circuit)


def models_of(settings: LLMSettings, defaults: Defaults) -> Models:
    """Raises LLMMisconfigured when none is known."""
    usual = Models("", "") if settings.url else defaults.models
    small = settings.small_model or usual.small or settings.large_model
    large = settings.large_model or usual.large or settings.small_model
    if not small:
        raise LLMMisconfigured(f"the models of {settings.kind} have to be named")
    return Models(small, large)
