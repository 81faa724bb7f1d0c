"""The forms of one memory: adding it by hand, and changing what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.utils.html import format_html

from memories.models import Memory, Visibility
from memories.models.memory import MAX_TAGS, TAG_LENGTH, subject_of
from memories.store.revisions import clamp
from memsite.admin_site import StrictJSONField, columns
from memsite.http.hidden_characters import show_hidden
from memsite.http.json_body import MAX_OBJECT_CHARACTERS, json_length
from memsite.tenancy.models import App, AppStatus

if TYPE_CHECKING:
    MemoryModelForm = forms.ModelForm[Memory]
else:
    MemoryModelForm = forms.ModelForm

EDITABLE = columns(
    "content kind category subject tags importance confidence pinned user_id visibility valid_from valid_until metadata"
)
SOMEONE_ELSE = "Someone else changed this meanwhile: reload. What you typed is still below, and not saved."


class MemoryForm(MemoryModelForm):
    """What both forms have in common."""

    refused = ""
    """Why the store did not take what is in the form."""

    tags = StrictJSONField(required=False, initial=list, help_text='A list: ["network", "night shift"]')

    class Meta:
        model = Memory
        fields = EDITABLE
        widgets = {"content": AdminTextareaWidget(attrs={"rows": 4})}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in self.fields.keys() & {"content", "subject", "category"}:
            # A box shows its text as it is: what cannot be seen there is told below it.
            field = self.fields[name]
            text = self.data.get(self.add_prefix(name)) if self.is_bound else self.get_initial_for_field(field, name)
            if (visible := show_hidden(text)) != text:
                field.help_text = format_html("With what cannot be seen: {}", visible)

    def clean_content(self) -> str:
        """Keep the memory's line ends: browsers send them as CRLF."""
        content: str = self.cleaned_data["content"].replace("\r\n", "\n")
        stored = self.instance.content
        return stored if stored.replace("\r\n", "\n").strip() == content else content

    def clean_subject(self) -> str | None:
        return subject_of(self.cleaned_data["subject"])

    def clean_confidence(self) -> float | None:
        confidence: float | None = self.cleaned_data["confidence"]
        return None if confidence is None else clamp(confidence)

    def clean_tags(self) -> list[str]:
        tags = [] if self.cleaned_data["tags"] is None else self.cleaned_data["tags"]
        if not isinstance(tags, list) or not all(isinstance(tag, str) and tag.strip() for tag in tags):
            raise ValidationError("A list of texts.")
        if len(tags) > MAX_TAGS or any(len(tag) > TAG_LENGTH for tag in tags):
            raise ValidationError(f"At most {MAX_TAGS} tags of {TAG_LENGTH} characters each.")
        return list(dict.fromkeys(tag.strip() for tag in tags))

    def clean_metadata(self) -> dict[str, Any]:
        metadata = self.cleaned_data["metadata"]
        if metadata is not None and not isinstance(metadata, dict):
            raise ValidationError('An object: {"ticket": 4711}')
        if metadata != self.instance.metadata and json_length(metadata) > MAX_OBJECT_CHARACTERS:
            raise ValidationError(f"At most {MAX_OBJECT_CHARACTERS:,} characters as JSON.")
        return metadata or {}

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or self.cleaned_data
        app = self.instance.app if self.instance.app_id else fields.get("app")
        content = fields.get("content", "")
        # What is there may stay, even if the app's limit has become smaller since.
        if app and content != self.instance.content and len(content) > (most := app.policy.max_characters):
            self.add_error("content", f"This app's memories have at most {most:,} characters.")
        if self.refused:
            self.add_error(None, self.refused)
        start, end = fields.get("valid_from"), fields.get("valid_until")
        if start and end and end < start:
            self.add_error("valid_until", "Is before valid_from.")
        if fields.get("visibility") == Visibility.AGENT and self.instance.agent_id is None:
            self.add_error("visibility", "No agent wrote it, so no agent could see it.")
        return fields


class AddMemoryForm(MemoryForm):
    app = forms.ModelChoiceField(App.objects.filter(status=AppStatus.ACTIVE).select_related("policy"))
    # A float field without bounds: what lies outside 0 to 1 is clamped.
    confidence = forms.FloatField(required=False, help_text="0 to 1; empty: the app's start value.")


class ChangeMemoryForm(MemoryForm):
    confidence = forms.FloatField(help_text="0 to 1. From the app's threshold on, an inactive memory is active again.")
    reason = forms.CharField(
        required=False, max_length=500, widget=AdminTextInputWidget, help_text="Kept with the change in its history."
    )
    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        if memory := options.get("instance"):
            memory.content = memory.text
        super().__init__(*args, **options)
        self.initial["version"] = self.instance.version
        # Cleaning overwrites the instance.
        self.stored = {name: getattr(self.instance, name) for name in EDITABLE}

    def clean(self) -> dict[str, Any]:
        fields = super().clean()
        if "version" in fields and fields["version"] != self.instance.version:
            self.add_error(None, SOMEONE_ELSE)
        return fields

    def changes(self) -> dict[str, Any]:
        """Return the fields whose value is another one now."""
        return {
            name: self.cleaned_data[name]
            for name in EDITABLE
            if name in self.changed_data and self.cleaned_data[name] != self.stored[name]
        }
