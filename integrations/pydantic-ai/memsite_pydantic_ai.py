"""A Memsite server as a capability of Pydantic AI's agents: `MemsiteMemory`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import TextContent
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import AgentToolset, FunctionToolset

from memsite_client import Memsite

__all__ = ["MemsiteMemory"]
MOST_HITS = 10


@dataclass
class MemsiteMemory(AbstractCapability[Any]):
    """Tell an agent what is known of the question, and have the server learn from question and answer.

    Each conversation is a session: that of `conversation_id`, or the run's own. With `tools` the agent also searches
    and stores by itself.
    """

    memsite: Memsite = field(default_factory=Memsite)
    _: KW_ONLY
    user_id: str | None = None
    tools: bool = True
    max_tokens: int | None = None

    def get_instructions(self) -> Any:
        async def known(ctx: RunContext[Any]) -> str:
            options: dict[str, Any] = {"query": text_of(ctx.prompt), "user_id": self.user_id}
            block = await asyncio.to_thread(self.memsite.get_context, max_tokens=self.max_tokens, **options)
            return str(block["text"])

        return known

    def get_toolset(self) -> AgentToolset[Any] | None:
        return FunctionToolset([self.search_memory, self.store_memory]) if self.tools else None

    async def search_memory(self, query: str) -> list[str]:
        """Search what is known from earlier conversations.

        Args:
            query: What to know, as a question.
        """
        answer = await asyncio.to_thread(self.memsite.search_memories, query, limit=MOST_HITS, user_id=self.user_id)
        return [hit["content"] for hit in answer["results"]]

    async def store_memory(self, content: str) -> str:
        """Keep a fact for later conversations.

        Args:
            content: One statement that can be understood alone.
        """
        answer = await asyncio.to_thread(self.memsite.create_memory, content, user_id=self.user_id, origin="agent")
        return f"{answer['outcome']}: {answer['reason']}" if answer["reason"] else answer["outcome"]

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        asked, answered = text_of(ctx.prompt), result.output
        told = {"user": asked, "assistant": answered if isinstance(answered, str) else ""}
        messages = [{"role": role, "content": text} for role, text in told.items() if text.strip()]
        if messages:
            await asyncio.to_thread(self._store, ctx.conversation_id or ctx.run_id or "pydantic-ai", messages)
        return result

    def _store(self, conversation: str, messages: Sequence[dict[str, str]]) -> None:
        session = self.memsite.start_session(external_id=conversation, user_id=self.user_id)
        self.memsite.add_messages(session["id"], cast(Any, messages))


def text_of(prompt: Any) -> str:
    """Return what a prompt says; pictures and files say nothing here."""
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    texts = [part if isinstance(part, str) else part.content for part in prompt if isinstance(part, str | TextContent)]
    return "\n".join(texts)
