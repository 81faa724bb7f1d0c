"""Forms of one memory on the desk: fewer fields than the admin's, the same rules."""

from __future__ import annotations

from typing import Any

from django import forms

from memories.admin.forms import ChangeMemoryForm, MemoryForm
from memories.models import Memory, Source
from memories.store import Candidate
from memsite.tenancy.models import App

FIELDS = ("content", "subject", "category", "kind", "importance", "confidence", "pinned")
IMPORTANCES = [(1, "1 trivial"), (2, "2 minor"), (3, "3 useful"), (4, "4 important"), (5, "5 critical")]


class Slider(forms.NumberInput):
    """From 0 to 1, its value beside it."""

    input_type = "range"
    template_name = "dashboard/parts/slider.html"

    def __init__(self) -> None:
        super().__init__(attrs={"min": "0", "max": "1", "step": "0.01"})


def confidence_field(initial: float | None = None) -> forms.FloatField:
    return forms.FloatField(widget=Slider(), initial=initial)


class DeskMeta:
    model = Memory
    fields = FIELDS
    labels = {"content": "Memory", "subject": "Service"}
    help_texts = {"subject": "", "importance": "", "pinned": ""}
    widgets = {
        "content": forms.Textarea(attrs={"rows": 3}),
        "subject": forms.TextInput(attrs={"placeholder": "general", "list": "known-subjects", "autocomplete": "off"}),
        "category": forms.TextInput(attrs={"list": "known-categories", "autocomplete": "off"}),
    }


class EditForm(ChangeMemoryForm):
    """What the memory says now, to be changed; `version` is what the page was made from."""

    tags = None  # type: ignore[assignment]  # how a form leaves out a field of its base
    importance = forms.TypedChoiceField(choices=IMPORTANCES, coerce=int)
    confidence = confidence_field()
    reason = forms.CharField(
        required=False, max_length=500, label="Why", help_text="Kept with the change in the history."
    )

    class Meta(DeskMeta):
        pass

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Several may be open on one page.
        self.auto_id = f"edit-{self.instance.uid}-%s"
        # A slider has no more digits: what it shows must not count as a change.
        self.initial["confidence"] = round(self.instance.confidence, 2)

    @property
    def is_outdated(self) -> bool:
        """Whether somebody else has changed the memory since the page was made."""
        return bool(self.is_bound and self.cleaned_data.get("version") != self.instance.version)


class AddForm(MemoryForm):
    """A memory that an operator knows to be true."""

    tags = None  # type: ignore[assignment]  # how a form leaves out a field of its base
    importance = forms.TypedChoiceField(choices=IMPORTANCES, coerce=int, initial=3)
    confidence = confidence_field(0.9)

    class Meta(DeskMeta):
        pass

    def __init__(self, app: App, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auto_id = "add-%s"
        self.app = app

    def memory_app(self) -> App:
        return self.app

    def fields_typed(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in FIELDS}

    def candidate(self) -> Candidate:
        return Candidate(**self.fields_typed(), source=Source.OPERATOR)
