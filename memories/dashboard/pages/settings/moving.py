"""Leaving and coming: an app as a file, and files that it takes in. Downloads are the API's own."""

from __future__ import annotations

import re
from typing import IO, Any, cast

from django import forms
from django.http import HttpResponse

from memories.agent import BadFile, CannotImport
from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.show import fingerprint, go, is_seen, show, unchanged
from memories.dashboard.slices import take
from memories.import_export.sources import MEMSITE, SOURCES
from memories.models import Import, ImportStatus
from memsite.config.conf import get_conf
from memsite.tenancy.access import Right
from memsite.tenancy.models import AGENT_NAME_PATTERN

Counts = dict[str, dict[str, int]]


class ImportForm(forms.Form):
    file = forms.FileField(help_text="Plain, gzip or zip.")
    source = forms.ChoiceField(label="What it is", choices=[(one.name, one.title) for one in SOURCES.values()])
    agent = forms.CharField(
        required=False, max_length=64, help_text="Whose conversations they become. Not for an app's own export."
    )
    user_id = forms.CharField(
        label="End user", required=False, max_length=200, help_text="Whom they were with, where the file does not tell."
    )
    trust = forms.BooleanField(
        label="I vouch for this file",
        required=False,
        help_text="Only for an app's export that this server has not signed, or that was changed since: believe it in "
        "who said and who reviewed something, and take over whom its policy trusts. Otherwise its memories come as "
        "another program's word that nobody has reviewed.",
    )

    def clean_file(self) -> Any:
        file, most = self.cleaned_data["file"], get_conf().import_megabytes
        if file.size > most * 1024 * 1024:
            raise forms.ValidationError(f"The file is larger than {most:,} MB.")
        return file

    def clean_agent(self) -> str:
        name: str = self.cleaned_data["agent"]
        if name and not re.fullmatch(AGENT_NAME_PATTERN, name):
            raise forms.ValidationError("Letters, digits, . - and _, 64 at most.")
        return name

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or self.cleaned_data
        if fields.get("agent") and fields.get("source") == MEMSITE:
            self.add_error("agent", "An app's export tells its agents itself.")
        if fields.get("trust") and fields.get("source") != MEMSITE:
            self.add_error("trust", "Only an app's export tells who is to be trusted.")
        return fields


@page(write=Right.GOVERN)
def moving(request: DeskRequest) -> HttpResponse:
    """Shows what was taken in; owners take a file in, or only look what it would bring (`look`)."""
    form = ImportForm(request.POST or None, request.FILES or None, auto_id="import-%s")
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        file, agent = cast(IO[bytes], fields["file"].file), request.desk.agent()
        try:
            if "look" in request.POST:
                return show_moving(request, form, agent.survey_import(file, fields["source"], trust=fields["trust"]))
            row = agent.begin_import(
                file, fields["source"], fields["agent"], fields["user_id"] or None, trust=fields["trust"]
            )
        except BadFile as error:
            form.add_error("file", str(error))
        except CannotImport as error:
            form.add_error(None, str(error))
        else:
            there = request.desk.address("settings-moving")
            if row.status == ImportStatus.FAILED:
                return go(request, there, f"It was not taken in: {row.reason}.", "error")
            text = "Taken in." if row.status == ImportStatus.DONE else "The file is kept, and being taken in."
            return go(request, there, text)
    return show_moving(request, form)


def show_moving(request: DeskRequest, form: ImportForm, survey: Counts | None = None) -> HttpResponse:
    slice = take(Import.objects.for_app(request.desk.app), request.GET)
    seen = fingerprint([(row.uid, row.status, row.done) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"form": form, "survey": survey, "slice": slice, "seen": seen}
    return show(request, "settings/moving", context, part="settings/import_list")
