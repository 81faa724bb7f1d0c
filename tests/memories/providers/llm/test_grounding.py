"""Facts that a model made of what nobody said are set aside, and each belongs to the message that says it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memories.language.messages import Message
from memories.providers.llm.provider import Chunk, Fact, Setting
from tests.memories.providers.llm.fake_chat import NOW, find, provider_on
from tests.tables import each_row

CASES = json.loads((Path(__file__).parents[3] / "data" / "grounding.json").read_text("utf-8"))


def extract(case: dict[str, Any]) -> list[Fact]:
    messages = tuple(Message(*line.split(": ", 1)) for line in case["messages"])
    updates = case.get("updates", 0)
    fact = find(case["content"], message=case["message"], quote=case["quote"], updates=updates)
    llm, _ = provider_on({"facts": [fact]})
    return llm.extract(Chunk(messages, NOW), Setting(known=tuple(case["known"])))


@each_row("case", CASES)
def test_a_fact_has_to_have_been_said(case: dict[str, Any]) -> None:
    becomes, facts = case["becomes"], extract(case)
    if becomes == "dropped":
        assert facts == []
        return
    (fact,) = facts
    assert bool(fact.doubt) == (becomes == "ungrounded"), fact.doubt
    assert fact.content == (case["content"] if becomes in ("grounded", "ungrounded") else becomes)
    assert case["place"] in (None, fact.message)
