"""Texts made of others: the summary of a category, the digest of a conversation, the insight out of archived facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memories.providers.llm.asking.question import TEXT, Question, object_of
from memories.providers.llm.asking.shown import Conversation, show_day, show_facts
from memories.providers.llm.asking.texts import clean, one_line, shorten, whole_lines, whole_sentences
from memories.providers.llm.chat import Ask
from memories.providers.llm.provider import LLMUnusable, Noted, Written

MAX_PREVIOUS_CHARACTERS = 8_000
MOST_TOKENS = 8_000
_WRITTEN = object_of(text=TEXT)
_SUMMARISE = Question("summarise", _WRITTEN, MOST_TOKENS)
_DIGEST = Question("digest", _WRITTEN, MOST_TOKENS, total_seconds=30.0)
_INSIGHT = Question("insight", _WRITTEN, MOST_TOKENS)


def ask_summary(category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Ask:
    shown = {
        "category": one_line(category)[:64],
        "facts": show_facts(facts),
        "previous": shorten(clean(previous).strip(), MAX_PREVIOUS_CHARACTERS),
    }
    return _SUMMARISE.fill({"max_characters": max_characters}, shown, _tokens(max_characters))


def ask_digest(conversation: Conversation, now: datetime, max_characters: int) -> Ask:
    told = {"now": show_day(now), "max_characters": max_characters}
    return _DIGEST.fill(told, {"conversation": conversation.text}, _tokens(max_characters))


def ask_insight(facts: Sequence[Noted], max_characters: int) -> Ask:
    shown = {"facts": show_facts(facts)}
    return _INSIGHT.fill({"max_characters": max_characters}, shown, _tokens(max_characters))


def _tokens(max_characters: int) -> int:
    """Room enough for scripts in which a character is a token."""
    return min(max_characters + 200, MOST_TOKENS)


def read_summary(answer: Mapping[str, Any], max_characters: int, made_by: str) -> Written:
    """As many lines as fit, or sentences of the first. Raises LLMUnusable if nothing fits or was written."""
    text = clean(answer["text"]).strip()
    return _written(whole_lines(text, max_characters) or whole_sentences(text, max_characters), made_by)


def read_digest(answer: Mapping[str, Any], max_characters: int, made_by: str) -> Written:
    """As many sentences as fit, "" if there is nothing to say. Raises LLMUnusable if the first is too long."""
    text = one_line(answer["text"])
    return _written(whole_sentences(text, max_characters), made_by) if text else Written("", made_by)


def read_insight(answer: Mapping[str, Any], max_characters: int, made_by: str) -> Written:
    """Raises LLMUnusable if nothing was written or the first sentence is too long."""
    return _written(whole_sentences(one_line(answer["text"]), max_characters), made_by)


def _written(text: str, made_by: str) -> Written:
    if not text:
        raise LLMUnusable(f"{made_by} wrote nothing that fits")
    return Written(text, made_by)
