"""Who may let a client in, and as what: owners, as an agent of their apps."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.models import Agent, App, AppStatus, Scope

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


class ConsentForm(forms.Form):
    app = forms.ModelChoiceField(App.objects.none(), to_field_name="app_id", empty_label=None, label="App")
    name = forms.CharField(
        max_length=64,
        label="As which agent",
        help_text="Of this name in the app; made if there is none. It sees what that agent sees.",
    )
    may_write = forms.BooleanField(required=False, label="It may also store, change and forget")

    def __init__(self, user: Any, client_name: str, wanted: list[str], data: Any = None) -> None:
        usual = NOT_IN_NAMES.sub("-", client_name).strip("-._")[:64] or "client"
        super().__init__(data, initial={"name": usual.lower(), "may_write": Scope.WRITE in wanted})
        apps = apps_of(user, Right.GOVERN).filter(status=AppStatus.ACTIVE).order_by("app_id")
        self.fields["app"].queryset = apps  # type: ignore[attr-defined]  # it is a ModelChoiceField
        self.has_apps = apps.exists()
        if Scope.WRITE not in wanted:
            del self.fields["may_write"]

    def clean(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().clean() or {}
        if "app" in fields and "name" in fields:
            try:
                Agent(app=fields["app"], name=fields["name"]).clean_fields()
            except ValidationError as error:
                self.add_error("name", error.messages)
        return fields

    def agent(self) -> Agent:
        app = self.cleaned_data["app"]
        agent, _ = Agent.objects.for_app(app).get_or_create(app=app, name=self.cleaned_data["name"])
        return agent

    def scopes(self) -> list[str]:
        return [Scope.READ.value, *([Scope.WRITE.value] if self.cleaned_data.get("may_write") else [])]
