"""One id and one log line per request. Paths and counts are logged, query strings and bodies never."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

from memsite.metrics import count_request

log = structlog.get_logger("memsite.requests")
SAFE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestLog:
    """Takes the caller's `X-Request-ID` if it is harmless, makes one otherwise, and answers with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = given if SAFE_ID.fullmatch(given) else uuid.uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        response = self.get_response(request)
        response["X-Request-ID"] = request_id
        seconds = time.perf_counter() - started
        route = request.resolver_match.route if request.resolver_match else None
        status = response.status_code
        log.info("request", method=request.method, route=route, status=status, ms=round(1000 * seconds, 1))
        count_request(request.method, route, status, seconds)
        return response


def current_request_id() -> str:
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))
