"""Which addresses may be asked, whatever name they have."""

import logging
import socket
from contextlib import closing
from ipaddress import ip_address
from typing import Any

import httpx
import pytest

from memories.providers.http import (
    ORDINARY_NETWORKS,
    PROVIDER_NETWORKS,
    WEBHOOK_NETWORKS,
    AnswerTooLong,
    JsonApi,
    Patience,
    Refused,
    ServiceAway,
    ServiceRefused,
    Within,
    check_address,
    is_public,
    with_path,
)
from tests.tables import each_row, each_row_of

HASTE = Patience(first_wait_seconds=0.0, longest_wait_seconds=0.0)


@pytest.fixture
def api(httpserver):
    with closing(JsonApi(httpserver.url_for("/base/"), patience=HASTE)) as api:
        yield api


def test_a_refusal_keeps_what_was_said_about_it(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_data("no such field: colour", status=422)
    with pytest.raises(ServiceRefused) as caught:
        api.post("/ask", {})
    assert (caught.value.status, caught.value.detail) == (422, "no such field: colour")
    assert "colour" not in repr(caught.value)


def test_a_refusal_that_talks_without_end_is_not_heard_out(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_data("no! " * 100_000, status=400)
    with pytest.raises(ServiceRefused) as caught:
        api.post("/ask", {})
    assert caught.value.detail == ""


def test_what_is_not_implemented_is_refused_at_once(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_data("not here", status=501)
    with pytest.raises(ServiceRefused, match="answered 501"):
        api.post("/ask", {})
    assert len(httpserver.log) == 1


def test_a_service_tells_when_to_come_back(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_data("", status=503, headers={"Retry-After": "90"})
    with pytest.raises(ServiceAway) as caught:
        api.post("/ask", {})
    assert caught.value.wait_seconds == 90.0


def test_no_wait_goes_beyond_the_deadline(httpserver):
    patience = Patience(longest_wait_seconds=60.0)
    httpserver.expect_request("/ask").respond_with_data("", status=503, headers={"Retry-After": "45"})
    with closing(JsonApi(httpserver.url_for(""), patience=patience)) as api, pytest.raises(ServiceAway):
        api.post("/ask", {}, within=30.0)
    assert len(httpserver.log) == 1


def test_each_client_has_its_own_bound(httpserver):
    httpserver.expect_request("/ask").respond_with_data(" " * 200)
    with (
        closing(JsonApi(httpserver.url_for(""), max_bytes=100)) as api,
        pytest.raises(AnswerTooLong, match="100 bytes"),
    ):
        api.post("/ask", {})


def test_halves_of_surrogate_pairs_are_sent_as_something_else(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_json({})
    api.post("/ask", {"text": "a\ud800b \ud83d\ude00 \x00"})
    assert httpserver.log[0][0].get_json() == {"text": "a\ufffdb 😀 \x00"}


def test_a_password_in_the_address_is_sent_and_not_logged(httpserver, caplog):
    caplog.set_level(logging.DEBUG, "httpx")
    httpserver.expect_request("/ask", headers={"Authorization": "Basic YW5uYTp3b3Jk"}).respond_with_json({})
    with closing(JsonApi(httpserver.url_for("").replace("://", "://anna:word@"))) as api:
        assert api.post("/ask", {}) == {}
    assert "HTTP Request: POST" in caplog.text
    assert "word" not in caplog.text


@each_row(
    ("url", "expected"),
    [
        ("http://host", "http://host/v1"),
        ("http://host/", "http://host/v1"),
        ("http://host/a/b/", "http://host/a/b/v1"),
        ("https://anna:word@host:8443/a?b=c", "https://anna:word@host:8443/a/v1?b=c"),
    ],
)
def test_paths_are_changed_and_the_rest_is_left(url, expected):
    assert with_path(url, lambda path: path + "/v1") == expected


# ruff: noqa: S104
PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:a9fe:a9fe::",
    "2001:0:4136:e378:8000:63bf:f5ff:fffe",
    "::7f00:1", "::10.0.0.1", "::ffff:0:10.0.0.1", "fec0::1", "5f00::1", "2001:db8::1", "255.255.255.255", "198.18.0.1",
]  # fmt: skip


@each_row("address", PRIVATE)
def test_private_addresses_are_known_in_every_form(address: str) -> None:
    assert not is_public(ip_address(address))


@each_row("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@each_row_of("outward")
def test_a_private_address_is_refused_at_once_however_it_is_written(host: str) -> None:
    with pytest.raises(ServiceRefused, match="private network"):
        check_address(f"https://{host}:8443/hook", (), WEBHOOK_NETWORKS)


@each_row("host", ["localhost", "127.0.0.1.", "[::1]", "[::ffff:127.0.0.1]", "example.org.", "my.host"])
def test_what_is_allowed_or_has_to_be_looked_up_is_not(host: str) -> None:
    check_address(f"https://{host}/", ("127.0.0.0/8", "::1/128"), WEBHOOK_NETWORKS)


def answers(*addresses: str) -> Any:
    return lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in addresses]


def test_a_name_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34", "10.0.0.1"))
    with (
        pytest.raises(Refused, match="private network"),
        httpx.Client(transport=Within((), WEBHOOK_NETWORKS)) as client,
    ):
        client.get("https://example.org")


def test_the_address_that_was_looked_at_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under its name: in the Host header, and for the certificate."""
    asked: list[httpx.Request] = []

    def keep(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(204)

    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34"))
    transport = Within((), WEBHOOK_NETWORKS)
    transport.inner = httpx.MockTransport(keep)  # type: ignore[assignment]
    with httpx.Client(transport=transport) as client:
        assert client.post("https://example.org/x", content=b"y").status_code == 204
    (request,) = asked
    assert (request.url.host, request.headers["Host"]) == ("93.184.216.34", "example.org")
    assert request.extensions["sni_hostname"] == "example.org"


def test_plain_http_is_for_private_networks_that_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34"))
    with pytest.raises(Refused, match="plain http"), httpx.Client(transport=Within((), WEBHOOK_NETWORKS)) as client:
        client.get("http://example.org")


def test_a_name_with_two_addresses_is_asked_at_the_second_where_nobody_is_at_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `localhost` is for a service that listens at 127.0.0.1 only."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        if request.url.host == "::1":
            raise httpx.ConnectError("refused")
        return httpx.Response(204)

    monkeypatch.setattr(socket, "getaddrinfo", answers("::1", "127.0.0.1"))
    transport = Within(ORDINARY_NETWORKS, PROVIDER_NETWORKS)
    transport.inner = httpx.MockTransport(answer)  # type: ignore[assignment]
    with httpx.Client(transport=transport) as client:
        assert client.get("http://localhost:11434").status_code == 204
    assert asked == ["::1", "127.0.0.1"]


# --- providers


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "100.64.0.1", "0.0.0.0", "64:ff9b::a9fe:a9fe"])
def test_a_provider_is_not_asked_where_clouds_keep_their_own_secrets(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers(address))
    refused = pytest.raises(ServiceRefused, match=r"models\.example may not be asked.*MEMSITE_PROVIDER_NETWORKS")
    with closing(JsonApi("https://models.example")) as api, refused:
        api.post("/v1/chat", {})


def test_a_provider_may_be_on_this_machine_or_beside_it_unless_the_settings_say_no(httpserver: Any) -> None:
    httpserver.expect_request("/ask").respond_with_json({"fine": True})
    address = httpserver.url_for("")
    with closing(JsonApi(address)) as api:
        assert api.post("/ask", {}) == {"fine": True}
    with closing(JsonApi(address, networks=("10.0.0.0/8",))) as api, pytest.raises(ServiceRefused, match="private"):
        api.post("/ask", {})
    assert len(httpserver.log) == 1


def test_a_provider_in_the_internet_is_asked_over_https_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34"))
    with closing(JsonApi("http://models.example")) as api, pytest.raises(ServiceRefused, match="plain http"):
        api.post("/v1/chat", {})


def test_a_provider_that_leads_elsewhere_is_not_followed(httpserver: Any) -> None:
    httpserver.expect_request("/ask").respond_with_data("", status=307, headers={"Location": "http://127.0.0.1:1/"})
    with closing(JsonApi(httpserver.url_for(""))) as api, pytest.raises(ServiceRefused, match="redirects"):
        api.post("/ask", {})


def test_where_a_proxy_of_the_environment_leads_is_its_own_affair(
    httpserver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked for the name, which is not looked up here; this machine's own services are asked directly."""
    proxy = httpserver.url_for("").rstrip("/")
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, proxy)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    haste = Patience(attempts=1)
    httpserver.expect_request("/ask").respond_with_json({"by": "proxy"})
    with closing(JsonApi("http://models.internal.example", patience=haste)) as api:
        assert api.post("/ask", {}) == {"by": "proxy"}
    with closing(JsonApi("http://127.0.0.1:1", patience=haste)) as api, pytest.raises(ServiceAway):
        api.post("/ask", {})
    assert httpserver.log[0][0].headers["Host"] == "models.internal.example"
