"""The smaller questions: worth, relations, summaries, digests, insights, search queries, which memory goes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

from memories.language.injection_guard import find_instructions
from memories.language.relate import Relation, Verdict
from memories.language.relate.verdict import REASON_MAX_CHARS
from memories.language.similarity import unsaid_words, used_share
from memories.providers.llm.prompting.prompt import (
    BOOLEAN,
    INTEGER,
    SHARE,
    TEXT,
    WORDS,
    Conversation,
    Question,
    clean,
    fair_limit,
    fitting,
    list_of,
    number_of,
    object_of,
    one_line,
    shorten,
    show_day,
    show_facts,
    whole_lines,
    whole_sentences,
)
from memories.providers.llm.provider import NOT_ANSWERED, Ask, Choice, Comparison, LLMUnusable, Noted, Worth, Written

MAX_PREVIOUS_CHARACTERS = 8_000
MOST_TOKENS = 8_000
_LABELS = re.compile(r"[^\S\n]*\(importance \d[^()\n]*\)", re.IGNORECASE)
"""What stands behind a fact that is shown, and is not to be copied."""
_WRITTEN = object_of(text=TEXT)
_SUMMARISE = Question("summarise", _WRITTEN, MOST_TOKENS)
_DIGEST = Question("digest", _WRITTEN, MOST_TOKENS)
_INSIGHT = Question("insight", _WRITTEN, MOST_TOKENS)


def ask_summary(category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Ask:
    untrusted = {
        "category": one_line(category)[:64],
        "facts": show_facts(facts),
        "previous": shorten(clean(previous).strip(), MAX_PREVIOUS_CHARACTERS),
    }
    return _SUMMARISE.fill({"max_characters": max_characters}, untrusted, _tokens(max_characters))


def ask_digest(conversation: Conversation, now: datetime, max_characters: int) -> Ask:
    trusted = {"now": show_day(now), "max_characters": max_characters}
    return _DIGEST.fill(trusted, {"conversation": conversation.text}, _tokens(max_characters))


def ask_insight(facts: Sequence[Noted], max_characters: int) -> Ask:
    untrusted = {"facts": show_facts(facts)}
    return _INSIGHT.fill({"max_characters": max_characters}, untrusted, _tokens(max_characters))


def _tokens(max_characters: int) -> int:
    """Room enough for scripts in which two characters are a token, or a text of half the length is one."""
    return min(max_characters // 2 + 300, MOST_TOKENS)


def read_summary(answer: Mapping[str, Any], max_characters: int, made_by: str) -> Written:
    """As many lines as fit, or sentences of the first. Raises LLMUnusable if nothing fits or was written."""
    text = _LABELS.sub("", clean(answer["text"])).strip()
    return _written(whole_lines(text, max_characters) or whole_sentences(text, max_characters), made_by)


def read_digest(answer: Mapping[str, Any], max_characters: int, made_by: str) -> Written:
    """As many sentences as fit, "" if there is nothing to say. Raises LLMUnusable if the first is too long."""
    text = one_line(answer["text"])
    return _written(whole_sentences(text, max_characters), made_by) if text else Written("", made_by)


def read_insight(answer: Mapping[str, Any], max_characters: int, made_by: str) -> Written:
    """Raise LLMUnusable if nothing was written or the first sentence is too long."""
    return _written(whole_sentences(one_line(_LABELS.sub("", answer["text"])), max_characters), made_by)


def _written(text: str, made_by: str) -> Written:
    if not text:
        raise LLMUnusable(f"{made_by} wrote nothing that fits")
    return Written(text, made_by)


MOST_EXISTING = 40
EXISTING_CHARACTERS = 24_000
MAX_NEW_CHARACTERS = 4_000
TOKENS_PER_VERDICT = 80
NOT_ASKED = Verdict(Relation.DIFFERENT, f"not among the {MOST_EXISTING} nearest, not looked at", 0.0)

_VERDICT = object_of(
    number=INTEGER,
    reason=WORDS,
    relation={"type": "string", "enum": [str(relation) for relation in Relation]},
    confidence=SHARE,
)
_RELATE = Question("relate", object_of(verdicts=list_of(_VERDICT)), max_tokens=TOKENS_PER_VERDICT)


def nearest(existing: Sequence[str], cosines: Sequence[float | None]) -> list[int]:
    """Return the places of those to ask about, in their order: at most MOST_EXISTING, the unmeasured ones last."""
    if len(existing) <= MOST_EXISTING:
        return list(range(len(existing)))
    return sorted(sorted(range(len(existing)), key=lambda index: -_closeness(cosines, index))[:MOST_EXISTING])


def _closeness(cosines: Sequence[float | None], index: int) -> float:
    cosine = cosines[index] if index < len(cosines) else None
    return cosine if cosine is not None and math.isfinite(cosine) else -2.0


def grouped(places_shown: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the places of the questions that go into one, those without statements left out."""
    group: list[int] = []
    size = 0
    for index, places in enumerate(places_shown):
        if group and size + len(places) > MOST_EXISTING:
            yield group
            group, size = [], 0
        if places:
            group.append(index)
            size += len(places)
    if group:
        yield group


def ask_verdicts(questions: Sequence[Comparison]) -> Ask:
    lines = [one_line(text) for question in questions for text in question.existing]
    limit = fair_limit(map(len, lines), EXISTING_CHARACTERS)
    numbered = iter(enumerate(lines, 1))
    untrusted = []
    for question in questions:
        about = f" (about {subject})" if (subject := one_line(question.subject)[:200]) else ""
        untrusted.append(f"New: {shorten(one_line(question.new), MAX_NEW_CHARACTERS // len(questions))}{about}")
        untrusted += [f"[{number}] {shorten(line, limit)}" for number, line in islice(numbered, len(question.existing))]
    return _RELATE.fill({}, {"pairs": "\n".join(untrusted)}, TOKENS_PER_VERDICT * (len(lines) + 2))


def read_verdicts(answer: Mapping[str, Any], count: int, name: str) -> list[Verdict]:
    """One for each of `count` statements; if a number comes twice, the first counts. Raises LLMUnusable for none."""
    by_number = {item["number"]: _read_verdict(item) for item in reversed(answer["verdicts"])}
    verdicts = [by_number.get(number, NOT_ANSWERED) for number in range(1, count + 1)]
    if all(verdict is NOT_ANSWERED for verdict in verdicts):
        raise LLMUnusable(f"{name} did not say how any of the statements stands")
    return verdicts


def _read_verdict(answer: Mapping[str, Any]) -> Verdict:
    reason = one_line(answer["reason"])[:REASON_MAX_CHARS]
    return Verdict(Relation(answer["relation"]), reason, round(float(answer["confidence"]), 3))


MAX_REASON_CHARACTERS = 200
_GATE = Question("gate", object_of(reason=WORDS, score=SHARE, keep=BOOLEAN), max_tokens=200, large=False)


def ask_worth(conversation: Conversation) -> Ask:
    return _GATE.fill({}, {"conversation": conversation.text})


def read_worth(answer: Mapping[str, Any], made_by: str) -> Worth:
    reason = one_line(answer["reason"])[:MAX_REASON_CHARACTERS]
    return Worth(answer["keep"], float(answer["score"]), reason, made_by)


LAST_MESSAGES = 5
MESSAGES_CHARACTERS = 8_000
MOST_WORDS = 32
MAX_QUERY_CHARACTERS = 400
# Somebody waits for this one.
_REWRITE = Question("rewrite", object_of(query=TEXT), max_tokens=200, large=False, total_seconds=0.3)


def ask_query(messages: str, now: datetime) -> Ask:
    return _REWRITE.fill({"now": show_day(now), "most_words": MOST_WORDS}, {"messages": messages})


def read_query(answer: Mapping[str, Any], made_by: str) -> Written:
    words = one_line(answer["query"]).split()[:MOST_WORDS]
    return Written(" ".join(words)[:MAX_QUERY_CHARACTERS].rstrip(), made_by)


MOST_MEMORIES = 200
MEMORIES_CHARACTERS, COMING_CHARACTERS, MAX_COMING_CHARACTERS = 30_000, 6_000, 1_000
LEAST_SHARED = 0.7
"""Of a text that stands for two memories, how much at least is said in them: the rest is form."""
LABELS_CHARACTERS = 120
"""What the number and the labels of a memory take, at most."""
_MAKE_ROOM = Question(
    "make_room", object_of(reason=WORDS, number=INTEGER, into=number_of(-1, 10_000, 0), content=WORDS), max_tokens=4_000
)


@dataclass(frozen=True, slots=True)
class Shown:
    """Memories as the model sees them: number n is `memories[n - 1]`; `limit` is how much of each it can read."""

    memories: tuple[Noted, ...]
    limit: int


def show_memories(memories: Sequence[Noted]) -> Shown:
    """Of very many, those that are most likely to go; in the order given."""
    ranked = sorted(range(len(memories)), key=lambda index: _worth(memories[index]))[:MOST_MEMORIES]
    chosen = tuple(memories[index] for index in sorted(ranked))
    budget = MEMORIES_CHARACTERS - LABELS_CHARACTERS * len(chosen)
    return Shown(chosen, fair_limit((len(one_line(memory.content)) for memory in chosen), budget))


def _worth(memory: Noted) -> tuple[bool, int, float, int]:
    return memory.pinned, memory.importance, memory.confidence, memory.access_count


def ask_choice(listing: Shown, now: datetime, max_characters: int, coming: Sequence[str], seconds: float) -> Ask:
    lines = (
        f"[{number}] {shorten(one_line(memory.content), listing.limit)} ({_labels(memory)})"
        for number, memory in enumerate(listing.memories, 1)
    )
    trusted = {"now": show_day(now), "max_characters": max_characters}
    new = (f"- {shorten(one_line(text), MAX_COMING_CHARACTERS)}" for text in coming)
    untrusted = {"memories": "\n".join(lines), "coming": "\n".join(fitting(new, COMING_CHARACTERS))}
    return replace(_MAKE_ROOM.fill(trusted, untrusted), total_seconds=seconds)


def _labels(memory: Noted) -> str:
    confirmed = memory.confirmed_at or memory.said_at
    labels = [
        f"importance {memory.importance}",
        f"confidence {memory.confidence:.1f}",
        f"used {memory.access_count} times",
        f"confirmed {confirmed:%Y-%m-%d}" if confirmed else "",
        "pinned" if memory.pinned else "",
    ]
    return ", ".join(filter(None, labels))


def read_choice(
    answer: Mapping[str, Any], listing: Shown, max_characters: int, made_by: str, coming: Sequence[str] = ()
) -> Choice:
    """Raise LLMUnusable for a choice that must not be carried out, such as one that puts what is new into a memory."""
    number, into = answer["number"], answer["into"]
    goes = _free_to_change(number, listing, made_by)
    reason = one_line(answer["reason"])[:MAX_REASON_CHARACTERS]
    if into == 0:
        return Choice(goes.number, reason, made_by=made_by)
    if into == number:
        raise LLMUnusable(f"{made_by} would put a memory into itself")
    stays = _free_to_change(into, listing, made_by)
    if any(len(one_line(memory.content)) > listing.limit for memory in (goes, stays)):
        raise LLMUnusable(f"{made_by} would rewrite a memory of which it saw a part")
    content = one_line(answer["content"])
    if not 0 < len(content) <= max_characters:
        raise LLMUnusable(f"{made_by} wrote nothing that fits")
    if find_instructions(content) or used_share(content, f"{goes.content} {stays.content}") < LEAST_SHARED:
        raise LLMUnusable(f"{made_by} wrote what neither memory says")
    added = unsaid_words(content, f"{goes.content} {stays.content}")
    if used_share(" ".join((*added.names, *added.words)), "\n".join(coming)):
        raise LLMUnusable(f"{made_by} would put what is new into a memory")
    return Choice(goes.number, reason, stays.number, content, made_by)


def _free_to_change(number: int, listing: Shown, made_by: str) -> Noted:
    if not 1 <= number <= len(listing.memories):
        raise LLMUnusable(f"{made_by} chose a memory that was not shown")
    memory = listing.memories[number - 1]
    if memory.pinned:
        raise LLMUnusable(f"{made_by} chose a pinned memory")
    return memory
