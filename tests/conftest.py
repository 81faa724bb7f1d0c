"""Who is always in the room: Alice and Bob are agents of the app "acme", Charlie is of another app."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from hypothesis import HealthCheck, settings
from rest_framework.test import APIClient
from time_machine import travel

from memories.store import writer
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent, App, AppPolicy
from memsite.tenancy.policy import preset_values
from memsite.tenancy.row_level_security import site_wide
from tests.caches import clear_caches
from tests.databases import OF_WHOLE_TABLES, PARTITIONS, drop_test_database, flush, migrate_once
from tests.scale import SCALE
from tests.serving import Server, serving
from tests.statements import REPEATED, function_of
from tools.affected import QUICK

TESTS = Path(__file__).parent
ON_ONE_DATABASE = tuple(TESTS / name for name in ("bench", "cli", "client"))
"""What asks a server by HTTP, or measures, asks the database nothing that other tests do not."""
SLOW = TESTS / "slow.txt"
"""The tests that take half a second or more with all their cases, but for those marked: `make test` leaves them to
`make test-long`, and `make slowest` writes the list anew."""
SLOW_SECONDS = 0.5
LISTING = "TEST_LIST_SLOW" in os.environ
MARKERS = {"sqlite": "sqlite", "postgresql": "postgres"}
"""What is of a database itself is marked with it, and the mark says why."""
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
# The same examples each time, and as long as a busy machine takes for them.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = set() if LISTING else set(SLOW.read_text().split())
    for item in items:
        if function_of(item.nodeid) in slow:
            item.add_marker(pytest.mark.long)
        if PARTITIONS and (reason := OF_WHOLE_TABLES.get(function_of(item.nodeid).rpartition("::")[2])):
            item.add_marker(pytest.mark.skip(reason=reason))
    # Those that one process has to run one after the other begin first: the last would keep the others waiting.
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
    if connection.vendor != "sqlite":
        repeated = set() if SCALE == 1 else set(REPEATED.read_text().split())
        asking = [item for item in items if asks_database(item) and function_of(item.nodeid) not in repeated]
        config.hook.pytest_deselected(items=[*set(items).difference(asking)])
        items[:] = asking
    for item in items:
        for vendor, name in MARKERS.items():
            for marker in item.iter_markers(name):
                (reason,) = marker.args
                if vendor != connection.vendor:
                    item.add_marker(pytest.mark.skip(reason=f"of {vendor} itself: {reason}"))


def asks_database(item: pytest.Item) -> bool:
    """Whether the answer may differ from one database to the next: all else runs once, on SQLite."""
    if any(item.path.is_relative_to(folder) for folder in ON_ONE_DATABASE) and not item.get_closest_marker("postgres"):
        return False
    fixtures = set(getattr(item, "fixturenames", ()))
    marks = {mark.name for mark in item.iter_markers()}
    return bool(fixtures & {"db", "transactional_db", "django_db_setup"} or marks & {"django_db", "postgres"})


def pytest_collection_finish() -> None:
    """Leave what is imported out of each collection of garbage: a fifth of the time of a test with a request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    terminalreporter.write_line(f"database: {connection.vendor}")
    if connection.vendor == "sqlite" and config.option.markexpr == QUICK and not config.option.keyword:
        note_durations(terminalreporter, config)
        if LISTING:
            list_slow(terminalreporter)


def list_slow(terminalreporter: Any) -> None:
    """Write the names of the tests that took SLOW_SECONDS or more, all cases together, into SLOW."""
    seconds = seconds_of(terminalreporter, function_of)
    slow = sorted(name for name, value in seconds.items() if value >= SLOW_SECONDS)
    SLOW.write_text("".join(f"{name}\n" for name in slow))
    terminalreporter.write_line(f"{SLOW.relative_to(TESTS.parent)}: {len(slow)} of {len(seconds)} tests")


def note_durations(terminalreporter: Any, config: pytest.Config) -> None:
    """Keep the seconds of each test file that ran whole or in part, for `make test-changed`."""
    seconds = seconds_of(terminalreporter, lambda nodeid: nodeid.partition("::")[0])
    stored = config.cache.get("durations", {})
    config.cache.set("durations", stored | {path: round(value, 2) for path, value in seconds.items()})


def seconds_of(terminalreporter: Any, key: Callable[[str], str]) -> Counter[str]:
    """Return how long the tests of each key took, by the clock, set-up and all."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[key(report.nodeid)] += report.duration
    return seconds


@dataclass
class Caller:
    """An agent with its key, speaking HTTP."""

    agent: Agent
    key: str
    client: APIClient

    @property
    def app(self) -> App:
        return self.agent.app

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api/v1/{path}", query)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.client.post(f"/api/v1/{path}", {} if body is None else body, headers=headers)

    def put(self, path: str, body: Any, **headers: str) -> Any:
        return self.client.put(f"/api/v1/{path}", body, headers=headers)

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        return self.client.patch(f"/api/v1/{path}", body, headers=headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.client.delete(f"/api/v1/{path}", headers=headers)

    def stream(self, session_id: str, body: bytes | str) -> Any:
        data = body.encode() if isinstance(body, str) else body
        path = f"/api/v1/sessions/{session_id}/stream"
        return self.client.generic("POST", path, data, content_type="application/x-ndjson")

    def start_session(self, **body: Any) -> dict[str, Any]:
        answer = self.post("sessions", body)
        assert answer.status_code == 201, answer.content
        return dict(answer.json())

    def remember(self, content: str, **fields: Any) -> dict[str, Any]:
        answer = self.post("memories", {"content": content, **fields})
        assert answer.status_code in (200, 201), answer.content
        return dict(answer.json())


def make_app(app_id: str, preset: str = "standard", **policy: Any) -> App:
    app = App.objects.create(app_id=app_id, name=app_id.title(), preset=preset)
    AppPolicy.objects.create(app=app, **(preset_values(preset) | policy))
    return app


def fresh_caller(caller: Caller) -> Caller:
    """Return the same agent and key with rows read anew and a client of its own, for one test."""
    agent = Agent.objects.select_related("app__policy").get(pk=caller.agent.pk)
    return Caller(agent, caller.key, client_with(caller.key))


def client_with(key: str) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


def make_caller(app: App, name: str, scopes: tuple[str, ...] = ("read", "write")) -> Caller:
    agent = Agent.objects.create(app=app, name=name)
    key = create_key(agent, scopes).text
    return Caller(agent, key, client_with(key))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> Iterator[None]:
    """A database is migrated once, and copied by whoever else makes one (tests/databases.py)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.core.management.call_command", migrate_once())
        patch.setattr("django.test.testcases.call_command", flush)
        if connection.vendor == "postgresql":
            patch.setattr(type(connection.creation), "_destroy_test_db", drop_test_database)
        yield


@pytest.fixture(scope="session", autouse=bool(PARTITIONS))
def _vectors_are_written_over_by_app() -> Iterator[None]:
    """What is unique in a table of partitions names the app."""
    insert = writer.insert_all
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "insert_all", lambda rows, over=(): insert(rows, over=("app", *over) if over else ()))
        yield


@pytest.fixture
def noon() -> Iterator[None]:
    """It is, and stays so, from before anybody comes in: no midnight, and no job's hour, falls between two looks."""
    with travel(NOON, tick=False):
        yield


@pytest.fixture(autouse=True)
def before_row_security() -> Iterator[None]:
    """Whoever was asked last, each test begins as somebody who looks after all apps."""
    with site_wide():
        yield


@pytest.fixture(autouse=True)
def _no_index_of_an_earlier_test() -> None:
    """Rolled-back rows take their numbers with them, and the next test's rows get the same."""
    clear_caches()


@pytest.fixture(autouse=True)
def _a_connection_stays_open_with_the_tests_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that the test client does not make ends with closing it. SQLite in memory is never closed."""
    close = BaseDatabaseWrapper.close_if_unusable_or_obsolete

    def close_outside(self: BaseDatabaseWrapper) -> None:
        if not self.in_atomic_block:
            close(self)

    if connection.vendor != "sqlite":
        monkeypatch.setattr(BaseDatabaseWrapper, "close_if_unusable_or_obsolete", close_outside)


@pytest.fixture
def acme(db: None) -> App:
    return make_app("acme")


@pytest.fixture
def alice(acme: App) -> Caller:
    return make_caller(acme, "alice")


@pytest.fixture
def bob(acme: App) -> Caller:
    return make_caller(acme, "bob")


@pytest.fixture
def charlie(db: None) -> Caller:
    return make_caller(make_app("globex"), "charlie")


@pytest.fixture
def operator(db: None) -> APIClient:
    return client_with(create_key(None, ["operator"]).text)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any) -> Iterator[Server]:
    """A real one, on loopback."""
    with django_db_blocker.unblock(), serving(tmp_path_factory.mktemp("served")) as server:
        yield server
