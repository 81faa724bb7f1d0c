"""Transactions that do not wait for the disk, for what a power cut may take back: counts, not facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from time import monotonic, sleep
from typing import Any, TypeVar

import structlog
from django.db import OperationalError, connection, models, transaction

log = structlog.get_logger("memsite.db.transactions")
# PostgreSQL: serialization_failure, deadlock_detected, lock_not_available, too_many_connections.
BUSY_STATES = frozenset({"40001", "40P01", "55P03", "53300"})
BUSY = "The database was busy for too long: nothing was stored. Try again in a moment."
"""What work says that will be done again."""
# PostgreSQL: admin_shutdown, crash_shutdown, cannot_connect_now. Of what the driver notices itself there is no state.
CUT_OFF_STATES = frozenset({"57P01", "57P02", "57P03"})
CONNECTION_STATES = "08"
Result = TypeVar("Result")
INSIST_SECONDS, INSIST_EVERY_SECONDS = 120.0, 1.0
COUNT_MILLISECONDS = 500
"""A count waits so long for other writers, unless somebody waits for what is done after it."""


class Unsure(OperationalError):
    """The connection broke off while the database was told to commit: what was written is stored, or nothing of it."""


def is_busy(error: BaseException | None) -> bool:
    """Return whether a wait for a lock or connection was in vain, or the server went away: nothing was stored."""
    if not isinstance(error, OperationalError):
        return False
    if is_unconnected(error):
        return not isinstance(error, Unsure)
    return "locked" in str(error) or getattr(error.__cause__, "sqlstate", None) in BUSY_STATES


def is_unconnected(error: BaseException | None) -> bool:
    """Return whether there was no connection to be had in time, or it is gone."""
    # By its name: the pool is loaded on PostgreSQL only.
    is_waiting = isinstance(error, OperationalError) and type(error.__cause__).__name__ == "PoolTimeout"
    return is_waiting or is_out_of_reach(error) or is_cut_off(error)


def is_out_of_reach(error: BaseException | None) -> bool:
    """Return whether there was no connection to be had, as the server is away, or lets nobody in."""
    return isinstance(error, OperationalError) and type(error.__cause__).__name__ == "OutOfReach"


def is_cut_off(error: BaseException | None) -> bool:
    """Return whether the connection broke off in use: PostgreSQL was stopped, or is not to be reached any more."""
    cause = error.__cause__ if isinstance(error, OperationalError) else None
    # By its name: the driver is loaded on PostgreSQL only.
    if cause is None or type(cause).__module__.partition(".")[0] != "psycopg":
        return False
    state = getattr(cause, "sqlstate", None)
    return state is None or state in CUT_OFF_STATES or state.startswith(CONNECTION_STATES)


def count(work: Callable[[], object], milliseconds: int = COUNT_MILLISECONDS) -> bool:
    """Do `work`, which only counts, `unhurried`; False, and nothing of it, if others write for longer than that.

    Who reads does not wait for writers, and is not refused for what they hold up.
    """
    try:
        with unhurried(milliseconds):
            work()
    except OperationalError as error:
        # Without a connection nothing else can be done, either: whoever asked would wait for one twice.
        if connection.in_atomic_block or not is_busy(error) or is_unconnected(error):
            raise
        log.debug("not_counted")
        return False
    return True


def insist(work: Callable[[], Result]) -> Result:
    """Do `work` as soon as the database is there again; raise what it raises once that was away for two minutes.

    For what gives up a lease: whoever cannot say so would keep others waiting until that runs out.
    """
    until = monotonic() + INSIST_SECONDS
    while True:
        try:
            return work()
        except OperationalError as error:
            if connection.in_atomic_block or not is_busy(error) or monotonic() > until:
                raise
        connection.close_if_unusable_or_obsolete()
        sleep(INSIST_EVERY_SECONDS)


@contextmanager
def unhurried(milliseconds: int = COUNT_MILLISECONDS) -> Iterator[None]:
    """Open a transaction, whole or not at all, kept when the process dies; the disk gets it when it can.

    Waits no longer than that until it may write. Inside another transaction it is a part of that one.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
    elif connection.vendor == "sqlite":
        with sqlite_set(synchronous="NORMAL", busy_timeout=milliseconds), transaction.atomic():
            yield
    else:
        with transaction.atomic():
            lock_timeout = max(1, milliseconds)  # 0 would be without end
            execute_all(
                [("SET LOCAL synchronous_commit TO OFF", ()), (f"SET LOCAL lock_timeout TO {lock_timeout}", ())]
            )
            yield


@contextmanager
def sqlite_set(**pragmas: str | int) -> Iterator[None]:
    """Set `synchronous=NORMAL`, which waits for the disk at checkpoints only; the next FULL commit takes all along."""
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


# Not the usual transaction: on SQLite that one takes the write lock.
BEGIN = {"sqlite": "BEGIN DEFERRED", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"}


@contextmanager
def snapshot() -> Iterator[None]:
    """Read all inside as of one moment, while nobody waits for it. Nothing may be written inside.

    Keep it short: the database holds on to everything old meanwhile. Inside a transaction it is that one.
    """
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


Statement = tuple[str, Sequence[Any]]
"""SQL and its parameters."""


def execute_all(statements: Sequence[Statement]) -> None:
    """Execute one after the other; PostgreSQL gets all in one message, as waiting for each takes longer.

    Call in a transaction.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for sql, parameters in statements:
                cursor.execute(sql, parameters)
        elif statements:
            cursor.execute(
                "; ".join(sql for sql, _ in statements), [*chain(*(parameters_ for _, parameters_ in statements))]
            )


Item = TypeVar("Item")


def in_batches(items: Sequence[Item], most: int) -> Iterator[Sequence[Item]]:
    """Yield them in their order, so many at a time."""
    for start in range(0, len(items), most):
        yield items[start : start + most]


def portions(items: Iterable[Item], most: int, most_size: int, size_of: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Yield portions in order: at most so many, which together have at most that size. One alone may have more."""
    portion, size = list[Item](), 0
    for item in items:
        length = size_of(item)
        if portion and (len(portion) == most or size + length > most_size):
            yield portion
            portion, size = [], 0
        portion.append(item)
        size += length
    if portion:
        yield portion


def insert_all(rows: Sequence[models.Model], *, over: tuple[str, ...] = ()) -> None:
    """Store rows of one model, and give them their numbers. Call in a transaction.

    One that is equal in the fields `over` to a stored one is written in its place.
    """
    if not rows:
        return
    model = type(rows[0])
    if not over:
        model._default_manager.bulk_create(rows)
        return
    changed = [field.name for field in model._meta.concrete_fields if not field.primary_key and field.name not in over]
    model._default_manager.bulk_create(rows, update_conflicts=True, unique_fields=over, update_fields=changed)
