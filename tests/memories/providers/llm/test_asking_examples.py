"""The answer that each prompt shows: what a model copies first, so it had better fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memories.providers.llm.asking.question import example, load
from memories.providers.llm.provider import LLMUnusable, Setting
from memories.providers.llm.schema import fitted
from tests.memories.providers.llm.fake_chat import NOW, notes, provider_on, said
from tests.memories.providers.llm.test_asking_prompts import OPERATIONS, asks_about


def keys_in_order(value: object, schema: Mapping[str, Any]) -> bool:
    """A server that enforces a schema lets a model write the fields in the schema's order only."""
    if isinstance(value, dict):
        parts = schema["properties"]
        return list(value) == list(parts) and all(keys_in_order(value[name], parts[name]) for name in value)
    return not isinstance(value, list) or all(keys_in_order(item, schema["items"]) for item in value)


@pytest.mark.parametrize("operation", OPERATIONS)
class TestEachPrompt:
    def test_shows_one_answer_in_json(self, operation: str) -> None:
        task, _ = load(operation)
        assert [line[:1] for line in task.template.splitlines()].count("{") == 1

    def test_shows_one_that_fits_its_schema(self, operation: str) -> None:
        schema = asks_about("hello")[operation].schema
        assert fitted(example(operation), schema) == example(operation)
        assert keys_in_order(example(operation), schema)

    def test_is_short(self, operation: str) -> None:
        task, _ = load(operation)
        assert len(task.template) < 5_000


class TestTheExampleIsNoAnswer:
    """Small models repeat it when they know nothing better."""

    def test_a_gate_that_repeats_it_has_not_answered(self) -> None:
        llm, _ = provider_on(example("gate"))
        with pytest.raises(LLMUnusable, match="repeated the example"):
            llm.gate(said("hello"))

    def test_a_digest_that_repeats_it_is_none(self) -> None:
        llm, _ = provider_on(example("digest"))
        with pytest.raises(LLMUnusable, match="repeated the example"):
            llm.digest(said("hello").messages, NOW, 400)

    def test_an_insight_that_repeats_it_is_none(self) -> None:
        llm, _ = provider_on(example("insight"))
        with pytest.raises(LLMUnusable, match="repeated the example"):
            llm.insight(notes("Tea."), 400)

    def test_its_facts_are_none_of_this_conversation(self) -> None:
        shown = example("extract")["facts"]
        own = {**shown[0], "content": "The user has a cat.", "quote": "I have a cat"}
        llm, _ = provider_on({"facts": [*shown, own]})
        assert [fact.content for fact in llm.extract(said("I have a cat"), Setting())] == ["The user has a cat."]

    def test_unless_they_were_said(self) -> None:
        shown = example("extract")["facts"][:1]
        llm, _ = provider_on({"facts": shown})
        (fact,) = llm.extract(said(f"Well. {shown[0]['quote']}"), Setting())
        assert fact.content == shown[0]["content"]
