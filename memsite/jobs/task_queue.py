"""Tells a worker to look now. Only a doorbell: work stands in the database, and a sweep finds what nobody rang for."""

from __future__ import annotations

from functools import partial
from time import monotonic

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

log = structlog.get_logger("memsite.jobs.task_queue")
RESTS = 10
"""Who waited for a broker in vain leaves it alone for so many times as long: nobody is held up by it anew."""


class Bell:
    silent_until = 0.0


bell = Bell()


def enqueue(task: str, *args: int | str) -> None:
    """Send a task by name when the transaction is committed. A broker that is away costs a log line."""
    transaction.on_commit(partial(send, task, args))


def send(task: str, args: tuple[int | str, ...]) -> None:
    began = monotonic()
    if began < bell.silent_until:
        return
    try:
        current_app.send_task(task, args)
    except (OperationalError, OSError) as error:
        waited = monotonic() - began
        bell.silent_until = began + waited + RESTS * waited
        log.warning("not_rung", task=task, error=type(error).__name__, seconds=round(waited, 1))
