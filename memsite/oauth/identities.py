"""Accounts of people whom an OpenID provider vouches for: found by issuer and subject, with what their groups give."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from memsite.config.conf import EVERY_APP, ROLES, Conf, get_conf, read_roles
from memsite.oauth.openid import Proof
from memsite.tenancy.access import actor_of
from memsite.tenancy.audit import note, note_change
from memsite.tenancy.governance import set_member
from memsite.tenancy.models import App, Identity, Membership, Role

NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")
LONGEST_NAME = 140
FLAGS = ("is_superuser", "is_staff")


class NotLetIn(Exception):
    """The provider knows this person; this site does not let them in. The text says why, and what to do."""


class IdentityTaken(Exception):
    """Another account is connected with it."""


@dataclass(frozen=True, slots=True)
class Grants:
    """What somebody's groups give: `roles` by the id of an app, `everywhere` in all the others."""

    is_superuser: bool = False
    is_staff: bool = False
    everywhere: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def are_none(self) -> bool:
        return not (self.is_superuser or self.is_staff or self.everywhere or self.roles)


def grants_of(groups: Set[str], conf: Conf) -> Grants:
    """Return what these groups give; of several roles in an app the one with the most rights."""
    roles: dict[str, str] = {}
    for group, app_id, role in read_roles(conf.oidc_roles) or []:
        if group in groups:
            roles[app_id] = max(roles.get(app_id, role), role, key=ROLES.index)
    is_superuser = not groups.isdisjoint(conf.oidc_superusers)
    is_staff = is_superuser or not groups.isdisjoint(conf.oidc_staff)
    return Grants(is_superuser, is_staff, roles.pop(EVERY_APP, ""), roles)


def find_person(proof: Proof) -> User:
    """Return the account of whoever signed in, with the rights that their groups give today. Raises NotLetIn.

    Who was let in and is no longer loses those rights before the refusal.
    """
    conf = get_conf()
    if conf.oidc_verified_email and proof.claims.get("email_verified") is not True:
        raise NotLetIn("The provider has not verified your e-mail address. Verify it there, then sign in again.")
    grants = grants_of(proof.groups(conf.oidc_groups_claim), conf)
    try:
        identity = admit(proof, grants)
    except (IntegrityError, IdentityTaken):
        # The same person, in another tab, was a moment faster.
        identity = admit(proof, grants)
    if identity is None:
        raise NotLetIn("None of your groups at the provider is let in here. Ask whoever looks after this site.")
    user = identity.user
    if not user.is_active:
        raise NotLetIn("Your account is switched off here. Ask whoever looks after this site.")
    if not (user.is_superuser or user.is_staff or Membership.objects.filter(user=user).exists()):
        note(actor_of(user), None, "sign-in refused", user.get_username(), after={"reason": "no group lets in"})
        raise NotLetIn(
            "None of your groups at the provider is let in here any more. Ask whoever looks after this site."
        )
    return user


def admit(proof: Proof, grants: Grants) -> Identity | None:
    with transaction.atomic():
        identity = known(proof) or (None if grants.are_none else create_account(proof))
        if identity and identity.user.is_active:
            give(identity, grants)
    return identity


def known(proof: Proof) -> Identity | None:
    """Return the identity, locked until the transaction ends."""
    rows = Identity.objects.select_related("user").select_for_update(of=("self",))
    return rows.filter(issuer=get_conf().oidc_issuer, subject=proof.subject).first()


def create_account(proof: Proof) -> Identity:
    """Make an account without a password. An address of e-mail finds no account that is there: anybody may claim it."""
    user = User(username=free_name(proof), first_name=proof.text("given_name")[:150])
    user.last_name = proof.text("family_name")[:150]
    user.email = proof.text("email")[:254] if proof.claims.get("email_verified") is True else ""
    user.set_unusable_password()
    user.save()
    return connect(user, proof, "account created")


def connect(user: User, proof: Proof, action: str = "account connected") -> Identity:
    """Let this account sign in as that person. Raises IdentityTaken."""
    whose = {"issuer": get_conf().oidc_issuer, "subject": proof.subject}
    with transaction.atomic():
        identity, is_new = Identity.objects.get_or_create(**whose, defaults={"user": user})
        if identity.user_id != user.pk:
            raise IdentityTaken
        if is_new:
            note(actor_of(user), None, action, user.get_username(), after=whose)
    return identity


def free_name(proof: Proof) -> str:
    """Return the name at the provider, with a number behind it where somebody else has it."""
    wanted = proof.text("preferred_username") or proof.text("email") or proof.subject
    name = User.normalize_username(NOT_IN_NAMES.sub("-", wanted).strip("-")[:LONGEST_NAME]) or "person"
    taken = set(User.objects.filter(username__istartswith=name).values_list("username", flat=True))
    taken = {username.lower() for username in taken}
    numbers = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(candidate for candidate in (name, *numbers) if candidate.lower() not in taken)


def give(identity: Identity, grants: Grants) -> None:
    """Give what the groups give today, and take what they gave before and give no more.

    What somebody was given by hand stays. The last owner of an app goes, too: the provider has the last word.
    """
    user, given = identity.user, identity.given
    flags = {flag: getattr(grants, flag) or (getattr(user, flag) and not given.get(flag, False)) for flag in FLAGS}
    before = {flag: getattr(user, flag) for flag in FLAGS}
    if flags != before:
        User.objects.filter(pk=user.pk).update(**flags)
        vars(user).update(flags)
        note_change(actor_of(user), None, "user changed", user.get_username(), before, flags)
    roles = give_roles(user, grants, given.get("roles", {}))
    identity.given = {**{flag: getattr(grants, flag) for flag in FLAGS}, "roles": roles}
    identity.save(update_fields=["given"])


def give_roles(user: User, grants: Grants, before: Mapping[str, Any]) -> dict[str, str]:
    """Return the roles by app as the groups give them. A change is one line of the app's audit log."""
    apps = App.objects.all() if grants.everywhere else App.objects.filter(app_id__in={*grants.roles, *before})
    current = {row.app_id: row.role for row in Membership.objects.filter(user=user)}
    given = {}
    for app in apps:
        role = max(grants.roles.get(app.app_id, ""), grants.everywhere, key=rank)
        if role:
            given[app.app_id] = role
        wanted = role or (None if app.app_id in before else current.get(app.pk))
        if wanted != current.get(app.pk):
            set_member(app, user, Role(wanted) if wanted else None, actor_of(user), needs_owner=False)
    return given


def rank(role: str) -> int:
    return ROLES.index(role) if role in ROLES else -1
