"""Where requests come from and who is signed in: reverse proxies, wrong passwords, second factors."""

from __future__ import annotations

from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

import structlog
from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware, get_user
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.middleware import SessionMiddleware
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.middleware.common import CommonMiddleware
from django.utils.functional import SimpleLazyObject

from memsite.config.conf import get_conf
from memsite.http.exceptions import Unwritable
from memsite.http.middleware import Middleware
from memsite.ops.storage_errors import why_unwritable

PROBES = ("/healthz", "/readyz")
FORWARDED = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_FOR")


class Proxies(Middleware):
    """Middleware, the first: believes headers of trusted proxies alone, and takes `MEMSITE_ROOT_PATH` off the path.

    A proxy may pass on the path as it came, or without that beginning. Without `MEMSITE_TRUSTED_PROXIES` nothing is
    dropped: `MEMSITE_BEHIND_HTTPS_PROXY` then believes `X-Forwarded-Proto` from everybody.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        conf = get_conf()
        if conf.trusted_proxies and not is_proxy(request.META.get("REMOTE_ADDR", "")):
            for name in FORWARDED:
                request.META.pop(name, None)
        root = conf.root_path
        if root and f"{request.path_info}/".startswith(f"{root}/"):
            request.path_info = request.path_info.removeprefix(root) or "/"
            request.path = root + request.path_info
        return self.get_response(request)


class Hosts(CommonMiddleware):
    """Django's, but for probes: an orchestrator asks by whatever address it has, and they tell nothing."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:  # type: ignore[override]
        return None if request.path_info in PROBES else super().process_request(request)


def is_proxy(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return is_trusted(mapped or address)


def is_trusted(address: IPv4Address | IPv6Address) -> bool:
    return any(address in network for network in networks(get_conf().trusted_proxies))


@cache
def networks(texts: tuple[str, ...]) -> list[IPv4Network | IPv6Network]:
    return [ip_network(text, strict=False) for text in texts]


IPV6_PREFIX = 64
"""Whoever has an address of IPv6 has all of such a network."""


class SignInLimits(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Two limits: of a name from an address, which is axes' own, and of an address over all names."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        failures: int = super().get_failures(request, credentials)
        address, conf = request.axes_ip_address, get_conf()  # type: ignore[attr-defined]  # set by axes
        # None counts where everybody has the address of a proxy.
        is_unknown = conf.behind_https_proxy and not conf.trusted_proxies
        if address is None or is_unknown or is_trusted(ip_address(address)):
            return failures
        lately = AccessAttempt.objects.filter(ip_address=address, attempt_time__gt=get_cool_off_threshold(request))
        under_all_names = lately.aggregate(failures=Sum("failures_since_start"))["failures"] or 0
        is_over = under_all_names >= settings.SIGN_IN_FAILURES_OF_AN_ADDRESS
        return max(failures, settings.AXES_FAILURE_LIMIT) if is_over else failures


def client_address(request: HttpRequest) -> str | None:
    """Return the caller's address: the last in `X-Forwarded-For` that is no proxy of ours. Of IPv6 the network."""
    addresses = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    address = None
    for text in reversed([*addresses, request.META.get("REMOTE_ADDR", "")]):
        try:
            address = ip_address(text.strip())
            mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
            address = mapped or address
        except ValueError:
            break
        if not is_trusted(address):
            break
    if address is None:
        return None
    if isinstance(address, IPv4Address) or is_trusted(address):
        return str(address)
    return str(IPv6Network((int(address), IPV6_PREFIX), strict=False).network_address)


SAFE = ("GET", "HEAD")
log = structlog.get_logger("memsite.http.login")


class Sessions(SessionMiddleware):
    """Django's, but that a page is shown where nothing can be written, too.

    All that is kept by looking at a page is which app it was of; who signs in has to be kept, or is told why not.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            return super().process_response(request, response)
        except Exception as error:
            if not (why := why_unwritable(error)):
                raise
            if request.method not in SAFE:
                # Django takes it for a session that somebody has ended.
                raise Unwritable(why) from error
            log.warning("session_not_kept")
            return response


FACTOR = "memsite_factor"
"""In a session: what came beside the password, or instead of it."""


def needs_factor(user: Any) -> bool:
    """Return whether the site's policy wants a second factor of this account."""
    policy = get_conf().second_factor
    return policy == "everybody" or (policy == "staff" and (user.is_staff or user.is_superuser))


class Authentication(AuthenticationMiddleware):
    """Django's, but that a session without the second factor that the policy wants is nobody's. No query more."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: self.user_of(request))  # type: ignore[assignment]  # as Django does

    def user_of(self, request: HttpRequest) -> Any:
        user = get_user(request)
        is_short = user.is_authenticated and FACTOR not in request.session and needs_factor(user)
        return AnonymousUser() if is_short else user
