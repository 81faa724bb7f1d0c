"""Serializers of documents and their passages."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.api.fields import (
    NameField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
    TagsField,
)
from memories.api.serializers.memories import ORIGINS_OF_AGENTS
from memories.models import DocumentStatus, Memory
from memories.models.document import citation_of
from memsite.tenancy.origin import Origin

FILE_NAME_CHARACTERS = 1_000


class FileSaid(StrictSerializer):
    """What an uploader says of a file, but for its tags: a form has them as one text."""

    name = StrictCharField(max_length=FILE_NAME_CHARACTERS, required=False, help_text="The name of the file.")
    origin = StrictChoiceField(
        ORIGINS_OF_AGENTS, required=False, help_text="Whose words it has: agent, unless said (docs/trust.md)."
    )


class DocumentSaid(FileSaid):
    external_id = NameField(
        max_length=200, required=False, help_text="Your own name for it: the same again replaces the file."
    )
    user_id = NameField(max_length=200, required=False, refuses_empty=True, help_text="The end user it is of.")


class FileFields(FileSaid):
    tags = TagsField(required=False)


class DocumentFields(DocumentSaid):
    tags = TagsField(required=False)


class ReplacementForm(FileSaid):
    file = serializers.FileField()
    tags = StrictCharField(required=False, help_text="With commas between.")


class UploadForm(DocumentSaid):
    file = serializers.FileField()
    tags = StrictCharField(required=False, help_text="With commas between.")


class DocumentShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    name = StrictCharField()
    external_id = StrictCharField(allow_null=True)
    content_type = StrictCharField(help_text="As it was read; empty until then.")
    size = StrictIntegerField(help_text="Bytes.")
    status = StrictChoiceField(DocumentStatus.choices)
    reason = StrictCharField(help_text="Why it could not be read, or why passages are withheld.")
    pages = StrictIntegerField(allow_null=True, help_text="null for formats without pages.")
    passages = StrictIntegerField(help_text="That can be found. While a new file is read, those of the one before.")
    withheld_count = StrictIntegerField(help_text="Passages that are kept from agents.")
    tags = serializers.ListField(child=StrictCharField())
    user_id = StrictCharField(allow_null=True)
    origin = StrictChoiceField(Origin.choices)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class PassageShown(StrictSerializer):
    id = StrictUUIDField(help_text="Of a hit.")
    number = StrictIntegerField(help_text="Counted from 1.")
    page = StrictIntegerField(allow_null=True)
    heading = StrictCharField(allow_null=True)
    citation = StrictCharField()
    content = StrictCharField()


def show_passage(passage: Memory) -> dict[str, Any]:
    place = citation_of(passage) or {}
    cited = {name: place.get(name) for name in ("page", "heading", "citation")}
    return {"id": passage.uid, "number": passage.turn_number, **cited, "content": passage.content}
