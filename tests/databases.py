"""The migrated database: made once per version of its models, then copied for each process and each server."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import fasteners
import psycopg
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from memsite.tenancy import row_level_security
from tests.settings import database_url, has_row_security
from tools.partitioned import split_by_app

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".pytest_cache" / "d" / "databases"
"""Shared by the processes of this run and by later runs."""
PATIENCE_SECONDS = 60
SOURCES = ("memsite", "memories", "sessions")
PARTITIONS = int(os.environ.get("TEST_PARTITIONS", "0"))
"""Of the tables of memories and vectors, on PostgreSQL (`tools.partitioned`)."""
OF_WHOLE_TABLES = {
    "test_the_least_worthy_are_still_found_by_their_index": "a partition's index has another name",
    "test_what_runs_out_is_found_by_an_index": "a partition's index has another name",
    "test_the_shortlist_comes_from_its_index": "a partition's index has another name",
    "test_the_few_changes_of_an_app_are_not_taken_for_the_many_of_a_larger_one": "a partition's plan has another name",
    "test_words_in_postgres": "an index of all partitions is not made anew beside them",
    "test_what_is_there_already_is_written_over": "it writes over rows without their app",
    "test_one_of_an_older_version_is_put_back_where_there_are_later_tables": "a migration makes empty partitions anew",
    "test_every_column_that_names_an_app_is_known": "it lists the tables",
    "test_a_body_that_comes_late_leaves_a_connection_that_can_be_used": "another process does not name the app",
    "test_others_are_answered_while_many_stream": "another process does not name the app",
    "test_each_answer_is_of_now": "another process does not name the app",
    "test_what_is_at_odds_is_told_at_once": "another process does not name the app",
    "test_copies_answer_as_the_tables_do": "it makes partitions itself",
}
"""Tests that are left out where the tables are partitioned, and why."""


def migrate_once() -> Callable[..., Any]:
    """Return what Django calls for its commands while it makes a test database: `migrate` copies where it can."""
    FOLDER.mkdir(parents=True, exist_ok=True)

    def call(name: str, *arguments: Any, **options: Any) -> Any:
        if name != "migrate":
            return call_command(name, *arguments, **options)
        with fasteners.InterProcessLock(FOLDER / "lock"):
            if connection.vendor == "sqlite":
                migrate_sqlite(sqlite_template(), *arguments, **options)
            else:
                migrate_postgres(template_name(row_security=has_row_security), *arguments, **options)
        return None

    return call


@cache
def models_version() -> str:
    """Return a digest of what decides about tables: models, migrations, what runs after them, and the packages."""
    files = [path for name in SOURCES for path in (ROOT / name).rglob("*.py") if decides_tables(path)]
    digest = sha256((ROOT / "requirements" / "dev.lock").read_bytes())
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def decides_tables(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(word in text for word in ("models.Model", "migrations", "post_migrate", "RunSQL", "CREATE "))


def migrate_sqlite(template: Path, *arguments: Any, **options: Any) -> None:
    if template.exists():
        source = sqlite3.connect(template)
        connection.ensure_connection()
        source.backup(connection.connection)
        source.close()
        return
    call_command("migrate", *arguments, **options)
    for outdated in template.parent.glob("migrated-*"):
        outdated.unlink()
    unfinished = template.with_suffix(f".{token_hex(8)}")
    copy = sqlite3.connect(unfinished)
    connection.connection.backup(copy)
    copy.close()
    unfinished.replace(template)


def copy_test_database(path: Path) -> bool:
    """Copy the migrated database into a file. Return False where it is no SQLite, or has not been made yet."""
    template = sqlite_template()
    if connection.vendor != "sqlite" or not template.exists():
        return False
    copyfile(template, path)
    return True


def sqlite_template() -> Path:
    return FOLDER / f"migrated-{models_version()}.sqlite3"


def template_name(*, row_security: bool) -> str:
    return f"migrated_{models_version()}{'_walled' if row_security else ''}"


def migrate_postgres(template: str, *arguments: Any, **options: Any) -> None:
    own = connection.settings_dict["NAME"]
    leave_database()
    if has_database(template):
        run_sql(sql.SQL("DROP DATABASE {}").format(sql.Identifier(own)))
        copy_database(template, own)
        return
    call_command("migrate", *arguments, **options)
    if PARTITIONS:
        with connection.cursor() as cursor:
            split_by_app(cursor, PARTITIONS)
        row_level_security.build()
    leave_database()
    copy_database(own, template)


def flush(name: str, **options: Any) -> Any:
    """Do what Django calls after a test with transactions of its own: on PostgreSQL only tables with rows are emptied.

    Content types and permissions stay, so that nothing of what follows a migration has to run again.
    """
    if connection.vendor == "sqlite":
        return call_command(name, **options)
    existing = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [table for table in existing if table not in {"django_content_type", "auth_permission"}]
    selects = [f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in tables]  # noqa: S608  # our own
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(selects))
        used = [table for (table,) in cursor.fetchall()]
    if used:
        statements = connection.ops.sql_flush(no_style(), used, reset_sequences=False, allow_cascade=True)
        connection.ops.execute_sql_flush(statements)
    return None


def leave_database() -> None:
    """A database that somebody is connected to, from a pool or not, is neither dropped nor copied."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's


def has_database(name: str) -> bool:
    with psycopg.connect(database_url, autocommit=True) as server:
        return bool(server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone())


def run_sql(statement: sql.Composed) -> None:
    with psycopg.connect(database_url, autocommit=True) as server:
        server.execute(statement)


def drop_test_database(_: object, name: str, verbosity: int) -> None:
    """Drop it whoever is connected: a pool may be making a connection anew that a test has closed."""
    run_sql(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def copy_database(source: str, name: str) -> None:
    """Whoever has just left the source may still be leaving: PostgreSQL waits 5 seconds for that, we longer."""
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(source))
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return run_sql(statement)
        except psycopg.errors.ObjectInUse:
            if time.monotonic() > until:
                raise


def database_like_the_tests(name: str) -> str:
    """Make a database of this name, migrated, on the tests' PostgreSQL. Return its address."""
    template = template_name(row_security=False)
    with fasteners.InterProcessLock(Path(connection.settings_dict["HOST"]) / "templates.lock"):
        if not has_database(template):
            migrate_in_process(template)
    copy_database(template, name)
    return address_of(name)


def migrate_in_process(template: str) -> None:
    """Make the template as a server of its own would: without what these tests have changed of the settings."""
    name = f"unfinished_{token_hex(8)}"
    run_sql(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    others = {key: value for key, value in os.environ.items() if not key.startswith(("MEMSITE_", "DJANGO_"))}
    environment = {**others, "MEMSITE_SECRET_KEY": "only for tests", "MEMSITE_DATABASE_URL": address_of(name)}
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)  # noqa: S603
    run_sql(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(template)))


def address_of(name: str) -> str:
    return urlsplit(database_url)._replace(path=f"/{name}").geturl()


@contextmanager
def replica_of(address: str) -> Iterator[str]:
    """Yield the folder with the socket of a new server that follows the one at this address, on a socket as well."""
    of_server = socket_folder_of(address).stat()
    # It is as little root as that one.
    user = {"user": of_server.st_uid, "group": of_server.st_gid} if os.geteuid() == 0 else {}
    with TemporaryDirectory(prefix="memsite-replica-") as folder:
        os.chown(folder, of_server.st_uid, of_server.st_gid)
        data = f"{folder}/data"
        copy = ["pg_basebackup", "--dbname", address, "--pgdata", data, "--write-recovery-conf", "--checkpoint=fast"]
        control = ["pg_ctl", "--pgdata", data, "--wait", "--silent", "--log", f"{folder}/log"]
        start, stop = ["--options", f"-h '' -k {folder}", "start"], ["--mode=immediate", "stop"]
        subprocess.run(copy, check=True, stderr=subprocess.DEVNULL, **user)  # noqa: S603
        subprocess.run([*control, *start], check=True, **user)  # noqa: S603
        try:
            yield folder
        finally:
            subprocess.run([*control, *stop], check=True, **user)  # noqa: S603


def socket_folder_of(address: str) -> Path:
    return Path(str(conninfo_to_dict(address)["host"]))
