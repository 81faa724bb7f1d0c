"""The gate: is anything in a piece of conversation worth the dearer question what?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memories.providers.llm.asking.question import BOOLEAN, NUMBER, TEXT, Question, object_of
from memories.providers.llm.asking.shown import Conversation
from memories.providers.llm.asking.texts import one_line, share_of_one
from memories.providers.llm.chat import Ask
from memories.providers.llm.provider import Worth

MAX_REASON_CHARACTERS = 200
_GATE = Question(
    "gate", object_of(reason=TEXT, score=NUMBER, keep=BOOLEAN), max_tokens=200, large=False, total_seconds=30.0
)


def ask_worth(conversation: Conversation) -> Ask:
    return _GATE.fill({}, {"conversation": conversation.text})


def read_worth(answer: Mapping[str, Any], made_by: str) -> Worth:
    reason = one_line(answer["reason"])[:MAX_REASON_CHARACTERS]
    return Worth(answer["keep"], share_of_one(answer["score"]), reason, made_by)
