"""Backups of PostgreSQL, by its own programs: pg_dump and pg_restore have to be installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import Any

import psycopg
from django.core.management.base import CommandError
from django.db import connection
from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo

from memsite.backup.errors import BackupError
from memsite.backup.files import backup_draft_in
from memsite.backup.versions import is_older
from memsite.conf import get_conf
from memsite.drafts import in_place, private
from memsite.tenancy import wall

SUFFIX = ".pgdump"
IN_USE = "The database is in use: stop the server, and whatever else is connected to it, then try again."
# The server's own workers come and go.
OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
LOOKS, LOOK_EVERY_SECONDS = 10, 0.2


def copy_to(draft: Path, now: datetime) -> dict[str, int]:
    """Writes the backup to `draft`; answers the rows by table. One snapshot, which holds up nobody."""
    dump(private(draft))
    return check(draft)[0]


def check(path: Path) -> tuple[dict[str, int], bool]:
    """Rows by table, and whether it is of an older version. Reads all of it. Raises BackupError."""
    rows: dict[str, int] = {}
    applied: set[tuple[str, str]] = set()
    for table, line in copied_rows(path):
        rows[table] = rows.get(table, 0) + bool(line)
        if table == "django_migrations" and line:
            applied.add((line.split("\t")[1], line.split("\t")[2]))
    return rows, is_older(applied)


def copied_rows(path: Path) -> Iterator[tuple[str, str]]:
    """(table, row) for each row in the dump, and (table, "") for each table."""
    command = [program("pg_restore"), "--data-only", "--file=-", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        table = ""
        for line in process.stdout or ():
            if table and line == "\\.\n":
                table = ""
            elif table:
                yield table, line.rstrip("\n")
            elif line.startswith("COPY "):
                table = line.split(" ")[1].rpartition(".")[2].strip('"')
                yield table, ""
        told = process.stderr.read() if process.stderr else ""
    if process.returncode:
        raise BackupError(f"{path.name} is damaged: {told.strip()[:300]}")


def restore(path: Path, stamp: str) -> tuple[dict[str, int], bool, Path | None]:
    """The same, and the file in which the database is kept as it was before."""
    rows, older = check(path)
    if is_in_use():
        raise BackupError(IN_USE)
    folder = get_conf().backups
    with backup_draft_in(folder) as draft:
        dump(private(draft))
        kept = in_place(draft, folder / f"before-{stamp}{SUFFIX}")
    how = ("--clean", "--if-exists", "--no-owner", "--no-acl", "--single-transaction")
    run("pg_restore", *how, "--dbname", address(), str(path))
    if not older:
        # Else `manage.py setup` does it, after the migrations that the wall is for.
        build_wall(kept)
    return rows, older, kept


def build_wall(kept: Path | None) -> None:
    try:
        wall.build()
    except CommandError as error:
        told = f"All is restored, and what was there is kept as {kept}. But one thing is left to do."
        raise BackupError(f"{told} {error}; then run `manage.py setup`.") from error


def dump(path: Path) -> None:
    """Without extensions (all but the one that is always there): who restores need not own them.

    And without grants: another server does not know the role of the second wall, which is built anew.
    """
    how = ("--format=custom", "--no-owner", "--no-acl", "--extension=plpgsql")
    run("pg_dump", *how, "--file", str(path), "--dbname", address())


def is_in_use() -> bool:
    """Asked by a connection of its own: the pool of this process may have made more than one by itself.

    Connections that were just closed are there for a moment still.
    """
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL has one
    with psycopg.connect(address(), password=password() or None, autocommit=True) as asking:
        for _ in range(LOOKS):
            found = asking.execute(OTHERS).fetchone()
            if found and not found[0]:
                return False
            sleep(LOOK_EVERY_SECONDS)
    return True


def run(name: str, *arguments: str) -> None:
    ended = subprocess.run(  # noqa: S603  # their own programs
        [program(name), *arguments], env=environment(), capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise BackupError(f"{name} failed: {ended.stderr.strip()[:300]}")


def program(name: str) -> str:
    found = shutil.which(name)
    if not found:
        raise BackupError(
            f"{name} is not installed here: install the PostgreSQL client programs of your server's version."
        )
    return found


def address() -> str:
    """How the programs find the database, with all that its URL says of the connection, but for the password."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()} - {"password"}
    params: dict[str, Any] = connection.get_connection_params()
    return make_conninfo(**{name: value for name, value in params.items() if name in known})


def environment() -> dict[str, str]:
    """With the password, which never stands in a command line."""
    return {**os.environ, **({"PGPASSWORD": password()} if password() else {})}


def password() -> str:
    return str(connection.settings_dict.get("PASSWORD") or "")
