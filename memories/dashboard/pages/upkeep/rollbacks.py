"""Taking back what came from one source: looked at first, by its address, then done; and what was taken back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpResponse

from memories.agent import CannotTakeBack, NoSuchSource
from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.show import counted, fingerprint, go, is_seen, show, unchanged
from memories.dashboard.slices import take
from memories.models import Rollback, RollbackStatus, RollbackWhat
from memsite.tenancy.access import Right
from memsite.timestamps import check_in_reach


class RollbackForm(forms.Form):
    """Asked with a GET, so that what would go can be sent to somebody; done with a POST of the same."""

    use_required_attribute = False
    what = forms.ChoiceField(label="What it came from", choices=RollbackWhat.choices)
    source = forms.CharField(label="Which one", max_length=200, widget=forms.TextInput({"autocomplete": "off"}))
    since = forms.DateTimeField(
        label="Only from then on", required=False, validators=[check_in_reach],
        widget=forms.DateTimeInput({"type": "datetime-local"}),
    )  # fmt: skip
    reason = forms.CharField(label="Why", required=False, max_length=400, help_text="Kept with every change.")

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        super().__init__(data, auto_id="rollback-%s")

    @property
    def asked(self) -> tuple[str, str, datetime | None]:
        fields = self.cleaned_data
        return fields["what"], fields["source"], fields["since"]


@page(write=Right.CURATE)
def rollbacks(request: DeskRequest) -> HttpResponse:
    desk, asked = request.desk, request.POST or request.GET
    form, foreseen = RollbackForm(asked if "source" in asked else None), None
    if form.is_valid():
        agent = desk.agent()
        try:
            if request.method == "POST":
                row = agent.roll_back(*form.asked, form.cleaned_data["reason"])
                return go(request, desk.address("upkeep-rollbacks"), told(row))
            foreseen = agent.foresee(*form.asked)
        except (NoSuchSource, CannotTakeBack) as error:
            form.add_error("source", str(error))
    slice = take(Rollback.objects.for_app(desk.app), request.GET)
    seen = fingerprint([(row.uid, row.status, row.counts) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"form": form, "foreseen": foreseen, "slice": slice, "seen": seen}
    return show(request, "upkeep/rollbacks", context, part="upkeep/rollback_list")


def told(row: Rollback) -> str:
    if row.status != RollbackStatus.DONE:
        return "It is being taken back."
    undone = row.counts.get("undone", 0)
    of_others = f", {counted(undone, 'change', 'changes')} of others undone" if undone else ""
    return f"Taken back: {counted(row.counts.get('withdrawn', 0), 'memory', 'memories')} withdrawn{of_others}."
