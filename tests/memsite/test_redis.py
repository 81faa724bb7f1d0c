"""With Redis for a broker, a worker hears of what is to be done; without it, nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memories.management.commands.serve import worker_command
from memsite_client import Memsite
from tests.serving import ROOT, Server, free_port, serving

BROKER = os.environ.get("TEST_BROKER_URL", "")
PATIENCE_SECONDS = 60
Site = Callable[[str], AbstractContextManager[Server]]
needs_redis = pytest.mark.skipif(not BROKER, reason="`make test-redis` and `make test-postgres` bring a Redis along")


@pytest.fixture
def site(tmp_path: Path, django_db_setup: None, django_db_blocker: Any) -> Iterator[Site]:
    """Starts a server with a broker of this address."""
    with django_db_blocker.unblock():
        yield lambda broker: serving(tmp_path, MEMSITE_BROKER_URL=broker)


@contextmanager
def worker(server: Server) -> Iterator[subprocess.Popen[bytes]]:
    """Without a beat: nothing but the broker tells it that there is work."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    environment = {**others, **server.environment}
    with subprocess.Popen(worker_command(), cwd=ROOT, env=environment) as process:  # noqa: S603
        try:
            yield process
        finally:
            process.terminate()


def say(client: Memsite, text: str) -> None:
    session = client.start_session()
    client.add_messages(session["id"], [{"role": "user", "content": text}])


def wait_until_known(client: Memsite, word: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < until:
        if any(word in memory["content"] for memory in client.list_memories()):
            return
        time.sleep(0.1)
    raise AssertionError(f"{word} was not learnt.")


@needs_redis
def test_a_worker_learns_at_once_from_what_is_said(site: Site) -> None:
    with site(BROKER) as server, worker(server) as process, Memsite(server.url, server.new_app()) as client:
        say(client, "I work at Zorgcorp in Porto.")
        wait_until_known(client, "Zorgcorp", process)


@needs_redis
def test_what_was_said_before_there_was_a_worker_waits_in_the_queue(site: Site) -> None:
    with site(BROKER) as server, Memsite(server.url, server.new_app()) as client:
        say(client, "I work at Zorgcorp in Porto.")
        with worker(server) as process:
            wait_until_known(client, "Zorgcorp", process)


@pytest.mark.long
def test_while_it_is_away_what_is_said_is_kept(site: Site) -> None:
    with site(f"redis://127.0.0.1:{free_port()}/0") as server, Memsite(server.url, server.new_app()) as client:
        say(client, "I work at Zorgcorp in Porto.")
        assert list(client.list_memories()) == []
        command = [sys.executable, "manage.py", "run_job", "extraction"]
        environment = {**os.environ, **server.environment}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)  # noqa: S603
        assert ["Zorgcorp" in memory["content"] for memory in client.list_memories()] == [True]
