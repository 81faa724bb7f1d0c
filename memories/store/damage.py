"""What is derived from memories and turns out to be damaged: reported once, and mended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from threading import Lock
from time import monotonic

import structlog
from django.db import DatabaseError

from memsite.jobs.task_queue import send
from memsite.ops.storage_errors import is_index_damaged

MEND = "memories.tasks.upkeep_mend"
REPORTED_AGAIN_SECONDS = 300.0
"""Who finds the same damage again has been heard, unless the worker was away."""
VECTORS, FULLTEXT, COUNTS = "vectors", "fulltext", "counts"
log = structlog.get_logger("memories.store")
lock = Lock()
reported: dict[tuple[int, str], float] = {}
"""What this process has reported lately: moments (`monotonic`) by app and structure."""


def has_reported() -> bool:
    """Return whether there are reports of the last minutes."""
    with lock:
        return any(monotonic() - last < REPORTED_AGAIN_SECONDS for last in reported.values())


def report_damage(app_pk: int, what: str, **details: int | str) -> None:
    """Report damage, on each request that meets it; logs and rings for a worker once in a while."""
    now = monotonic()
    with lock:
        if now - reported.get((app_pk, what), -inf) < REPORTED_AGAIN_SECONDS:
            return
        reported[app_pk, what] = now
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
