"""One id and one log line per request, and its body to the end. Query strings and bodies are never logged."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import structlog
from django.conf import settings
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import DEFAULT_DB_ALIAS, close_old_connections, connections, reset_queries
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from memories.language.secrets import secret_in_name
from memsite.config.conf import get_conf
from memsite.db.sqlite import arrived
from memsite.http.bodies import TimedBody
from memsite.ops.metrics import count_request

log = structlog.get_logger("memsite.http.middleware")
SHORT_BODY_BYTES = 65_536
TOO_LARGE = 4
"""A body up to so many times the largest is heard to its end: many clients read no answer before."""
SAFE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(eq=False)
class Middleware:
    """The base of ours. `get_response` answers from what stands behind it."""

    get_response: Callable[[HttpRequest], HttpResponse]


class RequestLog(Middleware):
    """Takes the caller's `X-Request-ID` if it is harmless, makes one otherwise, and answers with it."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        is_harmless = SAFE_ID.fullmatch(given) and not secret_in_name(given)
        request_id = given if is_harmless else uuid.uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started, came = time.perf_counter(), arrived.set(time.monotonic())
        try:
            response = self.get_response(request)
        finally:
            arrived.reset(came)
        response["X-Request-ID"] = request_id
        # Reads what the answer has left of a short body, and says of any other that the connection ends. Where
        # the rest of a body is still on its way, the server would close the connection without a word: the next
        # request on it, of a client that did nothing wrong but ask for what is not there, would get no answer. It
        # is waited for only where a good key came with it.
        body = request.META.get("wsgi.input")
        if "HTTP_TRANSFER_ENCODING" in request.META or "HTTP_EXPECT" in request.META:
            # Its length is not known, or it is sent to who wants it.
            is_left = response.status_code >= 400
        elif isinstance(body, TimedBody):
            is_known = getattr(request, "auth", None) is not None
            is_too_large = response.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            most = TOO_LARGE * get_conf().max_body_bytes if is_too_large else SHORT_BODY_BYTES
            is_left = not body.finish(most if is_known else 0)
        else:
            is_left = False
            with suppress(UnreadablePostError):
                is_left = len(request.read(SHORT_BODY_BYTES + 1)) > SHORT_BODY_BYTES
        if is_left:
            response["Connection"] = "close"
        seconds = time.perf_counter() - started
        route = request.resolver_match.route if request.resolver_match else None
        status = response.status_code
        log.info("request", method=request.method, route=route, status=status, ms=round(1000 * seconds, 1))
        count_request(request.method, route, status, seconds)
        return response


def encoding_of(request: HttpRequest) -> str:
    """Return how its body says that it is packed, as in its header; empty if it does not, or has no body."""
    has_body = "HTTP_TRANSFER_ENCODING" in request.META or request.META.get("CONTENT_LENGTH") not in (None, "", "0")
    encoding = request.META.get("HTTP_CONTENT_ENCODING", "").strip().lower() if has_body else ""
    return "" if encoding == "identity" else encoding


def length_of(request: HttpRequest) -> int:
    """Return the bytes that its body says it has; 0 if it does not say."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) if length.isdecimal() else 0


def current_request_id() -> str:
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


PROGRAM_PATHS = ("/api/v1/", "/mcp", "/compat/", "/proxy/")
HEADERS = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "X-Frame-Options": "DENY"}


class ProgramHeaders(Middleware):
    """Middleware behind that of pages: what answers a key is no page, and loads nothing."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_keyed = request.META.get("HTTP_AUTHORIZATION") and not request.META.get("HTTP_COOKIE")
        if is_keyed and request.path_info.startswith(PROGRAM_PATHS):
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
        return response


def connect() -> None:
    """Replace Django's own signals: queries are logged only for debugging, and only then is a log to be cleared."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    request_finished.disconnect(close_caches)
    if not settings.DEBUG:
        request_started.disconnect(reset_queries)
    request_finished.connect(let_go)


def let_go(**_: Any) -> None:
    """Close this thread's connection if it is broken, too old, or left in a transaction.

    Gives it back to its pool, if it has one.
    """
    wrapper = connections[DEFAULT_DB_ALIAS]
    # Of a transaction around the request, as a test's.
    if not wrapper.in_atomic_block:
        wrapper.close_if_unusable_or_obsolete()
