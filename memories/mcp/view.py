"""The address of an MCP server: who may ask it, and from where."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import validate_host
from rest_framework.exceptions import ParseError, PermissionDenied
from rest_framework.request import Request

from memories.api.base import AnyAnswer
from memories.api.storing import StoringView
from memories.mcp.messages import INVALID_REQUEST, PARSE_ERROR, id_of, what_is_wrong
from memsite.config.conf import get_conf
from memsite.http.json_body import parse_json, read_bounded
from memsite.tenancy.authentication import KeyAuthentication
from memsite.tenancy.models import Scope

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server


JSON = "application/json"


class MCPKey(KeyAuthentication):
    """A client that has no key is told where it may ask to be let in, if that is wanted here."""

    def authenticate_header(self, request: Request) -> str:
        header = super().authenticate_header(request)
        if not get_conf().oauth:
            return header
        where = request.build_absolute_uri(f"/.well-known/oauth-protected-resource{request.path}")
        return f'{header}, resource_metadata="{where}"'


class MCPView(StoringView):
    """Speaks streamable HTTP without sessions or streams: one message in, one answer out."""

    scope = Scope.READ
    authentication_classes = [MCPKey]
    schema = None
    is_lenient = True
    # There is no stream to listen to, and no session to end.
    http_method_names = ["post", "options"]
    content_negotiation_class = AnyAnswer

    def server(self) -> Server[Any]:
        """The server for this request's caller. The SDK is loaded with the first."""
        raise NotImplementedError

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if not is_own_origin(request._request):
            raise PermissionDenied("No page of another site may ask this server.")
        super().initial(request, *args, **kwargs)

    def post(self, request: Request) -> HttpResponse:
        from memories.mcp.serving import serve

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
        return serve(self.server(), request._request, body)


class Memsite(MCPView):
    def server(self) -> Server[Any]:
        from memories.mcp.server import make_server

        return make_server(self)


def is_own_origin(request: HttpRequest) -> bool:
    """Programs send no Origin. A browser does, and with it tells whose page asks: against DNS rebinding.

    The Host is Django's to check, for all doors alike.
    """
    origin = request.headers.get("Origin")
    if origin is None or origin in settings.CSRF_TRUSTED_ORIGINS:
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
