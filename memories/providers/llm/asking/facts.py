"""Extraction: what a piece of conversation states, checked against what was really said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memories.providers.llm.asking.labels import (
    Drawers,
    category_name,
    clamp_importance,
    clean_entities,
    clean_tags,
    one_of,
    read_days,
)
from memories.providers.llm.asking.question import INTEGER, NUMBER, TEXT, Question, example, list_of, object_of
from memories.providers.llm.asking.shown import (
    CONVERSATION_CHARACTERS,
    Conversation,
    fitting,
    own_words,
    show_conversation,
    show_day,
    show_last,
)
from memories.providers.llm.asking.texts import one_line, share_of_one, shorten
from memories.providers.llm.chat import Ask
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.text.sentence import ENDS, WIDE_ENDS

KINDS = ("decision", "insight", "fact", "preference", "project", "conversation", "general", "lesson")
STRENGTHS = ("explicit", "implied", "inferred")
SENTIMENTS = ("frustrated", "excited", "uncertain", "neutral")
MOST_KNOWN, MAX_KNOWN_CHARACTERS = 20, 300
MOST_BEFORE, BEFORE_CHARACTERS = 20, 4_000
NAMES_CHARACTERS = 2_000
MAX_QUOTE_CHARACTERS = 300
OPEN_CATEGORIES = "a short lower-case English word such as work, health or travel; general if none fits"
TOKENS_PER_FACT, MOST_TOKENS = 200, 8_000

_FACT = object_of(
    message=INTEGER, quote=TEXT, content=TEXT, kind=TEXT, category=TEXT, subject=TEXT, entities=list_of(TEXT),
    tags=list_of(TEXT), importance=INTEGER, strength=TEXT, sentiment=TEXT, verifiable=NUMBER, useful=NUMBER,
    valid_from=TEXT, valid_until=TEXT,
)  # fmt: skip
"""Words out of a list are plain text here: one odd word must not cost all other facts."""
_EXTRACT = Question("extract", object_of(facts=list_of(_FACT)), max_tokens=MOST_TOKENS)


def show_chunk(chunk: Chunk) -> Conversation:
    return show_conversation(chunk.messages, CONVERSATION_CHARACTERS - BEFORE_CHARACTERS)


def ask_facts(chunk: Chunk, conversation: Conversation, setting: Setting) -> Ask:
    known = [f"- {shorten(one_line(text), MAX_KNOWN_CHARACTERS)}" for text in setting.known[:MOST_KNOWN]]
    told = {
        "now": show_day(chunk.now),
        "categories": _categories(setting),
        "max_characters": setting.max_characters,
        "most_facts": setting.most_facts,
    }
    untrusted = {
        "subjects": "\n".join(fitting(map(one_line, setting.subjects), NAMES_CHARACTERS)),
        "known": "\n".join(known),
        "before": show_last(chunk.before, MOST_BEFORE, BEFORE_CHARACTERS),
        "conversation": conversation.text,
    }
    return _EXTRACT.fill(told, untrusted, min(MOST_TOKENS, TOKENS_PER_FACT * (setting.most_facts + 2)))


def _categories(setting: Setting) -> str:
    if not setting.categories:
        return OPEN_CATEGORIES
    names = ", ".join(fitting(map(category_name, setting.categories), NAMES_CHARACTERS))
    return f"one of {names}; general if none fits"


def read_facts(
    answer: Mapping[str, Any], chunk: Chunk, conversation: Conversation, setting: Setting, made_by: str
) -> list[Fact]:
    """The facts that hold up, in their order, each once, at most `setting.most_facts`."""
    said, drawers = _Said.of(chunk, conversation), Drawers.of(setting)
    shown = {_key(fact["content"]) for fact in example(_EXTRACT.operation)["facts"]}
    kept: dict[str, Fact] = {}
    for found in answer["facts"]:
        if len(kept) >= setting.most_facts:
            break
        content = one_line(found["content"])
        place, quote = said.locate(found["message"], one_line(found["quote"]))
        key = _key(content)
        # A statement cut short says something else, and one that nobody made, such as the prompt's example, is none.
        is_shown = key in shown and not quote
        if place is not None and key and not is_shown and len(content) <= setting.max_characters:
            where = Fact(content, place, quote, made_by=made_by)
            kept.setdefault(key, _label(where, found, drawers, chunk.now))
    return list(kept.values())


def _label(fact: Fact, found: Mapping[str, Any], drawers: Drawers, now: datetime) -> Fact:
    valid_from, valid_until = read_days(found["valid_from"], found["valid_until"], now)
    return replace(
        fact,
        kind=one_of(KINDS, found["kind"], "fact"),
        category=drawers.category(found["category"]),
        subject=drawers.subject(found["subject"]),
        tags=clean_tags(found["tags"]),
        importance=clamp_importance(found["importance"]),
        # Whoever cannot say how plainly it was said did not read it word for word.
        strength=one_of(STRENGTHS, found["strength"], "implied"),
        sentiment=one_of(SENTIMENTS, found["sentiment"], "neutral"),
        verifiable=share_of_one(found["verifiable"]),
        useful=share_of_one(found["useful"]),
        entities=clean_entities(found["entities"]),
        valid_from=valid_from,
        valid_until=valid_until,
    )


def _key(content: str) -> str:
    """What a statement shares with others that differ only in case and punctuation at the end."""
    return content.casefold().rstrip(f"{ENDS}{WIDE_ENDS} ")


@dataclass(frozen=True, slots=True)
class _Said:
    """Who said what: the words of each shown message by its place, and those of an earlier window."""

    places: Sequence[int]
    words: Mapping[int, str]
    before: str

    @classmethod
    def of(cls, chunk: Chunk, conversation: Conversation) -> _Said:
        words = {at: one_line(own_words(chunk.messages[at])) for at in conversation.places}
        return cls(conversation.places, words, "\n".join(one_line(own_words(message)) for message in chunk.before))

    def locate(self, number: int, quote: str) -> tuple[int | None, str]:
        """The place of a message and the words in it; no place if neither number nor quote leads to one.

        Words that were said only before this chunk belong to the chunk before.
        """
        named = self.places[number - 1] if 1 <= number <= len(self.places) else None
        if not quote or len(quote) > MAX_QUOTE_CHARACTERS:
            return named, ""
        found = next((at for at in self._from(named) if quote in self.words[at]), None)
        if found is not None:
            return found, quote
        return (None, "") if quote in self.before else (named, "")

    def _from(self, named: int | None) -> Iterator[int]:
        if named is not None:
            yield named
        yield from self.places
