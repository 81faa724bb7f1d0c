"""Tells a worker to look now. Only a doorbell: work stands in the database, and a sweep finds what nobody rang for."""

from __future__ import annotations

from functools import partial

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

log = structlog.get_logger("memsite.doorbell")


def ring(task: str, *args: int | str) -> None:
    """Sends a task by name when the transaction is committed. A broker that is away costs a log line."""
    transaction.on_commit(partial(send, task, args))


def send(task: str, args: tuple[int | str, ...]) -> None:
    try:
        current_app.send_task(task, args)
    except (OperationalError, OSError) as error:
        log.warning("not_rung", task=task, error=type(error).__name__)
