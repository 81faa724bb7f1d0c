"""Read from a replica: a server that follows the primary by streaming replication and answers what only reads.

It answers where it has replayed all that the primary had committed when it was asked. So nobody reads what is older
than a write that was acknowledged before, their own or another's, on whichever host; and no clock, cookie or key has
to tell of writes. Whoever asks waits no longer than `MEMSITE_REPLICA_MILLISECONDS` for that; then, and while the
replica is away, the primary answers. While a replica answers, it is this thread's `connections["default"]`: so raw SQL,
snapshots and row-level security work as on the primary, and what writes is refused, and done again there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local
from time import monotonic, sleep
from typing import Any, TypeVar

import structlog
from django.db import DEFAULT_DB_ALIAS, Error, connections

from memsite.config.conf import get_conf
from memsite.ops.metrics import count_replica_read

REPLICA = "replica"
POLL_SECONDS = 0.002
BEHIND_REST, AWAY_REST = 1.0, 5.0
"""Seconds in which the replica is not asked after it was late, or failed: not everybody waits for the same."""
# What was acknowledged is flushed before, unless the server is set to acknowledge without that.
COMMITTED = """
SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
       ELSE pg_current_wal_flush_lsn() END::text
"""
# A server that was promoted goes another way than the primary.
HAS_REPLAYED = "SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn"
Answer = TypeVar("Answer")
log = structlog.get_logger("memsite.db.replica")
thread = local()
"""`primary`: the connection that a replica stands in for in this thread."""


class Rest:
    """Until when, by the monotonic clock, this process does not ask the replica."""

    until = 0.0


def read(work: Callable[[], Answer]) -> Answer:
    """Return what `work` answers, which only reads, and may be done twice: by the replica, or else by the primary.

    A query on each of both, beside those of `work`.
    """
    if not is_free() or not follows():
        return work()
    try:
        with stand_in():
            answer = work()
    except Error as error:
        # Away, cancelled for what it had to replay, or the work wrote something after all.
        note_failure(error)
        return work()
    count_replica_read(REPLICA)
    return answer


def is_configured() -> bool:
    return REPLICA in connections.databases


def is_free() -> bool:
    """Return whether a replica may be asked now: not within a transaction, nor a second time."""
    if not is_configured() or getattr(thread, "primary", None):
        return False
    if monotonic() < Rest.until:
        count_replica_read("resting")
        return False
    return not connections[DEFAULT_DB_ALIAS].in_atomic_block


def follows() -> bool:
    """Return whether the replica has, within its time, what the primary has committed by now."""
    until = monotonic() + get_conf().replica_milliseconds / 1_000
    try:
        position = value(DEFAULT_DB_ALIAS, COMMITTED)
        while not value(REPLICA, HAS_REPLAYED, position):
            if monotonic() >= until:
                Rest.until = monotonic() + BEHIND_REST
                count_replica_read("behind")
                let_go()
                return False
            sleep(POLL_SECONDS)
    except Error as error:
        note_failure(error)
        let_go()
        return False
    return True


def is_well() -> bool:
    """Return whether the replica follows, where there is one."""
    if not is_configured():
        return True
    try:
        return follows()
    finally:
        let_go()


def value(alias: str, sql: str, *parameters: Any) -> Any:
    with connections[alias].cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchone()[0]


def note_failure(error: Error) -> None:
    Rest.until = monotonic() + AWAY_REST
    count_replica_read("failed")
    log.warning("replica_failed", error=str(error).strip())


def let_go() -> None:
    """Give the replica's connection back to its pool, unless it is in use: threads share fewer than there are."""
    if not getattr(thread, "primary", None):
        connections[REPLICA].close()


@contextmanager
def stand_in() -> Iterator[None]:
    """Ask the replica in this thread, whoever asks the database."""
    thread.primary = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections[REPLICA]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS], thread.primary = thread.primary, None
        let_go()


@contextmanager
def on_primary() -> Iterator[None]:
    """Ask the primary all the same, for what is kept in the process: somebody else may have it from there already."""
    primary = getattr(thread, "primary", None)
    if primary is None:
        yield
        return
    connections[DEFAULT_DB_ALIAS], thread.primary = primary, None
    try:
        yield
    finally:
        thread.primary, connections[DEFAULT_DB_ALIAS] = primary, connections[REPLICA]
