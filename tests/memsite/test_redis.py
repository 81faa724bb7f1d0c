"""With Redis for a broker, a worker hears of what is to be done; without it, nothing is lost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis

from memories.management.commands.serve import worker_command
from memsite.config.celery_settings import INTERACTIVE
from memsite_client import Memsite
from tests.serving import ROOT, Server, serving
from tools.ports import free_port

# Each process of pytest has a database: a worker of one would take what is meant for the other's.
NUMBER = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
BROKER = re.sub(r"(?<=/)0$", NUMBER, os.environ.get("TEST_BROKER_URL", ""))
PATIENCE_SECONDS = 120
SAY_AGAIN_SECONDS = 10
SAID = "I work at Zorgcorp in Porto."
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


def say(client: Memsite) -> None:
    session = client.start_session()
    client.add_messages(session["id"], [{"role": "user", "content": SAID}])


def say_until(is_so: Callable[[], bool], client: Memsite) -> None:
    """Again now and then: a bell that Redis does not take in time is lost, and nobody told."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        say(client)
        if comes_true(is_so, SAY_AGAIN_SECONDS):
            return
    raise AssertionError("Nobody heard of it.")


def comes_true(is_so: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not is_so() and time.monotonic() < until:
        time.sleep(0.1)
    return is_so()


def is_known(client: Memsite) -> bool:
    return any("Zorgcorp" in memory["content"] for memory in client.list_memories())


@needs_redis
def test_a_worker_learns_at_once_from_what_is_said(site: Site) -> None:
    with site(BROKER) as server, worker(server), Memsite(server.url, server.new_app()) as client:
        say_until(lambda: is_known(client), client)


@needs_redis
def test_what_was_said_before_there_was_a_worker_waits_in_the_queue(site: Site) -> None:
    with site(BROKER) as server, Memsite(server.url, server.new_app()) as client, redis.from_url(BROKER) as queues:
        before = queues.llen(INTERACTIVE)
        say_until(lambda: queues.llen(INTERACTIVE) > before, client)
        with worker(server):
            assert comes_true(lambda: is_known(client), PATIENCE_SECONDS)


@pytest.mark.long
def test_while_it_is_away_what_is_said_is_kept(site: Site) -> None:
    with site(f"redis://127.0.0.1:{free_port()}/0") as server, Memsite(server.url, server.new_app()) as client:
        say(client)
        assert list(client.list_memories()) == []
        command = [sys.executable, "manage.py", "run_job", "extraction"]
        environment = {**os.environ, **server.environment}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)  # noqa: S603
        assert ["Zorgcorp" in memory["content"] for memory in client.list_memories()] == [True]
