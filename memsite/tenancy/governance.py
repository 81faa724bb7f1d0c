"""What is allowed in an app, and the audit of every change of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from memsite.tenancy.audit import note, note_change
from memsite.tenancy.models import Agent, ApiKey, App, AppPolicy, Membership
from memsite.tenancy.policy import POLICY_FIELDS

APP_FIELDS = ("name", "preset", "status")


@contextmanager
def audited(actor: str, app: App) -> Iterator[None]:
    """A transaction whose changes to the app, its policy and its members are noted."""
    with transaction.atomic():
        before = states_of(app)
        yield
        after = states_of(app)
        for what, old, new in zip(("app changed", "policy changed", "members changed"), before, after, strict=True):
            note_change(actor, app, what, app.app_id, old, new)


def states_of(app: App) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The app's fields, its policy's, and its members' roles, as they are in the database. Three queries."""
    own = App.objects.filter(pk=app.pk).values(*APP_FIELDS).first()
    policy = AppPolicy.objects.filter(app=app.pk).values(*POLICY_FIELDS).first()
    members = Membership.objects.for_app(app).values_list("user__username", "role")
    return own or {}, policy or {}, dict(members)


def note_key(actor: str, action: str, key: ApiKey) -> None:
    """A key was issued or revoked."""
    agent: Agent | None = key.agent
    owner = f"{key.prefix} of {agent.name}" if agent else f"{key.prefix}, an operator's"
    note(actor, agent.app if agent else None, action, owner, after={"scopes": key.scopes, "expires_at": key.expires_at})
