"""A replica answers what only reads, and nobody is answered with less than what was written before they asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection, connections, transaction
from django.test import Client

from memories.models import Memory
from memsite.config.conf import get_conf
from memsite.config.settings import replica as replica_config
from memsite.db import replica
from memsite.db.postgres.base import ReplicaConnection
from memsite.db.replica import REPLICA
from memsite.ops.metrics import REPLICA_READS
from memsite.tenancy import row_level_security
from memsite.tenancy.models import App
from memsite.tenancy.row_level_security import confined
from tests.conftest import Caller
from tests.dashboard.conftest import sign_in
from tests.dashboard.test_access import LOOKED_AT
from tests.databases import leave_database, replica_of, socket_folder_of
from tests.settings import database_url

pytestmark = [
    pytest.mark.postgres("SQLite has no replicas"),
    pytest.mark.xdist_group("replica"),
    pytest.mark.django_db(transaction=True, databases="__all__"),
]
LISTS = (
    "memories",
    "sessions",
    "events",
    "resources",
    "documents",
    "extractions",
    "rejections",
    "triggers",
    "entities",
)
OF_APP = ("", "/memories", "/sessions", "/events", "/agents", "/imports", "/purges", "/alerts", "/webhooks", "/export")
PATIENT_MILLISECONDS = 60_000


@pytest.fixture(scope="module", autouse=True)
def socket_folder(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """That of a server that follows the tests' own, and that the site reads from."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        # As on servers of users: what is acknowledged is sent.
        cursor.execute(f'ALTER DATABASE "{connection.settings_dict["NAME"]}" SET synchronous_commit = on')
        leave_database()
    conf = changed(get_conf(), database_url=database_url, replica_url=database_url)
    default = connections.databases["default"]
    with django_db_blocker.unblock(), replica_of(database_url) as folder:
        connections.databases[REPLICA] = {**default, **replica_config(conf), "NAME": default["NAME"], "HOST": folder}
        yield folder
        close()
        del connections[REPLICA], connections.databases[REPLICA]


@pytest.fixture(autouse=True)
def _is_patient(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other test's replica was late or away."""
    monkeypatch.setattr(replica.Rest, "until", 0.0)
    let_wait(settings, PATIENT_MILLISECONDS)


@pytest.fixture
def stopped(socket_folder: str, settings: Any) -> Iterator[None]:
    """The replica takes in what comes, and shows nothing of it; nobody waits long."""
    with psycopg.connect(f"postgresql://postgres@/postgres?host={socket_folder}", autocommit=True) as admin:
        admin.execute("SELECT pg_wal_replay_pause()")
        while admin.execute("SELECT pg_get_wal_replay_pause_state()").fetchone() != ("paused",):
            pass
        let_wait(settings, 1)
        yield
        admin.execute("SELECT pg_wal_replay_resume()")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Let the site look for its replica in another folder."""

    def go(folder: str) -> None:
        close()
        monkeypatch.setitem(connections[REPLICA].settings_dict, "HOST", folder)

    monkeypatch.setattr(ReplicaConnection, "is_reached", False)
    yield go
    close()


def let_wait(settings: Any, milliseconds: int) -> None:
    settings.MEMSITE = changed(settings.MEMSITE, database_url=database_url, replica_milliseconds=milliseconds)


def close() -> None:
    """Close the connections to the replica."""
    connections[REPLICA].close()
    connections[REPLICA].close_pool()  # type: ignore[attr-defined]  # PostgreSQL's


def outcomes() -> dict[str, float]:
    [family] = REPLICA_READS.collect()
    return {sample.labels["outcome"]: sample.value for sample in family.samples}


def new_outcomes(before: dict[str, float]) -> dict[str, float]:
    return {name: value - before.get(name, 0) for name, value in outcomes().items() if value != before.get(name, 0)}


def is_replica() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery()")
        return bool(cursor.fetchone()[0])


def contents(caller: Caller) -> list[str]:
    return [memory["content"] for memory in caller.get("memories").json()["results"]]


def test_a_replica_answers_what_only_reads() -> None:
    assert replica.read(is_replica)


def test_afterwards_the_primary_is_asked_again() -> None:
    replica.read(is_replica)
    assert not is_replica()


def test_within_a_transaction_the_primary_answers() -> None:
    with transaction.atomic():
        assert not replica.read(is_replica)


def test_what_is_kept_in_the_process_is_read_from_the_primary() -> None:
    @replica.on_primary()
    def refresh() -> bool:
        return is_replica()

    assert not replica.read(refresh)


def test_a_list_from_the_replica_shows_what_was_just_written(alice: Caller) -> None:
    before, stored = outcomes(), list[str]()
    for number in range(10):
        stored.insert(0, alice.remember(f"Whale {number} sings")["content"])
        assert contents(alice) == stored
    assert new_outcomes(before) == {"replica": 10}


def test_while_it_lags_the_primary_answers(stopped: None, alice: Caller) -> None:
    before = outcomes()
    alice.remember("Whales sing")
    assert contents(alice) == ["Whales sing"]
    assert contents(alice) == ["Whales sing"]
    assert new_outcomes(before) == {"behind": 1, "resting": 1}


def test_one_that_lags_is_degraded_and_the_server_is_ready(stopped: None, alice: Caller, client: Client) -> None:
    alice.remember("Whales sing")
    answer = client.get("/readyz")
    assert (answer.status_code, "replica" in answer.json()["degraded"]) == (200, True)


def test_one_that_follows_is_not_degraded(client: Client) -> None:
    assert "replica" not in client.get("/readyz").json()["degraded"]


def test_while_it_is_away_the_primary_answers(elsewhere: Callable[[str], None], alice: Caller, tmp_path: Path) -> None:
    elsewhere(str(tmp_path))
    before = outcomes()
    alice.remember("Whales sing")
    assert contents(alice) == ["Whales sing"]
    assert new_outcomes(before) == {"failed": 1}


def test_one_that_was_promoted_is_not_asked(elsewhere: Callable[[str], None], settings: Any) -> None:
    let_wait(settings, 1)
    elsewhere(str(socket_folder_of(database_url)))
    before = outcomes()
    replica.read(is_replica)
    assert new_outcomes(before) == {"behind": 1}


def test_what_writes_after_all_is_done_on_the_primary() -> None:
    before = outcomes()
    replica.read(lambda: App.objects.create(app_id="acme", name="Acme"))
    assert App.objects.filter(app_id="acme").exists()
    assert new_outcomes(before) == {"failed": 1}


def test_no_page_and_no_list_writes(alice: Caller, operator: Any) -> None:
    sue = sign_in("sue", is_superuser=True, is_staff=True)
    alice.remember("Whales sing")
    before = outcomes()
    for page in [page for page in LOOKED_AT if page != "/apps/policy"]:
        answer = sue.get(f"{page}?app=acme")
        assert answer.status_code in (200, 400), page
    for address in LISTS:
        assert alice.get(address).status_code == 200, address
    for address in OF_APP:
        answer = operator.get(f"/api/v1/apps{address and '/acme'}{address}")
        assert answer.status_code == 200, address
        answer.close()
    assert new_outcomes(before).keys() == {"replica"}


def test_a_search_on_a_page_finds_what_was_just_written(alice: Caller) -> None:
    sue = sign_in("sue", is_superuser=True)
    alice.remember("Whales sing at night")
    assert b"Whales sing at night" in sue.get("/memories?app=acme&q=whales+sing&by=meaning").content


def test_row_level_security_holds_on_the_replica(settings: Any, alice: Caller, charlie: Caller) -> None:
    alice.remember("Whales sing")
    charlie.remember("Bears sleep")
    settings.MEMSITE = changed(settings.MEMSITE, row_security=True)
    row_level_security.build()
    connection.close()
    # Only then it has the role, too.
    assert replica.read(is_replica)
    try:
        with confined(alice.app.pk):
            answer = replica.read(lambda: (is_replica(), [*Memory.objects.values_list("content", flat=True)]))
    finally:
        for wrapper in (connection, connections[REPLICA]):
            wrapper.close()
            # Those in the pool have the role.
            wrapper.close_pool()
            wrapper.execute_wrappers.remove(row_level_security.tell_first)
    assert answer == (True, ["Whales sing"])
