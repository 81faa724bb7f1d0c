"""Between two requests a thread's connection is looked at, and is not left broken, too old, or in a transaction."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from subprocess import check_output

import pytest
from django.db import DEFAULT_DB_ALIAS, connection, connections

from memsite.http import middleware

RECEIVERS = """
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db import reset_queries
import memsite.config.wsgi
from memsite.http import middleware

def tell():
    for signal in (request_started, request_finished):
        print(*sorted(receiver.__name__ for receiver in signal._live_receivers(None)[0]))

tell()
# As Django itself has it, for somebody who debugs.
request_started.connect(reset_queries)
settings.DEBUG = True
middleware.connect()
tell()
"""


@dataclass
class Wrapper:
    in_atomic_block: bool
    looked_at: int = 0

    def close_if_unusable_or_obsolete(self) -> None:
        self.looked_at += 1


@pytest.mark.parametrize(("is_inside", "looked_at"), [(False, 1), (True, 0)], ids=["outside", "inside"])
def test_inside_a_transaction_it_is_left_alone(
    is_inside: bool, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = Wrapper(is_inside)
    monkeypatch.setattr(middleware, "connections", {DEFAULT_DB_ALIAS: wrapper})
    middleware.let_go()
    assert wrapper.looked_at == looked_at


@pytest.mark.django_db
def test_one_that_commits_nothing_by_itself_any_more_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes next would write into a transaction that nobody ends."""
    other = connection.copy()
    if other.vendor == "sqlite":
        # One in memory is never closed.
        other.settings_dict["NAME"] = str(tmp_path / "one.sqlite3")
    monkeypatch.setattr(middleware, "connections", {DEFAULT_DB_ALIAS: other})
    try:
        other.ensure_connection()
        middleware.let_go()
        # Given back to its pool, or kept for the next request.
        assert (other.connection is None) == (other.vendor == "postgresql")
        other.ensure_connection()
        other.set_autocommit(False)
        middleware.let_go()
        assert other.connection is None
    finally:
        other.close()


def test_djangos_own_receivers_do_it_no_more() -> None:
    """All of these are known: one that a later Django adds is to be thought about."""
    without_debug, with_debug = ["", "let_go reset_urlconf"], ["reset_queries", "let_go reset_urlconf"]
    assert receivers() == [*without_debug, *with_debug]


def receivers() -> list[str]:
    """The names of those of a request's start and of its end, in a process of its own: the tests' client has others."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "memsite.config.settings"}
    command = [sys.executable, "-W", "ignore", "-c", RECEIVERS]
    return check_output(command, env=environment, text=True).splitlines()  # noqa: S603  # our own words


def test_there_is_one_database() -> None:
    assert [*connections] == [DEFAULT_DB_ALIAS]
