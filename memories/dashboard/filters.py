"""Filters of lists: in the address, so that what one looks at can be sent to somebody. What is wrong is passed over."""

from __future__ import annotations

from typing import Any

from django import forms

from memsite.tenancy.models import Agent, App

AGENTS_OFFERED = 200


def agents_of(app: App) -> list[tuple[str, str]]:
    """Choices of the app's first agents. One query."""
    names = Agent.objects.for_app(app).order_by("name").values_list("name", flat=True)[:AGENTS_OFFERED]
    return [("", "any"), *((name, name) for name in names)]


class Filters(forms.Form):
    """Every field may be empty, and a value that cannot be is as good as none."""

    use_required_attribute = False

    def asked(self) -> dict[str, Any]:
        """What narrows the list, cleaned."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value not in (None, "", [])}

    @property
    def is_narrowing(self) -> bool:
        return bool(self.asked())


class Search(forms.CharField):
    """A text to look for; looked for while it is typed."""

    def __init__(self, label: str, **options: Any) -> None:
        widget = forms.TextInput(attrs={"type": "search", "autocomplete": "off"})
        super().__init__(label=label, required=False, max_length=500, widget=widget, **options)


class Choice(forms.ChoiceField):
    """One of `choices`, or any."""

    def __init__(self, label: str, choices: Any, **options: Any) -> None:
        super().__init__(label=label, required=False, choices=[("", "any"), *choices], **options)


class Suggested(forms.CharField):
    """A text with suggestions: `form.fields[name].suggest([...])` once they are known."""

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(label=label, required=False, max_length=200, widget=Suggestions(), **options)

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
