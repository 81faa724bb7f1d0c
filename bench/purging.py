"""How long it takes until nothing is left of an app, and how long its neighbours wait meanwhile."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread

from django.conf import settings
from django.db import connection
from django.utils import timezone

from bench.upkeep_data import fill, varied
from memories.capture.pipeline import remember
from memories.maintain.housekeeping import purge
from memories.models import Memory, Revision, Vector
from memories.providers.embeddings import Embedder
from memories.services import MemoryAgent
from memories.store import Candidate
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App

NEIGHBOUR, WRITE_EVERY = 1_000, 0.05
"""Memories of the app beside it, which goes on writing: seconds between two writes."""


@dataclass(frozen=True, slots=True)
class Purged:
    """Seconds. `waited` are those of the neighbour's writes; `left` are rows of the app, `traces` finds of its word."""

    hidden: float
    gone: float
    waited: list[float]
    megabytes: float
    left: int
    traces: int


def measure_purge(size: int, embedder: Embedder, moment: datetime) -> Purged:
    """Of an app beside another one. Each of its texts holds a word that nothing else does."""
    word = f"zzyzx{size}"
    app = fill(f"purge-{size}", [(f"{text} {word}", subject) for text, subject in varied(size, 500)], embedder, moment)
    neighbour = fill(f"beside-{size}", varied(NEIGHBOUR, 0), embedder, moment)
    megabytes = database().stat().st_size / 1e6
    began = time.perf_counter()
    MemoryAgent(app, None, "bench").purge_app()
    hidden = time.perf_counter() - began
    with writing_meanwhile(neighbour, embedder) as waited:
        # The job sweeps as well: what is measured ends when the files hold nothing any more.
        purge(app, timezone.now() + timedelta(days=1), Unclaimed(until=timezone.now()))
    gone = time.perf_counter() - began
    left = sum(model.objects.filter(app=app).count() for model in (Memory, Revision, Vector))
    return Purged(hidden, gone, waited, megabytes, left, traces(word))


@contextmanager
def writing_meanwhile(app: App, embedder: Embedder) -> Iterator[list[float]]:
    """Seconds of each write, filled in while the block runs."""
    ended, seconds, counts = Event(), [], Counter[str]()

    def write() -> None:
        while not ended.wait(WRITE_EVERY):
            counts["written"] += 1
            candidate = Candidate(content=f"The neighbour says number {counts['written']}")
            began = time.perf_counter()
            remember(app, [candidate], embedder, "bench", timezone.now())
            seconds.append(time.perf_counter() - began)
        connection.close()

    thread = Thread(target=write, daemon=True)
    thread.start()
    yield seconds
    ended.set()
    thread.join()


def database() -> Path:
    return Path(str(settings.DATABASES["default"]["NAME"]))


def traces(word: str) -> int:
    """How often the word stands in the files of the database."""
    files = [file for file in database().parent.glob(f"{database().name}*") if file.is_file()]
    return sum(file.read_bytes().count(word.encode()) for file in files)
