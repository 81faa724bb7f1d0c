"""What goes wrong on a machine, said so that its owner knows what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import DatabaseError, connection

SETUP = "Run `manage.py setup` first."
OS_HINTS = {
    errno.EACCES: "Make it writable for this user or set MEMSITE_DATA_DIR to another directory.",
    errno.EPERM: "Make it writable for this user or set MEMSITE_DATA_DIR to another directory.",
    errno.EROFS: "It is on a read-only file system: set MEMSITE_DATA_DIR to another directory.",
    errno.ENOENT: "It cannot be made there: set MEMSITE_DATA_DIR to another directory.",
    errno.ENOTDIR: "A file is where a directory should be: set MEMSITE_DATA_DIR to another directory.",
    errno.EEXIST: "A file is where a directory should be: set MEMSITE_DATA_DIR to another directory.",
    errno.ENOSPC: "The disk is full: free some space, then run this again. Nothing is lost.",
    errno.EDQUOT: "Your quota is used up: free some space, then run this again. Nothing is lost.",
}
DATABASE_HINTS = (
    # part of the database's message, what to do
    ("no such table", SETUP),
    ("no such column", SETUP),
    ("does not exist", SETUP),
    ("disk is full", OS_HINTS[errno.ENOSPC]),
    ("readonly database", OS_HINTS[errno.EACCES]),
    ("unable to open", "`manage.py setup` makes its directory, MEMSITE_DATA_DIR names it: is it writable?"),
    ("not a database", "Put a backup in its place, or move the file away to begin anew."),
    ("malformed", "Put a backup in its place, or move the file away to begin anew."),
    ("is locked", "Another program is writing to it: stop that one, or try again in a moment."),
)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Errors of the disk and of the database become CommandErrors of one line."""
    try:
        yield
    except OSError as error:
        raise CommandError(os_message(error)) from error
    except DatabaseError as error:
        raise CommandError(database_message(error)) from error


def os_message(error: OSError) -> str:
    where = error.filename or "The data directory"
    return " ".join(filter(None, [f"{where}: {error.strerror or error}.", OS_HINTS.get(error.errno or 0)]))


def database_message(error: DatabaseError) -> str:
    text = str(error).strip()
    hint = next((hint for part, hint in DATABASE_HINTS if part in text), "See MEMSITE_DATABASE_URL.")
    return f"The database {connection.settings_dict['NAME']} cannot be used: {text}. {hint}"
