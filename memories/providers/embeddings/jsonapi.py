"""One JSON service over HTTP: bounded time, bounded answers, and only two ways to fail."""

import json
from collections.abc import Mapping
from time import monotonic
from typing import NoReturn

import httpx
import stamina

from .base import EmbedderMisconfigured, EmbedderUnavailable
from .patience import Patience, ServiceBusy, retry_after_seconds, wait_before_retry

# 64 vectors of 4,096 dimensions take about 6 MB as text
MAX_ANSWER_BYTES = 32 * 1024 * 1024
TEMPORARY_STATUSES = frozenset({408, 425, 429})
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
HINTS = {
    401: "is the API key right?",
    403: "is the API key allowed to do this?",
    404: "are the address and the model's name right?",
}


class JsonApi:
    """Posts JSON and returns the parsed answer. Thread-safe; keeps its connections until closed.

    Raises EmbedderUnavailable or EmbedderMisconfigured. Messages name the host, never the API key,
    the request or the answer, which may repeat the request. httpx's own errors carry the request
    with its headers, so they are not chained.
    """

    def __init__(
        self,
        url: str,
        api_key: str = "",
        patience: Patience | None = None,
        hints: Mapping[int, str] | None = None,
    ) -> None:
        """`hints` tell what to do about an HTTP status, before the usual ones."""
        self._base = checked_url(url)
        self._patience = patience or Patience()
        self._hints = {**HINTS, **(hints or {})}
        self._client = httpx.Client(
            headers=request_headers(api_key),
            follow_redirects=False,
            # a proxy for the internet cannot reach this machine's own services
            trust_env=self._base.host not in LOOPBACK,
        )

    def close(self) -> None:
        self._client.close()

    def post(self, path: str, payload: object) -> object:
        """The answer to `payload`. Tries again on refused or broken connections, 429 and 5xx."""
        deadline = monotonic() + self._patience.total_seconds
        retries = stamina.retry_context(
            on=lambda error: wait_before_retry(error, self._patience),
            attempts=self._patience.attempts,
            timeout=self._patience.total_seconds,
            wait_initial=self._patience.first_wait_seconds,
            wait_max=self._patience.longest_wait_seconds,
            wait_jitter=self._patience.first_wait_seconds,
        )
        for attempt in retries:
            with attempt:
                return self._exchange(path, payload, deadline)
        raise AssertionError("stamina ends with an answer or an error")

    def _exchange(self, path: str, payload: object, deadline: float) -> object:
        try:
            with self._client.stream(
                "POST", self._address(path), json=payload, timeout=self._timeout(deadline)
            ) as response:
                self._check_status(response)
                return parse_json(read_bounded(response, deadline))
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout) as error:
            raise ServiceBusy(f"{self._base.host} cannot be reached ({type(error).__name__})") from None
        except httpx.HTTPError as error:
            raise EmbedderUnavailable(f"{self._base.host} failed to answer ({type(error).__name__})") from None

    def _address(self, path: str) -> httpx.URL:
        return self._base.copy_with(path=self._base.path.rstrip("/") + path)

    def _timeout(self, deadline: float) -> httpx.Timeout:
        left = max(deadline - monotonic(), 0.001)
        return httpx.Timeout(left, connect=min(left, self._patience.connect_seconds))

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        answered = f"{self._base.host} answered {status}"
        if status in TEMPORARY_STATUSES or status >= 500:
            raise ServiceBusy(answered, retry_after_seconds(response.headers.get("Retry-After", "")))
        if response.is_redirect:
            raise EmbedderMisconfigured(f"{answered}: redirects are not followed, set the final address")
        if not response.is_success:
            hint = self._hints.get(status, "it does not accept this request")
            raise EmbedderMisconfigured(f"{answered}: {hint}")


def checked_url(url: str) -> httpx.URL:
    """Raises EmbedderMisconfigured unless `url` is http or https and names a host."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, TypeError, ValueError):
        raise EmbedderMisconfigured("the embedder's address is not a URL") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise EmbedderMisconfigured("the embedder's address must begin with http:// or https:// and a host")
    return parsed


def request_headers(api_key: str) -> dict[str, str]:
    """Raises EmbedderMisconfigured for a key no header can carry: httpx's own error would print it."""
    # compressed answers could grow beyond any bound while they are unpacked
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    if not api_key:
        return headers
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise EmbedderMisconfigured("the embedder's API key holds white space or unusual characters")
    return {**headers, "Authorization": f"Bearer {api_key}"}


def read_bounded(response: httpx.Response, deadline: float) -> bytes:
    """The body. Raises EmbedderUnavailable beyond MAX_ANSWER_BYTES or the deadline (monotonic seconds)."""
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise EmbedderUnavailable(f"the answer is longer than {MAX_ANSWER_BYTES:,} bytes")
        # httpx limits each read; a server that drips a byte at a time is stopped here
        if monotonic() > deadline:
            raise EmbedderUnavailable("the answer took too long")
    return bytes(body)


def parse_json(body: bytes) -> object:
    """Raises EmbedderUnavailable for anything but strict JSON; Python's parser alone would take NaN."""
    try:
        parsed: object = json.loads(body, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise EmbedderUnavailable("the answer is not JSON") from None
    return parsed


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
