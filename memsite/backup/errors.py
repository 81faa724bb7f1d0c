"""What goes wrong with backups, in sentences for people."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

FULL = "The disk is full: free some space, then try again. The backups there are untouched."


class BackupError(Exception):
    """The text says what is wrong and what to do."""


@contextmanager
def plainly() -> Iterator[None]:
    """Errors of the disk become BackupErrors."""
    try:
        yield
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise BackupError(FULL if is_full else f"{error.filename or 'The disk'}: {error.strerror or error}.") from error
