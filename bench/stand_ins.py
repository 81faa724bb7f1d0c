"""Long texts with known evidence: blocks of turns, their speakers a nameless user and assistant in turn.

There is no annotated conversation of long messages among the data, and words and meaning count differently there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from zlib import crc32

import numpy as np

from bench.conversations import Asked, Conversation, Item

FEWEST, MOST = 4, 8
SPEAKERS = ("user", "assistant")
DATA_SET = "blocks"


def blocks_of(conversation: Conversation) -> Conversation:
    """The conversation in blocks of 4 to 8 turns of one session. The same each time."""
    names = sorted({item.speaker for item in conversation.items})
    items: list[Item] = []
    block_of: dict[str, str] = {}
    for number, block in enumerate(cut(conversation)):
        text = " ".join(anonymise(item.text, names, "friend") for item in block)
        first = block[0]
        made = Item(f"block-{number}", text, SPEAKERS[number % 2], first.said_at, first.session, first.turn_number)
        items.append(made)
        block_of |= {item.id: made.id for item in block}
    questions = [
        Asked(
            anonymise(question.text, names, "I"), frozenset(block_of[item] for item in question.gold), question.category
        )
        for question in conversation.questions
    ]
    return Conversation(f"{conversation.name}-blocks", DATA_SET, conversation.group, items, questions)


def cut(conversation: Conversation) -> Iterator[list[Item]]:
    lengths = np.random.default_rng(crc32(conversation.name.encode()))
    block: list[Item] = []
    size = 0
    for item in conversation.items:
        if not block or len(block) == size or item.session != block[0].session:
            if block:
                yield block
            block, size = [], int(lengths.integers(FEWEST, MOST + 1))
        block.append(item)
    if block:
        yield block


def anonymise(text: str, names: list[str], stands_for: str) -> str:
    """Names of speakers, whole or in part, replaced; "Ann's" becomes "my"."""
    parts = sorted({part for name in names for part in (name, *name.split())}, key=len, reverse=True)
    pattern = "|".join(map(re.escape, parts))
    text = re.sub(rf"\b({pattern})['’`]s\b", "my", text, flags=re.IGNORECASE)
    return re.sub(rf"\b({pattern})\b", stands_for, text, flags=re.IGNORECASE)
