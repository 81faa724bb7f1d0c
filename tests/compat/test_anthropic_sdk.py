"""Anthropic's SDK with our files, beside its own that lie in a folder: it cannot tell the difference."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool
from pytest_httpserver import HTTPServer

from memsite_client import AsyncMemsite, Memsite
from memsite_client.memory_tool import AsyncMemsiteMemoryTool, MemsiteMemoryTool
from tests.serving import Server

FILE = "/memories/notes.md"
COMMANDS: list[dict[str, Any]] = [
    {"command": "view", "path": FILE},
    {"command": "create", "path": FILE, "file_text": "  one\n\ntwo\nthree three\n"},
    {"command": "create", "path": FILE, "file_text": "again"},
    {"command": "view", "path": FILE},
    {"command": "view", "path": FILE, "view_range": [2, 3]},
    {"command": "view", "path": FILE, "view_range": [3, -1]},
    {"command": "view", "path": FILE, "view_range": [0, 2]},
    {"command": "str_replace", "path": FILE, "old_str": "three", "new_str": "3"},
    {"command": "str_replace", "path": FILE, "old_str": "nothing", "new_str": "3"},
    {"command": "str_replace", "path": FILE, "old_str": "two\n", "new_str": "2\n2\n"},
    {"command": "str_replace", "path": "/memories", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": FILE, "insert_line": 0, "insert_text": "zero\n"},
    {"command": "insert", "path": FILE, "insert_line": 6, "insert_text": "last"},
    {"command": "insert", "path": FILE, "insert_line": 99, "insert_text": "x"},
    {"command": "insert", "path": FILE, "insert_line": -1, "insert_text": "x"},
    {"command": "view", "path": FILE},
    {"command": "create", "path": "/memories/a/b/c.txt", "file_text": ""},
    {"command": "insert", "path": "/memories/a/b/c.txt", "insert_line": 0, "insert_text": "first"},
    {"command": "view", "path": "/memories/a/b/c.txt"},
    {"command": "rename", "old_path": "/memories/a", "new_path": FILE},
    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/z/y"},
    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/x"},
    {"command": "view", "path": "/memories/z/y/b/c.txt"},
    {"command": "view", "path": "/memories/a"},
    {"command": "delete", "path": "/memories/z"},
    {"command": "delete", "path": "/memories/z"},
    {"command": "delete", "path": "/memories"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "view", "path": "/memories/../../etc/passwd"},
]


def tell(tool: Any, command: dict[str, Any]) -> tuple[str, str]:
    try:
        return "told", tool.call(command)
    except ToolError as error:
        return "refused", str(error.content)


def test_each_command_is_answered_word_for_word_as_by_the_sdks_own_files(
    db: None, server: Server, tmp_path: Path
) -> None:
    with Memsite(server.url, server.new_app()) as memsite:
        ours, theirs = MemsiteMemoryTool(memsite), BetaLocalFilesystemMemoryTool(str(tmp_path))
        for command in COMMANDS:
            assert tell(ours, command) == tell(theirs, command), command


def test_for_asyncio_too(db: None, server: Server) -> None:
    async def work() -> str:
        async with AsyncMemsite(server.url, server.new_app()) as memsite:
            tool = AsyncMemsiteMemoryTool(memsite, user_id="u1")
            await tool.call({"command": "create", "path": FILE, "file_text": "there"})
            with pytest.raises(ToolError, match="already exists"):
                await tool.call({"command": "create", "path": FILE, "file_text": "again"})
            return str(await tool.call({"command": "view", "path": FILE}))

    assert asyncio.run(work()).endswith("     1\tthere")


def test_a_model_that_calls_the_tool_is_answered_by_the_server(
    db: None, server: Server, httpserver: HTTPServer
) -> None:
    answers = [
        message("tool_use", {"type": "tool_use", "id": "t1", "name": "memory", "input": COMMANDS[1]}),
        message("end_turn", {"type": "text", "text": "Noted."}),
    ]
    for answer in answers:
        httpserver.expect_ordered_request("/v1/messages", method="POST").respond_with_json(answer)
    with Memsite(server.url, server.new_app()) as memsite:
        runner = Anthropic(api_key="x", base_url=httpserver.url_for("")).beta.messages.tool_runner(
            model="claude",
            max_tokens=100,
            tools=[MemsiteMemoryTool(memsite)],
            messages=[{"role": "user", "content": "Note it."}],
        )
        assert runner.until_done().content[0].text == "Noted."  # type: ignore[union-attr]  # it is a text
        assert "two" in MemsiteMemoryTool(memsite).call({"command": "view", "path": FILE})
    question = [request.get_json() for request, _ in httpserver.log]
    assert question[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert question[1]["messages"][-1]["content"][0]["content"] == f"File created successfully at: {FILE}"


def message(reason: str, *content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": list(content),
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }
