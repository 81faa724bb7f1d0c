"""Clients that registered themselves, the codes they are given, and what they were let into."""

from __future__ import annotations

import hmac
import re
import secrets
from datetime import datetime, timedelta
from typing import Any

from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin
from django.db import models
from django.utils import timezone

from memsite.config.conf import get_conf
from memsite.tenancy.keys import hash_key
from memsite.tenancy.models import Agent, ApiKey, Scope

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
# Spelt out: of `http://elsewhere.example\@127.0.0.1/` browsers make another machine than urlsplit does.
ON_OWN_MACHINE = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\])(?::([1-9]\d{0,4}))?(?=[/?]|\Z)")
LAST_PORT = 65_535
SCOPES = (Scope.READ.value, Scope.WRITE.value)


def new_secret() -> str:
    return secrets.token_urlsafe(32)


class OAuthClient(models.Model, ClientMixin):  # type: ignore[misc]  # authlib has no types
    """`metadata` is what it said of itself (RFC 7591). Public clients have no secret."""

    client_id = models.CharField(max_length=64, unique=True, editable=False)
    secret_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-id"]
        verbose_name = "OAuth client"

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Return the client's name as it calls itself: anybody can call themselves anything."""
        return str(self.metadata.get("client_name") or "A client without a name")[:100]

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str:
        return str(self.metadata["redirect_uris"][0])

    def get_allowed_scope(self, scope: str | None) -> str:
        """Return what of it there is here; a client that asks for nothing may ask for everything."""
        known = [name for name in (scope or "").split() if name in SCOPES]
        return " ".join(known or SCOPES)

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        """Return whether it is exactly one of those registered; on its own machine at any port (RFC 8252)."""
        known: list[str] = self.metadata["redirect_uris"]
        return any(redirect_uri == uri or same_but_port(redirect_uri, uri) for uri in known)

    def check_client_secret(self, client_secret: str) -> bool:
        return bool(self.secret_hash) and hmac.compare_digest(self.secret_hash, hash_key(client_secret))

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return bool(method == self.metadata["token_endpoint_auth_method"])

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")


def same_but_port(uri: str, other: str) -> bool:
    """Compare `uri`, which is asked for, with `other`, which was registered."""
    parts, two = ON_OWN_MACHINE.match(uri), ON_OWN_MACHINE.match(other)
    if not parts or not two or int(parts[2] or 80) > LAST_PORT:
        return False
    return parts[1] == two[1] and uri[parts.end() :] == other[two.end() :]


class Allowed(models.Model):
    """Which client may act as which agent, and how far."""

    client = models.ForeignKey(OAuthClient, on_delete=models.CASCADE, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    scopes = models.JSONField(default=list)
    allowed_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        abstract = True

    def get_scope(self) -> str:
        return " ".join(self.scopes)


class OAuthCode(Allowed, AuthorizationCodeMixin):  # type: ignore[misc]  # authlib has no types
    """For one exchange, within minutes. Only a hash is kept."""

    code_hash = models.CharField(max_length=64, unique=True, editable=False)
    redirect_uri = models.TextField()
    code_challenge = models.CharField(max_length=128)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.client} as {self.agent}"

    code_challenge_method = "S256"

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def is_expired(self, now: datetime) -> bool:
        return now >= self.expires_at


def new_refresh_token(family: str) -> str:
    """Return `FAMILY.SECRET`: all of a grant's begin alike, so that an earlier one is recognised."""
    return f"{family}.{new_secret()}"


def family_of(refresh_token: str) -> str:
    """Return the family; keys from before there were any had no full stop: each is the first of its own."""
    return refresh_token.partition(".")[0]


class OAuthGrants(models.QuerySet["OAuthGrant"]):
    def idle(self, now: datetime) -> OAuthGrants:
        """Return those that nobody has renewed for so long that nobody may any more."""
        return self.filter(refreshed_at__lte=now - timedelta(days=get_conf().oauth_idle_days))

    def end(self) -> int:
        """End the client's access at once."""
        keys = ApiKey.objects.filter(oauth_grant__in=self)
        return keys.delete()[1].get("oauth.OAuthGrant", 0)  # The rows go with their keys.


class OAuthGrant(Allowed, TokenMixin):  # type: ignore[misc]  # authlib has no types
    """A client that is let in: `key` is its access token, renewed with a refresh token that is good for one renewal.

    `code_hash` is of the code that it was given for, empty where that was before it was kept.
    """

    key = models.OneToOneField(ApiKey, on_delete=models.CASCADE, related_name="oauth_grant")
    code_hash = models.CharField(max_length=64, blank=True, default="", db_index=True, editable=False)
    family_hash = models.CharField(max_length=64, blank=True, default="", db_index=True, editable=False)
    refresh_hash = models.CharField(max_length=64, unique=True, editable=False)
    refreshed_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = OAuthGrants.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = "connected client"

    def __str__(self) -> str:
        return f"{self.client} as {self.agent}"

    def check_client(self, client: Any) -> bool:
        return bool(self.client_id == client.pk)

    def end(self) -> None:
        """End the client's access at once."""
        self.key.delete()  # and with it this row
