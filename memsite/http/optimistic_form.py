"""Forms that several people have open at a time: nobody takes back what others have changed without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from django import forms
from django.db.models import Model

Row = TypeVar("Row", bound=Model)

if TYPE_CHECKING:
    GenericForm = forms.ModelForm
else:

    class GenericForm(forms.ModelForm):
        """The stubs know ModelForm[Row]; Django itself does not."""

        def __class_getitem__(cls, _: Any) -> type:
            return cls


class SideBySideForm(GenericForm[Row]):
    """Changes what was changed on the page; all else stays as it is by now.

    Beside each field the page tells, hidden, what it was opened with. Whoever sends none of it sets every field.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        adding, columns = self.instance._state.adding, {field.name for field in self.instance._meta.concrete_fields}
        names = [] if adding else [name for name in self.fields if name in columns]
        self.compared = [name for name in names if not self.is_bound or self.add_initial_prefix(name) in self.data]
        for name in names:
            self.fields[name].show_hidden_initial = name in self.compared

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or self.cleaned_data
        for name in self.compared:
            stored = getattr(self.instance, name)
            if name not in self.changed_data:
                fields[name] = stored
            elif name in fields and fields[name] != stored:
                # What somebody else has set meanwhile is told once; saved again, the typed value counts.
                field = self.fields[name]
                hidden = self.add_initial_prefix(name)
                now = field.hidden_widget().format_value(field.prepare_value(self.initial.get(name))) or ""
                if self.data[hidden] != now:
                    data: Any = self.data
                    self.data = data = data.copy()
                    data[hidden] = now
                    meanwhile = f"Somebody else has set this to {now or 'nothing'} since the page was opened."
                    self.add_error(name, f"{meanwhile} Save again to set it to what is typed here.")
        return fields
