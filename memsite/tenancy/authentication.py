"""Who is asking: a key at the door, or an operator's browser session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import DatabaseError, connection
from django.db.models import Q, QuerySet
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from memsite.db.lru_cache import Commit, last_commit
from memsite.db.transactions import count, is_unconnected
from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.keys import find_key
from memsite.tenancy.models import Agent, ApiKey, App, AppStatus, Scope
from memsite.tenancy.row_level_security import confine, open_site, site_wide

USED_EVERY = timedelta(minutes=1)
NO_GOOD_KEY = "The key is unknown, expired or revoked."
log = structlog.get_logger("memsite.tenancy")


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller. `app` is None for an operator; the app of an agent comes from its key alone.

    `user` is somebody signed in with a browser, whose memberships count. `commit` is the last one that the key was read
    after, where the database tells.
    """

    name: str
    scopes: frozenset[str]
    agent: Agent | None = None
    user: Any = None
    commit: Commit | None = None
    is_authenticated: bool = True

    @property
    def app(self) -> App | None:
        return self.agent.app if self.agent else None

    @property
    def actor(self) -> str:
        """Return how revisions name the caller: `agent:NAME` or `operator:NAME`."""
        return f"agent:{self.agent.name}" if self.agent else f"operator:{self.name}"

    @property
    def governs_all(self) -> bool:
        """Return whether it may make apps, and look after what belongs to none."""
        return self.agent is None and (self.user is None or self.user.is_superuser)

    def apps(self, right: Right = Right.READ) -> QuerySet[App]:
        """Return the apps in which the caller, an operator, has this right."""
        if self.agent:
            return App.objects.filter(pk=self.agent.app_id)
        return apps_of(self.user, right) if self.user else App.objects.all()


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer KEY`. One query a request; every failure answers the same."""

    def authenticate(self, request: Request) -> tuple[Principal, ApiKey] | None:
        text = self.key_text(request)
        if text is None:
            return None
        now, commit = timezone.now(), last_commit()
        key = find_key(text, now, commit)
        agent = key.agent if key else None
        if key is None or (agent and (agent.app.status != AppStatus.ACTIVE or agent.deleted_at)):
            raise AuthenticationFailed(NO_GOOD_KEY)
        confine(key.agent.app_id) if key.agent else open_site()
        note_use(key, now)
        return Principal(key.prefix, granted(key.scopes), key.agent, commit=commit), key

    def key_text(self, request: Request) -> str | None:
        """Return what stands where a key belongs; None if nothing does."""
        return key_of(request, "bearer")

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="memsite"'


def granted(scopes: Iterable[str]) -> frozenset[str]:
    """Return what a key of these scopes may do: whoever may change what is known may add to it, too."""
    given = frozenset(scopes)
    return given | {Scope.CREATE.value} if Scope.WRITE in given else given


def key_of(request: Request, expected: str) -> str | None:
    """Return what `Authorization` says after this scheme; None if it says something else."""
    scheme, _, text = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return text.strip() if scheme.lower() == expected else None


def still_opens(key: ApiKey) -> bool:
    """Return whether a key that opened a connection a while ago would now. One query."""
    rows = ApiKey.objects.live(timezone.now()).filter(pk=key.pk)
    return rows.filter(Q(agent=None) | Q(agent__app__status=AppStatus.ACTIVE)).exists()


def note_use(key: ApiKey, now: datetime) -> None:
    """Note once a minute that a key is used, which is enough, and spares the write lock; wait for no writer.

    Where nothing can be written (a full disk, a database that is read only), what only reads is answered all the same.
    """
    if key.last_used_at is not None and now - key.last_used_at < USED_EVERY:
        return
    try:
        count(lambda: ApiKey.objects.filter(pk=key.pk).update(last_used_at=now), milliseconds=0)
    except DatabaseError as error:
        if connection.in_atomic_block or is_unconnected(error):
            raise
        log.warning("key_use_not_noted", error=str(error))


class OperatorSessionAuthentication(SessionAuthentication):
    """A superuser, or a member of some app, signed in with a browser; CSRF checked. Everyone else is nobody here."""

    def authenticate(self, request: Request) -> Any:
        """Return (Principal, None), or None."""
        authenticated: Any = super().authenticate(request)
        if authenticated is None:
            return None
        # Who is a member of what concerns all apps.
        with site_wide():
            is_operator = authenticated[0].is_superuser or apps_of(authenticated[0]).exists()
        if not is_operator:
            return None
        open_site()
        return Principal(
            name=authenticated[0].get_username(), scopes=frozenset({Scope.OPERATOR}), user=authenticated[0]
        ), None


class HasScope(BasePermission):
    """Refuses every view that does not name its scope, so that a forgotten one is shut, not open."""

    message: str | None = None

    def has_permission(self, request: Request, view: Any) -> bool:
        caller: Any = request.user
        scope: str | None = getattr(view, "scope", None)
        if scope == "by method":
            scope = Scope.READ if request.method in SAFE_METHODS else Scope.WRITE
        if scope == Scope.WRITE and request.method in getattr(view, "only_adds", ()):
            scope = Scope.CREATE
        if scope:
            self.message = takes_key_with(scope)
        return caller is not None and scope in caller.scopes


def takes_key_with(scope: str) -> str:
    return f"This takes a key with the scope {scope}{' or write' if scope == Scope.CREATE else ''}."
