"""Forms of the dashboard: one memory with fewer fields than the admin's, and the policy with its presets."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone

from memories.admin.forms import ChangeMemoryForm, MemoryForm
from memories.models import Memory, Visibility
from memsite.http.optimistic_form import SideBySideForm
from memsite.tenancy.governance import set_policy
from memsite.tenancy.models import App
from memsite.tenancy.policy import POLICY_FIELDS, POLICY_GROUPS, AppPolicy, preset_values, within_limits
from memsite.timestamps import check_in_reach, in_zone

RATED = ("subject", "category", "kind", "importance", "confidence")
SCOPED = ("tags", "user_id", "visibility", "valid_from", "valid_until")
FIELDS: tuple[str, ...] = ("content", *RATED, "pinned")
IMPORTANCES = [(1, "1 trivial"), (2, "2 minor"), (3, "3 useful"), (4, "4 important"), (5, "5 critical")]


class Slider(forms.NumberInput):
    """An input from 0 to 1, its value beside it."""

    input_type = "range"
    template_name = "dashboard/parts/slider.html"

    def __init__(self) -> None:
        super().__init__(attrs={"min": "0", "max": "1", "step": "0.01"})


class Shown(forms.Field):
    """A field whose box cannot show all of its value: what comes back as it was shown is the value as it was stored."""

    stored: Any = None

    def is_as_shown(self, value: Any) -> bool:
        return bool((value or "") == (self.prepare_value(self.stored) or ""))

    def clean(self, value: Any) -> Any:
        return self.stored if value and self.is_as_shown(value) else super().clean(value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return not self.is_as_shown(data)


class Tags(Shown, forms.CharField):
    """Tags with commas between them; one that has a comma itself stands in quotes."""

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return ", ".join('"' + tag.replace('"', '""') + '"' if {",", '"'} & {*tag} else tag for tag in value)

    def to_python(self, value: Any) -> Any:
        """Return a list, as the model has it."""
        try:
            rows = list(csv.reader([str(value or "")], skipinitialspace=True))
        except csv.Error as error:
            raise ValidationError("Tags with commas between them.") from error
        return [tag.strip() for row in rows for tag in row if tag.strip()]


class Moment(Shown, forms.DateTimeField):
    """A time by the clock of the app, to the second."""

    default_validators = [check_in_reach]
    widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"})

    def is_as_shown(self, value: Any) -> bool:
        """Know it without the seconds, too: browsers leave out those that are none."""
        return super().is_as_shown(f"{value}:00" if value and len(value) == len("2026-11-30T05:53") else value)

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, datetime):
            return value
        return in_zone(value, timezone.get_current_timezone()).replace(tzinfo=None).isoformat(timespec="seconds")


class ByTopic(forms.BaseForm):
    """The fields of a memory as they stand together."""

    def rated(self) -> list[forms.BoundField]:
        return [self[name] for name in RATED]

    def scoped(self) -> list[forms.BoundField]:
        return [self[name] for name in SCOPED]


class DashboardMeta:
    model = Memory
    fields: tuple[str, ...] = FIELDS
    labels = {"content": "Memory", "subject": "Service", "user_id": "End user", "visibility": "For"}
    help_texts = {"subject": "", "importance": "", "pinned": ""}
    widgets = {
        "content": forms.Textarea(attrs={"rows": 3}),
        "subject": forms.TextInput(attrs={"placeholder": "general", "list": "known-subjects", "autocomplete": "off"}),
        "category": forms.TextInput(attrs={"list": "known-categories", "autocomplete": "off"}),
    }


class EditForm(ByTopic, ChangeMemoryForm):
    """A form of one memory; `version` is the one that the page was made from."""

    tags = Tags(required=False, help_text="With commas between.")  # type: ignore[assignment]  # as one text
    valid_from, valid_until = Moment(required=False), Moment(required=False)
    importance = forms.TypedChoiceField(choices=IMPORTANCES, coerce=int)
    confidence = forms.FloatField(widget=Slider())
    reason = forms.CharField(
        required=False, max_length=500, label="Why", help_text="Kept with the change in the history."
    )

    class Meta(DashboardMeta):
        fields = (*FIELDS, *SCOPED)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Several may be open on one page.
        self.auto_id = f"edit-{self.instance.uid}-%s"
        # A slider has no more digits: what it shows must not count as a change.
        self.initial["confidence"] = round(self.instance.confidence, 2)
        for name in ("tags", "valid_from", "valid_until"):
            self.fields[name].stored = self.stored[name]  # type: ignore[attr-defined]


class AddForm(MemoryForm):
    """A form of a memory that an operator puts into words. What else was said of it stays."""

    tags = None  # type: ignore[assignment]  # how a form leaves out a field of its base
    importance = forms.TypedChoiceField(choices=IMPORTANCES, coerce=int, initial=3)
    confidence = forms.FloatField(widget=Slider(), initial=0.9)

    class Meta(DashboardMeta):
        pass

    def __init__(self, app: App, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auto_id = "add-%s"
        self.instance.app = app

    def fields_typed(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self._meta.fields or ()}


class NewForm(ByTopic, AddForm):
    """A form of a memory that an operator adds."""

    tags = Tags(required=False, help_text="With commas between.")  # type: ignore[assignment]  # as one text
    valid_from, valid_until = Moment(required=False), Moment(required=False)

    class Meta(DashboardMeta):
        fields = (*FIELDS, *SCOPED)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["visibility"].required = False

    def clean_visibility(self) -> str:
        return self.cleaned_data["visibility"] or str(Visibility.APP)


class Names(forms.CharField):
    """An input of names with commas between them. The model validates the names."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return [name for part in str(value or "").split(",") if (name := part.strip())]


class DaysByName(forms.CharField):
    """An input of integers by name, typed as "work 90, health 365". The model validates the numbers."""

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
    """Hundreds of choices from one template: a template for each takes longer than the rest of the page."""

    template_name = "dashboard/parts/long_select.html"


class PolicyForm(SideBySideForm[AppPolicy]):
    marker_categories = Names(widget=forms.Textarea(attrs={"rows": 2}))
    review_origins = Names(required=False)
    approval_origins = Names(required=False)
    ttl_days = DaysByName(widget=forms.Textarea(attrs={"rows": 2}))

    class Meta:
        model = AppPolicy
        fields = POLICY_FIELDS
        widgets = {"time_zone": LongSelect, "guidance": forms.Textarea(attrs={"rows": 4})}
        formfield_callback = within_limits

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auto_id = "policy-%s"
        for name, field in self.fields.items():
            model_field: Any = AppPolicy._meta.get_field(name)
            field.label = name.replace("_", " ").capitalize()
            field.help_text = model_field.help_text

    def groups(self) -> Iterator[tuple[str, list[Row]]]:
        """Return the fields by topic, each with the value of the app's preset."""
        preset = preset_values(self.instance.app.preset)
        for title, names in POLICY_GROUPS:
            rows = []
            for name in names:
                stored = self.initial.get(name)
                is_changed = bool(plain(stored) != plain(preset[name]))
                rows.append(Row(self[name], is_changed, display_value(stored), display_value(preset[name])))
            yield title, rows


class ManyPoliciesForm(PolicyForm):
    """A form of a policy for several apps: what is ticked (`set`) counts, and whether it fits is asked of each app."""

    def __init__(self, data: QueryDict | None, like: AppPolicy, ticked: Collection[str] = ()) -> None:
        super().__init__(data, instance=AppPolicy(**{name: getattr(like, name) for name in POLICY_FIELDS}))
        self.ticked = set(data.getlist("set") if data is not None else ticked) & set(POLICY_FIELDS)

    def full_clean(self) -> None:
        fields = self.fields
        self.fields = {name: field for name, field in fields.items() if name in self.ticked}
        super().full_clean()
        self.fields = fields

    def _post_clean(self) -> None:
        policy = forms.models.construct_instance(self, self.instance, self.ticked)
        try:
            policy.clean_fields(exclude=[name for name in (*POLICY_FIELDS, "app") if name not in self.fields])
        except ValidationError as error:
            self._update_errors(error)  # type: ignore[attr-defined]  # as Django's own does

    def topics(self) -> Iterator[tuple[str, list[tuple[forms.BoundField, bool]], bool]]:
        """Return the fields by topic, each with whether it is ticked; and whether any of the topic is."""
        for title, names in POLICY_GROUPS:
            yield title, [(self[name], name in self.ticked) for name in names], bool(self.ticked & set(names))


def policy_difference(app: App, preset: str, values: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return (field, before, after) of what `apply_policy` would change in an app. Raise ValidationError."""
    before, after = app.policy, AppPolicy(**{name: getattr(app.policy, name) for name in POLICY_FIELDS})
    set_policy(after, preset, values)
    changed = [("preset", app.preset, preset)] if preset not in ("", app.preset) else []
    for name in POLICY_FIELDS:
        old, new = plain(getattr(before, name)), plain(getattr(after, name))
        if old != new:
            changed.append((name.replace("_", " "), display_value(old), display_value(new)))
    return changed


@dataclass(frozen=True, slots=True)
class Row:
    """A field of the policy, and the values of the app and of its preset as they are displayed."""

    field: forms.BoundField
    is_changed: bool
    stored_says: str
    preset_says: str


def display_value(value: Any) -> str:
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
    """Return the name of a time zone, given as a name or as a zone."""
    return value if isinstance(value, bool | int | float | list | dict | None) else str(value)
