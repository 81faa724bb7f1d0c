"""Who gives up a lease says so as soon as the database is there again."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, OperationalError

from memsite.db import transactions
from memsite.db.transactions import insist

pytestmark = pytest.mark.django_db(transaction=True)
AWAY = OperationalError("database is locked")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "INSIST_EVERY_SECONDS", 0)


def test_what_fails_while_the_database_is_away_is_done_when_it_is_back() -> None:
    tries = [AWAY, AWAY, None]

    def work() -> str:
        if error := tries.pop(0):
            raise error
        return "done"

    assert insist(work) == "done"


def test_other_errors_are_raised_at_once() -> None:
    tries: list[Exception] = [IntegrityError(), AWAY]

    def work() -> None:
        raise tries.pop(0)

    with pytest.raises(IntegrityError):
        insist(work)


def test_an_end_comes_where_the_database_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "INSIST_SECONDS", 0)

    def work() -> None:
        raise AWAY

    with pytest.raises(OperationalError):
        insist(work)
