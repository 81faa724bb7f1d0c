"""The hooks as the SDK calls them. `examples/claude_agent.py` is tried with Claude Code itself."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions
from memsite_claude_agent_sdk import memsite_hooks

from memsite_client import Memsite

BASE = {"session_id": "0192f0c1-7e9a-7000-8000-000000000001", "transcript_path": "/srv/x.jsonl", "cwd": "/srv/site"}


async def call(memsite: Memsite, event: str, **fields: Any) -> Any:
    (matcher,) = ClaudeAgentOptions(hooks=memsite_hooks(memsite)).hooks[event]
    (callback,) = matcher.hooks
    return await callback({**BASE, "hook_event_name": event, **fields}, None, {"signal": None})


async def test_a_prompt_is_told_what_is_known(memsite: Memsite) -> None:
    memsite.create_memory("The site is deployed on Tuesdays")
    answer = await call(memsite, "UserPromptSubmit", prompt="When is the site deployed?")
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "deployed on Tuesdays" in answer["hookSpecificOutput"]["additionalContext"]


async def test_prompt_and_answer_are_stored_in_claudes_session(memsite: Memsite) -> None:
    await call(memsite, "UserPromptSubmit", prompt="I am vegan.")
    assert await call(memsite, "Stop", last_assistant_message="Noted.", stop_hook_active=False) == {}
    assert await call(memsite, "PreCompact", trigger="auto", custom_instructions=None) == {}
    assert sorted(row["raw_content"] for row in memsite.list_resources()) == ["I am vegan.", "Noted."]
    assert [session["external_id"] for session in memsite.list_sessions()] == [BASE["session_id"]]


async def test_an_agent_works_without_the_server(caplog: pytest.LogCaptureFixture) -> None:
    with Memsite("http://127.0.0.1:9", "mst_x", retries=0) as away, caplog.at_level(logging.WARNING):
        assert await call(away, "UserPromptSubmit", prompt="Hello") == {}
    assert "memory is left out" in caplog.text
