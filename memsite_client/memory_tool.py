"""Anthropic's memory tool, its files kept by the server. Needs the package `anthropic`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from memsite_client.aio import AsyncMemsite
from memsite_client.sync import Memsite

PATH = "/compat/memory-tool"


def body_of(command: Any) -> dict[str, Any]:
    return {name: value for name, value in command.to_dict().items() if value is not None}


def text_of(answer: Mapping[str, Any]) -> str:
    """Raise ToolError, which the SDK makes an error for the model of."""
    if answer["is_error"]:
        raise ToolError(answer["content"])
    return str(answer["content"])


class MemsiteMemoryTool(BetaAbstractMemoryTool):
    """For `tools=[…]` of the SDK's tool runner; with `user_id`, files of this end user."""

    def __init__(self, memsite: Memsite, *, user_id: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.memsite, self.user_id = memsite, user_id

    def run(self, command: Any) -> str:
        query = {"user_id": self.user_id}
        return text_of(self.memsite.request("POST", self.memsite.place.url + PATH, json=body_of(command), query=query))

    view = create = str_replace = insert = delete = rename = run


class AsyncMemsiteMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for asyncio."""

    def __init__(self, memsite: AsyncMemsite, *, user_id: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.memsite, self.user_id = memsite, user_id

    async def run(self, command: Any) -> str:
        query = {"user_id": self.user_id}
        return text_of(
            await self.memsite.request("POST", self.memsite.place.url + PATH, json=body_of(command), query=query)
        )

    view = create = str_replace = insert = delete = rename = run
