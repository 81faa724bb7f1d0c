"""What is allowed in an app, and the audit of every change of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from memsite.tenancy.audit import note, note_change
from memsite.tenancy.keys import NewKey, create_key, rotate_key
from memsite.tenancy.models import Agent, ApiKey, App, AppPolicy, AppStatus, Membership, Role
from memsite.tenancy.policy import POLICY_FIELDS, preset_values

APP_FIELDS = ("name", "preset", "status")


class NameTaken(Exception):
    """There is one of this name already."""


class LastOwner(Exception):
    """Without this owner the app would have none."""

    def __init__(self) -> None:
        super().__init__("An app needs an owner: make somebody else one first.")


@contextmanager
def audited(actor: str, app: App) -> Iterator[None]:
    """Open a transaction whose changes to the app, its policy and members are noted.

    Read in it what is to change: whoever else changes the app waits for its end.
    """
    with transaction.atomic():
        App.objects.select_for_update(no_key=True).filter(pk=app.pk).first()
        before = states_of(app)
        yield
        after = states_of(app)
        for what, old, new in zip(("app changed", "policy changed", "members changed"), before, after, strict=True):
            note_change(actor, app, what, app.app_id, old, new)


def states_of(app: App) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the app's fields, its policy's, and its members' roles, as they are in the database. Three queries."""
    own = App.objects.filter(pk=app.pk).values(*APP_FIELDS).first()
    policy = AppPolicy.objects.filter(app=app.pk).values(*POLICY_FIELDS).first()
    members = Membership.objects.for_app(app).values_list("user__username", "role")
    return own or {}, policy or {}, dict(members)


def note_key(actor: str, action: str, key: ApiKey) -> None:
    """Note that a key was issued or revoked."""
    agent: Agent | None = key.agent
    owner = f"{key.prefix} of {agent.name}" if agent else f"{key.prefix}, an operator's"
    note(actor, agent.app if agent else None, action, owner, after={"scopes": key.scopes, "expires_at": key.expires_at})


# --- apps


def create_app(app_id: str, name: str, preset: str, policy: AppPolicy, actor: str) -> App:
    """Create an app with this policy, in one transaction. Raises NameTaken."""
    with transaction.atomic():
        try:
            with transaction.atomic():
                app = App.objects.create(app_id=app_id, name=name, preset=preset)
        except IntegrityError as error:
            raise NameTaken from error
        policy.app = app
        policy.save(force_insert=True)
        note(actor, app, "app created", app.app_id, after={"preset": preset})
    return app


def set_status(app: App, status: AppStatus, actor: str) -> bool:
    """Set the status: uninstalled, keys stop working and memories stay. False while it is being purged."""
    with audited(actor, app):
        changed = App.objects.filter(pk=app.pk).exclude(status=AppStatus.PURGING).update(status=status)
    return bool(changed)


def apply_preset(app: App, preset: str, actor: str) -> None:
    """Set every number of its policy."""
    with audited(actor, app):
        App.objects.filter(pk=app.pk).update(preset=preset)
        AppPolicy.objects.update_or_create(app=app, defaults=preset_values(preset))


# --- agents and keys


def create_agent(app: App, name: str, domain: str, scopes: Iterable[str], actor: str) -> tuple[Agent, NewKey]:
    """Create an agent with its first key, in one transaction. Raises NameTaken."""
    with transaction.atomic():
        try:
            with transaction.atomic():
                agent = Agent.objects.create(app=app, name=name, domain=domain)
        except IntegrityError as error:
            raise NameTaken from error
        note(actor, app, "agent created", agent.name, after={"domain": agent.domain})
        issued = create_key(agent, scopes)
        note_key(actor, "key issued", issued.row)
    return agent, issued


def issue_key(agent: Agent, scopes: Iterable[str], expires_at: datetime | None, actor: str) -> NewKey:
    """Issue a further key, while the old one still works. Raises TooManyKeys. In one transaction."""
    with transaction.atomic():
        issued = rotate_key(agent, scopes, timezone.now(), expires_at=expires_at)
        note_key(actor, "key issued", issued.row)
    return issued


def revoke_key(key: ApiKey, actor: str) -> None:
    """Revoke a key: it stops working at once; one that is revoked already stays so."""
    with transaction.atomic():
        live = ApiKey.objects.filter(pk=key.pk, revoked_at=None)
        if live.update(revoked_at=timezone.now()):
            note_key(actor, "key revoked", key)


# --- people


def set_member(app: App, user: Any, role: Role | None, actor: str, *, needs_owner: bool = True) -> None:
    """Let somebody in, with a role; None: out. Raises LastOwner where it `needs_owner`."""
    with audited(actor, app):
        members = Membership.objects.for_app(app)
        if needs_owner:
            check_owner_stays(app, {user.pk: role})
        if role is None:
            members.filter(user=user).delete()
        else:
            members.update_or_create(app=app, user=user, defaults={"role": role})


def check_owner_stays(app: App, roles: Mapping[int, Role | None]) -> None:
    """Raise LastOwner if the app has owners, and none when these users have these roles; None: out.

    In a transaction: whoever else changes its owners waits for the end of it.
    """
    App.objects.select_for_update(no_key=True).get(pk=app.pk)
    owners = set(Membership.objects.for_app(app).filter(role=Role.OWNER).values_list("user", flat=True))
    if owners and not owners - roles.keys() and Role.OWNER not in roles.values():
        raise LastOwner
