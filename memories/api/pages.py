"""Lists as cursor pages: `{results, next, previous}`, stable while rows come in."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

DEFAULT_LIMIT = 50
MAX_LIMIT = 200


class Pages(CursorPagination):
    page_size = DEFAULT_LIMIT
    page_size_query_param = "limit"
    max_page_size = MAX_LIMIT
    ordering = "-id"

    def get_page_size(self, request: Request) -> int:
        given = request.query_params.get("limit")
        if given is None:
            return DEFAULT_LIMIT
        if not given.isascii() or not given.isdigit() or not 1 <= int(given[:9]) <= MAX_LIMIT:
            raise ValidationError({"limit": [f"A whole number from 1 to {MAX_LIMIT}."]})
        return int(given)


def page(view: Any, rows: Any, show: Callable[[Any], dict[str, Any]], ordering: str = "-id") -> Response:
    """One page of `rows`, each as `show` has it."""
    pages = Pages()
    pages.ordering = ordering
    some: list[Any] | None = pages.paginate_queryset(rows, view.request, view=view)
    return Response(
        {
            "results": [show(row) for row in some or []],
            "next": pages.get_next_link(),
            "previous": pages.get_previous_link(),
        }
    )


def refuse_unknown(request: Request, *known: str) -> None:
    """Query parameters nobody knows are refused like body fields nobody knows."""
    unknown = sorted(set(request.query_params) - {*known, "limit", "cursor"})
    if unknown:
        raise ValidationError({name[:100]: ["Unknown parameter."] for name in unknown})


def one_of(name: str, value: str, allowed: Sequence[str]) -> str:
    """A query parameter's value, if it is one of the allowed."""
    if value not in allowed:
        raise ValidationError({name: [f"One of {', '.join(allowed)}."]})
    return value


def as_uuid(name: str, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise ValidationError({name: ["Not an id."]}) from error
