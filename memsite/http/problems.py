"""Errors as RFC 9457 problem details (`application/problem+json`), for DRF and for plain Django alike."""

import sys
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

import orjson
import structlog
from django.core.exceptions import DisallowedHost, ObjectDoesNotExist, PermissionDenied, RequestDataTooBig
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.middleware.csrf import REASON_BAD_ORIGIN
from django.shortcuts import render
from django.urls import Resolver404, resolve
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from memsite.db.transactions import Unsure, is_busy, is_cut_off, is_out_of_reach
from memsite.http.exceptions import Busy, EncodedBody, MayBeStored, TooLarge, Unwritable
from memsite.http.middleware import Middleware, current_request_id, encoding_of
from memsite.ops.storage_errors import why_unwritable

# Programs ask there, whatever they accept. Of OAuth's doors people are sent to one alone.
OF_OAUTH = ("/.well-known/", "/oauth/register", "/oauth/token", "/oauth/revoke")
FOR_PROGRAMS = ("/api/", "/mcp", "/compat/", "/proxy/", "/hooks/", "/healthz", "/readyz", "/metrics", *OF_OAUTH)
FOR_MEM0 = "/compat/mem0/"
CSRF_FIELD = "csrfmiddlewaretoken"
log = structlog.get_logger("memsite.http.problems")
CONTENT_TYPE = "application/problem+json"
NO_HOST_OF_OURS = "This server does not answer to this host name: MEMSITE_ALLOWED_HOSTS lists those that it answers to."
OUT_OF_REACH = "The server cannot reach its database: nothing was stored, try again."
CUT_OFF = "The server lost the connection to its database: nothing was stored, try again."
EXPIRED = "The form has expired: load the page again."
NO_ORIGIN = (
    "The browser does not say which site this form is from (Origin: null). No setting of Memsite allows that. A proxy "
    "that sets Referrer-Policy: no-referrer causes it: let it keep this server's header. So does a sandboxed frame."
)
FOREIGN_ORIGIN = (
    "This form is from {origin}, which is not known as an address of this server. If you reach the server there, set "
    "MEMSITE_CSRF_TRUSTED_ORIGINS={origin} and, where it is https behind a proxy, MEMSITE_BEHIND_HTTPS_PROXY=true and "
    "MEMSITE_TRUSTED_PROXIES. If not, another site has sent the form."
)
ONLY_CHANGES = "This address has no page: it only accepts what a form sends. Go back to the form."
NUMBER_BEYOND = "A number in this request is too large."
BROKEN = "The server failed, and the error was logged. Try again, or tell its operator."
OUT_OF_RANGE = "22003"
"""PostgreSQL: numeric_value_out_of_range."""
SOME_ID = "00000000-0000-0000-0000-000000000000"
MOST_PARTS = 12
UNTOLD = ("HEAD", "OPTIONS")
CODES = {
    # As REST framework calls them; of all others the status has its name.
    HTTPStatus.UNAUTHORIZED: "not_authenticated",
    HTTPStatus.FORBIDDEN: "permission_denied",
    HTTPStatus.SERVICE_UNAVAILABLE: Busy.default_code,
}


def problem(status: int, detail: str = "", **extra: object) -> dict[str, Any]:
    """Return the body: `type` stays about:blank, so `title` is the status phrase, as the RFC asks."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": detail,
        "code": CODES.get(HTTPStatus(status), HTTPStatus(status).name.lower()),
        "request_id": current_request_id(),
    }
    return {**body, **{name: value for name, value in extra.items() if value not in (None, "", [], {})}}


def problem_response(status: int, detail: str = "", **extra: object) -> HttpResponse:
    """Answer for Django's own views and middleware; DRF views raise instead."""
    body = orjson.dumps(problem(status, detail, **extra))
    return HttpResponse(body, status=status, content_type=CONTENT_TYPE)


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Handle exceptions for DRF. None lets the error go on to Django, which logs it and uses `server_error`."""
    known = as_api_exception(error)
    if known is None:
        return None
    set_rollback()
    detail, errors = explain(known)
    response = Response(
        problem(known.status_code, detail + remedy(known, context.get("view")), code=code_of(known), errors=errors),
        status=known.status_code,
        content_type=CONTENT_TYPE,
    )
    if (wait := getattr(known, "wait", None)) is not None:
        response["Retry-After"] = whole_seconds(wait)
    if auth_header := getattr(known, "auth_header", None):
        response["WWW-Authenticate"] = auth_header
    return response


def as_api_exception(error: Exception) -> exceptions.APIException | None:
    if isinstance(error, exceptions.APIException):
        return error
    if isinstance(error, Http404 | ObjectDoesNotExist):
        return exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied()
    return of_the_database(error)


def of_the_database(error: BaseException | None) -> Busy | Unwritable | MayBeStored | None:
    """Return what the database cannot do now and can do later: whoever asked is to come again, or look first."""
    if isinstance(error, Unsure):
        log.error("commit_unsure", error=first_line(error))
        return MayBeStored()
    if is_busy(error):
        # The log hears why; who asks, no more than concerns them.
        if is_out_of_reach(error):
            log.error("database_out_of_reach", error=str(error))
            return Busy(OUT_OF_REACH)
        if is_cut_off(error):
            log.error("database_connection_lost", error=first_line(error))
            return Busy(CUT_OFF)
        log.warning("database_busy", vendor=connection.vendor)
        return Busy()
    if why := why_unwritable(error):
        log.error("not_written", reason=why.value, error=first_line(error))
        return Unwritable(why)
    return None


def first_line(error: BaseException | None) -> str:
    """Return the first line: PostgreSQL goes on with the statement, and what is in it."""
    return str(error).partition("\n")[0]


def whole_seconds(wait: float) -> str:
    return str(max(1, int(-(-wait // 1))))


def explain(error: exceptions.APIException) -> tuple[str, list[dict[str, str]]]:
    """Return one sentence, and the list of fields that are wrong."""
    if isinstance(error, exceptions.ValidationError):
        errors = list(flatten(error.detail))
        return "; ".join(filter(None, (sentence(item) for item in errors[:3]))), errors
    return str(error.detail), []


def remedy(error: exceptions.APIException, view: Any) -> str:
    """Return what to do instead, for whoever used the wrong address or method."""
    if isinstance(error, exceptions.NotAuthenticated):
        return " Send your key in the header `Authorization: Bearer mst_…`."
    if isinstance(error, exceptions.UnsupportedMediaType) and view:
        return f" Send `Content-Type: {view.parser_classes[0].media_type}`."
    if isinstance(error, exceptions.MethodNotAllowed) and view:
        return allowed(view.allowed_methods)
    return ""


def allowed(methods: Iterable[str]) -> str:
    return f" Allowed: {', '.join(name for name in methods if name not in UNTOLD)}."


def sentence(item: Mapping[str, str]) -> str:
    return f"{item['field']}: {item['detail']}" if item["field"] else item["detail"]


def flatten(detail: Any, path: str = "") -> Any:
    """Return DRF's nested error details as rows of `{field, detail}`; `field` is a dotted path."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from flatten(inner, path if name == "non_field_errors" else f"{path}.{name}".strip("."))
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            nested = isinstance(inner, Mapping | list)
            yield from flatten(inner, f"{path}[{index}]" if nested else path)
    else:
        yield {"field": path, "detail": str(detail)}


def code_of(error: exceptions.APIException) -> str:
    codes = error.get_codes()
    return codes if isinstance(codes, str) else str(error.default_code)


def wants_page(request: HttpRequest) -> bool:
    """Return whether a person in a browser asks, who gets a page, or a toast, where others get a problem document."""
    is_for_script = request.path_info.startswith(FOR_PROGRAMS) or "HX-Request" in request.headers
    return not is_for_script and request.accepts("text/html") and "Accept" in request.headers


def error_view(request: HttpRequest, status: int, detail: str, code: str = "", **values: Any) -> HttpResponse:
    """`shown` is for the page."""
    if wants_page(request):
        context = {"status": status, "title": HTTPStatus(status).phrase, "detail": detail, **values}
        return render(request, "error.html", {**context, "request_id": current_request_id()}, status=status)
    if request.path_info.startswith(FOR_MEM0):
        return HttpResponse(orjson.dumps({"detail": detail}), status=status, content_type="application/json")
    return problem_response(status, detail, code=code)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return error_view(request, TooLarge.status_code, TooLarge.default_detail, TooLarge.default_code)
    if isinstance(exception, exceptions.APIException):  # The body did not come in time.
        answer = error_view(request, exception.status_code, str(exception.detail), code_of(exception))
        if (wait := getattr(exception, "wait", None)) is not None:
            answer["Retry-After"] = whole_seconds(wait)
        return answer
    is_for_another = isinstance(exception, DisallowedHost)
    return error_view(
        request, HTTPStatus.BAD_REQUEST, NO_HOST_OF_OURS if is_for_another else "The request cannot be read."
    )


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_view(request, HTTPStatus.FORBIDDEN, "You have no permission for this. Ask an owner of the app.")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return error_view(request, HTTPStatus.FORBIDDEN, why_refused(request, reason))


def why_refused(request: HttpRequest, reason: str) -> str:
    """Return why a form is not taken, and which setting takes it where a proxy has changed the server's address."""
    origin = request.META.get("HTTP_ORIGIN", "")
    if reason != REASON_BAD_ORIGIN % origin:
        return EXPIRED
    return NO_ORIGIN if origin == "null" else FOREIGN_ORIGIN.format(origin=origin[:200])


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    hint = nearest(request.path_info) if request.path_info.startswith("/api/") else ""
    return error_view(request, HTTPStatus.NOT_FOUND, "There is nothing at this address." + hint)


class ToldMethods(Middleware):
    """Middleware, the last: of a method that a page does not take, Django's own 405 says nothing but `Allow`."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if not isinstance(answer, HttpResponseNotAllowed):
            return answer
        error, methods = exceptions.MethodNotAllowed(request.method or ""), answer["Allow"]
        # Who looks at a page has come by the address of a form, opened anew.
        is_looking = request.method in ("GET", "HEAD") and wants_page(request)
        detail = ONLY_CHANGES if is_looking else str(error.detail) + allowed(methods.split(", "))
        answer = error_view(request, error.status_code, detail)
        answer["Allow"] = methods
        return answer


class PlainBodies(Middleware):
    """Middleware: a form, or OAuth request, that says it is packed is refused. Views of the API look for themselves."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponse | None:
        if hasattr(view, "cls") or not encoding_of(request):
            return None
        return error_view(request, EncodedBody.status_code, EncodedBody.default_detail, EncodedBody.default_code)


def nearest(path: str) -> str:
    """Return what is wrong with an address that comes near one of the API's; where to look for all others."""
    parts = path.rstrip("/").split("/")
    if path.endswith("/") and is_address(parts):
        return " Addresses of the API have no slash at the end."
    others = range(len(parts) if len(parts) <= MOST_PARTS else 0)
    if any(is_address([*parts[:place], SOME_ID, *parts[place + 1 :]]) for place in others):
        return " Ids are the server's own, such as a session's `id`; its `external_id` is none."
    return " All addresses are listed at /api/docs."


def is_address(parts: list[str]) -> bool:
    try:
        resolve("/".join(parts))
    except Resolver404:
        return False
    return True


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer while the exception is being handled, when Django calls it."""
    error = sys.exception()
    of_sqlite = isinstance(error, OverflowError) and "SQLite INTEGER" in str(error)
    if of_sqlite or getattr(getattr(error, "__cause__", None), "sqlstate", None) == OUT_OF_RANGE:
        return error_view(request, HTTPStatus.BAD_REQUEST, NUMBER_BEYOND)
    known = of_the_database(error)
    if known is None:
        return error_view(request, HTTPStatus.INTERNAL_SERVER_ERROR, BROKEN)
    if isinstance(known, MayBeStored):
        return error_view(request, known.status_code, str(known.detail), code_of(known))
    response = error_view(request, known.status_code, str(known.detail), code_of(known), typed=typed_in(request))
    response["Retry-After"] = whole_seconds(known.wait)
    return response


def typed_in(request: HttpRequest) -> list[tuple[str, str]]:
    """Return what a form of ours brought, to be sent again from the page that refuses it; nothing with a password.

    Only once it is known that no other site has sent it.
    """
    if request.method != "POST" or not getattr(request, "csrf_processing_done", False):
        return []
    fields = [(name, str(value)) for name, values in request.POST.lists() for value in values if name != CSRF_FIELD]
    return [] if any("password" in name for name, _ in fields) else fields
