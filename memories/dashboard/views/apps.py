"""All apps of somebody at once: what waits in each, and one policy for several of them."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import BadRequest, ValidationError
from django.db.models import Q
from django.http import HttpResponse, QueryDict
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone

from memories.dashboard.access import MOST_APPS, Dashboard, DashboardRequest, apps_named, page
from memories.dashboard.forms import ManyPoliciesForm, plain, policy_difference
from memories.dashboard.lists import Filters, Search
from memories.dashboard.responses import counted, fingerprint, go, is_seen, render_page, unchanged
from memories.services.apps import figures_of
from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.governance import apply_policy
from memsite.tenancy.models import App, AppPolicy, AppStatus
from memsite.tenancy.policy import POLICY_FIELDS, PRESET_IS_FOR, Preset, preset_values


class AppFilters(Filters):
    q = Search("App")


@page(of_all=True)
def apps(request: DashboardRequest) -> HttpResponse:
    """Show the apps, the one that needs somebody most first. The app switcher takes its list from here (`to`)."""
    filters = AppFilters(request.GET)
    matching = filters.let_through(apps_of(request.user).select_related("policy").order_by("app_id"))
    if text := filters.given().get("q"):
        matching = matching.filter(Q(app_id__icontains=text) | Q(name__icontains=text))
    some = list(matching[: MOST_APPS + 1])
    rows = sorted(figures_of(some[:MOST_APPS], timezone.now()), key=lambda row: row.urgency)
    if request.htmx.target == "switch-list":
        there = switched_to(request.GET.get("to", ""))
        return render_page(request, "apps/switch_list", {"rows": rows, "there": there}, part="apps/switch_list")
    seen = fingerprint([(row, row.app.name, row.app.status, row.app.memory_count) for row in rows])
    if is_seen(request, seen):
        return unchanged()
    context = {
        "filters": filters,
        "rows": [(row, of_app(request, row.app)) for row in rows],
        "needing": sum(row.needs_somebody for row in rows),
        "is_cut": len(some) > MOST_APPS,
        "seen": seen,
    }
    return render_page(request, "apps/page", context, part="apps/list")


def of_app(request: DashboardRequest, app: App, **changes: Any) -> Dashboard:
    """Return the dashboard of one of the apps on a page, for its addresses: every page asks for the role again."""
    dashboard = request.dashboard
    return Dashboard(dashboard.user, app, dashboard.role, named=dashboard.named, **changes)


def switched_to(path: str) -> str:
    """Return the page that the app switcher leads to: one that is there in every app."""
    try:
        match = resolve(path)
    except Resolver404:
        return reverse("overview")
    return path if not match.kwargs and getattr(match.func, "can_be_looked_at", False) else reverse("overview")


@page(read=Right.GOVERN, write=Right.GOVERN, of_all=True)
def policy(request: DashboardRequest) -> HttpResponse:
    """Set the same fields in several apps: what would change in each is shown first, and done when that is sent back.

    Starts with the policy of the app in `?like=`, what differs from its preset ticked.
    """
    user, sent = request.dashboard.user, request.POST if request.method == "POST" else None
    governed = apps_of(user, Right.GOVERN).exclude(status=AppStatus.PURGING).select_related("policy")
    offered = list(governed.order_by("app_id")[:MOST_APPS])
    form, preset = policy_form(request, sent)
    chosen = apps_named(user, request.POST.getlist("apps"), Right.GOVERN)
    context: dict[str, Any] = {"form": form, "offered": offered, "chosen": chosen, "preset": preset}
    if sent is not None and form.is_valid():
        differences = [difference(app, preset, form.cleaned_data) for app in chosen]
        seen = fingerprint(differences)
        fits = not any(problems for _, _, problems in differences)
        changing = [app for app, changes, _ in differences if changes]
        if fits and changing and sent.get("apply") == seen:
            apply_policy(changing, preset, form.cleaned_data, request.dashboard.actor)
            text = f"Saved in {counted(len(changing), 'app', 'apps')}. It holds from now on."
            return go(request, reverse("apps-policy"), text)
        context |= {
            "differences": differences,
            "seen": seen if fits and changing else "",
            "changing": len(changing),
            "is_stale": "apply" in sent,
        }
    context["presets"] = [(name.value, PRESET_IS_FOR[name]) for name in Preset]
    return render_page(request, "apps/policy", context)


def policy_form(request: DashboardRequest, sent: QueryDict | None) -> tuple[ManyPoliciesForm, str]:
    """Return the form, and the preset that is to be set: "" for none."""
    like = next(iter(apps_named(request.user, request.GET.getlist("like")[:1], Right.READ)), None)
    if sent is not None:
        preset = sent.get("preset", "")
        if preset not in ("", *Preset.values):
            raise BadRequest
        return ManyPoliciesForm(sent, like.policy if like else AppPolicy()), preset
    if like is None:
        return ManyPoliciesForm(None, AppPolicy()), ""
    usual = preset_values(like.preset)
    own = [name for name in POLICY_FIELDS if plain(getattr(like.policy, name)) != plain(usual[name])]
    return ManyPoliciesForm(None, like.policy, own), like.preset


def difference(app: App, preset: str, values: dict[str, Any]) -> tuple[App, list[tuple[str, str, str]], list[str]]:
    """Return an app with what would change in it, and why that is not possible."""
    try:
        return app, policy_difference(app, preset, values), []
    except ValidationError as error:
        return app, [], error.messages
