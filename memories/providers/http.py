"""JSON services over HTTP: bounded time and answers, addresses that may be asked, and the ways to fail."""

from __future__ import annotations

import json
import re
import socket
from base64 import b64encode
from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from ssl import SSLContext
from time import monotonic
from typing import NoReturn
from urllib.request import getproxies, proxy_bypass

import httpx
import stamina

from memories.language.scripts import without_surrogates


class ServiceAway(Exception):
    """No answer this time: the same request may succeed later, after `wait_seconds` if the service told."""

    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds


class ServiceBusy(ServiceAway):
    """Worth another attempt at once, or after the wait the service asked for."""


class AnswerTooLong(ServiceAway):
    """It answers, and would not stop."""


class ServiceRefused(Exception):
    """Will not work until somebody changes a setting, or asks in another way.

    `status` is that of HTTP, 0 if nothing was sent. `detail` is the beginning of the service's own words: for code
    that looks for what was refused, never to be shown, since it may repeat the request.
    """

    def __init__(self, message: str, status: int = 0, detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail


NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?", re.IGNORECASE)
MOST_OF_A_NAME = 253


@lru_cache(maxsize=1)
def certificates() -> SSLContext:
    """Return those that are trusted. Read once: that takes 25 ms."""
    return httpx.create_ssl_context()


def checked_url(url: str) -> httpx.URL:
    """Raise ServiceRefused unless `url` is http or https and names a host, and a port that there is."""
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
    """Tell whether the environment (HTTPS_PROXY, NO_PROXY …) sends requests to it through a proxy."""
    proxies = getproxies()
    return (address.scheme in proxies or "all" in proxies) and not proxy_bypass(address.host)


Network = str
ORDINARY_NETWORKS: tuple[Network, ...] = (
    "127.0.0.0/8",
    "::1/128",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "fc00::/7",
)
"""This machine, and what is usually beside it. Not link-local addresses: those are of clouds' own services."""
HOLDING_IPV4 = tuple(map(IPv6Network, ("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")))
"""Their last 32 bits are an address of IPv4: NAT64, SIIT, and what was written so before there was either."""
GLOBAL_UNICAST = IPv6Network("2000::/3")
PROVIDER_NETWORKS, WEBHOOK_NETWORKS = "MEMSITE_PROVIDER_NETWORKS", "MEMSITE_WEBHOOK_NETWORKS"
"""The settings that allow more; a refusal names the one that would have."""
LOOPBACK_ADDRESS = IPv4Address("127.0.0.1")


class Refused(httpx.TransportError):
    """The address is not one that may be asked."""


Addresses = list[IPv4Address | IPv6Address]


class Networks:
    """Which addresses may be asked, and how: public ones, and private ones in `allowed` (such as 10.0.0.0/8).

    `setting` is where `allowed` comes from.
    """

    def __init__(self, allowed: Collection[Network], setting: str) -> None:
        self.allowed, self.setting = [ip_network(network, strict=False) for network in allowed], setting

    def check(self, scheme: str, addresses: Addresses) -> None:
        """Raise Refused if any of the addresses of a host may not be asked."""
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
    """Raise Refused if the name has none."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError) as error:
        raise Refused("the name is not known") from error
    return list(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in addresses))


def written_out(host: str) -> Addresses:
    """Return the address that a host is, however it is written (127.1 is one).

    None for a name, which is not looked up.
    """
    host = host.partition("%")[0].removesuffix(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return [LOOPBACK_ADDRESS]
    try:
        return addresses_of(host, 0, socket.AI_NUMERICHOST)
    except Refused:
        return []


def is_public(address: IPv4Address | IPv6Address) -> bool:
    real = embedded(address)
    is_unicast = real in GLOBAL_UNICAST if isinstance(real, IPv6Address) else not real.is_multicast
    return real.is_global and is_unicast


def embedded(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(address, IPv4Address):
        return address
    if int(address) > 1 and any(address in network for network in HOLDING_IPV4):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def check_address(url: str, allowed: Collection[Network], setting: str) -> None:
    """Raise ServiceRefused for what `Within` would never ask, as far as that is known without looking up a name."""
    parsed = checked_url(url)
    if parsed.userinfo or parsed.fragment:
        raise ServiceRefused("the address has no user, no password and no #fragment")
    try:
        Networks(allowed, setting).check(parsed.scheme, written_out(parsed.host))
    except Refused as error:
        raise ServiceRefused(str(error)) from error
    if parsed.scheme != "https" and not allowed:
        raise ServiceRefused(f"plain http is for the private networks that {setting} names, which is set to none")


@dataclass(frozen=True)
class Patience:
    """How long one request may take. `total_seconds` includes all its attempts and waits."""

    connect_seconds: float = 5.0
    total_seconds: float = 30.0
    attempts: int = 3
    first_wait_seconds: float = 0.2
    longest_wait_seconds: float = 4.0


def wait_before_retry(error: Exception, longest_seconds: float) -> bool | float:
    """Decide for stamina: False gives up, True waits a little longer each time, a number is in seconds.

    A service that asks for a longer wait than is allowed is left alone: the caller's queue waits better.
    """
    if not isinstance(error, ServiceBusy) or longest_seconds < 0:
        return False
    if error.wait_seconds is None:
        return True
    return error.wait_seconds <= longest_seconds and error.wait_seconds


def retry_after_seconds(header: str) -> float | None:
    """Return the Retry-After header (RFC 9110, 10.2.3: seconds or a date), or None when it is neither."""
    value = header.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max((moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)


# 64 vectors of 4,096 dimensions take about 6 MB as text
MAX_ANSWER_BYTES = 32 * 1024 * 1024
MAX_DETAIL_BYTES = 16 * 1024
TEMPORARY_STATUSES = frozenset({408, 425, 429})
NOT_IMPLEMENTED = 501
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
HINTS = {
    401: "is the API key right?",
    403: "is the API key allowed to do this?",
    404: "are the address and the model's name right?",
}


class JsonApi:
    """Posts JSON and returns the parsed answer. Thread-safe; keeps its connections until closed.

    Raises ServiceAway or ServiceRefused. httpx's own errors carry the request with its headers, so they are not
    chained.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        patience: Patience | None = None,
        hints: Mapping[int, str] | None = None,
        max_bytes: int = MAX_ANSWER_BYTES,
        networks: Collection[str] = ORDINARY_NETWORKS,
        is_refusal: Callable[[str], bool] = lambda detail: False,
    ) -> None:
        """Prepare a client of one service.

        `headers` go with every request and may be secret. `hints` tell what to do about an HTTP status, before
        the usual ones. `max_bytes` bounds an answer. The address may lead into private `networks`, and no
        others. `is_refusal` tells by the words of a 5xx whether it would be one again.
        """
        address = checked_url(url)
        # httpx logs addresses as they are
        self._base = address.copy_with(username="", password="")
        self._patience = patience or Patience()
        self._hints = {**HINTS, **(hints or {})}
        self._max_bytes = max_bytes
        self._is_refusal = is_refusal
        # a proxy for the internet cannot reach this machine's own services; where another one leads is its own affair
        through_proxy = address.host not in LOOPBACK and has_proxy(address)
        self._client = httpx.Client(
            # compressed answers could grow beyond any bound while they are unpacked
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "Content-Type": "application/json"},
            auth=SecretHeaders({**checked_headers(headers or {}), **basic_header(address)}),
            verify=certificates(),
            follow_redirects=False,
            trust_env=through_proxy,
            transport=None if through_proxy else Within(networks, PROVIDER_NETWORKS),
        )

    @property
    def host(self) -> str:
        return self._base.host

    def close(self) -> None:
        self._client.close()

    def post(self, path: str, payload: object, within: float | None = None) -> object:
        """Return the answer to `payload`. Tries again on refused or broken connections, 429 and 5xx.

        All of it takes at most `within` seconds, or what the patience says.
        """
        total = self._patience.total_seconds if within is None else max(within, 0.001)
        deadline = monotonic() + total
        retries = stamina.retry_context(
            on=lambda error: wait_before_retry(error, self._longest_wait(deadline)),
            attempts=self._patience.attempts,
            timeout=total,
            wait_initial=self._patience.first_wait_seconds,
            wait_max=self._patience.longest_wait_seconds,
            wait_jitter=self._patience.first_wait_seconds,
        )
        for attempt in retries:
            with attempt:
                return self._exchange(path, payload, deadline)
        raise AssertionError("stamina ends with an answer or an error")

    def _longest_wait(self, deadline: float) -> float:
        """Negative when the first wait would already be too long."""
        left = deadline - monotonic()
        return min(self._patience.longest_wait_seconds, left) if left >= self._patience.first_wait_seconds else -1.0

    def _exchange(self, path: str, payload: object, deadline: float) -> object:
        try:
            with self._client.stream(
                "POST",
                self._base.copy_with(path=self._base.path.rstrip("/") + path),
                content=encoded(payload),
                timeout=self._timeout(deadline),
            ) as response:
                status = response.status_code
                answered = f"{self.host} answered {status}"
                if status in TEMPORARY_STATUSES or (status >= 500 and status != NOT_IMPLEMENTED):
                    detail = read_detail(response, deadline) if status >= 500 else ""
                    if self._is_refusal(detail):
                        raise ServiceRefused(f"{answered}: it cannot do what is asked", status, detail)
                    raise ServiceBusy(answered, retry_after_seconds(response.headers.get("Retry-After", "")))
                if response.is_redirect:
                    raise ServiceRefused(f"{answered}: redirects are not followed, set the final address", status)
                if not response.is_success:
                    hint = self._hints.get(status, "it does not accept this request")
                    raise ServiceRefused(f"{answered}: {hint}", status, read_detail(response, deadline))
                return parse_json(read_bounded(response, deadline, self._max_bytes))
        except Refused as error:
            raise ServiceRefused(f"{self.host} may not be asked: {error}") from None
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout) as error:
            raise ServiceBusy(f"{self.host} cannot be reached ({type(error).__name__})") from None
        except httpx.HTTPError as error:
            raise ServiceAway(f"{self.host} failed to answer ({type(error).__name__})") from None

    def _timeout(self, deadline: float) -> httpx.Timeout:
        left = max(deadline - monotonic(), 0.001)
        return httpx.Timeout(left, connect=min(left, self._patience.connect_seconds))


class SecretHeaders(httpx.Auth):
    """Headers that no repr of a client shows."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers.update(self._headers)
        yield request


def with_path(url: str, change: Callable[[str], str]) -> str:
    """`url` with a changed path; `change` gets it without a slash at the end. Raises ServiceRefused."""
    parsed = checked_url(url)
    return str(parsed.copy_with(path=change(parsed.path.rstrip("/"))))


def bearer(api_key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def basic_header(address: httpx.URL) -> dict[str, str]:
    """Return what a user and a password in an address mean (RFC 7617)."""
    if not address.username and not address.password:
        return {}
    return {"Authorization": "Basic " + b64encode(f"{address.username}:{address.password}".encode()).decode()}


def checked_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Raise ServiceRefused for a key no header can carry: httpx's own error would print it."""
    for value in headers.values():
        secret = value.removeprefix("Bearer ")
        if not secret.isascii() or not secret.isprintable() or " " in secret:
            raise ServiceRefused("the service's API key holds white space or unusual characters")
    return headers


def encoded(payload: object) -> bytes:
    """JSON in UTF-8."""
    return without_surrogates(json.dumps(payload, ensure_ascii=False, allow_nan=False)).encode()


def read_bounded(response: httpx.Response, deadline: float, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
    """Return the body. Raises ServiceAway beyond `max_bytes` or the deadline (monotonic seconds)."""
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > max_bytes:
            raise AnswerTooLong(f"the answer is longer than {max_bytes:,} bytes")
        # httpx limits each read; a server that drips a byte at a time is stopped here
        if monotonic() > deadline:
            raise ServiceAway("the answer took too long")
    return bytes(body)


def read_detail(response: httpx.Response, deadline: float) -> str:
    """Return the beginning of what a service says about a refusal, or "" if that cannot be read."""
    try:
        return read_bounded(response, deadline, MAX_DETAIL_BYTES).decode(errors="replace")
    except (ServiceAway, httpx.HTTPError):
        return ""


def parse_json(body: bytes) -> object:
    """Raise ServiceAway for anything but strict JSON; Python's parser alone would take NaN."""
    try:
        parsed: object = json.loads(body, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise ServiceAway("the answer is not JSON") from None
    return parsed


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
