"""Which addresses may be asked, whatever name they have."""

import socket
from ipaddress import ip_address
from typing import Any

import httpx
import pytest

from memories.providers.outward import PublicOnly, Refused, is_public

# ruff: noqa: S104
PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_known_in_every_form(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ip_address(address))


def answers(*addresses: str) -> Any:
    return lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in addresses]


def test_a_name_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34", "10.0.0.1"))
    with pytest.raises(Refused, match="private network"), httpx.Client(transport=PublicOnly(())) as client:
        client.get("https://example.org")


def test_the_address_that_was_looked_at_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under its name: in the Host header, and for the certificate."""
    asked: list[httpx.Request] = []

    def keep(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(204)

    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34"))
    transport = PublicOnly(())
    transport.inner = httpx.MockTransport(keep)  # type: ignore[assignment]
    with httpx.Client(transport=transport) as client:
        assert client.post("https://example.org/x", content=b"y").status_code == 204
    (request,) = asked
    assert (request.url.host, request.headers["Host"]) == ("93.184.216.34", "example.org")
    assert request.extensions["sni_hostname"] == "example.org"


def test_plain_http_is_for_private_networks_that_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34"))
    with pytest.raises(Refused, match="plain http"), httpx.Client(transport=PublicOnly(())) as client:
        client.get("http://example.org")
