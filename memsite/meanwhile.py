"""Forms that two people may have open at the same time."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict


class Meanwhile(forms.ModelForm):  # type: ignore[type-arg]  # the class of Django itself has no type arguments
    """Saves what was changed in the page: what others changed since it was loaded, and nobody touched here, stays.

    The page sends along what each field was when it was loaded. Whoever sends no such thing means every field.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.show_hidden_initial = True

    def clean(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().clean() or self.cleaned_data
        for name in [name for name in fields if self[name].html_initial_name in self.data]:
            if name not in self.changed_data:
                fields[name] = self.stored(name)
            elif self.was_changed_meanwhile(name):
                self.tell_of(name)
        return fields

    def tell_of(self, name: str) -> None:
        """Once: who saves it again has read it."""
        shown = self.fields[name].prepare_value(self.stored(name))
        said = "" if shown is None else str(shown)
        self.add_error(name, f"Somebody has changed this since the page was loaded. It is {said or 'empty'} now.")
        data: Any = QueryDict(mutable=True)
        data.update(self.data)
        data[self[name].html_initial_name] = said
        self.data = data

    def stored(self, name: str) -> Any:
        return getattr(self.instance, name)

    def was_changed_meanwhile(self, name: str) -> bool:
        field, loaded = self.fields[name], self.data[self[name].html_initial_name]
        return field.has_changed(self.get_initial_for_field(field, name), loaded)
