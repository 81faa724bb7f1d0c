"""Programs of coding agents, as data: where each keeps its hooks, MCP servers and rules, and what its events mean."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

START, PROMPT, STOP, COMPACT, END = "SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"
SAID = "PromptSaid"
"""A prompt that is only heard: its host shows nothing that a hook answers to it."""
# Seconds that a host waits for each; the hook itself gives up before.
TIMEOUTS = {START: 10, PROMPT: 5, STOP: 15, COMPACT: 15, END: 5, SAID: 5}
TAIL_BYTES = 1024 * 1024
MCP_SERVERS = ("mcpServers",)


class Host(NamedTuple):
    """A program. Files are below `home` for a user, and below the folder of a project; "" where there is none.

    `events`: ours by the host's. `fields`: where ours stand in the JSON of an event. `answer`: the field in which the
    host takes what it shows; "" as Claude Code has it, None shows nothing. `entry`: what a hook's entry holds, with the
    command under `command`; `nested` in groups, as Claude Code has it. `server`: the same of an MCP server.
    """

    title: str
    home: tuple[str, str]
    events: Mapping[str, str]
    fields: Mapping[str, str] = {}
    answer: str | None = ""
    hooks: tuple[str, str] = ("", "")
    nested: bool = True
    versioned: bool = False
    entry: Mapping[str, Any] = {"type": "command"}
    command: tuple[str, ...] = ("command",)
    timeout: tuple[str, int] = ("timeout", 1)
    mcp: tuple[str, str] = ("", "")
    servers: tuple[str, ...] = MCP_SERVERS
    server: Mapping[str, Any] = {}
    rules: tuple[str, str] = ("", "")
    always: Mapping[str, Mapping[str, Any]] = {}
    note: str = ""


HOSTS: dict[str, Host] = {
    "claude-code": Host(
        title="Claude Code",
        home=("CLAUDE_CONFIG_DIR", ".claude"),
        events={name: name for name in (START, PROMPT, STOP, COMPACT, END)},
        hooks=("settings.json", ".claude/settings.json"),
        mcp=(".claude.json", ".mcp.json"),
    ),
    "codex": Host(
        title="Codex CLI",
        home=("CODEX_HOME", ".codex"),
        events={name: name for name in (START, PROMPT, STOP, COMPACT)},
        fields={"prompt_id": "turn_id"},
        hooks=("hooks.json", ".codex/hooks.json"),
        mcp=("config.toml", ".codex/config.toml"),
        servers=("mcp_servers",),
        note="Codex asks once whether it may run new hooks: /hooks.",
    ),
    "cursor": Host(
        title="Cursor",
        home=("", ".cursor"),
        events={
            "sessionStart": START,
            "beforeSubmitPrompt": SAID,
            "afterAgentResponse": STOP,
            "preCompact": COMPACT,
            "sessionEnd": END,
        },
        fields={
            "session_id": "conversation_id session_id",
            "prompt_id": "generation_id",
            "last_assistant_message": "text",
            "cwd": "cwd workspace_roots.0",
        },
        answer="additional_context",
        hooks=("hooks.json", ".cursor/hooks.json"),
        nested=False,
        versioned=True,
        entry={},
        mcp=("mcp.json", ".cursor/mcp.json"),
        always={"beforeSubmitPrompt": {"continue": True}},
    ),
    "gemini": Host(
        title="Gemini CLI",
        home=("", ".gemini"),
        events={START: START, "BeforeAgent": PROMPT, "AfterAgent": STOP, "PreCompress": COMPACT, END: END},
        fields={"last_assistant_message": "prompt_response"},
        hooks=("settings.json", ".gemini/settings.json"),
        entry={"type": "command", "name": "memsite"},
        timeout=("timeout", 1_000),
        mcp=("settings.json", ".gemini/settings.json"),
    ),
    "copilot": Host(
        title="GitHub Copilot CLI",
        home=("COPILOT_HOME", ".copilot"),
        events={
            "sessionStart": START,
            "userPromptSubmitted": PROMPT,
            "agentStop": STOP,
            "preCompact": COMPACT,
            "sessionEnd": END,
        },
        fields={"session_id": "sessionId session_id", "transcript_path": "transcriptPath transcript_path"},
        answer="additionalContext",
        hooks=("hooks/memsite.json", ".github/hooks/memsite.json"),
        nested=False,
        versioned=True,
        command=("bash", "powershell"),
        timeout=("timeoutSec", 1),
        mcp=("mcp-config.json", ""),
        server={"type": "local", "tools": ["*"]},
    ),
    "windsurf": Host(
        title="Windsurf",
        home=("", ".codeium/windsurf"),
        events={"pre_user_prompt": SAID, "post_cascade_response": STOP},
        fields={
            "session_id": "trajectory_id",
            "prompt_id": "execution_id",
            "prompt": "tool_info.user_prompt",
            "last_assistant_message": "tool_info.response",
            "cwd": "tool_info.cwd cwd",
        },
        answer=None,
        hooks=("hooks.json", ".windsurf/hooks.json"),
        nested=False,
        entry={"show_output": False},
        timeout=("", 1),
        mcp=("mcp_config.json", ""),
        rules=("memories/global_rules.md", ".windsurf/rules/memsite.md"),
    ),
    "opencode": Host(
        title="OpenCode",
        home=("OPENCODE_CONFIG_DIR", ".config/opencode"),
        events={},
        mcp=("opencode.json", "opencode.json"),
        servers=("mcp",),
        server={"type": "local", "enabled": True},
        rules=("AGENTS.md", "AGENTS.md"),
    ),
}


def home_of(host: Host) -> Path:
    variable, folder = host.home
    home = os.environ.get("HOME") or Path.home()
    return Path(os.environ[variable]) if variable and os.environ.get(variable) else Path(home, folder)


def split_event(name: str) -> tuple[str, str]:
    """Return host and event of `codex:Stop`; `Stop` alone is Claude Code's."""
    host, sign, event = name.partition(":")
    return (host, event) if sign else ("claude-code", name)


def names_of_events() -> list[str]:
    """Return every name that `memsite hook` takes."""
    return [name_of(name, event) for name, host in HOSTS.items() for event in host.events]


def name_of(host: str, event: str) -> str:
    return event if host == "claude-code" else f"{host}:{event}"


def read_event(name: str, payload: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Return an event of any host as one of Claude Code's; what it says that we do not read is left out."""
    host_name, event = split_event(name)
    host = HOSTS[host_name]
    if host_name == "claude-code":
        return {"hook_event_name": event, **{name: text for name, text in payload.items() if isinstance(text, str)}}
    ours = host.events[event]
    read: dict[str, Any] = {"hook_event_name": ours, "client": host_name, "cwd": folder}
    for field in ("session_id", "cwd", "prompt", "prompt_id", "last_assistant_message", "source", "reason"):
        values = (value_at(payload, place) for place in host.fields.get(field, field).split())
        if value := next((text for text in values if isinstance(text, str) and text), ""):
            read[field] = value
    if ours == STOP and "last_assistant_message" not in read:
        path = next((value_at(payload, place) for place in host.fields.get("transcript_path", "").split()), None)
        read["last_assistant_message"] = last_answer(path) if isinstance(path, str) else ""
    if ours == SAID:
        prompt = {"role": "user", "content": read.pop("prompt", ""), "external_id": read.get("prompt_id")}
        read["messages"] = [prompt] if prompt["content"].strip() else []
    return read


def value_at(payload: Any, place: str) -> Any:
    for part in place.split("."):
        if isinstance(payload, Mapping):
            payload = payload.get(part)
        elif isinstance(payload, list) and part.isdecimal() and int(part) < len(payload):
            payload = payload[int(part)]
        else:
            return None
    return payload


def last_answer(transcript: str) -> str:
    """Return what the agent said last, from the end of Copilot's transcript; empty if it cannot be read."""
    try:
        with Path(transcript).open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - TAIL_BYTES))
            lines = file.read().splitlines()
    except OSError:
        return ""
    for line in reversed(lines):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        content = value_at(entry, "data.content")
        if (
            isinstance(entry, dict)
            and entry.get("type") == "assistant.message"
            and isinstance(content, str)
            and content
        ):
            return content
    return ""


def show_answer(name: str, text: str) -> dict[str, Any]:
    """Return what the host reads as the answer of its hook; {} for nothing."""
    host_name, event = split_event(name)
    host = HOSTS[host_name]
    answer = dict(host.always.get(event, {}))
    if text and host.answer is not None and host.events[event] in (START, PROMPT):
        if host.answer:
            answer[host.answer] = text
        else:
            answer["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": text}
    return answer
