"""Recall: search, and blocks for the prompt."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Unpack, cast

from memsite_client.aio.connection import AsyncConnection
from memsite_client.shapes import Context, ContextOptions, ExplainedHit, SearchAnswer, SearchOptions


class AsyncRecall(AsyncConnection):
    async def search_memories(self, query: str, **options: Unpack[SearchOptions]) -> SearchAnswer:
        """What fits the query, best first. Nothing fits: nothing is found."""
        body = {"query": query, **options}
        return cast(SearchAnswer, await self.request("POST", "memories/search", json=body, repeatable=True))

    async def search_all(self, query: str, **options: Unpack[SearchOptions]) -> AsyncIterator[ExplainedHit]:
        """The same, page after page as they are asked for; `limit` is the length of a page."""
        while True:
            answer = await self.search_memories(query, **options)
            for hit in answer["results"]:
                yield hit
            if answer["next"] is None:
                return
            options["cursor"] = answer["next"]

    async def get_context(self, **options: Unpack[ContextOptions]) -> Context:
        """A block for the prompt: what answers the question, or what is known without one."""
        return cast(Context, await self.request("POST", "context", json=options, repeatable=True))
