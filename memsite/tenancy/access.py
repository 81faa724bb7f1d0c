"""Who may do what: the one answer for the desk, the admin and the API's door for browser sessions."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.db.models import QuerySet

from memsite.tenancy.membership import Membership, Role
from memsite.tenancy.models import App


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
    """The apps in which this user has this right; to anybody else an app does not exist. Asks nothing yet."""
    if not user.is_active:
        return App.objects.none()
    if user.is_superuser:
        return App.objects.all()
    own = Membership.objects.filter(user=user.pk, role__in=ROLES_WITH[right])
    return App.objects.filter(pk__in=own.values("app"))


def role_in(user: Any, app: App) -> Role | None:
    """None for somebody who is no member. One query, none for superusers."""
    if not user.is_active:
        return None
    if user.is_superuser:
        return Role.OWNER
    role = Membership.objects.for_app(app).filter(user=user.pk).values_list("role", flat=True).first()
    return Role(role) if role else None


def has_right(role: Role | None, right: Right) -> bool:
    return role in ROLES_WITH[right]


def actor_of(user: Any) -> str:
    """How revisions and the audit log name somebody who is signed in."""
    return f"operator:{user.get_username()}"
