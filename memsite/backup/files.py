"""The files of backups: drafts that nobody takes for a backup, names that only whole ones have, and rotation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from memsite.backup.errors import BackupError, plainly
from memsite.drafts import draft_in

BACKUP = re.compile(r"memsite-(\d{8})T\d{6}Z\.(?:sqlite3\.gz|pgdump)")


@contextmanager
def backup_draft_in(folder: Path) -> Iterator[Path]:
    """A draft in there. Raises BackupError, also where another backup is being made."""
    with plainly(), ExitStack() as stack:
        try:
            draft = stack.enter_context(draft_in(folder))
        except BlockingIOError:
            raise BackupError(f"Another backup is being made in {folder}.") from None
        yield draft


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
