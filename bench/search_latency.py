"""Apps of so many memories, and searches and writes in them that can be timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from django.utils import timezone

from bench.conversations import make_app, open_sessions
from bench.progress import progress
from bench.synthetic import texts_of
from memories.capture.pipeline import remember
from memories.providers.embeddings import Embedder
from memories.retrieve.pipeline import recall
from memories.retrieve.scoped_view import Scope
from memories.store import Candidate
from memsite.tenancy.models import App, AppPolicy

SHOWN, SEED = 10, 0
STORE_AT_ONCE = 1_000
SESSION_TURNS = 20
TEXT_WORDS, QUESTION_WORDS = 12, 6
# As many of the most frequent words are not in questions: nobody looks up stop words.
STOP_WORDS = 100
SUBJECTS = ("ada", "ben", "cleo", "dan", "eve")

Seconds = dict[str, list[float]]


def fill_app(size: int, embedder: Embedder, name: str) -> App:
    """Half of it turns in sessions, the other half statements on their own. A write has to make no room."""
    app = make_app(name)
    AppPolicy.objects.filter(app=app).update(memory_limit=2 * size)
    names = [f"s{number}" for number in range(size // 2 // SESSION_TURNS)]
    sessions = list(open_sessions(app, dict.fromkeys(names)).values())
    candidates = [
        Candidate(content=text, subject=SUBJECTS[number % len(SUBJECTS)])
        for number, text in enumerate(texts_of(size, TEXT_WORDS, SEED))
    ]
    for number, session in enumerate(sessions):
        for turn, candidate in enumerate(candidates[number * SESSION_TURNS : (number + 1) * SESSION_TURNS]):
            candidate.session, candidate.turn_number = session, turn
    for start in progress(range(0, size, STORE_AT_ONCE), f"{STORE_AT_ONCE} memories"):
        store(app, candidates[start : start + STORE_AT_ONCE], embedder)
    return app


def store(app: App, candidates: Sequence[Candidate], embedder: Embedder, *, dedupe: bool = False) -> None:
    remember(app, candidates, embedder, "bench", timezone.now(), dedupe=dedupe)


def search(app: App, text: str, embedder: Embedder, **options: Any) -> list[str]:
    results = recall(app, text, Scope(None, None, timezone.now().timestamp()), embedder, limit=SHOWN, **options)
    return [hit.memory.content for hit in results.hits]


def must_find(app: App, text: str, embedder: Embedder) -> None:
    assert text in search(app, text, embedder), "what was written is not found"


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
