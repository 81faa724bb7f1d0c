"""A prompt for the start of a session: what was learnt, what is due, what is known."""

from __future__ import annotations

from typing import Any

import mcp_types as mcp
from django.utils import timezone
from mcp.shared.exceptions import MCPError
from rest_framework.exceptions import APIException

from memories.agent import AnothersSession
from memories.api.storing import StoringView
from memories.mcp.toolbox import told_of
from memories.mcp.tools import session_named

NAME = "session-start"
DESCRIPTION = "What to know at the start of a session: what was learnt, what is due today, what is known."
NOTHING = "Nothing is known yet."


def list_prompts(params: Any) -> mcp.ListPromptsResult:
    arguments = [
        mcp.PromptArgument(name="session", description="Your name for this conversation."),
        mcp.PromptArgument(name="user_id", description="The end user you are talking with."),
    ]
    return mcp.ListPromptsResult(
        prompts=[mcp.Prompt(name=NAME, title="Begin with what is known", description=DESCRIPTION, arguments=arguments)]
    )


def get_prompt(door: StoringView, params: mcp.GetPromptRequestParams) -> mcp.GetPromptResult:
    if params.name != NAME:
        raise MCPError(code=mcp.INVALID_PARAMS, message=f"There is no prompt {params.name!r}: there is {NAME}.")
    try:
        text = text_for(door, **{name: value for name, value in (params.arguments or {}).items() if name in ARGUMENTS})
    except (APIException, AnothersSession) as error:
        raise MCPError(code=mcp.INVALID_PARAMS, message=told_of(error, NAME)) from error
    message = mcp.PromptMessage(role="user", content=mcp.TextContent(type="text", text=text))
    return mcp.GetPromptResult(description=DESCRIPTION, messages=[message])


ARGUMENTS = ("session", "user_id")


def text_for(door: StoringView, session: str = "", user_id: str = "") -> str:
    """Inside fences. With a session, what was shown is noted, as at the start of any other."""
    agent = door.memory_agent()
    if session:
        greeting = agent.start(session_named(door, session, user_id or None))
    else:
        greeting = agent.greeting(user_id or None, timezone.now())
    return greeting.text or NOTHING
