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
            raise InvalidRedirectURIError(WHERE_TO)


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
    return is_own_scheme(parts.scheme)


def is_own_scheme(scheme: str) -> bool:
    is_name = len(scheme) <= LONGEST_SCHEME and bool(OWN_SCHEME.fullmatch(scheme))
    return is_name and not OF_SYSTEMS.match(scheme)


def check_room() -> None:
    """Those that nobody let in within a day are dropped, so that registering fills no disk."""
    used = OAuthGrant.objects.values("client"), OAuthCode.objects.values("client")
    unused = OAuthClient.objects.exclude(pk__in=used[0]).exclude(pk__in=used[1])
    unused.filter(created_at__lt=timezone.now() - UNUSED_FOR).delete()
    if unused.count() >= MOST_UNUSED:
        raise TooManyClients
