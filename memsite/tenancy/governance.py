"""What is allowed in an app, and the audit of every change of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from memsite.tenancy.audit import note, note_change
from memsite.tenancy.keys import NewKey, create_key, rotate_key
from memsite.tenancy.models import Agent, ApiKey, App, AppPolicy, AppStatus, Membership, Role, Scope
from memsite.tenancy.policy import POLICY_FIELDS, preset_values

APP_FIELDS = ("name", "preset", "status")


class NameTaken(Exception):
    """There is one of this name already."""


class Uninstalled(NameTaken):
    """The app is there, and is not active."""

    def __init__(self, app: App) -> None:
        super().__init__()
        self.app = app


class DeletedBefore(NameTaken):
    """There was an agent of this name, and what it wrote keeps the name."""


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
    """Create an app with this policy, in one transaction. Raises NameTaken, Uninstalled."""
    with transaction.atomic():
        try:
            with transaction.atomic():
                app = App.objects.create(app_id=app_id, name=name, preset=preset)
        except IntegrityError as error:
            there = App.objects.filter(app_id=app_id).exclude(status=AppStatus.ACTIVE).first()
            raise Uninstalled(there) if there else NameTaken from error
        policy.app = app
        policy.save(force_insert=True)
        note(actor, app, "app created", app.app_id, after={"preset": preset})
    return app


def set_status(app: App, status: AppStatus, actor: str) -> bool:
    """Set the status: uninstalled, keys stop working and memories stay. False while it is being purged."""
    with audited(actor, app):
        changed = App.objects.filter(pk=app.pk).exclude(status=AppStatus.PURGING).update(status=status)
    return bool(changed)


def set_policy(policy: AppPolicy, preset: str, values: Mapping[str, Any]) -> None:
    """Set every field to the preset's, if one is named, and then these; nothing is saved.

    ValidationError names each wrong field.
    """
    for name, value in {**(preset_values(preset) if preset else {}), **values}.items():
        setattr(policy, name, value)
    policy.clean_fields(exclude=["app"])
    policy.clean()


def apply_policy(apps: Iterable[App], preset: str, values: Mapping[str, Any], actor: str) -> None:
    """Set the policies of these apps as `set_policy` does: all or, where one would be wrong, none."""
    with transaction.atomic():
        for app in apps:
            with audited(actor, app):
                if preset:
                    App.objects.filter(pk=app.pk).update(preset=preset)
                policy = AppPolicy.objects.filter(app=app).first() or AppPolicy(app=app)
                set_policy(policy, preset, values)
                policy.save()


# --- agents and keys


def create_agent(
    app: App, name: str, domain: str, scopes: Iterable[str], actor: str, tier: int | None = None
) -> tuple[Agent, NewKey]:
    """Create an agent with its first key, in one transaction. Raises NameTaken, DeletedBefore."""
    with transaction.atomic():
        try:
            with transaction.atomic():
                agent = Agent.objects.create(app=app, name=name, domain=domain, tier=tier)
        except IntegrityError as error:
            raise name_taken(app, name) from error
        note(actor, app, "agent created", agent.name, after={"domain": agent.domain})
        issued = create_key(agent, scopes)
        note_key(actor, "key issued", issued.row)
    return agent, issued


def name_taken(app: App, name: str) -> NameTaken:
    return NameTaken() if Agent.objects.for_app(app).live().filter(name=name).exists() else DeletedBefore()


def change_agent(agent: Agent, changes: Mapping[str, Any], actor: str) -> None:
    """Change fields of an agent, and the `scopes` of its live keys. Raises NameTaken.

    Clients that came by OAuth keep the scopes that were allowed to them.
    """
    fields = {name: value for name, value in changes.items() if name != "scopes"}
    named = agent.name
    with transaction.atomic():
        keys = ApiKey.objects.live(timezone.now()).filter(agent=agent, oauth_grant=None).order_by("pk")
        before = {**{name: getattr(agent, name) for name in fields}, "scopes": scopes_of(keys)}
        for name, value in fields.items():
            setattr(agent, name, value)
        try:
            with transaction.atomic():
                agent.save(update_fields=list(fields))
        except IntegrityError as error:
            raise name_taken(agent.app, agent.name) from error
        if "scopes" in changes:
            keys.update(scopes=sorted({Scope(scope).value for scope in changes["scopes"]}))
        after = {**fields, "scopes": scopes_of(keys)}
        note_change(actor, agent.app, "agent changed", named, before, after)


def scopes_of(keys: QuerySet[ApiKey]) -> dict[str, list[str]]:
    return dict(keys.values_list("prefix", "scopes"))


def delete_agent(agent: Agent, actor: str) -> None:
    """Delete an agent: its keys are revoked at once; what it wrote stays, and keeps its name."""
    with transaction.atomic():
        if not Agent.objects.for_app(agent.app).live().filter(pk=agent.pk).update(deleted_at=timezone.now()):
            return
        for key in ApiKey.objects.filter(agent=agent, revoked_at=None).select_related("agent__app"):
            revoke_key(key, actor)
        note(actor, agent.app, "agent deleted", agent.name)


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
