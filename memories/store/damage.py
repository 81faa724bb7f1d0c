"""What is derived from memories and turns out to be damaged: told once, and asked to be mended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

import structlog
from django.db import DatabaseError

from memsite.jobs.task_queue import send
from memsite.ops.storage_errors import is_index_damaged

MEND = "memories.tasks.upkeep_mend"
TOLD_AGAIN_SECONDS = 300.0
"""Who finds the same damage again has been heard, unless the worker was away."""
VECTORS, FULLTEXT, COUNTS = "vectors", "fulltext", "counts"
log = structlog.get_logger("memories.store")


class Reports:
    """What this process has told of lately: moments (`monotonic`) by app and structure."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.told: dict[tuple[int, str], float] = {}

    def is_new(self, app_pk: int, what: str) -> bool:
        now = monotonic()
        with self.lock:
            last = self.told.get((app_pk, what))
            if last is not None and now - last < TOLD_AGAIN_SECONDS:
                return False
            self.told[app_pk, what] = now
            return True

    def has_any(self) -> bool:
        """Return whether there are reports of the last minutes."""
        with self.lock:
            return any(monotonic() - last < TOLD_AGAIN_SECONDS for last in self.told.values())


reports = Reports()


def report_damage(app_pk: int, what: str, **details: int | str) -> None:
    """Report damage, on each request that meets it; logs and rings for a worker once in a while."""
    if reports.is_new(app_pk, what):
        log.error("damaged", what=what, app=app_pk, hint="It is made anew in the background.", **details)
        # At once: the transaction that has met it may be taken back.
        send(MEND, (app_pk,))


@contextmanager
def noticing_damage(app_pk: int) -> Iterator[None]:
    """Report the index of words where it says itself that it is damaged. The error goes on."""
    try:
        yield
    except DatabaseError as error:
        if is_index_damaged(error):
            report_damage(app_pk, FULLTEXT)
        raise
