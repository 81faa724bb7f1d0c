"""One JSON service over HTTP: bounded time, bounded answers, and only two ways to fail."""

import json
from base64 import b64encode
from collections.abc import Callable, Collection, Generator, Mapping
from time import monotonic
from typing import NoReturn

import httpx
import stamina

from .addresses import certificates, checked_url, has_proxy
from .errors import AnswerTooLong, ServiceAway, ServiceBusy, ServiceRefused
from .outward import ORDINARY_NETWORKS, PROVIDER_NETWORKS, Refused, Within
from .patience import Patience, retry_after_seconds, wait_before_retry
from .surrogates import without_surrogates

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
    ) -> None:
        """`headers` go with every request and may be secret. `hints` tell what to do about an HTTP status, before
        the usual ones. `max_bytes` bounds an answer. The address may lead into private `networks`, and no others."""
        address = checked_url(url)
        # httpx logs addresses as they are
        self._base = address.copy_with(username="", password="")
        self._patience = patience or Patience()
        self._hints = {**HINTS, **(hints or {})}
        self._max_bytes = max_bytes
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
        """The answer to `payload`. Tries again on refused or broken connections, 429 and 5xx.

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
                "POST", self._address(path), content=encoded(payload), timeout=self._timeout(deadline)
            ) as response:
                self._check_status(response, deadline)
                return parse_json(read_bounded(response, deadline, self._max_bytes))
        except Refused as error:
            raise ServiceRefused(f"{self.host} may not be asked: {error}") from None
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout) as error:
            raise ServiceBusy(f"{self.host} cannot be reached ({type(error).__name__})") from None
        except httpx.HTTPError as error:
            raise ServiceAway(f"{self.host} failed to answer ({type(error).__name__})") from None

    def _address(self, path: str) -> httpx.URL:
        return self._base.copy_with(path=self._base.path.rstrip("/") + path)

    def _timeout(self, deadline: float) -> httpx.Timeout:
        left = max(deadline - monotonic(), 0.001)
        return httpx.Timeout(left, connect=min(left, self._patience.connect_seconds))

    def _check_status(self, response: httpx.Response, deadline: float) -> None:
        status = response.status_code
        answered = f"{self.host} answered {status}"
        if status in TEMPORARY_STATUSES or (status >= 500 and status != NOT_IMPLEMENTED):
            raise ServiceBusy(answered, retry_after_seconds(response.headers.get("Retry-After", "")))
        if response.is_redirect:
            raise ServiceRefused(f"{answered}: redirects are not followed, set the final address", status)
        if not response.is_success:
            hint = self._hints.get(status, "it does not accept this request")
            raise ServiceRefused(f"{answered}: {hint}", status, read_detail(response, deadline))


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
    """What a user and a password in an address mean (RFC 7617)."""
    if not address.username and not address.password:
        return {}
    return {"Authorization": "Basic " + b64encode(f"{address.username}:{address.password}".encode()).decode()}


def checked_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Raises ServiceRefused for a key no header can carry: httpx's own error would print it."""
    for value in headers.values():
        secret = value.removeprefix("Bearer ")
        if not secret.isascii() or not secret.isprintable() or " " in secret:
            raise ServiceRefused("the service's API key holds white space or unusual characters")
    return headers


def encoded(payload: object) -> bytes:
    """JSON in UTF-8."""
    return without_surrogates(json.dumps(payload, ensure_ascii=False, allow_nan=False)).encode()


def read_bounded(response: httpx.Response, deadline: float, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
    """The body. Raises ServiceAway beyond `max_bytes` or the deadline (monotonic seconds)."""
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
    """The beginning of what a service says about a refusal, or "" if that cannot be read."""
    try:
        return read_bounded(response, deadline, MAX_DETAIL_BYTES).decode(errors="replace")
    except (ServiceAway, httpx.HTTPError):
        return ""


def parse_json(body: bytes) -> object:
    """Raises ServiceAway for anything but strict JSON; Python's parser alone would take NaN."""
    try:
        parsed: object = json.loads(body, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise ServiceAway("the answer is not JSON") from None
    return parsed


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
