"""How bodies are read: those without a fault at once, and of the others everything that is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError as ModelValidationError
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from memories.api.fields import Shape, Text, Whole, read_as


class Sighting(Shape):
    place = Text(max_length=20)
    whales = Whole(min_value=1, default=1)
    names = serializers.ListField(child=Text(), default=list)
    note = Text(required=False, allow_null=True)

    def validate_place(self, place: str) -> str:
        if place == "nowhere":
            raise ModelValidationError("No such place.")
        return place.title()

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        if len(fields["names"]) > fields["whales"]:
            raise ValidationError({"names": ["More names than whales."]})
        return fields


def wrong(body: Any) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        read_as(Sighting, body)
    found: Any = caught.value.detail
    return {name: [str(one) for one in told] for name, told in found.items()}


def test_what_is_not_given_has_its_default_or_is_not_there() -> None:
    assert read_as(Sighting, {"place": " oban "}) == {"place": "Oban", "whales": 1, "names": []}
    assert read_as(Sighting, {"place": "oban", "note": None})["note"] is None


def test_a_default_that_is_made_is_each_bodys_own() -> None:
    assert read_as(Sighting, {"place": "oban"})["names"] is not read_as(Sighting, {"place": "oban"})["names"]


def test_all_that_is_wrong_is_told() -> None:
    assert wrong({"place": "", "whales": 0}).keys() == {"place", "whales"}
    assert wrong({"whales": 2}).keys() == {"place"}
    assert wrong({"place": "nowhere"}) == {"place": ["No such place."]}
    assert wrong({"place": "oban", "names": ["Ada", "Bo"]}) == {"names": ["More names than whales."]}
    assert wrong({"place": "oban", "whale": 2}) == {"whale": ["Unknown field."]}
    assert wrong(["oban"]).keys() == {"non_field_errors"}


def test_a_body_without_a_fault_is_read_field_by_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serializers.Serializer, "to_internal_value", lambda *_: pytest.fail("DRF looked for faults."))
    assert read_as(Sighting, {"place": "oban", "whales": 2})["whales"] == 2
