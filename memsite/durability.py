"""Transactions that do not wait for the disk, for what a power cut may take back: counts, not facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from django.db import OperationalError, connection, transaction

from memsite.statements import execute_all

log = structlog.get_logger("memsite.durability")
# PostgreSQL: serialization_failure, deadlock_detected, lock_not_available, too_many_connections.
BUSY_STATES = frozenset({"40001", "40P01", "55P03", "53300"})
COUNT_MILLISECONDS = 500
"""A count waits so long for other writers."""
COUNT_LOCK_TIMEOUT = f"SET LOCAL lock_timeout TO {COUNT_MILLISECONDS}"


def is_busy(error: BaseException | None) -> bool:
    """The wait for a lock, or for a connection, was in vain, or was ended for others to go on: nothing was stored."""
    if not isinstance(error, OperationalError):
        return False
    cause = error.__cause__
    # By its name: the pool is loaded on PostgreSQL only.
    is_unconnected = type(cause).__name__ == "PoolTimeout" or is_out_of_reach(error)
    return is_unconnected or "locked" in str(error) or getattr(cause, "sqlstate", None) in BUSY_STATES


def is_out_of_reach(error: BaseException | None) -> bool:
    """There was no connection to be had, as the server is away, or lets nobody in."""
    return isinstance(error, OperationalError) and type(error.__cause__).__name__ == "OutOfReach"


def count(work: Callable[[], object]) -> bool:
    """Does `work`, which only counts, `unhurried`; False, and nothing of it, if others write for longer than a moment.

    Who reads does not wait for writers, and is not refused for what they hold up.
    """
    try:
        with unhurried():
            work()
    except OperationalError as error:
        if connection.in_atomic_block or not is_busy(error):
            raise
        log.warning("not_counted")
        return False
    return True


@contextmanager
def unhurried() -> Iterator[None]:
    """A transaction, whole or not at all as every other, kept when the process dies; the disk gets it when it can.

    Waits for a moment only until it may write. Inside another transaction it is a part of that one.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
    elif connection.vendor == "sqlite":
        with sqlite_set(synchronous="NORMAL", busy_timeout=COUNT_MILLISECONDS), transaction.atomic():
            yield
    else:
        with transaction.atomic():
            execute_all([("SET LOCAL synchronous_commit TO OFF", ()), (COUNT_LOCK_TIMEOUT, ())])
            yield


@contextmanager
def sqlite_set(**pragmas: str | int) -> Iterator[None]:
    """`synchronous=NORMAL` waits for the disk at checkpoints of the log only; the next FULL commit takes all along."""
    connection.ensure_connection()
    sqlite = connection.connection
    before = {name: sqlite.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas}
    set_all(sqlite, pragmas)
    try:
        yield
    finally:
        if connection.connection is sqlite:
            set_all(sqlite, before)


def set_all(sqlite: Any, pragmas: dict[str, Any]) -> None:
    for name, value in pragmas.items():
        sqlite.execute(f"PRAGMA {name}={value}")
