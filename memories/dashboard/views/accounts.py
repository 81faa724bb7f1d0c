"""All apps of somebody at once, and who may come into one: members and their roles, agents and their keys."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import Q
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone

from memories.dashboard.access import MOST_APPS, Dashboard, DashboardRequest, apps_named, page
from memories.dashboard.forms import ManyPoliciesForm, plain, policy_difference
from memories.dashboard.lists import Filters, Search
from memories.dashboard.responses import counted, fingerprint, go, is_seen, render_page, unchanged
from memories.services.apps import figures_of
from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.governance import (
    LastOwner,
    NameTaken,
    apply_policy,
    create_agent,
    issue_key,
    revoke_key,
    set_member,
)
from memsite.tenancy.keys import TooManyKeys
from memsite.tenancy.models import Agent, ApiKey, App, AppPolicy, AppStatus, Membership, Role, Scope
from memsite.tenancy.policy import POLICY_FIELDS, PRESET_IS_FOR, Preset, preset_values

MEMBERS_SHOWN = 500
AGENTS_SHOWN = 200
OLD_KEYS_SHOWN = 5
SCOPES_FIELD = forms.MultipleChoiceField(
    label="It may",
    choices=[
        (Scope.READ, "read"),
        (Scope.CREATE, "create: only adds"),
        (Scope.WRITE, "write"),
        (Scope.OPERATOR, "operator: governs this app"),
    ],
    initial=[Scope.READ.value, Scope.WRITE.value],
    widget=forms.CheckboxSelectMultiple,
    help_text="Of its key.",
)


class MemberForm(forms.Form):
    """Somebody by name: owners need no list of everybody."""

    name = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not get_user_model().objects.filter(username=name, is_active=True).exists():
            raise forms.ValidationError(
                "There is no user with this name. A superuser adds people in the admin, under Users."
            )
        return name


@page(write=Right.GOVERN)
def members(request: DashboardRequest) -> HttpResponse:
    """Show the members; owners let somebody in, or give them another role."""
    dashboard = request.dashboard
    form = MemberForm(request.POST or None, auto_id="member-%s")
    if request.method == "POST" and form.is_valid():
        user = get_user_model().objects.get(username=form.cleaned_data["name"])
        try:
            set_member(dashboard.app, user, Role(form.cleaned_data["role"]), dashboard.actor)
        except LastOwner as error:
            form.add_error("role", str(error))
        else:
            text = f"{user.get_username()} is {form.cleaned_data['role']} of {dashboard.app.name}."
            return go(request, dashboard.address("settings-members"), text)
    rows = Membership.objects.for_app(dashboard.app).select_related("user").order_by("user__username")[:MEMBERS_SHOWN]
    return render_page(request, "settings/members", {"members": rows, "form": form, "roles": Role.choices})


@page(read=None, write=Right.GOVERN)
def remove(request: DashboardRequest, name: str) -> HttpResponse:
    dashboard = request.dashboard
    members = Membership.objects.for_app(dashboard.app).select_related("user")
    member = get_object_or_404(members, user__username=name)
    there = dashboard.address("settings-members")
    try:
        set_member(dashboard.app, member.user, None, dashboard.actor)
    except LastOwner as error:
        return go(request, there, str(error), "error")
    own = member.user.pk == dashboard.user.pk and not dashboard.user.is_superuser
    return go(request, "/" if own else there, f"{member.user.get_username()} is no longer a member.")


class AgentForm(forms.ModelForm):  # type: ignore[type-arg]  # the class of Django itself has no type arguments
    scopes = SCOPES_FIELD

    class Meta:
        model = Agent
        fields = ("name", "domain")


class KeyForm(forms.Form):
    scopes = SCOPES_FIELD
    expires_on = forms.DateField(
        label="Until",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="It ends when this day begins, where the app lives. Empty: it does not end.",
    )

    def __init__(self, dashboard: Dashboard, agent: Agent, data: Any = None) -> None:
        # There is one for each agent on the page.
        super().__init__(data, auto_id=f"key-{agent.name}-%s")
        self.dashboard, self.agent = dashboard, agent

    def clean_expires_on(self) -> datetime | None:
        day = self.cleaned_data["expires_on"]
        end = datetime.combine(day, time.min, self.dashboard.zone) if day else None
        if end and end <= timezone.now():
            raise forms.ValidationError("Lies in the past.")
        return end


@dataclass(frozen=True, slots=True)
class Line:
    """An agent with its keys: those that work, and the last ones that do not any more. The form is for another one."""

    agent: Agent
    live: list[ApiKey]
    old: list[ApiKey]
    form: KeyForm


@page(write=Right.GOVERN)
def agents(request: DashboardRequest) -> HttpResponse:
    """Show the app's agents; its owners add one, which comes with a key."""
    dashboard = request.dashboard
    form = AgentForm(request.POST or None, auto_id="agent-%s")
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        try:
            _, key = create_agent(dashboard.app, fields["name"], fields["domain"], fields["scopes"], dashboard.actor)
        except NameTaken:
            form.add_error("name", "The app has an agent of this name already.")
        else:
            return show_agents(request, {"issued": key})
    return show_agents(request, {"form": form})


@page(read=None, write=Right.GOVERN)
def issue(request: DashboardRequest, name: str) -> HttpResponse:
    """Return a second key, so that the first can be replaced while it still works."""
    agent = get_object_or_404(Agent.objects.for_app(request.dashboard.app).live(), name=name)
    form = KeyForm(request.dashboard, agent, request.POST)
    if not form.is_valid():
        return show_agents(request, {}, form)
    fields = form.cleaned_data
    try:
        key = issue_key(agent, fields["scopes"], fields["expires_on"], request.dashboard.actor)
    except TooManyKeys:
        form.add_error(None, "It has two live keys already: revoke one first.")
        return show_agents(request, {}, form)
    return show_agents(request, {"issued": key})


@page(read=None, write=Right.GOVERN)
def revoke(request: DashboardRequest, prefix: str) -> HttpResponse:
    keys = ApiKey.objects.filter(agent__app=request.dashboard.app).select_related("agent__app")
    key = get_object_or_404(keys, prefix=prefix)
    revoke_key(key, request.dashboard.actor)
    text = f"The key {prefix} of {key.agent} does not work any more."
    return go(request, request.dashboard.address("settings-agents"), text)


def show_agents(request: DashboardRequest, context: dict[str, Any], refused: KeyForm | None = None) -> HttpResponse:
    """Show the agents and their keys. A form for a key that was refused stays as it was typed."""
    dashboard, now = request.dashboard, timezone.now()
    rows = list(Agent.objects.for_app(dashboard.app).live().order_by("name")[:AGENTS_SHOWN])
    keys: dict[int, list[ApiKey]] = defaultdict(list)
    for key in ApiKey.objects.filter(agent__in=rows).order_by("-created_at"):
        keys[key.agent_id or 0].append(key)
    lines = [
        Line(
            agent,
            [key for key in keys[agent.pk] if key.is_live(now)],
            [key for key in keys[agent.pk] if not key.is_live(now)][:OLD_KEYS_SHOWN],
            refused if refused and refused.agent == agent else KeyForm(dashboard, agent),
        )
        for agent in rows
    ]
    usual = {"lines": lines, "form": AgentForm(auto_id="agent-%s")}
    return render_page(request, "settings/agents", usual | context, part="settings/agent_list")


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
