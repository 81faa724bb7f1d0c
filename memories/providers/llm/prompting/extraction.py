"""Extraction: what a piece of conversation states, checked against what was really said."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from memories.language.dates.windows import find_windows
from memories.language.entities import MAX_ENTITIES, entity_key
from memories.language.extract.labels import read_category, read_importance, read_sentiment, read_strength
from memories.language.messages import ASSISTANT, ENDS, WIDE_ENDS
from memories.language.scripts import estimate_tokens
from memories.language.similarity import used_share
from memories.providers.llm.prompting.grounding import (
    ONLY_SUGGESTED,
    attributed,
    doubt_about,
    is_of_example,
    is_suggestion,
)
from memories.providers.llm.prompting.prompt import (
    CONVERSATION_CHARACTERS,
    SHARE,
    TEXT,
    WORDS,
    Conversation,
    Question,
    clean,
    described,
    example,
    fitting,
    list_of,
    number_of,
    object_of,
    one_line,
    own_words,
    shorten,
    show_conversation,
    show_day,
    show_last,
    words_of,
)
from memories.providers.llm.provider import Ask, Chunk, Fact, Setting

GENERAL = "general"
NO_SUBJECT = frozenset({GENERAL, "none", "null", "n/a", "n a", "unknown", "not specified"})
MAX_CATEGORY_CHARACTERS, MAX_SUBJECT_CHARACTERS, MAX_ENTITY_CHARACTERS = 64, 200, 200
MAX_LABEL_CHARACTERS = 1_000
MOST_TAGS, MAX_TAG_CHARACTERS = 10, 40
MOST_LOOKED_ALIKE, LEAST_LIKENESS = 100, 0.6
_NOT_IN_CATEGORY = re.compile(r"[^a-z0-9_]+")
_ISO_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?![\d-])")


def category_name(label: str) -> str:
    """Lower-case letters, digits, - and _, 64 at most: "Work Stuff" → "work-stuff", "Café" → "cafe"; else ""."""
    plain = unicodedata.normalize("NFKD", label[:MAX_LABEL_CHARACTERS].casefold())
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return _NOT_IN_CATEGORY.sub("-", bare).strip("-_")[:MAX_CATEGORY_CHARACTERS].rstrip("-_")


@dataclass(frozen=True, slots=True)
class Labels:
    """The categories that are allowed, by their names (any if there are none), and the known subjects by their keys."""

    categories: Mapping[str, str]
    subjects: Mapping[str, str]

    @classmethod
    def of(cls, setting: Setting) -> Labels:
        categories = {category_name(category): category for category in setting.categories}
        return cls(categories, {entity_key(subject): subject for subject in reversed(setting.subjects)})

    def category(self, label: str) -> str:
        """Return the category that is meant; "general" if none is like it."""
        name = category_name(label)
        if not self.categories:
            return name or GENERAL
        if name not in self.categories:
            near = get_close_matches(name, list(self.categories)[:MOST_LOOKED_ALIKE], n=1, cutoff=LEAST_LIKENESS)
            return self.categories[near[0]] if near else GENERAL
        return self.categories[name]

    def subject(self, label: str) -> str:
        """Return a known subject in its own spelling, or the label; "" for general and for what is too long for
        a name.
        """
        name = one_line(label)
        key = entity_key(name)
        if not key or len(name) > MAX_SUBJECT_CHARACTERS or key in NO_SUBJECT:
            return ""
        return self.subjects.get(key, name)


def _limits(day: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    iso = _ISO_DAY.match(day.strip())
    windows = find_windows(iso.group(), now) if iso else []
    return (windows[0].start, windows[0].end) if windows else (None, None)


KINDS = ("decision", "insight", "fact", "preference", "project", "conversation", "general", "lesson")
STRENGTHS = ("explicit", "implied", "inferred")
SENTIMENTS = ("frustrated", "excited", "uncertain", "neutral")
MOST_KNOWN, MAX_KNOWN_CHARACTERS = 20, 300
MOST_BEFORE, BEFORE_CHARACTERS = 20, 4_000
NAMES_CHARACTERS = 2_000
MAX_QUOTE_CHARACTERS = 300
OPEN_CATEGORIES = "a short lower-case English word such as work, health or travel; general if none fits"
CLEARLY_MORE = 0.25
"""By so much of its words another message than the named one has to say more of a statement."""
SAID_FROM = 0.5
"""The share of its words from which a message says a statement that names none."""
TOKENS_PER_FACT, MOST_TOKENS = 200, 8_000
FEWEST_TOKENS, TOKENS_PER_TOKEN = 600, 4
"""Of an answer, and for each token that was said: a short sentence makes a fact with all of its fields."""

_NAMES = {**list_of(TEXT), "default": []}
_FACT = object_of(
    message=described(number_of(0, 10_000, 0), "number of the message that says it"),
    quote=described(WORDS, "up to twenty of its words, exactly"),
    content=described(TEXT, "one statement, understood alone"),
    kind=words_of(KINDS, "fact"),
    category=WORDS,
    subject=described(WORDS, "the one person, service or thing it is about"),
    entities=_NAMES,
    tags=_NAMES,
    importance=number_of(1, 5, 3),
    # Whoever cannot say how plainly it was said did not read it word for word.
    strength=words_of(STRENGTHS, "implied"),
    sentiment=words_of(SENTIMENTS, "neutral"),
    verifiable=described(SHARE, "low for a mere opinion"),
    useful=described(SHARE, "above 0.7 only if it helps in another conversation"),
    valid_from=described(WORDS, "YYYY-MM-DD or empty"),
    valid_until=described(WORDS, "YYYY-MM-DD or empty"),
    updates=described(number_of(0, 10_000, 0), "number of the known statement it makes outdated, or 0"),
)
_EXTRACT = Question("extract", object_of(facts=list_of(_FACT)), max_tokens=MOST_TOKENS)
_LEAN_FACT = object_of(**{name: _FACT["properties"][name] for name in ("message", "content", "kind", "valid_from")})
_LEAN = Question("extract", object_of(facts=list_of(_LEAN_FACT)), max_tokens=MOST_TOKENS, prompt="extract_lean")
_DEFAULTS = {name: part["default"] for name, part in _FACT["properties"].items() if "default" in part}


def show_chunk(chunk: Chunk) -> Conversation:
    return show_conversation(chunk.messages, CONVERSATION_CHARACTERS - BEFORE_CHARACTERS)


def ask_facts(chunk: Chunk, conversation: Conversation, setting: Setting, *, lean: bool = False) -> Ask:
    listed = enumerate(setting.known[:MOST_KNOWN], 1)
    known = [f"{number}. {shorten(one_line(text), MAX_KNOWN_CHARACTERS)}" for number, text in listed]
    told_by = clean(setting.guidance).strip()
    told = {
        "now": show_day(chunk.now),
        "categories": _categories(setting),
        "max_characters": setting.max_characters,
        "most_facts": setting.most_facts,
        "guidance": f"\nThe operator on what matters here and what never to keep:\n{told_by}\n" if told_by else "",
    }
    untrusted = {
        "subjects": "\n".join(fitting(map(one_line, setting.subjects), NAMES_CHARACTERS)),
        "known": "\n".join(known),
        "before": show_last(chunk.before, MOST_BEFORE, BEFORE_CHARACTERS),
        "conversation": conversation.text,
    }
    said = estimate_tokens(conversation.text)
    most = min(MOST_TOKENS, TOKENS_PER_FACT * (setting.most_facts + 2), FEWEST_TOKENS + TOKENS_PER_TOKEN * said)
    return (_LEAN if lean else _EXTRACT).fill(told, untrusted, most)


def _categories(setting: Setting) -> str:
    if not setting.categories:
        return OPEN_CATEGORIES
    names = ", ".join(fitting(map(category_name, setting.categories), NAMES_CHARACTERS))
    return f"one of {names}; general if none fits"


def read_facts(
    answer: Mapping[str, Any], chunk: Chunk, conversation: Conversation, setting: Setting, made_by: str
) -> list[Fact]:
    """Return the facts that hold up, in their order, each once, at most `setting.most_facts`."""
    said, labels = _Said.of(chunk, conversation), Labels.of(setting)
    shown = [fact["content"] for fact in example(_EXTRACT.operation)["facts"]]
    context = said.all_of(chunk, setting)
    kept: dict[str, Fact] = {}
    for given in answer["facts"]:
        found = given if "quote" in given else labelled_by_rules(given, setting)
        if len(kept) >= setting.most_facts:
            break
        content = one_line(found["content"])
        place, quote = said.locate(found["message"], one_line(found["quote"]), content)
        # A statement cut short says something else.
        if place is None or not _key(content) or len(content) > setting.max_characters:
            continue
        if is_of_example(content, shown, said.words[place]):
            continue
        doubt = doubt_about(content, context, chunk.now)
        if chunk.messages[place].role == ASSISTANT:
            doubt = doubt or (ONLY_SUGGESTED if is_suggestion(said.words[place], quote, content) else "")
            content = content if doubt else attributed(content, said.words[place], quote)
        number = found["updates"] if found["updates"] <= len(setting.known[:MOST_KNOWN]) else 0
        where = Fact(content, place, quote, made_by=made_by, doubt=doubt, updates=number)
        kept.setdefault(_key(content), _label(where, found, labels, chunk.now))
    return list(kept.values())


def labelled_by_rules(given: Mapping[str, Any], setting: Setting) -> dict[str, Any]:
    """Return the answer to the lean question with what the rules make of its words."""
    content, kind = given["content"], given["kind"]
    return {
        **_DEFAULTS,
        **given,
        "category": read_category(content, "", setting.categories),
        "importance": read_importance(content, kind),
        "strength": read_strength(content, is_hedged=False, is_guess=False),
        "sentiment": read_sentiment(content),
    }


def _label(fact: Fact, found: Mapping[str, Any], labels: Labels, now: datetime) -> Fact:
    # None for what is no date. An end before the start is no end.
    start, end = _limits(found["valid_from"], now)[0], _limits(found["valid_until"], now)[1]
    valid_from, valid_until = start, None if start and end and end <= start else end
    tags = found["tags"]
    named = (one_line(tag).lstrip("#").casefold() for tag in tags)
    kept: dict[str, str] = {}
    for name in map(one_line, found["entities"]):
        if len(kept) < MAX_ENTITIES and len(name) <= MAX_ENTITY_CHARACTERS and (key := entity_key(name)):
            kept.setdefault(key, name)
    return replace(
        fact,
        kind=found["kind"],
        category=labels.category(found["category"]),
        subject=labels.subject(found["subject"]),
        tags=tuple(dict.fromkeys(tag for tag in named if 0 < len(tag) <= MAX_TAG_CHARACTERS))[:MOST_TAGS],
        importance=found["importance"],
        strength=found["strength"],
        sentiment=found["sentiment"],
        verifiable=float(found["verifiable"]),
        useful=float(found["useful"]),
        entities=tuple(kept.values()),
        valid_from=valid_from,
        valid_until=valid_until,
    )


def _key(content: str) -> str:
    """Return what a statement shares with others that differ only in case and punctuation at the end."""
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

    def all_of(self, chunk: Chunk, setting: Setting) -> str:
        """Return all that a statement may take its words from: what was said, who spoke, and what is known."""
        speakers = (message.speaker for message in (*chunk.before, *chunk.messages))
        return "\n".join((self.before, *self.words.values(), *speakers, *setting.known[:MOST_KNOWN]))

    def locate(self, number: int, quote: str, content: str) -> tuple[int | None, str]:
        """Return the place of a message and the words in it; no place if no message says it.

        Words that were said only before this chunk belong to the chunk before.
        """
        named = self.places[number - 1] if 1 <= number <= len(self.places) else None
        if quote and len(quote) <= MAX_QUOTE_CHARACTERS:
            found = next((at for at in self._from(named) if quote in self.words[at]), None)
            if found is not None:
                return found, quote
            if quote in self.before:
                return None, ""
        return self._best(named, content), ""

    def _best(self, named: int | None, content: str) -> int | None:
        """Return the message that has most of a statement's words; the one that was named unless another has clearly
        more.
        """
        shares = {at: used_share(content, words) for at, words in self.words.items()}
        best = max(shares, key=lambda at: shares[at], default=None)
        if best is None or (named is not None and shares[named] + CLEARLY_MORE > shares[best]):
            return named
        return best if named is not None or shares[best] >= SAID_FROM else None

    def _from(self, named: int | None) -> Iterator[int]:
        if named is not None:
            yield named
        yield from self.places
