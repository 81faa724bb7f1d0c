"""Our entries in Claude Code's settings and MCP servers: added, removed, everything else left as it is."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import sys
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from memsite_client.configuration import Server, write_whole
from memsite_client.errors import MemsiteError

# Seconds that Claude Code waits for each; the hook itself gives up before.
TIMEOUTS = {"SessionStart": 10, "UserPromptSubmit": 5, "Stop": 15, "PreCompact": 15, "SessionEnd": 5}
NAME = "memsite"
MARK = "hook"

Settings = dict[str, Any]
PATH = "/mcp"
ASK_SECONDS = 5.0
# In a file that others share: Claude Code puts in what each one's environment says.
KEY_OF_THE_READER = "${MEMSITE_API_KEY}"


class SettingsUnclear(MemsiteError):
    """The file holds something that we cannot add to without spoiling it."""


def settings_file(project: Path | None) -> Path:
    """Return the user's, or a project's."""
    if project is not None:
        return project / ".claude" / "settings.json"
    home = os.environ.get("CLAUDE_CONFIG_DIR") or Path(os.environ.get("HOME") or Path.home(), ".claude")
    return Path(home, "settings.json")


def command_line(project: Path | None) -> str:
    """Return how Claude Code calls us: by full path for this user, by name in a project that others share."""
    if project is not None:
        return NAME
    running = Path(sys.argv[0])
    is_it = running.name == NAME and running.is_file() and os.access(running, os.X_OK)
    installed = str(running.absolute()) if is_it else shutil.which(NAME)
    return shlex.quote(installed) if installed else shlex.join([sys.executable, "-m", "memsite_client"])


def read_settings(path: Path) -> Settings:
    """Return {} if there is no file yet. Raise SettingsUnclear if its hooks are not {event: [{hooks: [...]}]}."""
    settings = read_object(path)
    hooks = settings.get("hooks", {})
    is_known = isinstance(hooks, dict) and all(
        isinstance(groups, list)
        and all(isinstance(group, dict) and isinstance(group.get("hooks", []), list) for group in groups)
        for groups in hooks.values()
    )
    if not is_known:
        raise SettingsUnclear(f"{path} has hooks of a kind that is not known here: nothing was changed.")
    return settings


def read_object(path: Path) -> Settings:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsUnclear(f"{path} cannot be read: {error}. Nothing was changed.") from error
    try:
        document = json.loads(text or "{}")
    except ValueError as error:
        raise SettingsUnclear(f"{path} is not valid JSON ({error}). Nothing was changed.") from error
    if not isinstance(document, dict):
        raise SettingsUnclear(f"{path} is no JSON object. Nothing was changed.")
    return document


def with_hooks(settings: Settings, command: str) -> Settings:
    """Return the settings with our hooks, once, whatever they were before."""
    changed = without_hooks(settings)
    hooks = changed.setdefault("hooks", {})
    for event, timeout in TIMEOUTS.items():
        entry = {"type": "command", "command": f"{command} {MARK} {event}", "timeout": timeout}
        hooks.setdefault(event, []).append({"hooks": [entry]})
    return changed


def without_hooks(settings: Settings) -> Settings:
    """Return the settings without our hooks, and without what only held them."""
    changed = deepcopy(settings)
    hooks = changed.get("hooks", {})
    for event, groups in list(hooks.items()):
        left = []
        for group in groups:
            entries = group.get("hooks", [])
            others = [entry for entry in entries if not is_ours(entry)]
            if others == entries:
                left.append(group)
            elif others:
                left.append({**group, "hooks": others})
        if left:
            hooks[event] = left
        elif groups:
            del hooks[event]
    if not hooks and settings.get("hooks"):
        del changed["hooks"]
    return changed


def is_ours(entry: Any) -> bool:
    """Tell whether it is `… memsite hook EVENT`, wherever the command lies and however it is called."""
    command = entry.get("command") if isinstance(entry, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    if len(words) < 3 or words[-2] != MARK or words[-1] not in TIMEOUTS:
        return False
    return Path(words[-3]).name in (NAME, "memsite_client")


def change_file(path: Path, document: Settings, new_mode: int = 0o644) -> Path | None:
    """Write it, whole. Return the path of the copy of what was there before, None if there was nothing."""
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    copy, mode = None, new_mode
    if path.is_file():
        mode = stat.S_IMODE(path.stat().st_mode)
        copy = path.with_name(f"{path.name}.{datetime.now(UTC):%Y%m%d-%H%M%S}.bak")
        write_whole(copy, path.read_text(encoding="utf-8"), mode)
    write_whole(path, text, mode)
    return copy


def mcp_file(project: Path | None) -> Path:
    if project is not None:
        return project / ".mcp.json"
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.environ.get("HOME") or Path.home()
    return Path(home, ".claude.json")


def speaks_mcp(place: Server) -> bool:
    """Tell whether anything is at `/mcp` of the server; no if it is away."""
    headers = {"Accept": "application/json, text/event-stream"}
    try:
        with httpx.stream("POST", place.url + PATH, json={}, headers=headers, timeout=ASK_SECONDS) as response:
            return response.status_code not in (404, 405) and not response.is_server_error
    except httpx.RequestError:
        return False


def read_servers(path: Path) -> dict[str, Any]:
    document = read_object(path)
    if not isinstance(document.get("mcpServers", {}), dict):
        raise SettingsUnclear(f"{path} has MCP servers of a kind that is not known here: nothing was changed.")
    return document


def with_server(document: dict[str, Any], place: Server, key: str) -> dict[str, Any]:
    entry = {"type": "http", "url": place.url + PATH, "headers": {"Authorization": f"Bearer {key}"}}
    return {**document, "mcpServers": {**document.get("mcpServers", {}), NAME: entry}}


def without_server(document: dict[str, Any]) -> dict[str, Any]:
    changed = deepcopy(document)
    servers = changed.get("mcpServers", {})
    if servers.pop(NAME, None) is not None and not servers:
        del changed["mcpServers"]
    return changed
