"""The app itself, and the apps beside it: named, made, uninstalled, installed again."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpResponse

from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.show import go, show
from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.governance import NameTaken, audited, create_app, set_status
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.policy import PRESET_IS_FOR, AppPolicy, Preset, preset_values

APPS_SHOWN = 200


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
def settings(request: DeskRequest) -> HttpResponse:
    """Shows the app; its owners give it another name."""
    app = request.desk.app
    form = NameForm(request.POST or None, instance=App.objects.get(pk=app.pk), auto_id="app-%s")
    if request.method == "POST" and form.is_valid():
        with audited(request.desk.actor, app):
            # Not all of the row, which counts the app's writes, too.
            App.objects.filter(pk=app.pk).update(name=form.cleaned_data["name"])
        return go(request, request.desk.address("settings"), "Saved.")
    return show_apps(request, {"form": form})


def show_apps(request: DeskRequest, context: dict[str, Any]) -> HttpResponse:
    desk = request.desk
    told = {
        "form": NameForm(instance=desk.app, auto_id="app-%s"),
        "apps": list(apps_of(desk.user).order_by("app_id")[:APPS_SHOWN]),
        "new": NewAppForm(auto_id="new-%s") if desk.user.is_superuser else None,
        "is_for": PRESET_IS_FOR[Preset(desk.app.preset)],
    }
    return show(request, "settings/app", told | context)


@page(read=None, write=Right.GOVERN)
def status(request: DeskRequest) -> HttpResponse:
    """Uninstalls: its keys stop working, what it knows stays. Or installs it again."""
    desk, wanted = request.desk, request.POST.get("status", "")
    if wanted not in (AppStatus.ACTIVE, AppStatus.UNINSTALLED):
        raise BadRequest
    done = set_status(desk.app, AppStatus(wanted), desk.actor)
    text = f"{desk.app.name} is {wanted}." if done else "It is being purged: that has to end first."
    return go(request, desk.address("settings"), text, "success" if done else "error")


@page(read=None, write=Right.GOVERN)
def create(request: DeskRequest) -> HttpResponse:
    """Superusers make apps."""
    if not request.desk.user.is_superuser:
        raise PermissionDenied
    form = NewAppForm(request.POST, auto_id="new-%s")
    if form.is_valid():
        fields = form.cleaned_data
        try:
            app = make(request.desk, fields)
        except NameTaken:
            form.add_error("app_id", "There is an app with this id already.")
        else:
            there = f"{request.desk.address('settings-agents').split('?')[0]}?app={app.app_id}"
            return go(request, there, f"{app.name} is there. Add its first agent.")
    return show_apps(request, {"new": form})


def make(desk: Desk, fields: dict[str, Any]) -> App:
    policy = AppPolicy(**preset_values(fields["preset"]))
    return create_app(fields["app_id"], fields["name"], fields["preset"], policy, desk.actor)
