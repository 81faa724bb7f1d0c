"""Rules of the wire that need no network: what may be repeated and when, and what an answer means."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import parse_qs, quote, unquote, urlsplit

import httpx

from memsite_client.configuration import Server
from memsite_client.errors import (
    BY_STATUS,
    InvalidRequest,
    NotConfigured,
    Problem,
    ServerAway,
    ServerFailed,
    TooManyRequests,
)

IDEMPOTENCY_KEY = "Idempotency-Key"
CONNECT_SECONDS = 5.0
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.25, 30.0
# The server says that it has done nothing: also what must not happen twice may be sent again.
NOTHING_DONE = (429, 503)
GATEWAY_FAILED = (502, 504)


class Retry:
    """Whether and when one request is sent again."""

    def __init__(self, retries: int, *, repeatable: bool) -> None:
        self.left, self.repeatable = retries, repeatable
        self.wait = FIRST_WAIT_SECONDS

    def after_error(self, error: httpx.RequestError) -> float | None:
        """Return the seconds to wait before the next try; None if there is none."""
        never_arrived = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
        return self.next_wait() if never_arrived or self.repeatable else None

    def after_answer(self, response: httpx.Response) -> float | None:
        may = response.status_code in NOTHING_DONE or (
            self.repeatable
            and (
                response.status_code in GATEWAY_FAILED
                or (response.status_code == 409 and IDEMPOTENCY_KEY in response.request.headers)
                # The server does not know itself: its database went away at the commit.
                or (response.status_code == 500 and b'"may_be_stored"' in response.content)
            )
        )
        seconds = retry_after(response)
        return self.next_wait(seconds) if may and seconds <= LONGEST_WAIT_SECONDS else None

    def next_wait(self, at_least: float = 0.0) -> float | None:
        if self.left == 0:
            return None
        self.left -= 1
        wait, self.wait = self.wait * random.uniform(0.5, 1.0), self.wait * 2  # noqa: S311  # no secret
        return max(wait, at_least)


def retry_after(response: httpx.Response) -> float:
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() else 0.0


def answer_of(response: httpx.Response) -> Any:
    """Return the document, or the text of an answer that is none. Raise the ProblemError of an error."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    if response.is_success:
        if kind == "application/json":
            return read_json(response)
        if kind == "text/markdown":
            return response.text
        raise ServerAway(f"{response.url.host} answers, but not as a Memsite server: is the address right?")
    problem = read_json(response) if kind == "application/problem+json" else {}
    if not isinstance(problem, dict) or "status" not in problem:
        problem = {"status": response.status_code, "title": response.reason_phrase}
    status = problem["status"]
    if status == 429:
        raise TooManyRequests(cast(Problem, problem), max(1.0, retry_after(response)))
    raise BY_STATUS.get(status, ServerFailed if status >= 500 else InvalidRequest)(cast(Problem, problem))


def read_json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise ServerAway(f"{response.url.host} broke off its answer.") from error


def away(url: str, error: httpx.RequestError) -> ServerAway:
    what = "did not answer in time" if isinstance(error, httpx.TimeoutException) else "cannot be reached"
    return ServerAway(f"The server at {url} {what}{f': {error}' if str(error) else ''}.")


def cursor_of(page: Mapping[str, Any]) -> str | None:
    """Return the cursor of the next page. Its link is not followed: the key goes to our address only."""
    if not page.get("next"):
        return None
    cursors = parse_qs(urlsplit(page["next"]).query).get("cursor", [])
    return cursors[0] if cursors else None


def address_of(place: Server) -> httpx.URL:
    try:
        return httpx.URL(f"{place.api}/")
    except (ValueError, httpx.InvalidURL) as error:
        raise NotConfigured(f"{place.url!r} is no address of a server: {error}.") from error


def request_of(
    http: httpx.Client | httpx.AsyncClient, method: str, path: str, query: Mapping[str, Any] | None, **options: Any
) -> httpx.Request:
    """Return the request. Raise InvalidRequest for what cannot be sent, and for another server's address."""
    if any(unquote(name) in (".", "..") for name in re.split("[?#]", path, maxsplit=1)[0].split("/")):
        raise not_sent('The request cannot be sent: a part of its address is "." or "..".')
    with sendable():
        params = {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in (query or {}).items()
            if value is not None
        }
        # An empty query would take away the one that the address has.
        request = http.build_request(method, path, params=params or None, **options)
    url, base = request.url, http.base_url
    if (url.scheme, url.host, url.port) != (base.scheme, base.host, base.port):
        raise not_sent(f"{url} is no address of {base.copy_with(path='/')}, and the key is sent to no other server.")
    return request


@contextmanager
def sendable() -> Iterator[None]:
    """Refuse what is no text, no JSON or no address as the server would."""
    try:
        yield
    except (ValueError, TypeError, RecursionError, httpx.InvalidURL) as error:
        raise not_sent(f"The request cannot be sent: {error}.") from error


def not_sent(detail: str) -> InvalidRequest:
    """Return the error that the server would answer with."""
    return InvalidRequest({"status": 400, "title": "Bad Request", "detail": detail})


def part(name: str) -> str:
    """Quote a name as one part of an address."""
    with sendable():
        return quote(name, safe="")
