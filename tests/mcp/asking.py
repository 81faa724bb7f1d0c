"""MCP by hand: one message to an address, its answer."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import Caller

ACCEPT = {"Accept": "application/json, text/event-stream"}


def post(caller: Caller, method: str, params: Any = None, path: str = "/mcp", **headers: str) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    return caller.client.generic(
        "POST", path, json.dumps(body), content_type="application/json", headers={**ACCEPT, **headers}
    )


def ask(caller: Caller, method: str, params: Any = None, path: str = "/mcp") -> dict[str, Any]:
    answer = post(caller, method, params, path)
    assert answer.status_code == 200, answer.content
    return dict(json.loads(answer.content))


def call(caller: Caller, tool: str, path: str = "/mcp", **arguments: Any) -> dict[str, Any]:
    """The result of a tool as it came."""
    return dict(ask(caller, "tools/call", {"name": tool, "arguments": arguments}, path)["result"])


def use(caller: Caller, tool: str, **arguments: Any) -> Any:
    """The document that a tool answers."""
    result = call(caller, tool, **arguments)
    assert not result["isError"], result
    return result["structuredContent"]


def refused(caller: Caller, tool: str, **arguments: Any) -> str:
    """What is told of why it could not be."""
    result = call(caller, tool, **arguments)
    assert result["isError"], result
    return str(result["content"][0]["text"])


def tools_of(caller: Caller, path: str = "/mcp") -> dict[str, Any]:
    return {tool["name"]: tool for tool in ask(caller, "tools/list", path=path)["result"]["tools"]}
