"""What the rules find in conversations: the gate, the facts, the corrections, what is to come. No model, no server.

    python -m bench.learning [--note TEXT]

The data is in `tests/data/learning`, written for this project. The held-out files were never looked at while the rules
were written; the development files were.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench.page import circumstances, table, write_section
from memories.capture.chunks import make_chunks
from memories.language.dates.future import find_coming
from memories.language.messages import USER, Message
from memories.providers.embeddings import Embedder, MiniLMEmbedder
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules import RulesProvider

DATA = Path(__file__).resolve().parent.parent / "tests" / "data" / "learning"
NOW = datetime(2026, 6, 1, tzinfo=UTC)
# A label is found when a fact that is kept from within so many messages is as similar.
NEAR_MESSAGES, SIMILAR = 2, 0.6
CONTEXT = 4
# The write gate's thresholds in the standard preset.
VERIFIABLE, USEFUL = 0.5, 0.7

Row = dict[str, Any]
Placed = tuple[int, Fact]


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    messages: list[Message]
    labels: dict[str, list[Any]]


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def conversations() -> Iterator[Conversation]:
    for path in sorted(DATA.glob("conversation-*.jsonl")):
        name = path.stem.removeprefix("conversation-")
        messages = [Message(row["role"], row["content"], moment(row["at"])) for row in rows_of(path)]
        yield Conversation(name, messages, json.loads((DATA / f"labels-{name}.json").read_text(encoding="utf-8")))


def moment(text: str) -> datetime:
    output = datetime.fromisoformat(text)
    return output if output.tzinfo else output.replace(tzinfo=UTC)


def gate_row(name: str, items: Sequence[Row], rules: RulesProvider) -> list[object]:
    """Shares of a labelled set: judged right; of what is worth keeping, kept; of what is not, dropped."""
    keeps = [rules.gate(Chunk(tuple(as_messages(item)), NOW)).keep for item in items]
    worth = [bool(item["keep"]) for item in items]
    right = [judged == wanted for judged, wanted in zip(keeps, worth, strict=True)]
    keeping = [judged for judged, wanted in zip(keeps, worth, strict=True) if wanted]
    dropping = [not judged for judged, wanted in zip(keeps, worth, strict=True) if not wanted]
    return [name, len(items), *(f"{np.mean(values):.3f}" for values in (right, keeping, dropping))]


def as_messages(item: Row) -> list[Message]:
    return [Message(message["role"], message["content"]) for message in item["messages"]]


def facts_in(messages: Sequence[Message], rules: RulesProvider) -> Iterator[Placed]:
    """Extract what is worth keeping, with the message it is from, two messages at a time as they come in."""
    for start in range(0, len(messages), 2):
        before = tuple(messages[max(0, start - CONTEXT) : start])
        for window in make_chunks(messages[start : start + 2], messages[start].at or NOW):
            chunk = replace(window.chunk, before=(*before, *window.chunk.before))
            if not rules.gate(chunk).keep:
                continue
            for fact in rules.extract(chunk, Setting()):
                if fact.verifiable >= VERIFIABLE and fact.useful > USEFUL:
                    yield start + window.places[fact.message], fact


def conversation_row(conversation: Conversation, rules: RulesProvider, embedder: Embedder) -> list[object]:
    placed = list(facts_in(conversation.messages, rules))
    chatter = set(conversation.labels["chatter"])
    return [
        conversation.name,
        *(f"{count_found(conversation.labels[kind], placed, embedder)} / {len(conversation.labels[kind])}"
          for kind in ("facts", "lessons")),
        f"{triggers_found(conversation)} / {len(conversation.labels['triggers'])}",
        len(placed),
        f"{sum(place in chatter for place, _ in placed)} / {len(chatter)}",
    ]  # fmt: skip


def count_found(labels: Sequence[Row], placed: Sequence[Placed], embedder: Embedder) -> int:
    if not labels or not placed:
        return 0
    output = embedder.embed_documents([label["statement"] for label in labels])
    page = embedder.embed_documents([fact.content for _, fact in placed])
    near = np.array([[abs(place - label["n"]) <= NEAR_MESSAGES for place, _ in placed] for label in labels])
    return int((np.where(near, output @ page.T, -1).max(axis=1) >= SIMILAR).sum())


def triggers_found(conversation: Conversation) -> int:
    """Labels whose day is among those found in their message, if a user said it."""
    right = 0
    for label in conversation.labels["triggers"]:
        message = conversation.messages[label["n"]]
        days = find_coming(message.content, message.at or NOW) if message.role == USER else []
        right += any(day.on.isoformat() == label["date"] for day in days)
    return right


def report(note: str) -> str:
    rules, embedder = RulesProvider(), MiniLMEmbedder()
    gates = [
        gate_row(path.stem.removeprefix("gate-"), rows_of(path), rules) for path in sorted(DATA.glob("gate-*.jsonl"))
    ]
    talks = [conversation_row(conversation, rules, embedder) for conversation in conversations()]
    return "\n\n".join(
        [
            f"Measured {circumstances(note)}",
            "The rules alone, no model. Data written for this project by several authors; the rules were made with the "
            "development files in view and without the held-out ones. Labels are one author's judgement each.",
            "Is a short excerpt worth keeping anything of? Shares of all judged right, of the worthy kept, of the rest "
            "dropped.",
            table(["excerpts", "number", "right", "kept", "dropped"], gates),
            "Whole conversations, two messages at a time. A fact or correction counts as found when one that is kept "
            f"from within {NEAR_MESSAGES} messages has a cosine of {SIMILAR} or more with it (MiniLM); a day to come, "
            "when it is found in its message. The last columns: how many facts were kept in all, and how many of these "
            "come from messages labelled as chatter, out of how many such messages.",
            table(["conversation", "facts", "corrections", "days to come", "kept", "kept from chatter"], talks),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--note", default="", help="what a reader of the figures should know")
    write_section("Learning by rules", report(parser.parse_args().note))


if __name__ == "__main__":
    main()
