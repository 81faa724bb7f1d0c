"""Rewriting: the search that the last messages call for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memories.providers.llm.asking.question import TEXT, Question, object_of
from memories.providers.llm.asking.shown import show_day
from memories.providers.llm.asking.texts import one_line
from memories.providers.llm.chat import Ask
from memories.providers.llm.provider import Written

LAST_MESSAGES = 5
MESSAGES_CHARACTERS = 8_000
MOST_WORDS = 32
MAX_QUERY_CHARACTERS = 400
# Somebody waits for this one.
_REWRITE = Question("rewrite", object_of(query=TEXT), max_tokens=200, large=False, total_seconds=10.0)


def ask_query(messages: str, now: datetime) -> Ask:
    return _REWRITE.fill({"now": show_day(now), "most_words": MOST_WORDS}, {"messages": messages})


def read_query(answer: Mapping[str, Any], made_by: str) -> Written:
    words = one_line(answer["query"]).split()[:MOST_WORDS]
    return Written(" ".join(words)[:MAX_QUERY_CHARACTERS].rstrip(), made_by)
