"""Deleting for good: what, confirmed by typing the app's id, and how far it is."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpResponse

from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.show import Tone, fingerprint, go, is_seen, show, unchanged
from memories.dashboard.slices import take
from memories.models import Purge, PurgeStatus, PurgeWhat
from memsite.tenancy.access import Right
from memsite.tenancy.models import AppStatus

WHAT = [
    ("user", "an end user: their sessions, and all that is known about or from them"),
    ("memories", "all memories: what was said stays"),
    ("app", "everything: the app is uninstalled, and all that it knows and was told is deleted"),
]


class PurgeForm(forms.Form):
    what = forms.ChoiceField(label="What is to be deleted for good", choices=WHAT, widget=forms.RadioSelect)
    user_id = forms.CharField(label="Which end user", required=False, max_length=200)
    typed = forms.CharField(label="Type the id of the app to confirm", widget=forms.TextInput({"autocomplete": "off"}))

    def __init__(self, desk: Desk, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auto_id = "purge-%s"
        self.desk = desk

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if typed != self.desk.app.app_id:
            raise forms.ValidationError(f"That is not {self.desk.app.app_id}. Nothing was deleted.")
        return typed

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or self.cleaned_data
        if fields.get("what") == "user" and not fields.get("user_id"):
            self.add_error("user_id", "Whose? As the agents name them.")
        return fields


@page(write=Right.GOVERN, while_purging=True)
def purges(request: DeskRequest) -> HttpResponse:
    desk = request.desk
    form = PurgeForm(desk, request.POST or None)
    if request.method == "POST" and desk.app.status != AppStatus.PURGING and form.is_valid():
        purge = begin(desk, form.cleaned_data)
        return go(request, desk.address("settings-purge"), *told(purge))
    slice = take(Purge.objects.for_app(desk.app), request.GET)
    seen = fingerprint([(purge.uid, purge.status, purge.finished_at) for purge in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    return show(request, "settings/purge", {"form": form, "slice": slice, "seen": seen}, part="settings/purge_list")


def told(purge: Purge) -> tuple[str, Tone]:
    if purge.what != PurgeWhat.APP and not any(purge.counts.values()):
        return "There was nothing of it here: nothing was deleted. Names count to the letter.", "warning"
    is_over = purge.status == PurgeStatus.DONE
    return ("Deleted for good." if is_over else "Hidden from everyone now, and being deleted."), "success"


def begin(desk: Desk, fields: dict[str, Any]) -> Purge:
    agent = desk.agent()
    if fields["what"] == "user":
        return agent.purge_user(fields["user_id"])
    return agent.purge_memories() if fields["what"] == "memories" else agent.purge_app()
