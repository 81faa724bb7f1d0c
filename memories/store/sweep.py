"""Sweeps the files of the database of what deleted rows leave behind in them.

SQLite overwrites what is deleted (`secure_delete`), and yet leaves it behind in three places: the log of last writes
(WAL), older segments of the full-text index, and unused parts of pages whose rows were moved to others. So the index is
merged, the database rewritten, and the log emptied. What processes keep of indexes beside it goes first.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

import structlog
from django.db import OperationalError, connection

from memories.models.fulltext import TABLE
from memories.store.index_files import drop_stale_index_files
from memsite.config.conf import get_conf
from memsite.db.transactions import sqlite_set
from memsite.tenancy.purge_residue import Residue, note_swept, residue
from memsite.tenancy.row_level_security import site_wide

log = structlog.get_logger("memories.store")
PAGES_AT_A_TIME = 500
REST = 20
"""Times as long as it took, the next sweep waits: it keeps writers waiting."""
READERS_MILLISECONDS = 500
MERGE = f"INSERT INTO {TABLE} ({TABLE}, rank) VALUES ('merge', %s)"  # noqa: S608  # our own name


@site_wide()
def sweep(now: datetime) -> bool:
    """Whether there was anything to do, and it is done. Inside of a transaction it cannot be done."""
    waiting = None if connection.in_atomic_block else residue()
    if waiting is None or is_resting(waiting, now):
        return False
    started = time.monotonic()
    try:
        is_clean = sweep_sqlite() if connection.vendor == "sqlite" else sweep_postgres()
    except (OperationalError, OSError) as error:
        log.warning("not_swept", error=str(error))
        return False
    seconds = time.monotonic() - started
    if not is_clean:
        log.warning("not_swept", error="others are reading", seconds=round(seconds, 2))
        return False
    note_swept(waiting, now, seconds)
    log.info("swept", seconds=round(seconds, 2))
    return True


def is_resting(waiting: Residue, now: datetime) -> bool:
    rest = timedelta(seconds=REST * waiting.seconds)
    return waiting.swept_at is not None and waiting.swept_at <= now < waiting.swept_at + rest


def sweep_sqlite() -> bool:
    """Nothing is rewritten while somebody reads for long, a whole export or move: it would all be kept in the log."""
    drop_stale_index_files()
    if not empty_log():
        return False
    merge_fulltext()
    if size_megabytes() <= get_conf().rewrite_megabytes:
        rewrite()
    return empty_log()


def empty_log() -> bool:
    """False if others read what was before its end. Who writes waits as long as this waits for them."""
    with sqlite_set(busy_timeout=READERS_MILLISECONDS), connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        is_busy, *_ = cursor.fetchone()
    return not is_busy


def merge_fulltext() -> None:
    """All segments into one, which drops what was deleted: some pages to a transaction, so that nobody waits long."""
    pages = -PAGES_AT_A_TIME  # Less than 0: all segments are to become one.
    while changes_of(pages) > 1:
        pages = PAGES_AT_A_TIME


def changes_of(pages: int) -> int:
    """How many rows of the index a step of merging changes; 1 or none if there was nothing to do."""
    connection.ensure_connection()
    before = connection.connection.total_changes
    with connection.cursor() as cursor:
        cursor.execute(MERGE, [pages])
    return int(connection.connection.total_changes - before)


def size_megabytes() -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT page_count * page_size / 1048576.0 FROM pragma_page_count(), pragma_page_size()")
        return float(cursor.fetchone()[0])


def rewrite() -> None:
    """Makes room for the copy on the disk, not in memory; writers wait meanwhile, readers do not."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA temp_store=FILE")
        try:
            cursor.execute("VACUUM")
        finally:
            cursor.execute("PRAGMA temp_store=MEMORY")


def sweep_postgres() -> bool:
    """Deleted rows make room for new ones, and are overwritten by them."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    return True
