"""Long lists, some rows at a time: from one row on, never counted, stable while rows come in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)
SIZE = 50


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """`older` and `newer` are the values of `?after=` and `?before=` that lead on, None where nothing follows."""

    rows: list[Row]
    older: str | None = None
    newer: str | None = None


def take(rows: QuerySet[Row], asked: Mapping[str, str], size: int = SIZE) -> Slice[Row]:
    """The latest first, by `uid`. `after` and `before` name a row of another page; what is no id is passed over."""
    after, before = as_uid(asked.get("after")), as_uid(asked.get("before"))
    if before is not None and after is None:
        found = list(rows.filter(uid__gt=before).order_by("uid")[: size + 1])
        more, page = len(found) > size, found[:size][::-1]
        return Slice(page, uid_of(page, -1), uid_of(page, 0) if more else None)
    if after is not None:
        rows = rows.filter(uid__lt=after)
    found = list(rows.order_by("-uid")[: size + 1])
    page = found[:size]
    return Slice(page, uid_of(page, -1) if len(found) > size else None, uid_of(page, 0) if after else None)


def uid_of(rows: list[Any], place: int) -> str | None:
    return str(rows[place].uid) if rows else None


def as_uid(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
