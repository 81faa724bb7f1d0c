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
HOLDING_IPV4 = tuple(map(IPv6Network, ("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")))
"""Their last 32 bits are an address of IPv4: NAT64, SIIT, and what was written so before there was either."""
GLOBAL_UNICAST = IPv6Network("2000::/3")
PROVIDER_NETWORKS, WEBHOOK_NETWORKS = "MEMSITE_PROVIDER_NETWORKS", "MEMSITE_WEBHOOK_NETWORKS"
"""The settings that allow more; a refusal names the one that would have."""
LOOPBACK = IPv4Address("127.0.0.1")


class Refused(httpx.TransportError):
    """The address is not one that may be asked."""


Addresses = list[IPv4Address | IPv6Address]


class Networks:
    """Which addresses may be asked, and how: public ones, and private ones in `allowed` (such as 10.0.0.0/8).

    `setting` is where `allowed` comes from.
    """

    def __init__(self, allowed: Collection[Network], setting: str) -> None:
        self.allowed, self.setting = [ip_network(one, strict=False) for one in allowed], setting

    def check(self, scheme: str, addresses: Addresses) -> None:
        """Raises Refused if any of the addresses of a host may not be asked."""
        if not all(is_public(address) or self.is_allowed(address) for address in addresses):
            raise Refused(f"it leads into a private network that {self.setting} does not name")
        if scheme != "https" and not all(map(self.is_allowed, addresses)):
            raise Refused(f"plain http is for the private networks that {self.setting} names")

    def is_allowed(self, address: IPv4Address | IPv6Address) -> bool:
        real = embedded(address)
        return any(real.version == network.version and real in network for network in self.allowed)


class Within(httpx.BaseTransport):
    """Connects to what `Networks` allows. Of several addresses of a name the next is tried where one is not reached."""

    def __init__(self, allowed: Collection[Network], setting: str) -> None:
        self.networks = Networks(allowed, setting)
        self.inner = httpx.HTTPTransport(verify=certificates(), trust_env=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host
        addresses = addresses_of(host, request.url.port or (443 if request.url.scheme == "https" else 80))
        self.networks.check(request.url.scheme, addresses)
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


def addresses_of(host: str, port: int, flags: int = 0) -> Addresses:
    """Raises Refused if the name has none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError) as error:
        raise Refused("the name is not known") from error
    return list(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


def written_out(host: str) -> Addresses:
    """The address that a host is, however it is written (127.1 is one); none for a name, which is not looked up."""
    host = host.partition("%")[0].removesuffix(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return [LOOPBACK]
    try:
        return addresses_of(host, 0, socket.AI_NUMERICHOST)
    except Refused:
        return []


def is_public(address: IPv4Address | IPv6Address) -> bool:
    real = embedded(address)
    is_unicast = real in GLOBAL_UNICAST if isinstance(real, IPv6Address) else not real.is_multicast
    return real.is_global and is_unicast


def embedded(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(address, IPv4Address):
        return address
    if int(address) > 1 and any(address in network for network in HOLDING_IPV4):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def check_address(url: str, allowed: Collection[Network], setting: str) -> None:
    """Raises ServiceRefused for what `Within` would never ask, as far as that is known without looking up a name."""
    parsed = checked_url(url)
    if parsed.userinfo or parsed.fragment:
        raise ServiceRefused("the address has no user, no password and no #fragment")
    try:
        Networks(allowed, setting).check(parsed.scheme, written_out(parsed.host))
    except Refused as error:
        raise ServiceRefused(str(error)) from error
    if parsed.scheme != "https" and not allowed:
        raise ServiceRefused(f"plain http is for the private networks that {setting} names, which is set to none")
