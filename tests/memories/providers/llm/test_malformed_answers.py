"""Extraction's answers as servers are known to send them, and what is kept of each."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memories.language.messages import Message
from memories.providers.llm.prompting.extraction import ask_facts, read_facts, show_chunk
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.schema import Unfit, read_answer
from tests.memories.providers.llm.fake_chat import MADE_BY, NOW
from tests.tables import each_row

TABLE = json.loads((Path(__file__).parents[3] / "data" / "malformed-answers.json").read_text("utf-8"))
CHUNK = Chunk(tuple(Message(*line.split(": ", 1)) for line in TABLE["said"]), NOW)
SETTING = Setting(categories=("places", "work", "preferences"))


def facts_of(text: str) -> list[Fact]:
    conversation = show_chunk(CHUNK)
    answer = read_answer(text, ask_facts(CHUNK, conversation, SETTING).schema)
    return read_facts(answer, CHUNK, conversation, SETTING, MADE_BY)


def show(fact: Fact, names: Any) -> dict[str, Any]:
    fields = asdict(fact)
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    dates = {name: value.date().isoformat() for name, value in plain.items() if isinstance(value, datetime)}
    return {name: (plain | dates)[name] for name in names}


@each_row("text, retained", [(row["text"], row["kept"]) for row in TABLE["answers"]])
def test_of_a_malformed_answer_is_kept_what_is_whole(text: str, retained: list[dict[str, Any]] | None) -> None:
    if retained is None:
        with pytest.raises(Unfit):
            facts_of(text)
        return
    result = facts_of(text)
    assert len(result) == len(retained)
    assert [show(fact, row) for fact, row in zip(result, retained, strict=True)] == retained
