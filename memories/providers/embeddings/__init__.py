"""Embedders: one promise (`Embedder`), its keepers, and the factory that picks one."""

from ..patience import Patience
from .base import (
    Embedder,
    EmbedderError,
    EmbedderMisconfigured,
    EmbedderUnavailable,
    Thresholds,
    Vectors,
    normalise_rows,
)
from .factory import PACKAGED, EmbedderSettings, make_embedder
from .hashing import HashEmbedder
from .minilm import MiniLMEmbedder
from .multilingual import MultilingualEmbedder
from .ollama import OllamaEmbedder
from .openai import OpenAIEmbedder
from .watching import watchers

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
