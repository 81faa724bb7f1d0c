"""Backups of PostgreSQL: by its own programs, through the same commands."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import ConnectionHandler
from django.test import override_settings

from memsite.config.conf import Conf, get_conf
from memsite.config.settings import database
from memsite.ops.backup import postgres
from memsite.tenancy.row_level_security import ROLE
from tests.caches import clear_caches
from tests.databases import address_of, copy_database, database_like_the_tests
from tests.memsite import managing
from tests.memsite.managing import instead_of_the_database
from tests.memsite.test_moving import PROGRAM
from tests.serving import ROOT

pytestmark = pytest.mark.postgres("SQLite's are made another way")
Manage = Callable[..., subprocess.CompletedProcess[str]]
MEMORIES = "SELECT content FROM memories_memory ORDER BY id"
STAYS = "stays"
"""Who is called so is not waited for."""
CONNECTED = "SELECT 1 FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"
PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> str:
    """The name of a database with some of everything in it. Each test has a copy."""
    name = f"furnished_{token_hex(4)}"
    url, output = database_like_the_tests(name), StringIO()
    conf = replace(get_conf(), data_dir=tmp_path_factory.mktemp("furnished"), database_url=url, row_security=False)
    with django_db_blocker.unblock(), site_of(conf), pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
        patch.setattr("django.setup", lambda: None)
        patch.setattr(sys, "path", [*sys.path])
        patch.setenv("DJANGO_SETTINGS_MODULE", os.environ["DJANGO_SETTINGS_MODULE"])
        runpy.run_path(str(PROGRAM))
    assert json.loads(output.getvalue().splitlines()[-1])["memories"]["results"]
    wait_until_left(url)
    return name


@pytest.fixture
def url(furnished: str) -> str:
    name = f"backed_up_{token_hex(4)}"
    copy_database(furnished, name)
    return address_of(name)


@contextmanager
def site_of(conf: Conf) -> Iterator[None]:
    """This process is one of the site that has these settings, and leaves its database at the end."""
    own = ConnectionHandler({"default": database(conf)})["default"]
    static = conf.data_dir / "static"
    static.mkdir(exist_ok=True)
    with (
        pytest.MonkeyPatch.context() as patch,
        override_settings(MEMSITE=conf, STATIC_ROOT=static, STATICFILES_FINDERS=[]),
        instead_of_the_database(own),
    ):
        # Pools are the class's, by alias: that of the tests stays as it is.
        patch.setattr(type(own), "_connection_pools", {})
        clear_caches()
        try:
            yield
        finally:
            own.close()
            own.close_pool()
            ContentType.objects.clear_cache()
            clear_caches()


@pytest.fixture
def manage(url: str, tmp_path: Path, django_db_blocker: Any) -> Manage:
    """A command on the site, in this process: loading all of it takes longer than any of them."""

    def run(*command: str, **more: Any) -> subprocess.CompletedProcess[str]:
        conf = replace(get_conf(), **{"data_dir": tmp_path, "database_url": url, "row_security": False, **more})
        out, err = StringIO(), StringIO()
        with django_db_blocker.unblock(), site_of(conf), redirect_stdout(out), redirect_stderr(err):
            ended = managing.manage(*command)
        code, last = (1, ended) if isinstance(ended, str) else (ended or 0, "")
        wait_until_left(conf.database_url, but=STAYS)
        return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue() + last)

    return run


@pytest.fixture
def program(url: str, tmp_path: Path) -> Manage:
    """A command on the site, as people run it: in a process of its own, which reads its settings and can be killed."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    own = {"MEMSITE_DATA_DIR": str(tmp_path), "MEMSITE_EMBEDDER": "hash", "MEMSITE_SECRET_KEY": "x"}
    environment = {**others, **own, "MEMSITE_DATABASE_URL": url}

    def run(*command: str, **more: str) -> subprocess.CompletedProcess[str]:
        called = [sys.executable, "manage.py", *command]
        done = subprocess.run(called, cwd=ROOT, env=environment | more, capture_output=True, text=True, check=False)  # noqa: S603
        wait_until_left(url)
        return done

    return run


def ask(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        cursor = connection.execute(statement)  # type: ignore[arg-type]
        results = cursor.fetchall() if cursor.description else []
    wait_until_left(url)
    return results


def wait_until_left(url: str, but: str = "") -> None:
    """Nobody is connected any more: a server is told of it late, and `restore` waits for two seconds only."""
    until = time.monotonic() + PATIENCE_SECONDS
    others = f"{CONNECTED} AND application_name <> %s"
    with psycopg.connect(os.environ["TEST_DATABASE_URL"], autocommit=True) as server:
        while server.execute(others, [urlsplit(url).path[1:], but]).fetchall():
            assert time.monotonic() < until, "somebody is still connected"
            time.sleep(0.05)


def newest(folder: Path) -> Path:
    return max((folder / "backups").glob("memsite-*"))


def test_it_is_made_checked_and_put_back_while_nobody_is_connected(
    manage: Manage, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask(url, MEMORIES)
    made = manage("backup")
    assert made.returncode == 0, made.stderr
    backup = newest(tmp_path)
    assert backup.stat().st_mode & 0o777 == 0o600
    assert "is whole" in manage("verify", str(backup)).stdout
    ask(url, "UPDATE memories_memory SET content = 'Written later'")
    with psycopg.connect(url, application_name=STAYS), monkeypatch.context() as hurried:
        hurried.setattr(postgres, "LOOK_EVERY_SECONDS", 0.01)
        assert "stop the server" in manage("restore", str(backup)).stderr
    wait_until_left(url)
    restored = manage("restore", str(backup))
    assert restored.returncode == 0, restored.stderr
    assert ask(url, MEMORIES) == before
    (stored,) = (tmp_path / "backups").glob("before-*")
    # What another restore keeps in the same second has the same name.
    stored = stored.rename(tmp_path / stored.name)
    assert manage("restore", str(stored)).returncode == 0
    assert {content for (content,) in ask(url, MEMORIES)} == {"Written later"}


def test_a_database_that_is_not_of_memsite_is_no_backup(manage: Manage, url: str, tmp_path: Path) -> None:
    ask(url, "DROP TABLE tenancy_app CASCADE")
    refused = manage("backup")
    assert refused.returncode == 1
    assert "holds nothing of Memsite" in refused.stderr
    assert not (tmp_path / "backups").exists()


def test_a_backup_of_an_empty_database_is_not_whole(url: str, manage: Manage, tmp_path: Path) -> None:
    ask(url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    dumped = tmp_path / "empty.pgdump"
    subprocess.run(["pg_dump", "--format=custom", "--file", dumped, "--dbname", url], check=True)  # noqa: S603, S607
    assert "It holds nothing of Memsite" in manage("verify", str(dumped)).stderr


def test_who_restores_need_not_own_the_extensions(manage: Manage, url: str, tmp_path: Path) -> None:
    ask(url, "CREATE EXTENSION IF NOT EXISTS vector")
    assert manage("backup").returncode == 0
    listed = subprocess.run(["pg_restore", "--list", newest(tmp_path)], capture_output=True, text=True, check=True)  # noqa: S603, S607
    assert "TABLE public memories_near" in listed.stdout
    assert "EXTENSION" not in listed.stdout
    assert manage("restore", str(newest(tmp_path))).returncode == 0


def test_it_is_put_into_an_empty_database_with_the_extension_that_it_needs(
    manage: Manage, url: str, tmp_path: Path
) -> None:
    before = ask(url, MEMORIES)
    assert manage("backup").returncode == 0
    elsewhere = database_like_the_tests(f"restored_{token_hex(4)}")
    ask(elsewhere, "DROP EXTENSION IF EXISTS vector CASCADE")
    restored = manage("restore", str(newest(tmp_path)), database_url=elsewhere)
    assert restored.returncode == 0, restored.stderr
    assert ask(elsewhere, MEMORIES) == before


@pytest.fixture
def without_pgvector(url: str) -> Iterator[str]:
    """An empty database whose user may not make the extension."""
    name, user = f"restored_{token_hex(4)}", f"plain_{token_hex(4)}"
    elsewhere, given = database_like_the_tests(name), urlsplit(url)
    ask(elsewhere, f"DROP SCHEMA public CASCADE; CREATE ROLE {user} LOGIN; CREATE SCHEMA public AUTHORIZATION {user}")
    yield given._replace(netloc=given.netloc.replace(given.username or "", user, 1), path=f"/{name}").geturl()
    ask(elsewhere, f"DROP OWNED BY {user} CASCADE; DROP ROLE {user}")


@pytest.mark.parametrize("is_asked", [True, False])
def test_where_pgvector_cannot_be_had_all_is_there_but_its_copies(
    manage: Manage, url: str, tmp_path: Path, without_pgvector: str, *, is_asked: bool
) -> None:
    vectors, near = "SELECT memory_id, data FROM memories_vector ORDER BY id", "SELECT near_model FROM tenancy_app"
    if is_asked:
        assert manage("run_job", "pgvector", pgvector_from=1).returncode == 0
        assert ask(url, near) != [("",)]
    assert manage("backup").returncode == 0
    restored = manage("restore", str(newest(tmp_path)), database_url=without_pgvector)
    assert restored.returncode == 0, restored.stderr
    assert "CREATE EXTENSION vector" in restored.stdout
    assert ask(without_pgvector, MEMORIES) == ask(url, MEMORIES)
    assert ask(without_pgvector, vectors) == ask(url, vectors) != []
    assert ask(without_pgvector, near) == [("",)]
    assert ask(without_pgvector, "SELECT to_regclass('memories_near')") == [(None,)]
    set_up = manage("setup", database_url=without_pgvector)
    assert set_up.returncode == 0, set_up.stderr


def test_a_database_that_is_not_there_is_told_in_a_line(manage: Manage, url: str, tmp_path: Path) -> None:
    assert manage("backup").returncode == 0
    gone = url.replace("backed_up_", "gone_")
    refused = manage("restore", str(newest(tmp_path)), database_url=gone)
    assert refused.returncode == 1
    (output,) = [line for line in refused.stderr.splitlines() if "does not exist" in line]
    assert output.startswith("CommandError: The database cannot be used")


def test_what_was_granted_to_a_role_that_another_server_does_not_know_is_no_hindrance(
    manage: Manage, url: str, tmp_path: Path
) -> None:
    role = f"gone_{token_hex(4)}"
    ask(url, f"CREATE ROLE {role}; GRANT SELECT ON memories_memory TO {role}")
    assert manage("backup").returncode == 0
    backup = newest(tmp_path)
    listed = subprocess.run(["pg_restore", "--list", backup], capture_output=True, text=True, check=True)  # noqa: S603, S607
    assert " ACL " not in listed.stdout
    # As they were made before.
    subprocess.run(["pg_dump", "--format=custom", "--file", backup, "--dbname", url], check=True)  # noqa: S603, S607
    ask(url, f"REVOKE ALL ON memories_memory FROM {role}; DROP ROLE {role}")
    restored = manage("restore", str(backup), row_security=True)
    assert restored.returncode == 0, restored.stderr
    # The second wall stands again: its role may do what it has to.
    assert ask(url, f"SELECT has_table_privilege('{ROLE}', 'memories_memory', 'INSERT')") == [(True,)]


def test_one_that_was_cut_short_is_refused_and_changes_nothing(manage: Manage, url: str, tmp_path: Path) -> None:
    assert manage("backup").returncode == 0
    backup = newest(tmp_path)
    backup.write_bytes(backup.read_bytes()[:-2000])
    assert "damaged" in manage("verify", str(backup)).stderr
    before = ask(url, MEMORIES)
    assert manage("restore", str(backup)).returncode != 0
    assert ask(url, MEMORIES) == before


def test_a_restore_that_is_killed_leaves_no_half_copy(
    manage: Manage, program: Manage, url: str, tmp_path: Path
) -> None:
    assert manage("backup").returncode == 0
    killer = tmp_path / "programs" / "pg_dump"
    killer.parent.mkdir()
    killer.write_text('#!/bin/sh\nfor last; do case "$last" in /*) echo half >"$last" ;; esac; done\nkill -9 $PPID\n')
    killer.chmod(0o755)
    before = ask(url, MEMORIES)
    killed = program("restore", str(newest(tmp_path)), PATH=f"{killer.parent}:{os.environ['PATH']}")
    assert killed.returncode == -9
    left = {path.name for path in (tmp_path / "backups").iterdir()}
    assert left == {newest(tmp_path).name, ".draft", ".lock"}
    assert (tmp_path / "backups" / ".draft").read_text() == "half\n"
    assert ask(url, MEMORIES) == before
    assert program("restore", str(newest(tmp_path))).returncode == 0
    (stored,) = (tmp_path / "backups").glob("before-*")
    assert "is whole" in manage("verify", str(stored)).stdout
    assert not (tmp_path / "backups" / ".draft").exists()


@pytest.mark.parametrize("later", ["oauth", "axes"])
def test_one_of_an_older_version_is_put_back_where_there_are_later_tables(
    manage: Manage, url: str, tmp_path: Path, later: str
) -> None:
    assert manage("migrate", later, "zero").returncode == 0
    assert manage("backup").returncode == 0
    backup, before = newest(tmp_path), ask(url, MEMORIES)
    assert manage("migrate").returncode == 0
    restored = manage("restore", str(backup))
    assert restored.returncode == 0, restored.stderr
    set_up = manage("setup")
    assert set_up.returncode == 0, set_up.stderr
    assert ask(url, MEMORIES) == before


def test_one_that_is_older_than_pgvector_is_put_back(manage: Manage, url: str, tmp_path: Path) -> None:
    before = ask(url, MEMORIES)
    ask(url, "DROP TABLE IF EXISTS memories_near")
    assert manage("backup").returncode == 0
    assert manage("setup").returncode == 0
    restored = manage("restore", str(newest(tmp_path)))
    assert restored.returncode == 0, restored.stderr
    assert ask(url, MEMORIES) == before
