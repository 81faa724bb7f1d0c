"""The files of backups: drafts that nobody takes for a backup, names that only whole ones have, and rotation."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memsite.backup.errors import BackupError, plainly

LOCK, DRAFT = ".lock", ".draft"
BACKUP = re.compile(r"memsite-(\d{8})T\d{6}Z\.(?:sqlite3\.gz|pgdump)")


@contextmanager
def drafts_in(folder: Path) -> Iterator[Path]:
    """A path to write to; whatever stands there or begins with its name is deleted in the end. One at a time.

    So is what a process left that was killed. Files there are for their owner only.
    """
    with plainly():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        take(lock, folder)
        drop_drafts(folder)
        with plainly():
            yield folder / DRAFT
    finally:
        drop_drafts(folder)
        os.close(lock)


def take(lock: int, folder: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BackupError(f"Another backup is being made in {folder}.") from None


def drop_drafts(folder: Path) -> None:
    for draft in folder.glob(f"{DRAFT}*"):
        draft.unlink(missing_ok=True)


def private(path: Path) -> Path:
    """A new, empty file that only its owner may read."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def in_place(draft: Path, path: Path) -> Path:
    """Written to the disk, then renamed."""
    sync(draft)
    draft.replace(path)
    sync(path.parent)
    return path


def sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def rotate(folder: Path, keep: int) -> None:
    """Of the last `keep` days that have backups, the last of each is kept. Files of other names are left alone."""
    last_of_day: dict[str, Path] = {}
    backups = sorted(path for path in folder.iterdir() if BACKUP.fullmatch(path.name))
    for path in backups:
        last_of_day[path.name[:16]] = path
    kept = sorted(last_of_day.values())[-keep:]
    for path in backups:
        if path not in kept:
            path.unlink(missing_ok=True)
