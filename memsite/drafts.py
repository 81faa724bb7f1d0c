"""Files that are whole from the moment they have their names: written under another one, to the disk, then renamed."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from memsite.conf import get_conf

LOCK, DRAFT = ".lock", ".draft"


@contextmanager
def draft_in(folder: Path, *, wait: bool = False) -> Iterator[Path]:
    """A path to write to; whatever stands there or begins with its name is deleted in the end. One at a time.

    So is what a process left that was killed. Files there are for their owner only. BlockingIOError where somebody
    else writes there, unless it may `wait` for the end of that.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            drop_drafts(folder)
            yield folder / DRAFT
        finally:
            drop_drafts(folder)
    finally:
        os.close(lock)


def without_name() -> IO[bytes]:
    """A file that is gone when it is closed, in the data directory: where `manage.py setup` never ran, that is made."""
    folder = get_conf().data_dir
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return TemporaryFile(dir=folder)


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
