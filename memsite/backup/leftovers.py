"""What a restore or a check unpacks: a whole copy of the database, which goes with whoever made it, killed or not."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

RESTORED, CHECKED = ".restore-", ".verify-"


@contextmanager
def unpacking_in(folder: Path) -> Iterator[None]:
    """As long as it lasts, what is unpacked there is in use. What those before it left goes first."""
    drop_left_in(folder)
    with held(folder, fcntl.LOCK_SH):
        yield


def drop_left_in(folder: Path) -> int:
    """Deletes what was left there by those who were killed; answers how much. Nothing while anybody unpacks there."""
    with suppress(BlockingIOError), held(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
        left = [path for name in (RESTORED, CHECKED) for path in folder.glob(f"{name}*")]
        for path in left:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        return len(left)
    return 0


@contextmanager
def held(folder: Path, how: int) -> Iterator[None]:
    """The lock is the folder's own, and gone with the process."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)
