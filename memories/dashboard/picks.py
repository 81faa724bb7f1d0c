"""What is ticked on a page."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

from django.core.exceptions import BadRequest

from memories.dashboard.desk import DeskRequest

AT_MOST = 500


def ticked(request: DeskRequest, name: str) -> list[UUID]:
    """The ids that were sent under this name. BadRequest for more than a page can show, and for what is no id."""
    given = request.POST.getlist(name)
    if len(given) > AT_MOST:
        raise BadRequest
    return [as_id(text) for text in given]


def as_number(text: str) -> int:
    """Of a version. BadRequest for what is none."""
    # Python itself refuses thousands of digits.
    with suppress(ValueError):
        if text.isdecimal():
            return int(text)
    raise BadRequest


def as_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise BadRequest from error
