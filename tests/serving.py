"""A server as users run it, in processes of its own, on a scratch data directory: for clients that speak real HTTP."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from django.db import DEFAULT_DB_ALIAS, ConnectionHandler, connection

from memsite.config.conf import get_conf
from memsite.config.settings import database
from memsite.tenancy.keys import create_key
from memsite_client import Memsite
from memsite_client.shapes import Scope
from tests.databases import copy_test_database, database_like_the_tests
from tests.memsite.managing import instead_of_the_database
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

    @property
    def database_url(self) -> str:
        file = Path(self.environment["MEMSITE_DATA_DIR"]) / "memsite.sqlite3"
        return self.environment.get("MEMSITE_DATABASE_URL") or f"sqlite:///{file}"

    def new_app(self, scopes: Sequence[Scope] = ("read", "write"), **policy: Any) -> str:
        """A key of the one agent of an app that nobody else uses."""
        app_id = f"app-{len(self.names)}"
        self.names.append(app_id)
        with Memsite(self.url, self.operator_key) as operator:
            operator.create_app(app_id, app_id, policy=policy)
            return str(operator.create_agent(app_id, "agent", scopes=scopes)["api_key"])


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[Server]:
    """The web server alone: whatever a worker would do waits. Its pages lack collected files."""
    own = {
        "DJANGO_SETTINGS_MODULE": "memsite.config.settings",
        "MEMSITE_DATA_DIR": str(folder),
        "MEMSITE_SECRET_KEY": "only for tests",
        "MEMSITE_EMBEDDER": "hash",
        "MEMSITE_RELATIONS": "rules",
        "MEMSITE_LOG_LEVEL": "ERROR",
        "MEMSITE_WEB_THREADS": "8",
        **settings,
    }
    if connection.vendor == "postgresql":
        own["MEMSITE_DATABASE_URL"] = database_like_the_tests(f"served_{token_hex(8)}")
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    environment = {**others, **own}
    if connection.vendor == "sqlite" and not copy_test_database(folder / "memsite.sqlite3"):
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
        subprocess.run(migrate, cwd=ROOT, env=environment, check=True, capture_output=True)  # noqa: S603
    port = free_port()
    server = Server(f"http://127.0.0.1:{port}", "", [], own)
    with asking(server.database_url):
        server = replace(server, operator_key=create_key(None, ["operator"]).text)
    web = (
        "--interface",
        "wsgi",
        "--no-ws",
        "--port",
        str(port),
        "--blocking-threads",
        "8",
        "memsite.config.wsgi:application",
    )
    command = [sys.executable, "-W", "ignore", "-m", "granian", "--log-level", "error", *web]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:  # noqa: S603
        try:
            wait_for(port, process)
            yield server
        finally:
            process.terminate()


@contextmanager
def asking(url: str) -> Iterator[None]:
    """Ask the database at this address in the place of the tests' own: a process for it takes seconds to start."""
    config = database(replace(get_conf(), database_url=url, row_security=False))
    # Pools are the class's, by alias.
    config["OPTIONS"].pop("pool", None)
    served = ConnectionHandler({DEFAULT_DB_ALIAS: config})[DEFAULT_DB_ALIAS]
    with instead_of_the_database(served):
        try:
            yield
        finally:
            served.close()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("The server did not start.")
