"""A server as users run it, in processes of its own, on a scratch data directory: for clients that speak real HTTP."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from django.db import connection

from memsite_client import Memsite
from memsite_client.shapes import Scope
from tests.databases import copy_test_database, database_like_the_tests
from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[1]


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
