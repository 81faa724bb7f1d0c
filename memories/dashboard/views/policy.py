"""The policy: every number of the app, and the presets it may start from."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpResponse

from memories.dashboard.access import DashboardRequest, page
from memories.dashboard.forms import PolicyForm, preset_changes
from memories.dashboard.responses import go, render_page
from memsite.tenancy.access import Right
from memsite.tenancy.governance import apply_preset, audited
from memsite.tenancy.models import AppPolicy
from memsite.tenancy.policy import PRESET_IS_FOR, Preset


@page(write=Right.GOVERN)
def policy(request: DashboardRequest) -> HttpResponse:
    dashboard, rows = request.dashboard, AppPolicy.objects.select_related("app")
    if request.method == "POST":
        with audited(dashboard.actor, dashboard.app):
            form = PolicyForm(request.POST, instance=rows.select_for_update(of=("self",)).get(app=dashboard.app))
            if form.is_valid():
                form.save()
                return go(request, dashboard.address("settings-policy"), "Saved. It holds from now on.")
    else:
        form = PolicyForm(instance=rows.get(app=dashboard.app))
    presets = [(preset.value, PRESET_IS_FOR[preset], preset_changes(preset)) for preset in Preset]
    return render_page(request, "settings/policy", {"form": form, "presets": presets})


@page(read=None, write=Right.GOVERN)
def preset(request: DashboardRequest) -> HttpResponse:
    """Sets every number as this preset has it."""
    dashboard, wanted = request.dashboard, request.POST.get("preset", "")
    if wanted not in Preset.values:
        raise BadRequest
    apply_preset(dashboard.app, wanted, dashboard.actor)
    return go(request, dashboard.address("settings-policy"), f"Every number is that of {wanted} now.")
