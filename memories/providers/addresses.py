"""Addresses of services, and the certificates that they are known by."""

from __future__ import annotations

from functools import lru_cache
from ssl import SSLContext
from urllib.request import getproxies, proxy_bypass

import httpx

from .errors import ServiceRefused


@lru_cache(maxsize=1)
def certificates() -> SSLContext:
    """Those that are trusted. Read once: that takes 25 ms."""
    return httpx.create_ssl_context()


def checked_url(url: str) -> httpx.URL:
    """Raises ServiceRefused unless `url` is http or https and names a host."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, TypeError, ValueError):
        raise ServiceRefused("the service's address is not a URL") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ServiceRefused("the service's address must begin with http:// or https:// and a host")
    return parsed


def has_proxy(address: httpx.URL) -> bool:
    """Whether the environment (HTTPS_PROXY, NO_PROXY …) sends requests to it through a proxy."""
    proxies = getproxies()
    return (address.scheme in proxies or "all" in proxies) and not proxy_bypass(address.host)
