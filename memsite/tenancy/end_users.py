"""End users: whose rows are shown beside those that belong to none of them."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from memsite.tenancy.models import Agent, App

Users = tuple[str, ...] | None
"""End users by name; None: all there are."""


def users_shown(app: App, agent: Agent | None, named: Iterable[str | None] = ()) -> Users:
    """Whose rows may be shown: all there are, or those whom the caller has `named`, where the policy keeps them apart.

    Operators (no agent) see all.
    """
    if agent is None or not app.policy.users_apart:
        return None
    return tuple(user for user in named if user)


def users_told_of(app: App, agent: Agent | None, user_id: str | None, named: Iterable[str | None] = ()) -> Users:
    """Whose rows are told to somebody who talks with this end user. Without one, all that may be shown."""
    return one_user(user_id) or users_shown(app, agent, named)


def one_user(user_id: str | None) -> tuple[str, ...]:
    """Of this one alone; None: of no end user."""
    return (user_id,) if user_id else ()


def of_users(users: Users, column: str = "user_id") -> Q:
    """Rows of these end users and of none; None: every row."""
    return Q() if users is None else Q(**{column: None}) | Q(**{f"{column}__in": users})


def is_of_users(user_id: str | None, users: Users) -> bool:
    """The same of a row at hand."""
    return users is None or not user_id or user_id in users
