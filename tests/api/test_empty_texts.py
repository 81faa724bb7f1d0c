"""An empty text in an optional field says as much as none, in every operation."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.serializers import ListSerializer

from memories.api.fields import StrictCharField, StrictSerializer, validated
from memories.models import Memory
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.routes import routes_below

CANNOT_BE_WITHOUT = {
    ("MemoryChanges", "content"),
    ("AppMemoryChanges", "content"),
    ("AppChanges", "name"),
    ("AgentChanges", "name"),
    ("TriggerChanges", "message"),
    ("WebhookChanges", "url"),
    # Or who pages would begin anew, for ever.
    ("SearchQuestion", "cursor"),
}


def serializers_below(item: type[StrictSerializer]) -> set[type[StrictSerializer]]:
    return {item}.union(*(serializers_below(child) for child in item.__subclasses__()))


def optional_texts() -> dict[tuple[str, str], type[StrictSerializer]]:
    """By the serializer's name and the field's."""
    assert routes_below("api/v1/")  # which reads all serializers that there are
    return {
        (item.__name__, name): item
        for item in serializers_below(StrictSerializer)
        if item.__module__.startswith("memories.")
        for name, field in item().fields.items()
        if isinstance(field, StrictCharField) and not field.required and not field.read_only
    }


def wrong_with(serializer: type[StrictSerializer], body: dict[str, Any]) -> Any:
    try:
        validated(serializer, body)
    except serializers.ValidationError as error:
        return error.detail
    return {}


def test_every_optional_text_may_be_empty_but_what_cannot_be_without() -> None:
    texts = optional_texts()
    assert len(texts) > 40
    refused = {key for key, value in texts.items() if key[1] in wrong_with(value, {key[1]: ""})}
    # An end user who is empty is a client's missing variable: without one it would be told to everybody.
    # A hook's empty one is that of a variable which is not set.
    users = {key for key in texts if key[1] == "user_id"} - {("HookEvent", "user_id")}
    assert refused == CANNOT_BE_WITHOUT | users


def test_no_other_kind_of_text_field_is_taken() -> None:
    """What is not a `StrictCharField` would answer an empty text in its own way."""
    others = {
        (item.__name__, name)
        for item in serializers_below(StrictSerializer)
        if item.__module__.startswith("memories.") and not isinstance(item(), ListSerializer)
        for name, field in item().fields.items()
        if isinstance(field, serializers.CharField) and not isinstance(field, StrictCharField)
    }
    assert others == {key for key in others if key[0] == "Policy"}


@pytest.mark.parametrize("empty", ["", " ", "\u200b"])
def test_a_memory_without_a_subject_is_general(alice: Caller, empty: str) -> None:
    answer = {"subject": empty, "category": empty, "external_id": empty}
    memory = alice.remember("Whales sing", **answer)
    stored = {name: memory[name] for name in answer}
    assert stored == {"subject": None, "category": "general", "external_id": None}


def test_an_empty_subject_takes_the_one_before_away(alice: Caller) -> None:
    memory = alice.remember("Whales sing", subject="sea", category="nature")
    assert alice.patch(f"memories/{memory['id']}", {"subject": "", "category": ""}).status_code == 200
    row = Memory.objects.get()
    assert (row.subject, row.category) == (None, "nature")


def test_a_memory_cannot_be_edited_to_say_nothing(alice: Caller) -> None:
    memory = alice.remember("Whales sing")
    assert_problem(alice.patch(f"memories/{memory['id']}", {"content": ""}), 400, "content")
