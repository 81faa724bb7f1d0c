"""A Memsite server in the Claude Agent SDK: `memsite_hooks` tell what is known and have what is said learnt from."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from claude_agent_sdk import HookMatcher
from claude_agent_sdk.types import HookCallback, HookContext, HookEvent, HookInput, HookJSONOutput

from memsite_client import Memsite, MemsiteError

__all__ = ["memsite_hooks"]
log = logging.getLogger("memsite")
# In seconds: a user waits for what is told before the answer, nobody for what is learnt after it.
EVENTS: dict[HookEvent, float] = {"UserPromptSubmit": 5.0, "Stop": 15.0, "PreCompact": 15.0}


def memsite_hooks(memsite: Memsite | None = None) -> dict[HookEvent, list[HookMatcher]]:
    """Return the hooks for `ClaudeAgentOptions`. Claude's session is a session of the server, by the same id.

    With the first prompt comes what is known, with each what fits it. Prompt and last message of the answer are learnt
    from. Without the server an agent works as if it had no memory: a warning is logged.
    """
    client = memsite or Memsite()
    return {
        event: [HookMatcher(hooks=[hook(client, seconds)], timeout=2 * seconds)] for event, seconds in EVENTS.items()
    }


def hook(memsite: Memsite, seconds: float) -> HookCallback:
    async def call(event: HookInput, tool_use_id: str | None, context: HookContext) -> HookJSONOutput:
        try:
            answer: Any = await asyncio.wait_for(asyncio.to_thread(memsite.claude_code_hook, dict(event)), seconds)
        except (MemsiteError, TimeoutError) as error:
            log.warning("%s: memory is left out: %s", event["hook_event_name"], error or type(error).__name__)
            return {}
        return answer

    return call
