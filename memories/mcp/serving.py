"""One HTTP request, one run of the SDK's server: its transport knows the protocol's versions and its rules.

The site answers in threads, the SDK in an event loop. Each request gets a loop of its own, as long as it takes, and the
work itself comes back into the thread of the request, with its database connection (asgiref does both).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from memsite.config.conf import get_conf

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
# Headers of ours, or of the server in front of us; and none that a client could be surprised by.
KEPT_HEADERS = ("content-type", "allow")


def serve(server: Server[Any], request: HttpRequest, body: bytes) -> HttpResponse:
    """What the server answers to this request: JSON, never a stream."""
    return async_to_sync(answer)(server, scope_of(request), body)


async def answer(server: Server[Any], scope: Message, body: bytes) -> HttpResponse:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=get_conf().max_body_bytes
    )
    async with manager.run():
        await manager.handle_request(scope, receiving(body), send)
    return response_of(sent)


def receiving(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def scope_of(request: HttpRequest) -> Message:
    """As ASGI describes it, as far as the SDK asks. It knows a Content-Type in small letters only."""
    told = {**request.headers, "Content-Type": request.content_type or ""}
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in told.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": b"",
        "headers": headers,
        "client": None,
        "server": None,
    }


def response_of(sent: list[Message]) -> HttpResponse:
    start = sent[0]
    response = HttpResponse(b"".join(message.get("body", b"") for message in sent[1:]), status=start["status"])
    del response["Content-Type"]
    for name, value in start["headers"]:
        if name.decode().lower() in KEPT_HEADERS:
            response[name.decode()] = value.decode("latin-1")
    return response
