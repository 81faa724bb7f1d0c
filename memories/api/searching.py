"""Searches page by page, for every door that has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from memories.agent import MemoryAgent
from memories.api.cursor import FARTHEST, make_cursor, read_cursor
from memories.retrieve.hits import Recall
from memories.retrieve.pipeline import SearchRequest
from memsite.db.lru_cache import Commit


def search_page(
    agent: MemoryAgent, question: Mapping[str, Any], commit: Commit | None = None
) -> tuple[Recall, str | None]:  # fmt: skip
    """What a SearchQuestion finds, and the cursor of the next page, if there is one. The last `commit` before it was
    asked need not be known.
    """
    asked = {name: value for name, value in question.items() if name != "cursor"}
    offset, now = read_cursor(question["cursor"], asked, timezone.now()) if question["cursor"] else (0, timezone.now())
    found = agent.search(
        SearchRequest(
            text=question["query"],
            limit=question["limit"],
            offset=offset,
            mode=question["mode"],
            min_score=question["min_score"],
            user_id=question["user_id"],
            filters=question["filters"],
            shared=question["scope"] == "shared",
            as_of=question["as_of"],
            count_access=question["touch"],
            commit=commit,
        ),
        now,
    )
    next_offset = offset + question["limit"]
    return found, make_cursor(next_offset, now, asked) if found.more and next_offset <= FARTHEST else None
