"""Set-up that the tests of a module share: rows made once, given back to each test as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import pytest
from django.db import transaction
from time_machine import travel

from memsite.tenancy.row_level_security import site_wide


@contextmanager
def held_transaction(django_db_blocker: Any) -> Iterator[None]:
    """Hold a transaction in which each test has a savepoint of its own, and roll it back at the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        # So that code under test may open a durable block, as in a test of Django's.
        transaction.get_connection().atomic_blocks[-1]._from_testcase = True
        yield
        transaction.set_rollback(True)


def module_fixture(build: Callable[[], Any], moment: datetime | None = None) -> Any:
    """Return a fixture with what `build` returns, called once for the module that holds the fixture.

    The rows that `build` writes are there for each test as they were written. Objects that a test changes in memory
    stay changed, so `build` returns callers and ids. With `at` the clock stands still while `build` runs. No test of
    the module may ask for `transaction=True`.
    """

    @pytest.fixture(scope="module")
    def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[Any]:
        with held_transaction(django_db_blocker):
            with site_wide():
                if moment is None:
                    value = build()
                else:
                    with travel(moment, tick=False):
                        value = build()
            yield value

    return built
