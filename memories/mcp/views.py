"""The endpoint of an MCP server: who may ask it and from where, and one run of the SDK's transport for each request."""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import validate_host
from rest_framework.exceptions import ParseError, PermissionDenied
from rest_framework.request import Request

from memories.api.base import AgentView, AnyAnswer
from memsite.config.conf import get_conf
from memsite.http.json_body import parse_json, read_bounded
from memsite.tenancy.authentication import KeyAuthentication
from memsite.tenancy.models import Scope

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
PARAMS = {
    "tools/call": "CallToolRequestParams",
    "prompts/get": "GetPromptRequestParams",
    "resources/read": "ReadResourceRequestParams",
}
"""What the SDK reads the parameters of a method as: it only says that they are invalid."""
KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    # field, what it may be, in words
    "method": ((str,), "a text"),
    "params": ((dict, type(None)), "an object"),
    "result": ((dict,), "an object"),
    "error": ((dict,), "an object"),
}
JSON = "application/json"
Message = MutableMapping[str, Any]
# Headers of ours, or of the server in front of us; and none that a client could be surprised by.
KEPT_HEADERS = ("content-type", "allow")


def what_is_wrong(message: Any) -> str:
    """Return one sentence, empty if the message is a request, a notification or a response."""
    if isinstance(message, list):
        return "One message at a time: send those of a batch one by one."
    if not isinstance(message, dict):
        return "A message is a JSON object."
    if message.get("jsonrpc") != "2.0":
        return 'A message says "jsonrpc": "2.0".'
    if not message.keys() & {"method", "result", "error"}:
        return "A request has a method."
    # Booleans are no ids, though isinstance counts them as integers; an error may answer what had none.
    is_error = message.get("id") is None and "error" in message and "method" not in message
    if "id" in message and type(message["id"]) not in (str, int) and not is_error:
        return "The id of a request is a text or a whole number; a notification has none."
    for name, (kinds, words) in KINDS.items():
        if name in message and type(message[name]) not in kinds:
            return f"The {name} of a message is {words}."
    return ""


def id_of(body: bytes) -> str | int | None:
    """Return the id of a refused request as far as it can be read: its sender waits for a response with it."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    is_request = isinstance(message, dict) and ("method" in message or not message.keys() & {"result", "error"})
    return message["id"] if is_request and type(message.get("id")) in (str, int) else None


def arguments_in_text(message: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a tool that come as a text of JSON, as some models write them."""
    params = message.get("params")
    given = params.get("arguments") if message.get("method") == "tools/call" and isinstance(params, dict) else None
    try:
        arguments = parse_json(given.encode()) if isinstance(given, str) else None
    except (ParseError, UnicodeEncodeError):
        return None
    return arguments if isinstance(arguments, dict) else None


def why_invalid(method: Any, params: Any) -> str:
    """Return what is wrong with the parameters, by name; empty if nothing is, or the method is none of these."""
    import mcp_types
    from pydantic import ValidationError

    if method not in PARAMS:
        return ""
    try:
        getattr(mcp_types, PARAMS[method]).model_validate(params or {})
    except ValidationError as error:
        wrong = [(".".join(map(str, problem["loc"])), problem["msg"]) for problem in error.errors()[:5]]
        return "Invalid request parameters: " + "; ".join(f"{path}: {why}" for path, why in wrong)
    return ""


class MCPKey(KeyAuthentication):
    """Tell a client without a key where it may ask for one, if OAuth is on."""

    def authenticate_header(self, request: Request) -> str:
        header = super().authenticate_header(request)
        if not get_conf().oauth:
            return header
        where = request.build_absolute_uri(f"/.well-known/oauth-protected-resource{request.path}")
        return f'{header}, resource_metadata="{where}"'


class MCPView(AgentView):
    """Speak streamable HTTP without sessions or streams: one message in, one response out."""

    scope = Scope.READ
    authentication_classes = [MCPKey]
    schema = None
    is_lenient = True
    # There is no stream to listen to, and no session to end.
    http_method_names = ["post", "options"]
    content_negotiation_class = AnyAnswer

    def server(self) -> Server[Any]:
        """Return the server for this request's caller. The SDK is loaded with the first."""
        raise NotImplementedError

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if not is_own_origin(request._request):
            raise PermissionDenied("No page of another site may ask this server.")
        super().initial(request, *args, **kwargs)

    def post(self, request: Request) -> HttpResponse:
        body = read_bounded(request._request, get_conf().max_body_bytes)
        if request._request.content_type != JSON:
            return refused(body, INVALID_REQUEST, f"A message comes with the Content-Type {JSON}.", 415)
        try:
            message = parse_json(body)
        except ParseError as error:
            # Clients take a 400 for a broken connection, and end with it what their agent was doing.
            status = 400 if id_of(body) is None else 200
            return refused(body, PARSE_ERROR, str(error.detail), status)
        if wrong := what_is_wrong(message):
            return refused(body, INVALID_REQUEST, wrong)
        if arguments := arguments_in_text(message):
            message["params"]["arguments"] = arguments
            body = json.dumps(message).encode()
        if "id" in message and (wrong := why_invalid(message.get("method"), message.get("params"))):
            return refused(body, INVALID_PARAMS, wrong, 200)
        return serve(self.server(), request._request, body)


class Memsite(MCPView):
    def server(self) -> Server[Any]:
        from memories.mcp.server import make_server

        return make_server(self.caller())


class ChatGPT(MCPView):
    """`search` and `fetch` as ChatGPT's connectors ask for them."""

    def server(self) -> Server[Any]:
        from memories.mcp.chatgpt import make_server

        return make_server(self.caller(), self.request.build_absolute_uri("/").rstrip("/"))


class ReferenceMemory(MCPView):
    """The MCP reference server for a knowledge graph, by its own tools."""

    def server(self) -> Server[Any]:
        from memories.compat.mcp_memory import make_server

        return make_server(self.caller())


def is_own_origin(request: HttpRequest) -> bool:
    """Return whether a request comes from our own pages or a program: a defence against DNS rebinding.

    Programs send no Origin, browsers do. The Host is checked by Django for all endpoints.
    """
    origin = request.headers.get("Origin")
    if origin is None or origin in (*settings.CSRF_TRUSTED_ORIGINS, *settings.CORS_ALLOWED_ORIGINS):
        return True
    try:
        host = urlsplit(origin).hostname or ""
    except ValueError:
        return False
    return validate_host(f"[{host}]" if ":" in host else host, settings.ALLOWED_HOSTS)


def refused(body: bytes, code: int, detail: str, status: int = 400) -> HttpResponse:
    # Its id may be a number or a text that our own JSON does not write.
    error = {"jsonrpc": "2.0", "id": id_of(body), "error": {"code": code, "message": detail}}
    return HttpResponse(json.dumps(error), status=status, content_type=JSON)


def serve(server: Server[Any], request: HttpRequest, body: bytes) -> HttpResponse:
    """Return the server's response to this request: JSON, never a stream."""
    # The ASGI scope as far as the SDK reads it. It knows a Content-Type in small letters only.
    request_headers = {**request.headers, "Content-Type": request.content_type or ""}
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in request_headers.items()]
    return async_to_sync(answer)(
        server,
        {
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
        },
        body,
    )


async def answer(server: Server[Any], scope: Message, body: bytes) -> HttpResponse:
    # Loaded with the first request: it takes a second or more.
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=get_conf().max_body_bytes
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
    start = sent[0]
    response = HttpResponse(b"".join(message.get("body", b"") for message in sent[1:]), status=start["status"])
    del response["Content-Type"]
    for name, value in start["headers"]:
        if name.decode().lower() in KEPT_HEADERS:
            response[name.decode()] = value.decode("latin-1")
    return response
