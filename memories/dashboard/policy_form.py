"""The policy as a form: each number with what it means, what the preset says, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from memsite.http.optimistic_form import SideBySideForm
from memsite.tenancy.policy import POLICY_FIELDS, POLICY_GROUPS, PRESETS, AppPolicy, preset_values, within_limits


class Names(forms.CharField):
    """A list of names, typed with commas between them. The model looks at the names."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return [name for part in str(value or "").split(",") if (name := part.strip())]


class DaysByName(forms.CharField):
    """Whole numbers by name, typed as "work 90, health 365". The model looks at the numbers."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(f"{name} {days}" for name, days in value.items()) if isinstance(value, dict) else value

    def to_python(self, value: Any) -> Any:
        pairs = [part.rpartition(" ") for part in str(value or "").split(",") if part.strip()]
        try:
            days = [(name.strip(), int(number)) for name, _, number in pairs]
        except ValueError as error:
            raise ValidationError('A name and a number each: "work 90, health 365".') from error
        names = Counter(name for name, _ in days if name)
        if twice := [name for name, number in names.items() if number > 1]:
            raise ValidationError(f"Each name once. Given more than once: {', '.join(twice)}.")
        return dict(days)


class LongSelect(forms.Select):
    """Hundreds of choices from one template: one for each of them takes longer than all else on the page."""

    template_name = "dashboard/parts/long_select.html"


class PolicyForm(SideBySideForm[AppPolicy]):
    marker_categories = Names(widget=forms.Textarea(attrs={"rows": 2}))
    review_origins = Names(required=False)
    approval_origins = Names(required=False)
    ttl_days = DaysByName(widget=forms.Textarea(attrs={"rows": 2}))

    class Meta:
        model = AppPolicy
        fields = POLICY_FIELDS
        widgets = {"time_zone": LongSelect}
        formfield_callback = within_limits

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auto_id = "policy-%s"
        for name, field in self.fields.items():
            model_field: Any = AppPolicy._meta.get_field(name)
            field.label = name.replace("_", " ").capitalize()
            field.help_text = model_field.help_text

    def groups(self) -> Iterator[tuple[str, list[Row]]]:
        """The fields by what they are about, each with what the app's preset says."""
        preset = preset_values(self.instance.app.preset)
        for title, names in POLICY_GROUPS:
            yield title, [Row(self[name], preset[name], self.initial.get(name)) for name in names]


@dataclass(frozen=True, slots=True)
class Row:
    field: forms.BoundField
    preset: Any
    stored: Any

    @property
    def is_changed(self) -> bool:
        return bool(plain(self.stored) != plain(self.preset))

    @property
    def stored_says(self) -> str:
        return told(self.stored)

    @property
    def preset_says(self) -> str:
        return told(self.preset)


def preset_changes(preset: str) -> list[tuple[str, str]]:
    """What a preset has another way than the standard one, in words."""
    return [(name.replace("_", " "), told(value)) for name, value in PRESETS[preset].items()]


def told(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {days}" for name, days in value.items()) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def plain(value: Any) -> Any:
    """A time zone may be a name or the zone itself."""
    return value if isinstance(value, bool | int | float | list | dict | None) else str(value)
