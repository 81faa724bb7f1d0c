"""A language model behind the server: each of the three kinds, or one where the kind makes no difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memories.providers.llm import factory
from tests.memories.providers.llm.servers import PROTOCOLS, Server, serve
from tests.with_model import HASTE, ONE_TRY, HastyChat, answers, forget_clients, use


@pytest.fixture(params=sorted(PROTOCOLS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def fresh_clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(factory, "ModelChat", HastyChat)
    monkeypatch.setattr(factory.build_chat, "__defaults__", (ONE_TRY, None))
    monkeypatch.setitem(HASTE, "seconds", 5.0)
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
