"""What a client may say of itself when it registers, and how many may."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from authlib.oauth2.rfc6749 import OAuth2Error
from authlib.oauth2.rfc7591 import InvalidClientMetadataError, InvalidRedirectURIError
from django.utils import timezone

from memsite.oauth.models import LOOPBACK, OAuthClient, OAuthCode, OAuthGrant

MOST_BYTES = 65_536
MOST_URIS, LONGEST_URI = 20, 2_000
LISTS = ("redirect_uris", "grant_types", "response_types", "contacts")
TEXTS = (
    "client_name", "client_uri", "logo_uri", "scope", "tos_uri", "policy_uri", "jwks_uri", "software_id",
    "software_version", "token_endpoint_auth_method", "software_statement",
)  # fmt: skip
MOST_UNUSED = 1_000
UNUSED_FOR = timedelta(days=1)
# Of programs on a machine (RFC 8252), such as cursor://…; none that a browser would run or show by itself.
OWN_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{2,30}")
NEVER = {"javascript", "data", "file", "blob", "about", "vbscript", "filesystem", "view-source", "ftp", "wss", "http"}


class TooManyClients(OAuth2Error):  # type: ignore[misc]  # authlib has no types
    error = "temporarily_unavailable"
    status_code = 503
    description = "Too many clients have registered and were never let in: try again tomorrow."


def check_said(metadata: Mapping[str, Any]) -> None:
    """Of the kind that authlib takes it for."""
    for name, value in metadata.items():
        is_text = isinstance(value, str) and len(value) <= LONGEST_URI
        is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
        if (name in LISTS and not is_list) or (name not in LISTS and name in TEXTS and not is_text):
            raise InvalidClientMetadataError(f"{name} is not what it should be.")
    check_redirect_uris(metadata.get("redirect_uris"))


def check_redirect_uris(uris: Any) -> None:
    if not isinstance(uris, list) or not 0 < len(uris) <= MOST_URIS:
        raise InvalidRedirectURIError(f"From 1 to {MOST_URIS} redirect_uris are needed.")
    for uri in uris:
        if not isinstance(uri, str) or len(uri) > LONGEST_URI or not is_harmless(uri):
            raise InvalidRedirectURIError("redirect_uris are https, or http on the client's own machine.")


def is_harmless(uri: str) -> bool:
    try:
        parts = urlsplit(uri)
    except ValueError:
        return False
    # A browser takes \ for /: where it goes would not be where a person is told that it goes.
    if not uri.isascii() or not uri.isprintable() or set(uri) & set("# ;,\\"):
        return False
    if parts.scheme in ("http", "https"):
        return (
            bool(parts.hostname) and "@" not in parts.netloc and (parts.scheme == "https" or parts.hostname in LOOPBACK)
        )
    return parts.scheme not in NEVER and bool(OWN_SCHEME.fullmatch(parts.scheme))


def check_room() -> None:
    """Those that nobody let in within a day are dropped, so that registering fills no disk."""
    used = OAuthGrant.objects.values("client"), OAuthCode.objects.values("client")
    unused = OAuthClient.objects.exclude(pk__in=used[0]).exclude(pk__in=used[1])
    unused.filter(created_at__lt=timezone.now() - UNUSED_FOR).delete()
    if unused.count() >= MOST_UNUSED:
        raise TooManyClients
