"""Our server among Claude Code's MCP servers, if it speaks MCP."""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx

from memsite_client.claude.settings import NAME, SettingsUnclear, read_object
from memsite_client.place import Place

PATH = "/mcp"
ASK_SECONDS = 5.0
# In a file that others share: Claude Code puts in what each one's environment says.
KEY_OF_THE_READER = "${MEMSITE_API_KEY}"


def mcp_file(project: Path | None) -> Path:
    if project is not None:
        return project / ".mcp.json"
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.environ.get("HOME") or Path.home()
    return Path(home, ".claude.json")


def speaks_mcp(place: Place) -> bool:
    """Whether anything is at `/mcp` of the server; no if it is away."""
    headers = {"Accept": "application/json, text/event-stream"}
    try:
        with httpx.stream("POST", place.url + PATH, json={}, headers=headers, timeout=ASK_SECONDS) as response:
            return response.status_code not in (404, 405) and not response.is_server_error
    except httpx.RequestError:
        return False


def server_entry(place: Place, key: str) -> dict[str, Any]:
    return {"type": "http", "url": place.url + PATH, "headers": {"Authorization": f"Bearer {key}"}}


def read_servers(path: Path) -> dict[str, Any]:
    document = read_object(path)
    if not isinstance(document.get("mcpServers", {}), dict):
        raise SettingsUnclear(f"{path} has MCP servers of a kind that is not known here: nothing was changed.")
    return document


def with_server(document: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    return {**document, "mcpServers": {**document.get("mcpServers", {}), NAME: entry}}


def without_server(document: dict[str, Any]) -> dict[str, Any]:
    changed = deepcopy(document)
    servers = changed.get("mcpServers", {})
    if servers.pop(NAME, None) is not None and not servers:
        del changed["mcpServers"]
    return changed
