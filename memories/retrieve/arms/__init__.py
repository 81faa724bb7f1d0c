"""The search methods, asked side by side. One that fails or is too slow is missed, not waited for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from threading import local
from time import monotonic
from typing import Any

import structlog
from django.db import DatabaseError, close_old_connections, connection

from memories.providers.embeddings import EmbedderError

log = structlog.get_logger("memories.retrieve")
DEADLINE_SECONDS = 5.0
# A thread that waits for a service that is gone is busy until that gives up: others have to find one that is free.
THREADS = 64
Arm = Callable[[], Any]
FAILURES = (EmbedderError, DatabaseError, TooSlow)
pool = ThreadPoolExecutor(THREADS, "arm")
inside = local()


def ask_arms(arms: Mapping[str, Arm], seconds: float | None = None) -> tuple[dict[str, Any], list[str]]:
    """The answers by arm, and the names of those that could not answer in time.

    Inside a transaction they are asked one after the other: other threads would not see what it wrote. So they are
    inside an arm, whose own deadline holds for them: waiting for a thread while holding one could last for ever.
    """
    if connection.in_atomic_block or getattr(inside, "arm", False):
        waiting = dict(arms)
    else:
        deadline = monotonic() + (DEADLINE_SECONDS if seconds is None else seconds)
        futures = {name: pool.submit(on_own_connection, arm) for name, arm in arms.items()}
        waiting = {name: wait_for(future, deadline) for name, future in futures.items()}
    answers, failed = dict[str, Any](), list[str]()
    for name, answer in waiting.items():
        try:
            answers[name] = answer()
        except FAILURES as error:
            log.warning("arm_failed", arm=name, error=str(error) or type(error).__name__)
            failed.append(name)
    return answers, failed


def on_own_connection(arm: Arm) -> Any:
    close_old_connections()
    inside.arm = True
    try:
        return arm()
    finally:
        inside.arm = False


def wait_for(future: Any, deadline: float) -> Arm:
    return lambda: future.result(max(0.0, deadline - monotonic()))
