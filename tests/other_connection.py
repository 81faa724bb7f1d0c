"""What somebody else does at the same time, over a connection to the database of their own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from django.db import OperationalError, connection


def aside(work: Callable[[], object]) -> None:
    """Is back when it is done. Nobody else gets the connection, whatever it was told."""

    def run() -> None:
        try:
            work()
        finally:
            leave()

    thread = Thread(target=run)
    thread.start()
    thread.join()


def leave() -> None:
    """A pool would hand the connection on, with what it was told."""
    if connection.vendor == "postgresql" and connection.connection is not None:
        connection.connection.close()
    connection.close()


def has_to_wait(work: Callable[[], object]) -> bool:
    """Whether PostgreSQL lets it wait for a lock; then it is not done."""
    waited: list[str] = []

    def hastily() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        try:
            work()
        except OperationalError as error:
            waited.append(str(error))

    aside(hastily)
    return any("lock timeout" in output for output in waited)


def wait_as_long_as_it_takes() -> None:
    """For locks of PostgreSQL: whoever holds one may be stalled."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 0")


def wait_for_the_lock(somebody_is_coming: Callable[[], bool] = lambda: True) -> None:
    """Until somebody waits for a lock of this transaction, or nobody is coming: asked of the server, which knows."""
    while somebody_is_coming():
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))")
            if cursor.fetchone()[0]:
                return
