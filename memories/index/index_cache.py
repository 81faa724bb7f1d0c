"""Keep an app's index in a file that the processes of a host share: mapped into their memory, not read.

Written in the background when most of an index had to be read from the database; then whoever has read it maps it, too.
Since then the app may have changed: what is found here is refreshed as any index is. Of what is gone, nothing is found
here (`memories.store.vacuum`).
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread

import structlog
from django.db import DatabaseError, connection

from memories.index.columns import CHANGED, ORIGINS, TIMES, TONES, Columns
from memories.language import surface
from memories.store.vacuum import evidence, index_file_of, is_current
from memsite.ops.files import About, draft_in, in_place, map_arrays, private, read_about, write_arrays
from memsite.tenancy.models import App

LEAST_ROWS = 10_000
"""Smaller ones are read within a fifth of a second."""
STALE = 0.1
"""If more than this share of the rows had to be read after all, it is written anew."""
MOST_OF_FREE = 0.25
"""Of what is free on the disk, so much at most: it is the database's."""
WHAT_COUNTS = (2, surface.EDITION, CHANGED, TIMES, ORIGINS, TONES)
MEANING = hashlib.sha256(repr(WHAT_COUNTS).encode()).hexdigest()[:16]
"""What is in the columns. Raise the number when `columns.fill` makes something else of the same rows."""
log = structlog.get_logger("memories.retrieve")


@dataclass(frozen=True, slots=True)
class IndexKey:
    """Name an index of an app: `number` is the app's. It may be without vectors, which are `away`."""

    app_pk: int
    model: str
    dim: int
    number: int
    away: bool = False

    def described(self) -> About:
        return {**asdict(self), "app": self.app_pk, "meaning": MEANING}


@dataclass(frozen=True, slots=True)
class IndexState:
    """Hold columns with capacity, of which `size` rows are in use, as of that change; and the texts of the codes."""

    columns: Columns
    size: int
    change_number: int
    users: list[str]
    subjects: list[str]


def read_index(kind: IndexKey) -> IndexState | None:
    """Return the cached index; None if there is none that can be used: then the database has to be read."""
    path = index_file_of(kind.app_pk)
    if path is None:
        return None
    try:
        about, arrays = map_arrays(path)
        if not kind.described().items() <= about.items() or not is_current(about):
            return None
        columns = Columns(**arrays)
        size, change_number, users, subjects = (about[name] for name in ("size", "change_number", "users", "subjects"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("index_file_unreadable", file=path.name, error=str(error))
        with suppress(OSError):
            # Else it would be in the way of the one that is written next.
            path.unlink()
        return None
    return IndexState(columns, size, change_number, users, subjects)


def write_in_background(kind: IndexKey, state: IndexState, share: Callable[[], None]) -> None:
    """Write the index, and `share` it then, in a thread of its own: nobody waits for it."""
    if state.size < LEAST_ROWS or index_file_of(kind.app_pk) is None:
        return
    try:
        Thread(target=write_and_close, args=(kind, state, share), name="keep-index", daemon=True).start()
    except RuntimeError as error:
        log.warning("index_not_kept", error=str(error))


def write_and_close(kind: IndexKey, state: IndexState, share: Callable[[], None]) -> None:
    try:
        write_index(kind, state)
        share()
    except (OSError, DatabaseError) as error:
        log.warning("index_not_kept", error=str(error))
    finally:
        connection.close()


def write_index(kind: IndexKey, state: IndexState) -> None:
    """Write the index, one of all processes at a time; not over a newer one, nor on a disk that is nearly full.

    Nor if something was forgotten since the rows were read: the sweep that follows may have passed. One that comes
    later waits until the file has its name, and deletes it.
    """
    path, app, started = index_file_of(kind.app_pk), App.objects.filter(pk=kind.app_pk).first(), time.monotonic()
    # An app may be gone by now.
    if path is None or app is None:
        return
    columns = {name: getattr(state.columns, name)[: state.size] for name in Columns.__slots__}
    content = {
        "size": state.size,
        "change_number": state.change_number,
        "users": state.users,
        "subjects": state.subjects,
    }
    about = {**kind.described(), **evidence(app), **content}
    with draft_in(path.parent, wait=True) as draft:
        # A few changes more are no reason for another copy: others may have mapped this one.
        if is_there(path, kind, state.change_number - int(STALE * state.size)):
            return
        taken, free = sum(column.nbytes for column in columns.values()), shutil.disk_usage(path.parent).free
        if taken > MOST_OF_FREE * free:
            log.warning("index_not_kept", app=app.app_id, error="The disk is nearly full.")
            return
        with private(draft).open("r+b") as file:
            write_arrays(file, about, columns, len(state.columns.pk))
        if not is_current(about):
            return
        in_place(draft, path)
    seconds = round(time.monotonic() - started, 2)
    log.info("index_kept", app=app.app_id, rows=state.size, megabytes=round(taken / 1e6), seconds=seconds)


def is_there(path: Path, kind: IndexKey, change_number: int) -> bool:
    try:
        about = read_about(path)
    except (OSError, ValueError):
        return False
    return kind.described().items() <= about.items() and about["change_number"] >= change_number and is_current(about)
