"""What the jobs may use."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from memories.capture.learning import Lesson
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import Provider
from memsite.jobs.job import Job, Run
from memsite.tenancy.models import App


class Upkeeper(Protocol):
    """The hands of a job: one app, and what reads and writes for it. `MemoryAgent` is one."""

    app: App
    actor: str
    embedder: Embedder

    def provider(self) -> Provider: ...

    def learn_session(self, session_pk: int) -> Iterator[Lesson]: ...

    def rewrite_summaries(self) -> int: ...

    def shrink(self) -> int: ...

    def tell(self, run: Run) -> None: ...

    def carry_on_imports(self, run: Run) -> None: ...

    def carry_on_rollbacks(self, run: Run) -> None: ...

    def flush_crashed(self, now: datetime, run: Run) -> None: ...


class MemoryJob(Job[Upkeeper]):
    """A job that is done for each app."""
