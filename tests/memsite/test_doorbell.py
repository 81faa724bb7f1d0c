"""A broker that does not answer holds nobody up for long, and nobody twice."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from celery import Celery

from memsite.config.celery_settings import celery_settings
from memsite.jobs import task_queue

TASK = "memories.tasks.upkeep_due"


@pytest.fixture
def frozen() -> Iterator[socket.socket]:
    """Takes connections, as the kernel does for a Redis that is stopped, and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def app(frozen: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Celery:
    address = f"redis://127.0.0.1:{frozen.getsockname()[1]}/0"
    output = celery_settings(address, tmp_path, "UTC")
    options: Any = output["CELERY_BROKER_TRANSPORT_OPTIONS"]
    assert options["socket_timeout"] <= 1
    app = Celery("test", set_as_current=False)
    app.config_from_object(SimpleNamespace(**output), namespace="CELERY")
    app.conf.broker_transport_options = {**options, "socket_timeout": 0.02}
    monkeypatch.setattr(task_queue, "current_app", app)
    monkeypatch.setattr(task_queue, "bell", task_queue.Bell())
    return app


def callers(server: socket.socket) -> int:
    """How many have connected since the last time."""
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_one_that_was_waited_for_in_vain_is_left_alone_for_ten_times_as_long(
    app: Celery, frozen: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 102.0, 121.9, 122.1, 122.2, 123.1, 123.3, 123.3])
    monkeypatch.setattr(task_queue, "monotonic", lambda: next(clock))
    task_queue.send(TASK, ())
    assert callers(frozen) > 0
    task_queue.send(TASK, ())
    assert callers(frozen) == 0
    task_queue.send(TASK, ())
    assert callers(frozen) > 0
    task_queue.send(TASK, ())
    assert callers(frozen) == 0
    task_queue.send(TASK, ())
    assert callers(frozen) > 0


def test_one_that_answers_again_is_rung_at_each_time(app: Celery, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 102.0, 122.1, 122.2])
    monkeypatch.setattr(task_queue, "monotonic", lambda: next(clock))
    task_queue.send(TASK, ())
    rung: list[str] = []
    monkeypatch.setattr(app, "send_task", lambda task, _: rung.append(task))
    task_queue.send(TASK, ())
    task_queue.send(TASK, ())
    assert rung == [TASK, TASK]
