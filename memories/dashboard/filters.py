"""Filters of lists: in the address, so that what one looks at can be sent to somebody.

A choice that is none is passed over. A text or a time that cannot be looked for finds nothing, and the list says why.
"""

from __future__ import annotations

from typing import Any, TypeVar

from django import forms
from django.db.models import QuerySet

from memsite.tenancy.models import Agent, App

AGENTS_OFFERED = 200
TOO_LONG = {"max_length": "A text to look for has %(limit_value)d characters at most."}
Rows = TypeVar("Rows", bound=QuerySet[Any])


def agents_of(app: App) -> list[tuple[str, str]]:
    """Choices of the app's first agents. One query."""
    names = Agent.objects.for_app(app).order_by("name").values_list("name", flat=True)[:AGENTS_OFFERED]
    return [("", "any"), *((name, name) for name in names)]


class Filters(forms.Form):
    """Every field may be empty."""

    use_required_attribute = False

    def asked(self) -> dict[str, Any]:
        """What narrows the list, cleaned."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value not in (None, "", [])}

    @property
    def refused(self) -> str:
        """Why nothing is found: what is wrong with texts and times, in sentences; empty where all can be looked for."""
        wrong = [self[name] for name in self.errors if not isinstance(self.fields[name], forms.ChoiceField)]
        return " ".join(f"{field.label}: {error}" for field in wrong for error in field.errors)

    def let_through(self, rows: Rows) -> Rows:
        """None of them if something is refused: all would be taken for what was found."""
        return rows.none() if self.refused else rows

    @property
    def is_narrowing(self) -> bool:
        return bool(self.asked() or self.refused)


class Search(forms.CharField):
    """A text to look for; looked for while it is typed."""

    def __init__(self, label: str, **options: Any) -> None:
        widget = forms.TextInput(attrs={"type": "search", "autocomplete": "off"})
        super().__init__(label=label, required=False, max_length=500, widget=widget, error_messages=TOO_LONG, **options)


class Choice(forms.ChoiceField):
    """One of `choices`, or any."""

    def __init__(self, label: str, choices: Any, **options: Any) -> None:
        super().__init__(label=label, required=False, choices=[("", "any"), *choices], **options)


class Suggested(forms.CharField):
    """A text with suggestions: `form.fields[name].suggest([...])` once they are known."""

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(
            label=label, required=False, max_length=200, widget=Suggestions(), error_messages=TOO_LONG, **options
        )

    def suggest(self, texts: Any) -> None:
        self.widget.texts = list(texts)


class Suggestions(forms.TextInput):
    """A text input with its own datalist."""

    template_name = "dashboard/parts/suggestions.html"

    def __init__(self) -> None:
        super().__init__(attrs={"autocomplete": "off"})
        self.texts: list[str] = []

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        where = f"{context['widget']['attrs'].get('id', name)}_list"
        context["widget"]["attrs"]["list"] = where
        return {**context, "texts": self.texts, "where": where}
