# Written by `make client` from memsite_client/aio/recall.py: change that file.
"""Recall: search, and blocks for the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack, cast

from memsite_client.shapes import Context, ContextOptions, ExplainedHit, SearchAnswer, SearchOptions
from memsite_client.sync.connection import Connection


class Recall(Connection):
    def search_memories(self, query: str, **options: Unpack[SearchOptions]) -> SearchAnswer:
        """What fits the query, best first. Nothing fits: nothing is found."""
        body = {"query": query, **options}
        return cast(SearchAnswer, self.request("POST", "memories/search", json=body, repeatable=True))

    def search_all(self, query: str, **options: Unpack[SearchOptions]) -> Iterator[ExplainedHit]:
        """The same, page after page as they are asked for; `limit` is the length of a page."""
        while True:
            answer = self.search_memories(query, **options)
            for hit in answer["results"]:
                yield hit
            if answer["next"] is None:
                return
            options["cursor"] = answer["next"]

    def get_context(self, **options: Unpack[ContextOptions]) -> Context:
        """A block for the prompt: what answers the question, or what is known without one."""
        return cast(Context, self.request("POST", "context", json=options, repeatable=True))
