"""Who wants to know what embedding takes is told of each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from time import perf_counter
from typing import Protocol, TypeVar

from .base import EmbedderError, EmbedderMisconfigured, EmbedderUnavailable, Vectors

Watcher = Callable[[str, int, float, str], None]
"""Told the embedder's name, how many texts it was given, the seconds, and the outcome."""

watchers: list[Watcher] = []
FAILED = "failed"
OUTCOMES: dict[type[EmbedderError], str] = {EmbedderUnavailable: "unavailable", EmbedderMisconfigured: "misconfigured"}


class Named(Protocol):
    @property
    def name(self) -> str: ...


Itself = TypeVar("Itself", bound=Named)
Texts = TypeVar("Texts", bound=Sequence[str])


def watched(embed: Callable[[Itself, Texts], Vectors]) -> Callable[[Itself, Texts], Vectors]:
    """Around the one method of an embedder that does the work."""

    @wraps(embed)
    def embed_watched(self: Itself, texts: Texts) -> Vectors:
        begun, outcome = perf_counter(), FAILED
        try:
            vectors = embed(self, texts)
            outcome = "ok"
            return vectors
        except EmbedderError as error:
            outcome = OUTCOMES.get(type(error), FAILED)
            raise
        finally:
            seconds = perf_counter() - begun
            for tell in watchers:
                tell(self.name, len(texts), seconds, outcome)

    return embed_watched
