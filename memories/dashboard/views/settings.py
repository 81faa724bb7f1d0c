"""Settings of an app: name and status, policy, audit log, purges, export and import."""

from __future__ import annotations

import re
from typing import IO, Any, cast

from django import forms
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpResponse

from memories.dashboard.access import Dashboard, DashboardRequest, page
from memories.dashboard.forms import PolicyForm, display_value
from memories.dashboard.lists import Filters, Search, Suggested, keyset_page
from memories.dashboard.responses import Tone, fingerprint, go, is_seen, render_page, unchanged
from memories.import_export.sources import MEMSITE, SOURCES
from memories.models import Import, ImportStatus, Purge, PurgeStatus, PurgeWhat
from memories.services import BadFile, CannotImport
from memsite.config.conf import get_conf
from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.governance import NameTaken, apply_policy, audited, create_app, set_status
from memsite.tenancy.models import AGENT_NAME_PATTERN, App, AppStatus, AuditEntry
from memsite.tenancy.policy import PRESET_IS_FOR, PRESETS, AppPolicy, Preset, preset_values

APPS_SHOWN = 200
ACTIONS_OFFERED = 100
WHAT = [
    ("user", "an end user: their sessions, and all that is known about or from them"),
    ("memories", "all memories: what was said stays"),
    ("app", "everything: the app is uninstalled, and all that it knows and was told is deleted"),
]
Counts = dict[str, dict[str, int]]


class NameForm(forms.ModelForm):  # type: ignore[type-arg]  # the class of Django itself has no type arguments
    class Meta:
        model = App
        fields = ("name",)


class NewAppForm(forms.ModelForm):  # type: ignore[type-arg]
    preset = forms.ChoiceField(
        choices=[(preset, f"{preset}: {PRESET_IS_FOR[preset]}") for preset in Preset], initial=Preset.STANDARD
    )

    class Meta:
        model = App
        fields = ("app_id", "name", "preset")
        labels = {"app_id": "Id"}
        help_texts = {"app_id": "Its name in addresses: lower-case letters, digits, . - and _. It stays for ever."}


@page(write=Right.GOVERN)
def settings(request: DashboardRequest) -> HttpResponse:
    """Show the app; its owners give it another name."""
    app = request.dashboard.app
    form = NameForm(request.POST or None, instance=App.objects.get(pk=app.pk), auto_id="app-%s")
    if request.method == "POST" and form.is_valid():
        with audited(request.dashboard.actor, app):
            # Not all of the row, which counts the app's writes, too.
            App.objects.filter(pk=app.pk).update(name=form.cleaned_data["name"])
        return go(request, request.dashboard.address("settings"), "Saved.")
    return show_apps(request, {"form": form})


def show_apps(request: DashboardRequest, context: dict[str, Any]) -> HttpResponse:
    dashboard = request.dashboard
    usual = {
        "form": NameForm(instance=dashboard.app, auto_id="app-%s"),
        "apps": list(apps_of(dashboard.user).order_by("app_id")[:APPS_SHOWN]),
        "new": NewAppForm(auto_id="new-%s") if dashboard.user.is_superuser else None,
        "is_for": PRESET_IS_FOR[Preset(dashboard.app.preset)],
    }
    return render_page(request, "settings/app", usual | context)


@page(read=None, write=Right.GOVERN)
def status(request: DashboardRequest) -> HttpResponse:
    """Uninstall the app: its keys stop working, what it knows stays. Or install it again."""
    dashboard, wanted = request.dashboard, request.POST.get("status", "")
    if wanted not in (AppStatus.ACTIVE, AppStatus.UNINSTALLED):
        raise BadRequest
    done = set_status(dashboard.app, AppStatus(wanted), dashboard.actor)
    text = f"{dashboard.app.name} is {wanted}." if done else "It is being purged: that has to end first."
    return go(request, dashboard.address("settings"), text, "success" if done else "error")


@page(read=None, write=Right.GOVERN)
def create(request: DashboardRequest) -> HttpResponse:
    """Make an app, which superusers may."""
    if not request.dashboard.user.is_superuser:
        raise PermissionDenied
    form = NewAppForm(request.POST, auto_id="new-%s")
    if form.is_valid():
        fields = form.cleaned_data
        try:
            policy = AppPolicy(**preset_values(fields["preset"]))
            app = create_app(fields["app_id"], fields["name"], fields["preset"], policy, request.dashboard.actor)
        except NameTaken:
            form.add_error("app_id", "There is an app with this id already.")
        else:
            there = f"{request.dashboard.address('settings-agents').split('?')[0]}?app={app.app_id}"
            return go(request, there, f"{app.name} is there. Add its first agent.")
    return show_apps(request, {"new": form})


@page(write=Right.GOVERN)
def policy(request: DashboardRequest) -> HttpResponse:
    """Show and change every number of the app, with the presets it may start from."""
    dashboard, rows = request.dashboard, AppPolicy.objects.select_related("app")
    if request.method == "POST":
        with audited(dashboard.actor, dashboard.app):
            form = PolicyForm(request.POST, instance=rows.select_for_update(of=("self",)).get(app=dashboard.app))
            if form.is_valid():
                form.save()
                return go(request, dashboard.address("settings-policy"), "Saved. It holds from now on.")
    else:
        form = PolicyForm(instance=rows.get(app=dashboard.app))
    presets = []
    for preset in Preset:
        differences = [(name.replace("_", " "), display_value(value)) for name, value in PRESETS[preset].items()]
        presets.append((preset.value, PRESET_IS_FOR[preset], differences))
    return render_page(request, "settings/policy", {"form": form, "presets": presets})


@page(read=None, write=Right.GOVERN)
def preset(request: DashboardRequest) -> HttpResponse:
    """Set every number as this preset has it."""
    dashboard, wanted = request.dashboard, request.POST.get("preset", "")
    if wanted not in Preset.values:
        raise BadRequest
    apply_policy([dashboard.app], wanted, {}, dashboard.actor)
    return go(request, dashboard.address("settings-policy"), f"Every number now has the value of {wanted} now.")


class AuditFilters(Filters):
    who = Search("Who")
    action = Suggested("What")


@page(while_purging=True)
def audit(request: DashboardRequest) -> HttpResponse:
    filters = AuditFilters(request.GET)
    rows, given = AuditEntry.objects.for_app(request.dashboard.app), filters.given()
    actions = rows.order_by("action").values_list("action", flat=True).distinct()[:ACTIONS_OFFERED]
    filters.fields["action"].suggest(actions)  # type: ignore[attr-defined]
    if "who" in given:
        rows = rows.filter(actor__icontains=given["who"])
    if "action" in given:
        rows = rows.filter(action__istartswith=given["action"])
    slice = keyset_page(filters.let_through(rows), request.GET, by="created_at")
    lines = [(entry, changes(entry)) for entry in slice.rows]
    return render_page(
        request, "settings/audit", {"filters": filters, "slice": slice, "lines": lines}, part="settings/audit_list"
    )


def changes(entry: AuditEntry) -> list[tuple[str, str, str]]:
    """Return (what, before, after) as far as it differs; empty where there was or is none."""
    rows = []
    for name in {**entry.before, **entry.after}:
        before, after = (
            display_value(values[name]) if name in values else "" for values in (entry.before, entry.after)
        )
        rows.append((name.replace("_", " "), before, after))
    return rows


class PurgeForm(forms.Form):
    what = forms.ChoiceField(label="What is to be deleted for good", choices=WHAT, widget=forms.RadioSelect)
    user_id = forms.CharField(label="Which end user", required=False, max_length=200)
    typed = forms.CharField(label="Type the id of the app to confirm", widget=forms.TextInput({"autocomplete": "off"}))

    def __init__(self, dashboard: Dashboard, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auto_id = "purge-%s"
        self.dashboard = dashboard

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if typed != self.dashboard.app.app_id:
            raise forms.ValidationError(f"That is not {self.dashboard.app.app_id}. Nothing was deleted.")
        return typed

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or self.cleaned_data
        if fields.get("what") == "user" and not fields.get("user_id"):
            self.add_error("user_id", "Which end user? Give the id that agents use.")
        return fields


@page(write=Right.GOVERN, while_purging=True)
def purges(request: DashboardRequest) -> HttpResponse:
    dashboard = request.dashboard
    form = PurgeForm(dashboard, request.POST or None)
    if request.method == "POST" and dashboard.app.status != AppStatus.PURGING and form.is_valid():
        agent, fields = dashboard.agent(), form.cleaned_data
        if fields["what"] == "user":
            purge = agent.purge_user(fields["user_id"])
        else:
            purge = agent.purge_memories() if fields["what"] == "memories" else agent.purge_app()
        return go(request, dashboard.address("settings-purge"), *purge_message(purge))
    slice = keyset_page(Purge.objects.for_app(dashboard.app), request.GET)
    seen = fingerprint([(purge.uid, purge.status, purge.finished_at) for purge in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    return render_page(
        request, "settings/purge", {"form": form, "slice": slice, "seen": seen}, part="settings/purge_list"
    )


def purge_message(purge: Purge) -> tuple[str, Tone]:
    if purge.what != PurgeWhat.APP and not any(purge.counts.values()):
        return "Nothing matches this id, so nothing was deleted. Check its spelling.", "warning"
    is_over = purge.status == PurgeStatus.DONE
    return ("Deleted for good." if is_over else "Hidden from everyone now, and being deleted."), "success"


class ImportForm(forms.Form):
    file = forms.FileField(help_text="Plain, gzip or zip.")
    source = forms.ChoiceField(label="What it is", choices=[(source.name, source.title) for source in SOURCES.values()])
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
def moving(request: DashboardRequest) -> HttpResponse:
    """Show what was taken in; owners take a file in, or only look what it would bring (`look`)."""
    form = ImportForm(request.POST or None, request.FILES or None, auto_id="import-%s")
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        file, agent = cast(IO[bytes], fields["file"].file), request.dashboard.agent()
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
            there = request.dashboard.address("settings-moving")
            if row.status == ImportStatus.FAILED:
                return go(request, there, f"The import failed: {row.reason}.", "error")
            text = "Taken in." if row.status == ImportStatus.DONE else "The file was uploaded, and is being imported."
            return go(request, there, text)
    return show_moving(request, form)


def show_moving(request: DashboardRequest, form: ImportForm, survey: Counts | None = None) -> HttpResponse:
    slice = keyset_page(Import.objects.for_app(request.dashboard.app), request.GET)
    seen = fingerprint([(row.uid, row.status, row.done) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"form": form, "survey": survey, "slice": slice, "seen": seen}
    return render_page(request, "settings/moving", context, part="settings/import_list")
