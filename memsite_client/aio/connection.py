"""One server, one key: requests, retries, pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from typing import Any, Self

import httpx

from memsite_client import __version__
from memsite_client.place import find_place
from memsite_client.wire import (
    CONNECT_SECONDS,
    IDEMPOTENCY_KEY,
    Retry,
    address_of,
    answer_of,
    away,
    cursor_of,
    new_key,
    request_of,
)

PAGE_SIZE = 100
FILE_SECONDS = 3600.0


class AsyncConnection:
    """Closes with `async with`, or by `aclose`.

    Without `url` and `api_key` the environment and the file of `memsite login` name them. `timeout` is in seconds and
    for each wait alone; `retries` is how often a request is sent again that did not arrive or may safely be repeated.
    """

    def __init__(
        self, url: str | None = None, api_key: str | None = None, *, timeout: float = 30.0, retries: int = 2,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:  # fmt: skip
        self.place = find_place(url, api_key)
        self.retries = retries
        self.http = httpx.AsyncClient(
            base_url=address_of(self.place),
            headers={"Authorization": f"Bearer {self.place.key}", "User-Agent": f"memsite-client/{__version__}"},
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self.http.aclose()

    async def request(
        self, method: str, path: str, *, json: Any = None, query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None, repeatable: bool | None = None,
    ) -> Any:  # fmt: skip
        """The answer of any door under `/api/v1/`, for those that have no method here.

        `path` may be a whole address, such as that of a next page, if it is the server's. Raises ServerAway without an
        answer, ProblemError with a bad one. GET and PUT are repeated unless `repeatable` says no.
        """
        again = Retry(self.retries, repeatable=method in ("GET", "PUT") if repeatable is None else repeatable)
        sent = request_of(self.http, method, path, query, json=json, headers=headers)
        while True:
            try:
                response = await self.http.send(sent)
            except httpx.RequestError as error:
                wait = again.after_error(error)
                if wait is None:
                    raise away(self.place.url, error) from error
            else:
                wait = None if response.is_success else again.after_answer(response)
                if wait is None:
                    return answer_of(response)
            await asyncio.sleep(wait)

    async def create(self, path: str, body: Any, idempotency_key: str | None = None) -> Any:
        """A POST that takes effect once, however often it has to be sent."""
        headers = {IDEMPOTENCY_KEY: idempotency_key or new_key()}
        return await self.request("POST", path, json=body, headers=headers, repeatable=True)

    async def pages(self, path: str, query: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Every row of a list, page by page as they are asked for."""
        cursor: str | None = None
        while True:
            page = await self.request("GET", path, query={"limit": PAGE_SIZE, **query, "cursor": cursor})
            for row in page["results"]:
                yield row
            cursor = cursor_of(page)
            if cursor is None:
                return

    async def upload(
        self, path: str, content: AsyncIterable[bytes] | bytes, query: Mapping[str, Any] | None = None,
        *, timeout: httpx.Timeout | None = None,
    ) -> Any:  # fmt: skip
        """A body of any length, sent as it comes; once."""
        headers = {"Content-Type": "application/x-ndjson"}
        wait = timeout or self.http.timeout
        sent = request_of(self.http, "POST", path, query, content=content, headers=headers, timeout=wait)
        try:
            response = await self.http.send(sent)
        except httpx.RequestError as error:
            raise away(self.place.url, error) from error
        return answer_of(response)

    async def download(self, path: str, query: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """An answer of any length, piece by piece. The first may be long in coming."""
        sent = request_of(self.http, "GET", path, query, timeout=self.patience())
        try:
            response = await self.http.send(sent, stream=True)
            try:
                if not response.is_success:
                    await response.aread()
                    answer_of(response)
                async for piece in response.aiter_bytes():
                    yield piece
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            raise away(self.place.url, error) from error

    def patience(self) -> httpx.Timeout:
        """For files, which the server reads or writes to their end before it answers."""
        return httpx.Timeout(FILE_SECONDS, connect=self.http.timeout.connect)
