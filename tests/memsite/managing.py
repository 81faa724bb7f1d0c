"""`manage.py` in this process: what it says and how it ends, without the seconds that loading the site takes."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

MANAGE = Path(__file__).parents[2] / "manage.py"


def manage(*arguments: str) -> int | str | None:
    """How it ends: a number, or what Python says on stderr as it ends with 1."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [str(MANAGE), *arguments])
        # It is set up, and its logs are the tests'.
        patch.setattr("django.setup", lambda: None)
        try:
            runpy.run_path(str(MANAGE), run_name="__main__")
        except SystemExit as end:
            return end.code
        return 0


@contextmanager
def instead_of_the_database(other: BaseDatabaseWrapper) -> Iterator[None]:
    """Whoever asks the site's database asks this one."""
    own = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = other  # type: ignore[assignment]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = own
