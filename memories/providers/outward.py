"""Requests to addresses that people have given us: into the internet, into networks that are named, and nowhere else.

The address that a name has is looked at when the connection is made, and it is that address which is connected to: a
name that answers otherwise a moment later leads nowhere new. Redirects and proxies are not followed.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import httpx

from .addresses import certificates, checked_url
from .errors import ServiceRefused

Network = str
ORDINARY_NETWORKS: tuple[Network, ...] = (
    "127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7",
)  # fmt: skip
"""This machine, and what is usually beside it. Not link-local addresses: those are of clouds' own services."""
NAT64 = IPv6Network("64:ff9b::/96")


class Refused(httpx.TransportError):
    """The address is not one that may be asked."""


class Within(httpx.BaseTransport):
    """Connects to public addresses, and to private ones in `allowed` (networks such as 10.0.0.0/8).

    Of several addresses of a name the next one is tried where the first cannot be reached.
    """

    def __init__(self, allowed: Collection[Network]) -> None:
        self.allowed = [ip_network(one, strict=False) for one in allowed]
        self.inner = httpx.HTTPTransport(verify=certificates(), trust_env=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host
        addresses = self.addresses_of(host, request.url.port or (443 if request.url.scheme == "https" else 80))
        if request.url.scheme != "https" and not all(map(self.is_allowed, addresses)):
            raise Refused("plain http is for private networks only")
        # The name stays in the Host header, and the certificate has to be the name's.
        extensions = {**request.extensions, "sni_hostname": host}
        away: httpx.TransportError | None = None
        for address in addresses:
            pinned = request.url.copy_with(host=str(address))
            sent = httpx.Request(
                request.method, pinned, headers=request.headers, stream=request.stream, extensions=extensions
            )
            try:
                return self.inner.handle_request(sent)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                away = error
        raise away or Refused("the name is not known")

    def close(self) -> None:
        self.inner.close()

    def addresses_of(self, host: str, port: int) -> list[IPv4Address | IPv6Address]:
        """Raises Refused if any of the name's addresses may not be asked."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise Refused("the name is not known") from error
        addresses = [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
        for address in addresses:
            if not (is_public(address) or self.is_allowed(address)):
                raise Refused("it leads into a private network")
        return list(dict.fromkeys(addresses))

    def is_allowed(self, address: IPv4Address | IPv6Address) -> bool:
        real = embedded(address)
        return any(real.version == network.version and real in network for network in self.allowed)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    real = embedded(address)
    return real.is_global and not real.is_multicast


def embedded(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def check_address(url: str) -> None:
    """Raises ServiceRefused unless it is http or https, with a host and no password in it."""
    parsed = checked_url(url)
    if parsed.userinfo or parsed.fragment:
        raise ServiceRefused("the address has no user, no password and no #fragment")
