"""Sweep the files of the database of what deleted rows leave behind in them.

SQLite overwrites what is deleted (`secure_delete`), and yet leaves it behind in three places: the log of last writes
(WAL), older segments of the full-text index, and unused parts of pages whose rows were moved to others. So the index is
merged, the database rewritten, and the log emptied.

The files in which the processes of a host share an app's index go first. What they tell is taken for true only while
the database says so, and what is forgotten or purged does not stay in them. Other hosts of a PostgreSQL look themselves
(`sweep_index_files`).
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path
from threading import Thread

import structlog
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from memories.models import Forgotten, Memory, Revision
from memories.models.fulltext import TABLE
from memsite.config.conf import get_conf
from memsite.db.transactions import sqlite_set
from memsite.db.versions import index_folder
from memsite.ops.files import About, draft_in, map_arrays, read_about
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.purge_residue import note_swept, residue
from memsite.tenancy.row_level_security import site_wide

log = structlog.get_logger("memories.store")
SUFFIX = ".index"
PAGES_AT_A_TIME = 500
REST = 20
"""Times as long as it took, the next sweep waits: it keeps writers waiting."""
READERS_MILLISECONDS = 500
FILES_EVERY = 60.0
MERGE = f"INSERT INTO {TABLE} ({TABLE}, rank) VALUES ('merge', %s)"  # noqa: S608  # our own name


def index_file_of(app_pk: int) -> Path | None:
    """Return the index file of an app, None where none are kept."""
    here = index_folder() if get_conf().keep_indexes else None
    return here / f"{app_pk}{SUFFIX}" if here else None


def evidence(app: App) -> About:
    """Return evidence by which a file is known again for one of this database.

    Not of a backup's that was put back since, not from before a migration.
    """
    latest = Revision.objects.for_app(app).order_by("-pk").values_list("pk", "created_at").first()
    revision = [latest[0], latest[1].isoformat()] if latest else None
    return {"app": app.pk, "migration": latest_migration(), "revision": revision}


def latest_migration() -> int | None:
    return MigrationRecorder(connection).migration_qs.order_by("-pk").values_list("pk", flat=True).first()


def is_current(about: About) -> bool:
    """Return whether what it says is of this database, and all of it is still there."""
    app = App.objects.filter(pk=about["app"], status=AppStatus.ACTIVE).first()
    if app is None or about["migration"] != latest_migration() or about["change_number"] > app.change_number:
        return False
    if about["revision"] is not None:
        pk, created_at = about["revision"]
        if not Revision.objects.for_app(app).filter(pk=pk, created_at=created_at).exists():
            return False
    # Whether a memory was forgotten, or is to be, after that change.
    gone = (Forgotten.objects.for_app(app), Memory.objects.going(app))
    return not any(rows.filter(change_number__gt=about["change_number"]).exists() for rows in gone)


def unreadable_index_files() -> list[int]:
    """Return pks of the apps whose files are damaged, 0 for a name without one. Reads all of them."""
    folder = index_folder()
    unreadable = []
    for path in sorted(folder.glob(f"*{SUFFIX}")) if folder else ():
        try:
            map_arrays(path)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError):
            unreadable.append(int(path.stem) if path.stem.isdecimal() else 0)
    return unreadable


def drop_stale_index_files() -> None:
    """Delete what tells of something that is gone or unreadable, and what a killed process left; or all.

    OSError where they cannot be deleted.
    """
    here = index_folder()
    if here is None or not here.exists():
        return
    with draft_in(here, wait=True):
        for path in here.glob(f"*{SUFFIX}"):
            try:
                is_good = get_conf().keep_indexes and is_current(read_about(path))
            except (OSError, ValueError, KeyError, TypeError) as error:
                log.warning("index_file_unreadable", file=path.name, error=str(error))
                is_good = False
            if not is_good:
                path.unlink(missing_ok=True)


def sweep_index_files() -> None:
    """Look through this host's files of a PostgreSQL every `FILES_EVERY` seconds, in the background.

    Who deletes, or sweeps the database, may do it on another host.
    """
    if connection.vendor == "postgresql":
        Thread(target=keep_sweeping, name="sweep-index-files", daemon=True).start()


def keep_sweeping() -> None:
    while True:
        try:
            drop_stale_index_files()
        except (OSError, DatabaseError) as error:
            log.warning("index_files_not_swept", error=str(error))
        finally:
            connection.close()
        time.sleep(FILES_EVERY)


@site_wide()
def sweep(now: datetime) -> bool:
    """Sweep if there is anything to do; return whether it is done. Inside of a transaction it cannot be done."""
    waiting = None if connection.in_atomic_block else residue()
    if waiting is None:
        return False
    rest = timedelta(seconds=REST * waiting.seconds)
    if waiting.swept_at is not None and waiting.swept_at <= now < waiting.swept_at + rest:
        return False
    started = time.monotonic()
    try:
        if connection.vendor == "sqlite":
            is_clean = sweep_sqlite()
        else:
            drop_stale_index_files()
            # Deleted rows make space for new ones, and are overwritten by them.
            with connection.cursor() as cursor:
                cursor.execute("VACUUM")
            is_clean = True
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


def sweep_sqlite() -> bool:
    """Sweep SQLite's files; not while somebody reads for long, a whole export say: it would all be kept in the log."""
    drop_stale_index_files()
    if not empty_log():
        return False
    merge_fulltext()
    with connection.cursor() as cursor:
        cursor.execute("SELECT page_count * page_size / 1048576.0 FROM pragma_page_count(), pragma_page_size()")
        if cursor.fetchone()[0] <= get_conf().rewrite_megabytes:
            # Make room for the copy on the disk, not in memory; writers wait meanwhile, readers do not.
            cursor.execute("PRAGMA temp_store=FILE")
            try:
                cursor.execute("VACUUM")
            finally:
                cursor.execute("PRAGMA temp_store=MEMORY")
    return empty_log()


def empty_log() -> bool:
    """Empty the log; return False if others read what was before its end.

    Who writes waits as long as this waits for them.
    """
    with sqlite_set(busy_timeout=READERS_MILLISECONDS), connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        is_busy, *_ = cursor.fetchone()
    return not is_busy


def merge_fulltext() -> None:
    """Merge all segments into one, which drops what was deleted.

    Some pages to a transaction, so that nobody waits long.
    """
    pages = -PAGES_AT_A_TIME  # Less than 0: all segments are to become one.
    while changes_of(pages) > 1:
        pages = PAGES_AT_A_TIME


def changes_of(pages: int) -> int:
    """Merge a step; return how many rows of the index it changes, 1 or none if there was nothing to do."""
    connection.ensure_connection()
    before = connection.connection.total_changes
    with connection.cursor() as cursor:
        cursor.execute(MERGE, [pages])
    return int(connection.connection.total_changes - before)
