"""What a reverse proxy changes: who asks, by which name, and at which path."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.http import HttpRequest, HttpResponse
from django.middleware.common import CommonMiddleware

from memsite.config.conf import get_conf

PROBES = ("/healthz", "/readyz")
FORWARDED = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_FOR")


class Proxies:
    """Middleware, the first: believes headers of trusted proxies alone, and takes `MEMSITE_ROOT_PATH` off the path.

    A proxy may pass on the path as it came, or without that beginning. Without `MEMSITE_TRUSTED_PROXIES` nothing is
    dropped: `MEMSITE_BEHIND_HTTPS_PROXY` then believes `X-Forwarded-Proto` from everybody.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

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
