"""Prompts: our own words, what others wrote behind a fence, conversations and memories as a model sees them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice
from pathlib import Path
from secrets import token_hex
from string import Template
from typing import Any

from memories.language.messages import ENDS, SYSTEM, TOOL, WIDE_ENDS, Message, strip_fenced
from memories.providers.llm.provider import Ask, Noted

PROMPTS = Path(__file__).parent / "prompts"
_TAG = "untrusted-"
_TAG_LIKE = re.compile(rf"<(?=\s{{0,9}}/?\s{{0,9}}{_TAG})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """One kind of question. `operation` is also the name of its prompt, `schema` the JSON Schema of the answer."""

    operation: str
    schema: Mapping[str, Any]
    max_tokens: int
    large: bool = True
    total_seconds: float | None = None

    def fill(self, trusted: Mapping[str, object], untrusted: Mapping[str, str], max_tokens: int | None = None) -> Ask:
        """Return the prompt with what we say ourselves and what others wrote, each in a fence of this question.

        The system prompt is always the same, byte by byte: services cache it.
        """
        nonce = token_hex(8)
        values = {**trusted, **{name: fence(text, nonce) for name, text in untrusted.items()}}
        system, template = load(self.operation)
        prompt = f"N is {nonce}.\n\n{template.substitute(values)}"
        most, shows = max_tokens or self.max_tokens, example(self.operation)
        return Ask(self.operation, system, prompt, self.schema, most, self.large, self.total_seconds, shows)


def fence(text: str, nonce: str) -> str:
    """`text` between tags with this nonce; whatever looks like such a tag inside is none any more."""
    return f"<{_TAG}{nonce}>\n{_TAG_LIKE.sub('‹', text) or '(none)'}\n</{_TAG}{nonce}>"


@cache
def load(operation: str) -> tuple[str, Template]:
    """Return what the model is told, and what it is shown. Reads the files once."""
    task, template = (PROMPTS / f"{operation}.md").read_text("utf-8").split("\n---\n")
    rule = (PROMPTS / "untrusted.md").read_text("utf-8")
    return f"{task.strip()}\n\n{rule.strip()}", Template(template.strip())


@cache
def example(operation: str) -> dict[str, Any]:
    """Return the answer that a prompt shows, in a line of its own."""
    task, _ = load(operation)
    (line,) = (line for line in task.splitlines() if line.startswith("{"))
    answer: dict[str, Any] = json.loads(line)
    return answer


def object_of(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties, in the form every vendor takes."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT: Mapping[str, Any] = {"type": "string"}
WORDS: Mapping[str, Any] = {"type": "string", "default": ""}
"""A text that an answer is of use without."""
SHARE: Mapping[str, Any] = {"type": "number", "minimum": 0, "maximum": 1, "default": 0.8}
INTEGER: Mapping[str, Any] = {"type": "integer"}
BOOLEAN: Mapping[str, Any] = {"type": "boolean"}


def described(schema: Mapping[str, Any], words: str) -> dict[str, Any]:
    return {**schema, "description": words}


def list_of(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def words_of(choices: Iterable[str], default: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(choices), "default": default}


def number_of(least: int, most: int, default: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most, "default": default}


# Controls, lone surrogates, and what turns or hides text: overrides, invisible operators, tag characters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200b\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
_SENTENCE_END = re.compile(rf"[{ENDS}][\"'”’»)\]]{{0,3}}(?=\s|\Z)|[{WIDE_ENDS}]")
_CUT = " […] "


def clean(text: str) -> str:
    """`text` without control characters, lone surrogates and hidden marks; its line breaks are newlines."""
    return _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters: the beginning and the end."""
    if len(text) <= limit:
        return text
    half = (limit - len(_CUT)) // 2
    return f"{text[:half]}{_CUT}{text[-half:]}" if half > 0 else text[: max(limit, 0)]


def fair_limit(lengths: Iterable[int], budget: int) -> int:
    """Return what each text may have of a budget: short ones stay whole, long ones share what those leave."""
    left, ordered = max(budget, 0), sorted(lengths)
    for done, length in enumerate(ordered):
        share = left // (len(ordered) - done)
        if length > share:
            return share
        left -= length
    return max(budget, 0)


def whole_sentences(text: str, limit: int) -> str:
    """Return the sentences from the start that fit; "" if the first does not."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, limit + 1) if match.end() <= limit]
    return text[: ends[-1]] if ends else ""


def whole_lines(text: str, limit: int) -> str:
    """Return the lines from the start that fit, without a heading that nothing follows any more; "" if none does."""
    if len(text) <= limit:
        return text
    lines = text[: text.rfind("\n", 0, limit + 1) + 1].rstrip().split("\n")
    while lines and (not lines[-1].strip() or lines[-1].startswith("#")):
        lines.pop()
    return "\n".join(lines)


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
    """Return what people and agents said themselves: no system prompts, no tool output, none of our own blocks.

    Lines after the first of a message are indented, so none passes for another message.
    """
    bodies = _few([(index, body) for index, message in enumerate(messages) if (body := _body(message))])
    days = _days([messages[index] for index, _ in bodies])
    heads = [
        f"[{number}] {_speaker(messages[index])}{days[number - 1]}: " for number, (index, _) in enumerate(bodies, 1)
    ]
    return Conversation(_fit(heads, [body for _, body in bodies], budget), tuple(index for index, _ in bodies))


def _days(messages: Sequence[Message]) -> list[str]:
    """Return the day of each message where it is another one than before; nothing if all were said on one day."""
    days = [f" on {message.at:%A, %Y-%m-%d}" if message.at else "" for message in messages]
    if len({day for day in days if day}) < 2:
        return [""] * len(days)
    return [day if day != before else "" for before, day in zip(["", *days], days, strict=False)]


def show_last(messages: Sequence[Message], most: int, budget: int) -> str:
    """Return the last messages in the same form, without numbers."""
    bodies = ((message, body) for message in reversed(messages) if (body := _body(message)))
    last = list(islice(bodies, most))[::-1]
    return _fit([f"{_speaker(message)}: " for message, _ in last], [body for _, body in last], budget)


def _fit(heads: Sequence[str], bodies: Sequence[str], budget: int) -> str:
    limit = fair_limit(map(len, bodies), budget - sum(len(head) + 1 for head in heads))
    return "\n".join(head + shorten(body, limit) for head, body in zip(heads, bodies, strict=True))


def own_words(message: Message) -> str:
    """Return a message without the blocks that our server put into it."""
    return clean(strip_fenced(message.content)).strip()


def _few(bodies: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Of very many messages those it began with and the latest."""
    if len(bodies) <= MOST_MESSAGES:
        return bodies
    return bodies[:OPENING_MESSAGES] + bodies[OPENING_MESSAGES - MOST_MESSAGES :]


def _body(message: Message) -> str:
    return "" if message.role in (SYSTEM, TOOL) else _INDENT.join(own_words(message).splitlines())


def _speaker(message: Message) -> str:
    return one_line(f"{message.role} {message.speaker}")[:MAX_ROLE_CHARACTERS] or "someone"


def show_facts(facts: Sequence[Noted]) -> str:
    """Return the most important facts and of those the newest, one a line, within FACTS_CHARACTERS."""
    ranked = sorted(facts, key=lambda fact: (fact.importance, _moment(fact)), reverse=True)
    return "\n".join(fitting((f"- {_fact_line(fact)}" for fact in ranked), FACTS_CHARACTERS))


def fitting(lines: Iterable[str], budget: int) -> list[str]:
    """Return the first lines that fit a budget of characters, together with their line breaks."""
    fitting_lines: list[str] = []
    for line in lines:
        budget -= len(line) + 1
        if budget < 0:
            break
        fitting_lines.append(line)
    return fitting_lines


def _fact_line(fact: Noted) -> str:
    dated = f", {day:%Y-%m-%d}" if (day := fact.confirmed_at or fact.said_at) else ""
    about = f", on {one_line(fact.subject)[:80]}" if fact.subject.strip() else ""
    return f"{shorten(one_line(fact.content), MAX_FACT_CHARACTERS)} (importance {fact.importance}{about}{dated})"


def _moment(fact: Noted) -> float:
    moment = fact.confirmed_at or fact.said_at
    return moment.timestamp() if moment else 0.0


def show_day(now: datetime) -> str:
    """Like "Monday, 2024-03-04 09:30"."""
    return f"{now:%A, %Y-%m-%d %H:%M}"
