"""Who may do what, and whose rows are shown: the one answer for the dashboard, the admin and the API."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from django.db.models import Q, QuerySet

from memsite.tenancy.models import Agent, App, Membership, Role


class Right(StrEnum):
    READ = "read"
    CURATE = "curate"  # change what is known: add, edit, merge, archive, delete
    GOVERN = "govern"  # change what is allowed: policy, agents, keys, members; purge


ROLES_WITH = {
    Right.READ: (Role.VIEWER, Role.EDITOR, Role.OWNER),
    Right.CURATE: (Role.EDITOR, Role.OWNER),
    Right.GOVERN: (Role.OWNER,),
}


def apps_of(user: Any, right: Right = Right.READ) -> QuerySet[App]:
    """Return the apps in which this user has this right; to anybody else an app does not exist. Asks nothing yet."""
    if not user.is_active:
        return App.objects.none()
    if user.is_superuser:
        return App.objects.all()
    own = Membership.objects.filter(user=user.pk, role__in=ROLES_WITH[right])
    return App.objects.filter(pk__in=own.values("app"))


def role_in(user: Any, app: App) -> Role | None:
    """Return the role; None for somebody who is no member. One query, none for superusers."""
    if not user.is_active:
        return None
    if user.is_superuser:
        return Role.OWNER
    role = Membership.objects.for_app(app).filter(user=user.pk).values_list("role", flat=True).first()
    return Role(role) if role else None


def has_right(role: Role | None, right: Right) -> bool:
    return role in ROLES_WITH[right]


def actor_of(user: Any) -> str:
    """Return how revisions and the audit log name somebody who is signed in."""
    return f"operator:{user.get_username()}"


Users = tuple[str, ...] | None
"""End users by name; None: all there are."""


def users_shown(app: App, agent: Agent | None, named: Iterable[str | None] = ()) -> Users:
    """Return whose rows may be shown.

    All there are, or those whom the caller has `named`, where the policy keeps them apart.

    Operators (no agent) see all.
    """
    if agent is None or not app.policy.users_apart:
        return None
    return tuple(user for user in named if user)


def users_told_of(app: App, agent: Agent | None, user_id: str | None, named: Iterable[str | None] = ()) -> Users:
    """Return whose rows a search finds for who talks with this end user. Without one, all that may be shown."""
    return one_user(user_id) or users_shown(app, agent, named)


def one_user(user_id: str | None) -> tuple[str, ...]:
    """Select what is of this one alone; None: of no end user."""
    return (user_id,) if user_id else ()


def of_users(users: Users, column: str = "user_id") -> Q:
    """Return rows of these end users and of none; None: every row."""
    return Q() if users is None else Q(**{column: None}) | Q(**{f"{column}__in": users})


def is_of_users(user_id: str | None, users: Users) -> bool:
    """Return whether a row at hand is of these end users or of none."""
    return users is None or not user_id or user_id in users
