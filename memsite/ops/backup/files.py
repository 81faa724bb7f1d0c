"""The files of backups: drafts that nobody takes for a backup, names that only whole ones have, and rotation."""

from __future__ import annotations

import errno
import re
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from memsite.db.versions import standing
from memsite.ops.files import draft_in
from memsite.tenancy.models import App

FULL = "The disk is full: free some space, then try again. The backups there are untouched."


class BackupError(Exception):
    """The text says what is wrong and what to do."""


@contextmanager
def plainly() -> Iterator[None]:
    """Turn errors of the disk into BackupErrors."""
    try:
        yield
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise BackupError(FULL if is_full else f"{error.filename or 'The disk'}: {error.strerror or error}.") from error


BACKUP = re.compile(r"memsite-(\d{8})T\d{6}Z\.(?:sqlite3\.gz|pgdump)")


@contextmanager
def backup_draft_in(folder: Path) -> Iterator[Path]:
    """Yield a draft in there. Raises BackupError, also where another backup is being made."""
    with plainly(), ExitStack() as stack:
        try:
            draft = stack.enter_context(draft_in(folder))
        except BlockingIOError:
            raise BackupError(f"Another backup is being made in {folder}.") from None
        yield draft


def rotate(folder: Path, keep: int) -> None:
    """Keep, of the last `keep` days that have backups, the last of each. Files of other names are left alone."""
    last_of_day: dict[str, Path] = {}
    backups = sorted(path for path in folder.iterdir() if BACKUP.fullmatch(path.name))
    for path in backups:
        last_of_day[path.name[:16]] = path
    newest = sorted(last_of_day.values())[-keep:]
    for path in backups:
        if path not in newest:
            path.unlink(missing_ok=True)


def is_older(applied: Collection[tuple[str, str]]) -> bool:
    """Return whether migrations are to be applied. Raises BackupError if this code has no way on from there."""
    if App._meta.app_label not in {app for app, _ in applied}:
        raise BackupError("It holds nothing of Memsite.")
    version = standing(applied)
    if version.unknown:
        raise BackupError(
            "It is of a newer version, or of one from before 0.1.0. Its migrations are unknown to this version: "
            f"{', '.join(version.unknown)}."
        )
    return version.is_older
