"""Addresses of services, and the certificates that they are known by."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from ssl import SSLContext
from urllib.request import getproxies, proxy_bypass

import httpx

from .errors import ServiceRefused

NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?", re.IGNORECASE)
MOST_OF_A_NAME = 253


@lru_cache(maxsize=1)
def certificates() -> SSLContext:
    """Those that are trusted. Read once: that takes 25 ms."""
    return httpx.create_ssl_context()


def checked_url(url: str) -> httpx.URL:
    """Raises ServiceRefused unless `url` is http or https and names a host, and a port that there is."""
    try:
        parsed = httpx.URL(url)
        host = parsed.host and parsed.raw_host.decode("ascii")
    except (httpx.InvalidURL, TypeError, ValueError):
        raise ServiceRefused("the service's address is not a URL") from None
    if parsed.scheme not in {"http", "https"} or not host:
        raise ServiceRefused("the service's address must begin with http:// or https:// and a host")
    if not (is_literal(host) or (len(host) <= MOST_OF_A_NAME and NAME.fullmatch(host))):
        raise ServiceRefused("the host of the service's address is not a name")
    if parsed.port is not None and not 0 < parsed.port < 2**16:
        raise ServiceRefused("the port of the service's address is not one of 1 to 65535")
    return parsed


def is_literal(host: str) -> bool:
    """Of IPv6; addresses of IPv4 look like names."""
    try:
        return isinstance(ip_address(host.partition("%")[0]), IPv6Address)
    except ValueError:
        return False


def has_proxy(address: httpx.URL) -> bool:
    """Whether the environment (HTTPS_PROXY, NO_PROXY …) sends requests to it through a proxy."""
    proxies = getproxies()
    return (address.scheme in proxies or "all" in proxies) and not proxy_bypass(address.host)
