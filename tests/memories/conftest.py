"""A language model behind the server, of each kind or of one; and a database that others can connect to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections

from memories.providers.llm import client
from memsite.tenancy.models import App
from tests.conftest import make_app
from tests.memories.providers.llm.servers import PROTOCOLS, Server, serve
from tests.with_model import ONE_TRY, HastyChat, answers, forget_clients, use


@pytest.fixture(params=sorted(PROTOCOLS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def fresh_clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(client, "ModelChat", HastyChat)
    monkeypatch.setattr(client.build_chat, "__defaults__", (ONE_TRY, None))
    forget_clients()
    yield
    forget_clients()


@pytest.fixture
def server(kind: str, settings: Any, fresh_clients: None) -> Iterator[Server]:
    with serve(kind) as server:
        server.always(answers())
        use(settings, server)
        yield server


@pytest.fixture
def model(settings: Any, fresh_clients: None) -> Iterator[Server]:
    """The same of one kind, for what does not depend on it."""
    with serve("openai") as server:
        server.always(answers())
        use(settings, server)
        yield server


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if "shared_database" in getattr(item, "fixturenames", ()) and connection.vendor != "sqlite":
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture
def shared_database(db: None, tmp_path: Path) -> Iterator[App]:
    """A database where other threads connect to: the test's own transaction is not theirs. SQLite's is a copy."""
    app = make_app("busy", memory_limit=10)
    if connection.vendor != "sqlite":
        yield app
        return
    file = tmp_path / "copy.sqlite3"
    file.write_bytes(connection.connection.serialize())
    settings, name = connections.settings["default"], connections.settings["default"]["NAME"]
    settings["NAME"] = str(file)
    yield app
    settings["NAME"] = name
