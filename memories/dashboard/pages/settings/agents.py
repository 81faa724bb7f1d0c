"""Agents and their keys: a key is shown once, in the answer that made it, and kept nowhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from django import forms
from django.http import Http404, HttpResponse
from django.utils import timezone

from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.show import go, show
from memsite.tenancy.access import Right
from memsite.tenancy.governance import NameTaken, create_agent, issue_key, revoke_key
from memsite.tenancy.keys import NewKey, TooManyKeys
from memsite.tenancy.models import Agent, ApiKey, Scope

AGENTS_SHOWN = 200
OLD_KEYS_SHOWN = 5
SCOPES = [(Scope.READ, "read"), (Scope.WRITE, "write"), (Scope.OPERATOR, "operator: governs this app")]
USUAL = [Scope.READ.value, Scope.WRITE.value]


def scopes_field() -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label="It may", choices=SCOPES, initial=USUAL, widget=forms.CheckboxSelectMultiple, help_text="Of its key."
    )


class AgentForm(forms.ModelForm):  # type: ignore[type-arg]  # the class of Django itself has no type arguments
    scopes = scopes_field()

    class Meta:
        model = Agent
        fields = ("name", "domain")


class KeyForm(forms.Form):
    scopes = scopes_field()
    expires_on = forms.DateField(
        label="Until", required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="It ends when this day begins, where the app lives. Empty: it does not end.",
    )  # fmt: skip

    def __init__(self, desk: Desk, agent: Agent, data: Any = None) -> None:
        # There is one for each agent on the page.
        super().__init__(data, auto_id=f"key-{agent.name}-%s")
        self.desk, self.agent = desk, agent

    def clean_expires_on(self) -> datetime | None:
        day = self.cleaned_data["expires_on"]
        end = datetime.combine(day, time.min, self.desk.zone) if day else None
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
def agents(request: DeskRequest) -> HttpResponse:
    """Shows the app's agents; its owners add one, which comes with a key."""
    desk = request.desk
    form = AgentForm(request.POST or None, auto_id="agent-%s")
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        try:
            _, key = create_agent(desk.app, fields["name"], fields["domain"], fields["scopes"], desk.actor)
        except NameTaken:
            form.add_error("name", "The app has an agent of this name already.")
        else:
            return show_agents(request, {"issued": key})
    return show_agents(request, {"form": form})


@page(read=None, write=Right.GOVERN)
def issue(request: DeskRequest, name: str) -> HttpResponse:
    """A second key, so that the first can be replaced while it still works."""
    agent = Agent.objects.for_app(request.desk.app).filter(name=name).first()
    if agent is None:
        raise Http404
    form = KeyForm(request.desk, agent, request.POST)
    if not form.is_valid():
        return show_agents(request, {}, form)
    fields = form.cleaned_data
    try:
        key = issue_key(agent, fields["scopes"], fields["expires_on"], request.desk.actor)
    except TooManyKeys:
        form.add_error(None, "It has two live keys already: revoke one first.")
        return show_agents(request, {}, form)
    return show_agents(request, {"issued": key})


@page(read=None, write=Right.GOVERN)
def revoke(request: DeskRequest, prefix: str) -> HttpResponse:
    key = ApiKey.objects.filter(agent__app=request.desk.app, prefix=prefix).select_related("agent__app").first()
    if key is None:
        raise Http404
    revoke_key(key, request.desk.actor)
    text = f"The key {prefix} of {key.agent} does not work any more."
    return go(request, request.desk.address("settings-agents"), text)


def show_agents(request: DeskRequest, context: Mapping[str, Any], refused: KeyForm | None = None) -> HttpResponse:
    """A form for a key that was refused stays as it was typed."""
    issued: NewKey | None = context.get("issued")
    told = {
        "lines": lines_of(request.desk, refused, timezone.now()),
        "form": AgentForm(auto_id="agent-%s"),
        **context,
    }
    if issued:
        told["form"] = AgentForm(auto_id="agent-%s")
    return show(request, "settings/agents", told, part="settings/agent_list")


def lines_of(desk: Desk, refused: KeyForm | None, now: datetime) -> list[Line]:
    """Two queries."""
    rows = list(Agent.objects.for_app(desk.app).order_by("name")[:AGENTS_SHOWN])
    keys: dict[int, list[ApiKey]] = defaultdict(list)
    for key in ApiKey.objects.filter(agent__in=rows).order_by("-created_at"):
        keys[key.agent_id or 0].append(key)
    return [
        Line(
            agent,
            [key for key in keys[agent.pk] if key.is_live(now)],
            [key for key in keys[agent.pk] if not key.is_live(now)][:OLD_KEYS_SHOWN],
            refused if refused and refused.agent == agent else KeyForm(desk, agent),
        )
        for agent in rows
    ]
