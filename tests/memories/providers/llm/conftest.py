"""A fake service, a client of it, and what was metered."""

import pytest

from memories.providers.http import Patience
from memories.providers.llm.client import LLMSettings, build_chat

from .fake_chat import metering
from .servers import KEY, PROTOCOLS, serve

HASTE = Patience(total_seconds=60.0, first_wait_seconds=0.0, longest_wait_seconds=60.0)
PRICES = {"small": (1.0, 5.0), "large": (3.0, 15.0)}


@pytest.fixture(params=sorted(PROTOCOLS))
def kind(request):
    return request.param


@pytest.fixture
def server(kind):
    with serve(kind) as server:
        yield server


@pytest.fixture
def chat_with():
    """A client of `url` with any other settings and circuit, closed in the end."""
    chats = []

    def build(kind, url, circuit=None, patience=HASTE, **settings):
        settings = {"small_model": "small", "large_model": "large", "prices": PRICES, "api_key": KEY} | settings
        chat = build_chat(LLMSettings(kind, url, **settings), patience, circuit)
        chats.append(chat)
        return chat

    yield build
    for chat in chats:
        chat.close()


@pytest.fixture
def chat(server, chat_with):
    return chat_with(server.kind, server.url)


@pytest.fixture
def usages():
    return []


@pytest.fixture
def meter(usages):
    return metering(usages)
