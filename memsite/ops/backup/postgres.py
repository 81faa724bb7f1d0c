"""Backups of PostgreSQL, by its own programs: pg_dump, pg_restore and psql have to be installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from time import sleep
from typing import Any

import psycopg
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo
from psycopg.rows import TupleRow

from memsite.config.conf import MANAGE, get_conf
from memsite.ops.backup.files import BackupError, backup_draft_in, is_older, plainly
from memsite.ops.files import in_place, private
from memsite.tenancy import row_level_security

SUFFIX = ".pgdump"
NEAR, ROLE_FUNCTION = "memories_near", "memsite_walled_app"
"""Made without a migration: pgvector's copies, and what the second wall asks."""
PGVECTOR = "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;"
"""Dumps hold no extensions, and each site has made this one that could."""
NO_COPIES = "UPDATE public.tenancy_app SET near_model = '' WHERE near_model <> '';"
"""What pgvector has are copies: without them each process searches what they were made of."""
IN_USE = "The database is in use: stop the server, and whatever else is connected to it, then try again."
# The server's own workers come and go.
OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
LOOKS, LOOK_EVERY_SECONDS = 10, 0.2


def copy_to(draft: Path, now: datetime, look: object = None) -> tuple[dict[str, int], dict[str, Any]]:
    """Write the backup to `draft`; answers the rows by table. One snapshot, which holds up nobody.

    Nobody can `look` into a dump: words are indexed anew when it is put back, and vectors are looked at there.
    """
    dump(private(draft))
    return check(draft)[0], {}


def check(path: Path, look: object = None) -> tuple[dict[str, int], bool, dict[str, Any]]:
    """Read all of it; return rows by table, and whether it is of an older version. Raises BackupError."""
    with plainly():
        # What is not there is not damaged.
        path.open("rb").close()
    rows: dict[str, int] = {}
    applied: set[tuple[str, str]] = set()
    for table, line in copied_rows(path):
        rows[table] = rows.get(table, 0) + bool(line)
        if table == "django_migrations" and line:
            applied.add((line.split("\t")[1], line.split("\t")[2]))
    return rows, is_older(applied), {}


def copied_rows(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (table, row) for each row in the dump, and (table, "") for each table."""
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
        errors = process.stderr.read() if process.stderr else ""
    if process.returncode:
        raise BackupError(f"{path.name} is damaged: {errors.strip()[:300]}")


def restore(path: Path, stamp: str) -> tuple[dict[str, int], bool, Path | None, bool]:
    """Restore; return the rows, the file with the database before, and whether pgvector's copies are left out."""
    rows, older, _ = check(path)
    if is_in_use():
        raise BackupError(IN_USE)
    folder = get_conf().backups
    with backup_draft_in(folder) as draft:
        dump(private(draft))
        saved_as = in_place(draft, folder / f"before-{stamp}{SUFFIX}")
    left_out = NEAR in rows and not has_pgvector()
    if left_out:
        listed = run("pg_restore", "--list", str(path)).splitlines()
        with NamedTemporaryFile("w", suffix=".list") as chosen:
            chosen.write("\n".join(line for line in listed if NEAR not in line))
            chosen.flush()
            put_back(path, f"--use-list={chosen.name}", last=NO_COPIES)
    else:
        put_back(path, first=PGVECTOR if NEAR in rows else "")
    if not older:
        # Else `manage.py setup` does it, after the migrations that the wall is for.
        try:
            row_level_security.build()
        except CommandError as error:
            problem = f"All is restored, and what was there is kept as {saved_as}. But one thing is left to do."
            raise BackupError(f"{problem} {error}; then run `{MANAGE} setup`.") from error
    return rows, older, saved_as, left_out


def has_pgvector() -> bool:
    """Return whether the server has it, new enough, and this user may make it, or somebody has: tried, and undone."""
    with reached() as asking, suppress(psycopg.Error), asking.transaction(force_rollback=True):
        asking.execute(PGVECTOR)
        asking.execute("SELECT NULL::public.halfvec")
        return True
    return False


def put_back(path: Path, *which: str, first: str = "", last: str = "") -> None:
    """Restore all or nothing: whatever ends it before the last statement has undone it.

    What the dump knows nothing of, such as the tables of a later version, goes first: it may stand on what is replaced.
    `first` and `last` are SQL before and behind the dump; `which` of it, is told to `pg_restore`.
    """
    how = ("--clean", "--if-exists", "--no-owner", "--no-acl", "--file=-", *which)
    into = (
        "--no-psqlrc",
        "--quiet",
        "--set=ON_ERROR_STOP=1",
        "--output",
        os.devnull,
        "--dbname",
        address(),
        "--file=-",
    )
    with (
        TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603  # their own programs
            [program("psql"), *into], stdin=subprocess.PIPE, stderr=errors, env=environment()
        ) as writer,
        subprocess.Popen([program("pg_restore"), *how, str(path)], stdout=subprocess.PIPE, stderr=errors) as reader,  # noqa: S603
    ):
        assert writer.stdin is not None
        assert reader.stdout is not None
        # A statement that failed has closed the pipe; what it says is told below.
        with suppress(BrokenPipeError), writer.stdin:
            writer.stdin.write(f"BEGIN; {leaving()} {first}\n".encode())
            shutil.copyfileobj(reader.stdout, writer.stdin)
            if reader.wait() == 0:
                writer.stdin.write(f"\n{last} COMMIT;\n".encode())
        reader.stdout.close()
        if writer.wait() or reader.wait():
            errors.seek(0)
            raise BackupError(f"pg_restore failed: {errors.read().decode(errors='replace').strip()[:300]}")


def leaving() -> str:
    """Drop all tables of ours that there are, with what hangs on them, and the functions of the second wall."""
    with connection.cursor() as cursor:
        there = {table.name for table in connection.introspection.get_table_list(cursor)}
    connection.close()
    ours = {*connection.introspection.django_table_names(), MigrationRecorder.Migration._meta.db_table, NEAR}
    quoted = ", ".join(map(connection.ops.quote_name, sorted(there & ours)))
    tables = f"DROP TABLE IF EXISTS {quoted} CASCADE;" if quoted else ""
    return f"SET client_min_messages TO error; {tables} DROP FUNCTION IF EXISTS {ROLE_FUNCTION}() CASCADE;"


def dump(path: Path) -> None:
    """Dump without extensions (all but the one that is always there): who restores need not own them.

    And without grants: another server does not know the role of the second wall, which is built anew.
    """
    how = ("--format=custom", "--no-owner", "--no-acl", "--extension=plpgsql")
    run("pg_dump", *how, "--file", str(path), "--dbname", address())


def is_in_use() -> bool:
    """Ask by a connection of its own: the pool of this process may have made more than one by itself.

    Connections that were just closed are there for a moment still.
    """
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL has one
    with reached() as asking:
        for _ in range(LOOKS):
            row = asking.execute(OTHERS).fetchone()
            if row and not row[0]:
                return False
            sleep(LOOK_EVERY_SECONDS)
    return True


def reached() -> psycopg.Connection[TupleRow]:
    try:
        return psycopg.connect(address(), password=password() or None, autocommit=True)
    except psycopg.OperationalError as error:
        reason, *_ = str(error).splitlines()
        raise BackupError(f"The database cannot be used: {reason}. See MEMSITE_DATABASE_URL.") from error


def run(name: str, *arguments: str) -> str:
    """Return what it says."""
    ended = subprocess.run(  # noqa: S603  # their own programs
        [program(name), *arguments], env=environment(), capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise BackupError(f"{name} failed: {ended.stderr.strip()[:300]}")
    return ended.stdout


def program(name: str) -> str:
    path = shutil.which(name)
    if not path:
        raise BackupError(
            f"{name} is not installed here: install the PostgreSQL client programs of your server's version."
        )
    return path


def address() -> str:
    """Return how the programs find the database, with all that its URL says of the connection, but for the password."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()} - {"password"}
    params: dict[str, Any] = connection.get_connection_params()
    return make_conninfo(**{name: value for name, value in params.items() if name in known})


def environment() -> dict[str, str]:
    """Return the environment with the password, which never stands in a command line."""
    return {**os.environ, **({"PGPASSWORD": password()} if password() else {})}


def password() -> str:
    return str(connection.settings_dict.get("PASSWORD") or "")
