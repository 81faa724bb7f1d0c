"""A server as users run it, in processes of its own, on a scratch data directory: for clients that speak real HTTP."""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.db import connection
from psycopg import sql

from memsite_client import Memsite
from memsite_client.shapes import Scope
from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    operator_key: str
    names: list[str]
    environment: dict[str, str]
    """Of its processes, as far as it is not ours: for a command on its data directory."""

    @property
    def last_app(self) -> str:
        return self.names[-1]

    def new_app(self, scopes: Sequence[Scope] = ("read", "write"), **policy: Any) -> str:
        """A key of the one agent of an app that nobody else uses."""
        app_id = f"app-{len(self.names)}"
        self.names.append(app_id)
        with Memsite(self.url, self.operator_key) as operator:
            operator.create_app(app_id, app_id, policy=policy)
            return str(operator.create_agent(app_id, "agent", scopes=scopes)["api_key"])


@contextmanager
def serving(folder: Path, *, has_pages: bool = False, **settings: str) -> Iterator[Server]:
    """The web server alone: whatever a worker would do waits. Its pages want their files collected before it starts."""
    own = {
        "DJANGO_SETTINGS_MODULE": "memsite.settings",
        "MEMSITE_DATA_DIR": str(folder),
        "MEMSITE_SECRET_KEY": "only for tests",
        "MEMSITE_EMBEDDER": "hash",
        "MEMSITE_LOG_LEVEL": "ERROR",
        "MEMSITE_WEB_THREADS": "8",
        **settings,
    }
    if connection.vendor == "postgresql":
        own["MEMSITE_DATABASE_URL"] = database_like_the_tests(f"served_{token_hex(8)}")
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    environment = {**others, **own}

    def run(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout  # noqa: S603

    if connection.vendor == "sqlite" and not copy_test_database(folder / "memsite.sqlite3"):
        run("manage.py", "migrate", "--verbosity=0")
    if has_pages:
        run("manage.py", "collectstatic", "--noinput")
    key = run("manage.py", "create_key", "--operator").strip()
    port = free_port()
    web = ("--interface", "wsgi", "--no-ws", "--port", str(port), "--blocking-threads", "8", "memsite.wsgi:application")
    command = [sys.executable, "-W", "ignore", "-m", "granian", "--log-level", "error", *web]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:  # noqa: S603
        try:
            wait_for(port, process)
            yield Server(f"http://127.0.0.1:{port}", key, [], own)
        finally:
            process.terminate()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("The server did not start.")


def copy_test_database(path: Path) -> bool:
    """Its tables, many times faster than making them anew; False where it is no SQLite, or nobody asked for it yet."""
    if connection.vendor != "sqlite" or not connection.introspection.table_names():
        return False
    copy = sqlite3.connect(path)
    connection.connection.backup(copy)
    copy.close()
    return True


def database_like_the_tests(name: str) -> str:
    """The address of a database on the same server, made by our migrations: once per process, then copied."""
    copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), migrated_database())
    until = time.monotonic() + PATIENCE_SECONDS
    with psycopg.connect(os.environ["TEST_DATABASE_URL"], autocommit=True) as server:
        while True:
            try:
                server.execute(copy)
            except psycopg.errors.ObjectInUse:  # who migrated it is still leaving; the server waits for 5 seconds
                if time.monotonic() > until:
                    raise
            else:
                return address_of(name)


@cache
def migrated_database() -> sql.Identifier:
    """One that nobody is connected to, so that it can be copied."""
    name = f"migrated_{token_hex(8)}"
    with psycopg.connect(os.environ["TEST_DATABASE_URL"], autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    others = {key: value for key, value in os.environ.items() if not key.startswith(("MEMSITE_", "DJANGO_"))}
    environment = {**others, "MEMSITE_SECRET_KEY": "only for tests", "MEMSITE_DATABASE_URL": address_of(name)}
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)  # noqa: S603
    return sql.Identifier(name)


def address_of(name: str) -> str:
    given = urlsplit(os.environ["TEST_DATABASE_URL"])
    return given._replace(path=f"/{name}").geturl()
