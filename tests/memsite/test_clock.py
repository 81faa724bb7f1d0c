"""Hosts whose clocks differ go by the database's, which each new connection asks for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import time
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine

from memsite.db import clock
from memsite.db.postgres.session import settle

AHEAD_SECONDS = 300.0


@pytest.fixture(autouse=True)
def unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_ahead", clock.NONE)


def connect(seconds_ahead: float) -> None:
    """Open a connection to a database whose clock is so far ahead of ours."""
    answer = SimpleNamespace(fetchone=lambda: (time() + seconds_ahead, 5))
    connection: Any = SimpleNamespace(execute=lambda *_: answer)
    settle(connection)


def test_a_process_goes_by_the_databases_clock() -> None:
    connect(AHEAD_SECONDS)
    assert abs(clock.now() - datetime.now(UTC) - timedelta(seconds=AHEAD_SECONDS)) < timedelta(seconds=1)


def test_clocks_that_agree_nearly_are_left_alone() -> None:
    connect(AHEAD_SECONDS)
    connect(1.0)
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(milliseconds=500)


def test_a_clock_that_was_set_meanwhile_is_believed_until_the_next_connection() -> None:
    connect(AHEAD_SECONDS)
    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=AHEAD_SECONDS)):
        assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=1)
