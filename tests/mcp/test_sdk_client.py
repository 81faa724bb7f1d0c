"""The SDK's own client, over real HTTP and over stdio, in both generations of the protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from memories.language.messages import open_fence
from tests.serving import ROOT, Server

Work = Callable[[Client], Awaitable[None]]
MODES = ["legacy", "auto", "2026-07-28"]


@asynccontextmanager
async def over_http(server: Server, key: str, mode: str, path: str = "/mcp") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http,
        Client(streamable_http_client(server.url + path, http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(server: Server, key: str, mode: str, *options: str) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memsite_client", "mcp", *options],
        env={**os.environ, "MEMSITE_URL": server.url, "MEMSITE_API_KEY": key},
        cwd=str(ROOT),
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        yield client


TRANSPORTS = [over_http, over_stdio]


async def use_it_all(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools["search"].annotations is not None
    assert tools["search"].annotations.read_only_hint
    stored = await client.call_tool("store", {"content": "Jellyfin takes 60s to start — wait", "category": "timing"})
    assert stored.structured_content["outcome"] == "created"
    results = await client.call_tool("search", {"query": "how long does jellyfin take to start"})
    (memory,) = results.structured_content["memories"]
    assert memory["content"] == "Jellyfin takes 60s to start — wait"
    wrong = await client.call_tool("show", {"id": "0"})
    assert wrong.is_error
    uris = [resource.uri for resource in (await client.list_resources()).resources]
    assert uris == ["memsite://lessons", "memsite://categories/timing"]
    contents = (await client.read_resource("memsite://categories/timing")).contents
    assert "Jellyfin takes 60s" in contents[0].text  # type: ignore[union-attr]  # it is a text
    templates = (await client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["memsite://categories/{name}"]
    (prompt,) = (await client.list_prompts()).prompts
    begun = await client.get_prompt(prompt.name, {"session": "one"})
    assert "Jellyfin takes 60s" in begun.messages[0].content.text  # type: ignore[union-attr]  # it is a text
    with pytest.raises(MCPError):
        await client.read_resource("memsite://nothing")


@pytest.mark.parametrize("connect", TRANSPORTS)
@pytest.mark.parametrize("mode", MODES)
def test_the_sdks_client_uses_all_of_it(db: None, server: Server, connect: Any, mode: str) -> None:
    async def work() -> None:
        async with connect(server, server.new_app(), mode) as client:
            await use_it_all(client)

    anyio.run(work)


def test_who_has_been_greeted_by_a_hook_is_not_sent_for_the_same(db: None, server: Server) -> None:
    texts: list[str | None] = []

    async def work() -> None:
        async with over_http(server, server.new_app(), "legacy") as client:
            texts.append(client.instructions)

    anyio.run(work)
    assert open_fence("0" * 8).startswith("<memory-context ")
    assert "unless a memory-context has been shown to you" in (texts[0] or "")


def test_many_clients_at_once_get_their_own_answers(db: None, server: Server) -> None:
    keys = [server.new_app() for _ in range(4)]
    values: dict[int, list[str]] = {}

    async def talk(number: int) -> None:
        async with over_http(server, keys[number], "auto") as client:
            for turn in range(3):
                await client.call_tool("store", {"content": f"secret {number} of turn {turn}", "subject": f"s{turn}"})
            results = await client.call_tool("search", {"query": "secret of turn", "limit": 50})
            values[number] = sorted(memory["content"] for memory in results.structured_content["memories"])

    async def work() -> None:
        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(talk, number)

    anyio.run(work)
    assert values == {number: [f"secret {number} of turn {turn}" for turn in range(3)] for number in range(4)}


def test_over_stdio_a_server_that_is_away_is_told_and_nothing_breaks(db: None) -> None:
    away = Server("http://127.0.0.1:9", "", [], {})

    async def work() -> None:
        async with over_stdio(away, "mst_x", "legacy"):
            pass

    with pytest.raises(BaseException) as caught:  # noqa: PT011  # whatever the SDK wraps it in
        anyio.run(work)
    assert "cannot be reached" in "".join(map(str, flat(caught.value)))


def flat(error: BaseException) -> list[BaseException]:
    inner = getattr(error, "exceptions", ())
    return [error, *(item for group in inner for item in flat(group))]
