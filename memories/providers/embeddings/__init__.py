"""Embedders: one promise (`Embedder`), its keepers, and the factory that picks one."""

from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Literal

from memories.providers.embeddings import remote
from memories.providers.embeddings.base import (
    Embedder,
    EmbedderError,
    EmbedderMisconfigured,
    EmbedderUnavailable,
    HashEmbedder,
    Thresholds,
    Vectors,
    normalise_rows,
    watchers,
)
from memories.providers.embeddings.minilm import MiniLMEmbedder
from memories.providers.embeddings.multilingual import MultilingualEmbedder, locate_model
from memories.providers.embeddings.remote import OllamaEmbedder, OpenAIEmbedder
from memories.providers.http import ORDINARY_NETWORKS, Patience

Kind = Literal["minilm", "multilingual", "ollama", "openai", "hash"]
# Models that come as packages, by the name beside their vectors.
PACKAGED: dict[str, Kind] = {MiniLMEmbedder.name: "minilm", MultilingualEmbedder.name: "multilingual"}


@dataclass(frozen=True)
class EmbedderSettings:
    """Empty fields take the kind's defaults; only the remote kinds read `url`, `model`, `api_key` and `networks`.

    `networks`: private ones that the address may lead into.
    """

    kind: Kind = "minilm"
    url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False)
    networks: tuple[str, ...] = ORDINARY_NETWORKS


_lock = Lock()


def make_embedder(settings: EmbedderSettings) -> Embedder:
    """Return the same embedder for the same settings, so models and connections exist once per process.

    Loads and sends nothing yet. Raises EmbedderMisconfigured for settings that cannot work.
    """
    with _lock:  # lru_cache alone would let two threads build two at once
        return _make(settings)


@lru_cache(maxsize=8)
def _make(settings: EmbedderSettings) -> Embedder:
    if settings.kind == "minilm":
        return MiniLMEmbedder()
    if settings.kind == "multilingual":
        locate_model()  # whoever chooses it has to install it: said at the start, not at the first question
        return MultilingualEmbedder()
    if settings.kind == "hash":
        return HashEmbedder()
    if settings.kind == "ollama":
        return remote.OllamaEmbedder(
            settings.url or remote.OLLAMA_URL, settings.model or remote.OLLAMA_MODEL, networks=settings.networks
        )
    if settings.kind == "openai":
        return remote.OpenAIEmbedder(
            settings.url or remote.OPENAI_URL,
            settings.model or remote.OPENAI_MODEL,
            settings.api_key,
            networks=settings.networks,
        )
    raise EmbedderMisconfigured(f"there is no embedder of the kind {settings.kind!r}")


__all__ = [
    "PACKAGED",
    "Embedder",
    "EmbedderError",
    "EmbedderMisconfigured",
    "EmbedderSettings",
    "EmbedderUnavailable",
    "HashEmbedder",
    "MiniLMEmbedder",
    "MultilingualEmbedder",
    "OllamaEmbedder",
    "OpenAIEmbedder",
    "Patience",
    "Thresholds",
    "Vectors",
    "make_embedder",
    "normalise_rows",
    "watchers",
]
