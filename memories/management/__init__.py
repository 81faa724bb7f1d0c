"""What goes wrong on a machine, said so that its owner knows what to do."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, connection

from memsite.config.conf import MANAGE, get_conf
from memsite.db.transactions import is_out_of_reach
from memsite.ops.storage_errors import Why, why_unwritable

SETUP = f"Run `{MANAGE} setup` first."
DATA_DIR_HINTS = {
    errno.EACCES: "Make it writable for this user or set MEMSITE_DATA_DIR to another directory.",
    errno.EPERM: "Make it writable for this user or set MEMSITE_DATA_DIR to another directory.",
    errno.EROFS: "It is on a read-only file system: set MEMSITE_DATA_DIR to another directory.",
    errno.ENOENT: "It cannot be made there: set MEMSITE_DATA_DIR to another directory.",
    errno.ENOTDIR: "A file is where a directory should be: set MEMSITE_DATA_DIR to another directory.",
    errno.EEXIST: "A file is where a directory should be: set MEMSITE_DATA_DIR to another directory.",
}
DISK_HINTS = {
    errno.ENOSPC: "The disk is full: free some space, then run this again. Nothing is lost.",
    errno.EDQUOT: "Your quota is used up: free some space, then run this again. Nothing is lost.",
}
DATABASE_HINTS = (
    # part of the database's message, what to do
    ("no such table", SETUP),
    ("no such column", SETUP),
    ("does not exist", SETUP),
    ("unable to open", f"`{MANAGE} setup` makes its directory, MEMSITE_DATA_DIR names it: is it writable?"),
    ("not a database", "Put a backup in its place, or move the file away to begin anew."),
    ("malformed", "Put a backup in its place, or move the file away to begin anew."),
    ("is locked", "Another program is writing to it: stop that one, or try again in a moment."),
)
UNWRITABLE_HINTS = {
    Why.FULL: DISK_HINTS[errno.ENOSPC],
    Why.READ_ONLY: "It is read-only: make it writable, then run this again. Nothing is lost.",
    Why.DAMAGED: f"`{MANAGE} verify --repair` makes it anew, then run this again. Nothing is lost.",
    Why.FAILING: "Look after its disk, or the quota on it, then run this again.",
}


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors of the disk and of the database into CommandErrors of one line."""
    try:
        yield
    except (OSError, DatabaseError) as error:
        raise CommandError(plain_message(error)) from error


def plain_message(error: Exception) -> str:
    """Return one line of what the disk or the database does not do."""
    if isinstance(error, OSError):
        return os_message(error)
    return database_message(error) if isinstance(error, DatabaseError) else str(error)


def os_message(error: OSError) -> str:
    path = error.filename
    hints = DATA_DIR_HINTS | DISK_HINTS if is_of_data_dir(path, error.errno) else DISK_HINTS
    reason = f"{path or 'The data directory'}: {error.strerror or error}."
    return " ".join(filter(None, [reason, hints.get(error.errno or 0)]))


def is_of_data_dir(path: Any, number: int | None) -> bool:
    """Return whether the data directory is what is wrong, rather than a file that was named on the command line."""
    if not isinstance(path, str | bytes | os.PathLike):
        return True
    place, folder = Path(os.fsdecode(path)).absolute(), get_conf().data_dir
    # What is missing inside of it was named: whatever of ours is not there, is made.
    return folder.is_relative_to(place) or (place.is_relative_to(folder) and number != errno.ENOENT)


def database_message(error: DatabaseError) -> str:
    # PostgreSQL goes on with the statement, and what is in it.
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    if why := why_unwritable(error):
        is_file = why == Why.READ_ONLY and connection.vendor == "sqlite"
        hint = DATA_DIR_HINTS[errno.EACCES] if is_file else UNWRITABLE_HINTS[why]
    else:
        # Of what does not exist there, nothing can be set up.
        hints = () if is_out_of_reach(error) else DATABASE_HINTS
        hint = next((hint for part, hint in hints if part in reason), "See MEMSITE_DATABASE_URL.")
    return f"The database {connection.settings_dict['NAME']} cannot be used: {reason}. {hint}"
