"""LoCoMo as it is published (`locomo10.json`; Maharana et al., ACL 2024), in the shape that is read here.

A photo that was shared is told by its caption. A question counts if it has an answer, and evidence that is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from typing import Any

PUBLISHED = "locomo10.json"
CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop"}
"""What is asked in the fifth, the conversation does not tell."""
SAID_AT = "%I:%M %p on %d %B, %Y"
TURN = re.compile(r"D:?(\d+):0*(\d+)")
"""Evidence is a turn, or several in one text; some are mistyped."""


def conversation_of(sample: dict[str, Any]) -> dict[str, Any]:
    items = [*turns_of(sample["conversation"])]
    known = {item["id"] for item in items}
    queries = [query_of(question, known) for question in sample["qa"]]
    return {"app_id": sample["sample_id"], "items": items, "queries": queries}


def turns_of(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    numbers = count()
    for session in count(1):
        output = conversation.get(f"session_{session}_date_time")
        if output is None:
            return
        said_at = datetime.strptime(output, SAID_AT).isoformat()
        for turn in conversation.get(f"session_{session}", []):
            yield {
                "id": turn["dia_id"], "text": text_of(turn), "speaker": turn["speaker"], "timestamp": said_at,
                "session": f"s{session}", "seq": next(numbers),
            }  # fmt: skip


def text_of(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares a photo of {caption}]".lstrip() if caption else str(turn["text"])


def query_of(values: dict[str, Any], known: set[str]) -> dict[str, Any]:
    gold = [item for item in evidence_of(values) if item in known]
    category = CATEGORIES.get(values["category"])
    return {"text": values["question"], "gold": gold, "category": category, "scored": bool(gold and category)}


def evidence_of(values: dict[str, Any]) -> list[str]:
    return [f"D{session}:{turn}" for session, turn in TURN.findall(" ".join(values.get("evidence", [])))]
