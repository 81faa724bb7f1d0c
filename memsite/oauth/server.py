"""The authorization server: authlib's rules on our rows."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from authlib.integrations.django_oauth2 import AuthorizationServer, RevocationEndpoint
from authlib.oauth2.rfc6749 import InvalidClientError, InvalidRequestError, OAuth2Error, grants
from authlib.oauth2.rfc7591 import (
    ClientMetadataClaims,
    ClientRegistrationEndpoint,
    InvalidClientMetadataError,
    InvalidRedirectURIError,
)
from authlib.oauth2.rfc7636 import CodeChallenge
from django.utils import timezone

from memsite.oauth.models import (
    LOOPBACK,
    OAuthClient,
    OAuthCode,
    OAuthGrant,
    family_of,
    new_refresh_token,
    new_secret,
)
from memsite.tenancy.keys import create_key, find_key, hash_key
from memsite.tenancy.models import Agent, AppStatus

MOST_BYTES = 65_536
MOST_URIS, LONGEST_URI = 20, 2_000
LISTS = ("redirect_uris", "grant_types", "response_types", "contacts")
TEXTS = (
    "client_name", "client_uri", "logo_uri", "scope", "tos_uri", "policy_uri", "jwks_uri", "software_id",
    "software_version", "token_endpoint_auth_method", "software_statement",
)  # fmt: skip
WHERE_TO = (
    "redirect_uris are https, http on the client's own machine, or of a scheme of its own with a full stop, such as "
    "com.example.app (RFC 8252, section 7.1); without wildcards, fragments, user names and impossible ports."
)
MOST_UNUSED = 1_000
UNUSED_FOR = timedelta(days=1)
# Of programs on a machine (RFC 8252, section 7.1): a name of its maker's in DNS, backwards, as com.example.app. What
# browsers run and systems open by themselves has no full stop (javascript, file, mailto, ms-settings), but for these.
OWN_SCHEME = re.compile(r"[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+")
LONGEST_SCHEME = 100
OF_SYSTEMS = re.compile(r"(?:android|com\.(?:android|apple|google\.android|microsoft)|iris|microsoft|soap|x-apple)\.")


class TooManyClients(OAuth2Error):  # type: ignore[misc]  # authlib has no types
    error = "temporarily_unavailable"
    status_code = 503
    description = "Too many clients have registered and were never let in: try again tomorrow."


def is_harmless(uri: str) -> bool:
    # A browser takes \ for /: where it goes would not be where a person is told that it goes. * is nobody's name.
    if not uri.isascii() or not uri.isprintable() or set(uri) & set("# ;,*\\"):
        return False
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:  # also a port that no machine has
        return False
    if "@" in parts.netloc or port == 0 or parts.netloc.endswith(":"):
        return False
    if parts.scheme in ("http", "https"):
        return bool(parts.hostname) and (parts.scheme == "https" or parts.hostname in LOOPBACK)
    is_name = len(parts.scheme) <= LONGEST_SCHEME and bool(OWN_SCHEME.fullmatch(parts.scheme))
    return is_name and not OF_SYSTEMS.match(parts.scheme)


Token = dict[str, Any]
ACCESS_SECONDS = 3600
CODE_FOR = timedelta(minutes=5)
AUTH_METHODS = ["none", "client_secret_post", "client_secret_basic"]
METHOD = "S256"


@dataclass(frozen=True, slots=True)
class Consent:
    """Somebody who may has let a client act as this agent. `replaces` is the grant that is renewed."""

    agent: Agent
    scopes: list[str]
    allowed_by: str
    replaces: OAuthGrant | None = None
    family: str = field(default_factory=new_secret, repr=False)


class InvalidTarget(OAuth2Error):  # type: ignore[misc]  # authlib has no types
    """RFC 8707."""

    error = "invalid_target"
    description = "The resource is not on this server."


class CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]  # authlib has no types
    TOKEN_ENDPOINT_AUTH_METHODS = AUTH_METHODS

    def save_authorization_code(self, code: str, request: Any) -> None:
        now, consent = timezone.now(), request.user
        OAuthCode.objects.filter(expires_at__lte=now).delete()
        OAuthCode.objects.create(
            code_hash=hash_key(code),
            client=request.client,
            agent=consent.agent,
            scopes=consent.scopes,
            allowed_by=consent.allowed_by,
            redirect_uri=request.payload.redirect_uri or "",
            code_challenge=request.payload.data["code_challenge"],
            expires_at=now + CODE_FOR,
        )

    def query_authorization_code(self, code: str, client: OAuthClient) -> OAuthCode | None:
        """Return none, too, for one that was brought before: it was stolen, and ends what it gave."""
        OAuthGrant.objects.filter(code_hash=hash_key(code)).end()
        rows = OAuthCode.objects.select_related("agent__app").filter(code_hash=hash_key(code), client=client)
        # Who brings it at the same time waits, and finds it gone.
        row = rows.select_for_update(of=("self",)).first()
        return None if row is None or row.is_expired(timezone.now()) else row

    def delete_authorization_code(self, authorization_code: OAuthCode) -> None:
        authorization_code.delete()

    def authenticate_user(self, authorization_code: OAuthCode) -> Consent | None:
        row = authorization_code
        return Consent(row.agent, row.scopes, row.allowed_by) if is_open(row.agent) else None


class Refreshing(grants.RefreshTokenGrant):  # type: ignore[misc]  # authlib has no types
    TOKEN_ENDPOINT_AUTH_METHODS = AUTH_METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> OAuthGrant | None:
        """Return none, too, for one whose key an operator revoked, or that lay idle for too long.

        One of the same family that is not the last was used before, and so was stolen by one of the two: nobody goes on
        with the grant.
        """
        rows, hashed = OAuthGrant.objects.select_related("agent__app", "key"), hash_key(refresh_token)
        rows.idle(timezone.now()).filter(refresh_hash=hashed).end()
        rows.filter(family_hash=hash_key(family_of(refresh_token))).exclude(refresh_hash=hashed).end()
        row = rows.filter(refresh_hash=hashed).select_for_update(of=("self",)).first()
        return None if row is None or row.key.revoked_at else row

    def authenticate_user(self, refresh_token: OAuthGrant) -> Consent | None:
        row = refresh_token
        family = family_of(self.request.form["refresh_token"])
        return Consent(row.agent, row.scopes, row.allowed_by, row, family) if is_open(row.agent) else None

    def revoke_old_credential(self, refresh_token: OAuthGrant) -> None:
        """Do nothing: it is done with the saving of the new one."""


class RequiredChallenge(CodeChallenge):  # type: ignore[misc]  # authlib has no types
    """PKCE with S256, for every client."""

    SUPPORTED_CODE_CHALLENGE_METHOD = [METHOD]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        data = grant.request.payload.data
        if not data.get("code_challenge") or data.get("code_challenge_method") != METHOD:
            raise InvalidRequestError("A code_challenge with code_challenge_method S256 is needed.")
        super().validate_code_challenge(grant, redirect_uri)


class Metadata(ClientMetadataClaims):  # type: ignore[misc]  # authlib has no types
    def validate_redirect_uris(self) -> None:
        """Leave it to `check_said`: authlib refuses com.example.app:/callback, which RFC 8252 recommends."""


class Registration(ClientRegistrationEndpoint):  # type: ignore[misc]  # authlib has no types
    def get_server_metadata(self) -> dict[str, Any]:
        return {
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": AUTH_METHODS,
        }

    def authenticate_token(self, request: Any) -> str:
        """Let anybody register: what counts is whom a person lets in."""
        return "anybody"

    def extract_client_metadata(self, request: Any) -> dict[str, Any]:
        # No way of ours to ask for a token needs keys: they are neither read nor kept.
        request.payload.data.pop("jwks", None)
        for name, value in request.payload.data.items():
            is_text = isinstance(value, str) and len(value) <= LONGEST_URI
            is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
            if (name in LISTS and not is_list) or (name not in LISTS and name in TEXTS and not is_text):
                raise InvalidClientMetadataError(f"{name} is not what it should be.")
        uris = request.payload.data.get("redirect_uris")
        if not isinstance(uris, list) or not 0 < len(uris) <= MOST_URIS:
            raise InvalidRedirectURIError(f"From 1 to {MOST_URIS} redirect_uris are needed.")
        for uri in uris:
            if not isinstance(uri, str) or len(uri) > LONGEST_URI or not is_harmless(uri):
                raise InvalidRedirectURIError(WHERE_TO)
        metadata: dict[str, Any] = super().extract_client_metadata(request)
        # Those that nobody let in within a day are dropped, so that registering fills no disk.
        used = OAuthGrant.objects.values("client"), OAuthCode.objects.values("client")
        unused = OAuthClient.objects.exclude(pk__in=used[0]).exclude(pk__in=used[1])
        unused.filter(created_at__lt=timezone.now() - UNUSED_FOR).delete()
        if unused.count() >= MOST_UNUSED:
            raise TooManyClients
        metadata.setdefault("token_endpoint_auth_method", "client_secret_basic")
        return metadata

    def generate_client_info(self, request: Any) -> dict[str, Any]:
        info: dict[str, Any] = super().generate_client_info(request)
        if request.payload.data.get("token_endpoint_auth_method") == "none":
            del info["client_secret"], info["client_secret_expires_at"]
        return info

    def generate_client_id(self, request: Any) -> str:
        return new_secret()

    def generate_client_secret(self, request: Any) -> str:
        return new_secret()

    def save_client(self, client_info: Mapping[str, Any], client_metadata: Mapping[str, Any], request: Any) -> Any:
        secret = client_info.get("client_secret")
        return OAuthClient.objects.create(
            client_id=client_info["client_id"],
            secret_hash=hash_key(secret) if secret else "",
            metadata=dict(client_metadata),
        )


class Revocation(RevocationEndpoint):  # type: ignore[misc]  # authlib has no types
    CLIENT_AUTH_METHODS = AUTH_METHODS

    def query_token(self, token_string: str, token_type_hint: str | None) -> OAuthGrant | None:
        key = find_key(token_string, timezone.now())
        if key is not None:
            return OAuthGrant.objects.filter(key=key).first()
        return OAuthGrant.objects.filter(family_hash=hash_key(family_of(token_string))).first()

    def revoke_token(self, token: OAuthGrant, request: Any) -> None:
        token.end()


class Server(AuthorizationServer):  # type: ignore[misc]  # authlib has no types
    def authenticate_client(self, request: Any, methods: Any, endpoint: str = "token") -> Any:
        try:
            return super().authenticate_client(request, methods, endpoint)
        except UnicodeDecodeError as error:
            raise InvalidClientError(status_code=401) from error

    def save_token(self, token: Mapping[str, Any], request: Any) -> None:
        """Save the grant, new or renewed. The key before it is gone."""
        consent: Consent = request.user
        key = find_key(token["access_token"], timezone.now())
        assert key is not None
        hashed = hash_key(token["refresh_token"])
        if consent.replaces:
            old = consent.replaces.key
            OAuthGrant.objects.filter(pk=consent.replaces.pk).update(
                key=key, refresh_hash=hashed, refreshed_at=timezone.now()
            )
            old.delete()
            return
        OAuthGrant.objects.create(
            client=request.client,
            agent=consent.agent,
            scopes=consent.scopes,
            allowed_by=consent.allowed_by,
            key_id=key.pk,
            code_hash=request.authorization_code.code_hash,
            refresh_hash=hashed,
            family_hash=hash_key(consent.family),
        )


def is_open(agent: Agent) -> bool:
    return agent.app.status == AppStatus.ACTIVE and agent.deleted_at is None


def new_token(
    grant_type: str, client: OAuthClient, user: Consent, scope: str | None = None, **_: Any
) -> dict[str, Any]:
    """Generate the access token: a key of the agent, for an hour."""
    scopes = [scope_ for scope_ in user.scopes if scope_ in (scope or "").split()] or user.scopes
    key = create_key(user.agent, scopes, expires_at=timezone.now() + timedelta(seconds=ACCESS_SECONDS))
    return {
        "token_type": "Bearer",
        "access_token": key.text,
        "expires_in": ACCESS_SECONDS,
        "refresh_token": new_refresh_token(user.family),
        "scope": " ".join(key.row.scopes),
    }


@cache
def server() -> Server:
    # Whether a request came safely is decided in `views.if_wanted`, which knows one's own machine from another.
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    made = Server(OAuthClient, OAuthGrant)
    made.register_token_generator("default", new_token)
    made.register_grant(CodeGrant, [RequiredChallenge(required=True)])
    made.register_grant(Refreshing)
    made.register_endpoint(Registration(claims_classes=[Metadata]))
    made.register_endpoint(Revocation)
    return made
