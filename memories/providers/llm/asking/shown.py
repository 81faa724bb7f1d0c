"""Conversations and memories as a model sees them: numbered from 1, and never longer than we can afford."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from memories.providers.llm.asking.texts import clean, fair_limit, one_line, shorten
from memories.providers.llm.provider import Noted
from memories.text.fence import strip_fenced
from memories.text.messages import SYSTEM, TOOL, Message

CONVERSATION_CHARACTERS = 24_000
FACTS_CHARACTERS = 60_000
MOST_MESSAGES = 200
OPENING_MESSAGES = 20
MAX_ROLE_CHARACTERS = 40
MAX_FACT_CHARACTERS = 2_000
_INDENT = "\n    "


@dataclass(frozen=True, slots=True)
class Conversation:
    """`text` as shown; `places[n - 1]` is the place of message n among those that were handed in."""

    text: str
    places: tuple[int, ...]


def show_conversation(messages: Sequence[Message], budget: int = CONVERSATION_CHARACTERS) -> Conversation:
    """What people and agents said themselves: no system prompts, no tool output, none of our own blocks.

    Lines after the first of a message are indented, so none passes for another message.
    """
    said = _few([(at, body) for at, message in enumerate(messages) if (body := _body(message))])
    heads = [f"[{number}] {_speaker(messages[at])}: " for number, (at, _) in enumerate(said, 1)]
    return Conversation(_fit(heads, [body for _, body in said], budget), tuple(at for at, _ in said))


def show_last(messages: Sequence[Message], most: int, budget: int) -> str:
    """The last messages in the same form, without numbers."""
    bodies = ((message, body) for message in reversed(messages) if (body := _body(message)))
    said = list(islice(bodies, most))[::-1]
    return _fit([f"{_speaker(message)}: " for message, _ in said], [body for _, body in said], budget)


def _fit(heads: Sequence[str], bodies: Sequence[str], budget: int) -> str:
    limit = fair_limit(map(len, bodies), budget - sum(len(head) + 1 for head in heads))
    return "\n".join(head + shorten(body, limit) for head, body in zip(heads, bodies, strict=True))


def own_words(message: Message) -> str:
    """A message without the blocks that our server put into it."""
    return clean(strip_fenced(message.content)).strip()


def _few(said: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Of very many messages those it began with and the latest."""
    if len(said) <= MOST_MESSAGES:
        return said
    return said[:OPENING_MESSAGES] + said[OPENING_MESSAGES - MOST_MESSAGES :]


def _body(message: Message) -> str:
    return "" if message.role in (SYSTEM, TOOL) else _INDENT.join(own_words(message).splitlines())


def _speaker(message: Message) -> str:
    return one_line(f"{message.role} {message.speaker}")[:MAX_ROLE_CHARACTERS] or "someone"


def show_facts(facts: Sequence[Noted]) -> str:
    """The most important facts and of those the newest, one a line, within FACTS_CHARACTERS."""
    ranked = sorted(facts, key=lambda fact: (fact.importance, _moment(fact)), reverse=True)
    return "\n".join(fitting((f"- {_fact_line(fact)}" for fact in ranked), FACTS_CHARACTERS))


def fitting(lines: Iterable[str], budget: int) -> list[str]:
    """The first lines that fit a budget of characters, together with their line breaks."""
    kept: list[str] = []
    for line in lines:
        budget -= len(line) + 1
        if budget < 0:
            break
        kept.append(line)
    return kept


def _fact_line(fact: Noted) -> str:
    dated = f", {said:%Y-%m-%d}" if (said := fact.confirmed_at or fact.said_at) else ""
    about = f", on {one_line(fact.subject)[:80]}" if fact.subject.strip() else ""
    return f"{shorten(one_line(fact.content), MAX_FACT_CHARACTERS)} (importance {fact.importance}{about}{dated})"


def _moment(fact: Noted) -> float:
    moment = fact.confirmed_at or fact.said_at
    return moment.timestamp() if moment else 0.0


def show_day(now: datetime) -> str:
    """Like "Monday, 2024-03-04 09:30"."""
    return f"{now:%A, %Y-%m-%d %H:%M}"
