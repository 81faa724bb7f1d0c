"""Pages of lists and searches: `{results, next, previous}`, stable while rows come in."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar
from uuid import UUID

from django.core.exceptions import ValidationError as ModelValidationError
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.fields import ONE_TIME, AppTimeField, range_of, valid_asked
from memories.api.scope_names import hint
from memories.language.secrets import secret_in_name
from memories.retrieve.hits import Recall
from memories.retrieve.pipeline import SearchRequest
from memories.retrieve.validity import Times, at_moment
from memories.services import MemoryAgent
from memsite.db import replica
from memsite.db.lru_cache import Commit
from memsite.http.json_body import dump_json
from memsite.timestamps import in_utc

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
USER_CHARACTERS = 200
NO_CURSOR = {"cursor": ["Not a cursor of this list."]}
# By public id, which is by time: a cursor shows its position, and a small number would count other apps' rows.
LATEST_FIRST = "-uid"
Rows = TypeVar("Rows", bound=QuerySet[Any])
# The next page is ranked as of the first one's time; after this it is another search.
GOOD_FOR = timedelta(hours=1)
FARTHEST = 10_000


class Pages(CursorPagination):
    page_size_query_param = "limit"
    request: Request

    def __init__(self, ordering: str, field: Any) -> None:
        self.ordering, self.field = ordering, field

    def get_page_size(self, request: Request) -> int:
        return up_to(MAX_LIMIT, "limit", request.query_params.get("limit"), DEFAULT_LIMIT)

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Decode the cursor, if it was made for this list: its position begins with the list's mark."""
        try:
            cursor: Cursor | None = super().decode_cursor(request)
            if cursor is None:
                return None
            given: Any = cursor.position or ""
            mark, _, position = given.partition(":")
            value = self.field.clean(position, None)
            # A time in UTC's calendar, where it can be compared.
            place: Any = str(in_utc(value)) if isinstance(value, datetime) else position
        except (NotFound, ModelValidationError, ValueError, OverflowError) as error:
            raise ValidationError(NO_CURSOR) from error
        if mark != mark_of(request):
            raise ValidationError(NO_CURSOR)
        return Cursor(cursor.offset, cursor.reverse, place)

    def encode_cursor(self, cursor: Cursor) -> str:
        marked: Any = f"{mark_of(self.request)}:{cursor.position}"
        return str(super().encode_cursor(Cursor(cursor.offset, cursor.reverse, marked)))


def mark_of(request: Request) -> str:
    """Return a mark that tells this list from others, whatever it is filtered by."""
    return sha256(request.path.encode()).hexdigest()[:8]


def page(
    view: Any, rows: QuerySet[Any], show: Callable[[Any], dict[str, Any]], ordering: str = LATEST_FIRST
) -> Response:
    """Return one page of `rows`, each as `show` returns it; a replica may answer."""
    return replica.read(partial(page_here, view, rows, show, ordering))


def page_here(view: Any, rows: QuerySet[Any], show: Callable[[Any], dict[str, Any]], ordering: str) -> Response:
    pages = Pages(ordering, rows.model._meta.get_field(ordering.lstrip("-")))
    some: list[Any] | None = pages.paginate_queryset(rows, view.request, view=view)
    return Response(
        {
            "results": [show(row) for row in some or []],
            "next": pages.get_next_link(),
            "previous": pages.get_previous_link(),
        }
    )


def refuse_unknown(request: Request, *known: str) -> None:
    """Refuse query parameters that are unknown or given twice, as unknown body fields are refused."""
    if not request.META.get("QUERY_STRING"):
        return
    unknown = sorted(set(request.query_params) - {*known})
    if unknown:
        raise ValidationError({name[:100]: ["Unknown parameter." + hint(name, known)] for name in unknown})
    if twice := [name for name, values in request.query_params.lists() if len(values) > 1]:
        raise ValidationError({name: ["Given more than once."] for name in twice})
    if nul := [name for name, value in request.query_params.items() if "\0" in value]:
        raise ValidationError({name: ["Contains a NUL character."] for name in nul})


def refuse_secrets(request: Request, path: Mapping[str, Any]) -> None:
    """Refuse a secret in an address: addresses are logged wherever they pass."""
    query = request.query_params.items() if request.META.get("QUERY_STRING") else ()
    for name, value in (*query, *path.items()):
        if isinstance(value, str) and (kind := secret_in_name(value)):
            raise ValidationError({name[:100]: [f"This looks like a secret ({kind}): send none in an address."]})


def up_to(most: int, name: str, given: str | None, default: int) -> int:
    """Return the number of a query parameter, from 1 on; `default` without it."""
    return default if given is None else whole(name, given, most, least=1)


def whole(name: str, text: str, most: int, *, least: int = 0) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 19 or not least <= int(text) <= most:
        raise ValidationError({name: [f"A whole number from {least} to {most}."]})
    return int(text)


def user_asked(request: Request) -> str | None:
    """Return the end user that the query string names, None if it names nobody."""
    given: str | None = request.query_params.get("user_id")
    if given is not None and not 0 < len(given.strip()) <= USER_CHARACTERS:
        raise ValidationError({"user_id": [f"1 to {USER_CHARACTERS} characters."]})
    return given


def flag(request: Request, name: str) -> bool:
    """Return a query parameter that is true or false; false without it."""
    return one_of(name, request.query_params.get(name, "false"), ("true", "false")) == "true"


def one_of(name: str, value: str, allowed: Sequence[str]) -> str:
    """Return a query parameter's value, if it is one of the allowed."""
    if value not in allowed:
        raise ValidationError({name: [f"One of {', '.join(allowed)}."]})
    return value


def chosen(rows: Rows, request: Request, **choices: Sequence[str]) -> Rows:
    """Filter by the query string: each of these fields takes one of its choices."""
    for name, allowed in choices.items():
        if name in request.query_params:
            rows = rows.filter(**{name: one_of(name, request.query_params[name], allowed)})
    return rows


def as_moment(name: str, text: str) -> datetime:
    """Parse a time in ISO 8601; UTC where it names no zone."""
    try:
        moment = parse_datetime(text)
        if moment is not None:
            return in_utc(moment)
    except (ValueError, OverflowError):
        pass
    raise ValidationError({name: ["A time in ISO 8601."]})


def by_app_clock(name: str, text: str) -> datetime:
    """Parse a time as fields of a body are: by the clock of the app where it names no zone."""
    try:
        moment: datetime = AppTimeField().run_validation(text)
    except ValidationError as error:
        raise ValidationError({name: error.detail}) from None
    return moment


def range_asked(request: Request, start: str, end: str) -> Times | None:
    """Return the range of two query parameters, of which one may be missing; None without both."""
    first, last = (
        by_app_clock(name, request.query_params[name]) if name in request.query_params else None
        for name in (start, end)
    )
    if first and last and last <= first:
        raise ValidationError({end: [f"Has to lie after {start}."]})
    return range_of(first, last)


def validity_asked(request: Request) -> Times | None:
    """Return the time of `valid_at`, or of `valid_from` and `valid_until`; None without any."""
    times = range_asked(request, "valid_from", "valid_until")
    if "valid_at" not in request.query_params:
        return times
    if times:
        raise ValidationError({"valid_at": [ONE_TIME]})
    return at_moment(by_app_clock("valid_at", request.query_params["valid_at"]))


def as_uuid(name: str, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise ValidationError({name: ["Not an id."]}) from error


def make_cursor(offset: int, started: datetime, question: Mapping[str, Any]) -> str:
    encoded = dump_json([offset, started.timestamp(), fingerprint(question)])
    return urlsafe_b64encode(encoded).decode().rstrip("=")


def read_cursor(cursor: str, question: Mapping[str, Any], now: datetime) -> tuple[int, datetime]:
    """Return how many hits came before, and when the search began. ValidationError for a cursor of another search."""
    try:
        offset, seconds, digest = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        started = datetime.fromtimestamp(seconds, UTC)
        fits = isinstance(offset, int) and 0 < offset <= FARTHEST and digest == fingerprint(question)
    except (ValueError, TypeError, OverflowError, OSError, RecursionError) as error:
        raise ValidationError({"cursor": ["Not a cursor of a search."]}) from error
    if not fits:
        raise ValidationError({"cursor": ["A cursor of another search."]})
    if not now - GOOD_FOR <= started <= now:
        raise ValidationError({"cursor": ["Too old: search again."]})
    return offset, started


def fingerprint(question: Mapping[str, Any]) -> str:
    return sha256(dump_json(question, in_order=True)).hexdigest()[:16]


def search_page(
    agent: MemoryAgent, question: Mapping[str, Any], commit: Commit | None = None
) -> tuple[Recall, str | None]:
    """Return the hits of a SearchQuestion, and the cursor of the next page if there is one.

    The last `commit` before the request need not be known.
    """
    search_fields = {name: value for name, value in question.items() if name != "cursor"}
    offset, now = (
        read_cursor(question["cursor"], search_fields, timezone.now()) if question["cursor"] else (0, timezone.now())
    )
    answer = agent.search(
        SearchRequest(
            text=question["query"],
            limit=question["limit"],
            offset=offset,
            mode=question["mode"],
            min_score=question["min_score"],
            user_id=question["user_id"],
            filters=question["filters"],
            shared=question["scope"] == "shared",
            documents=question["documents"],
            as_of=question["as_of"],
            valid=valid_asked(question),
            stored=range_of(question["since"], question["until"]),
            count_access=question["touch"],
            commit=commit,
        ),
        now,
    )
    next_offset = offset + question["limit"]
    return answer, make_cursor(next_offset, now, search_fields) if answer.more and next_offset <= FARTHEST else None
