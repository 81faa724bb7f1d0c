"""Long lists, some rows at a time: from one row on, never counted, stable while rows come in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet

from memsite.timestamps import is_in_reach

Row = TypeVar("Row", bound=Model)
SIZE = 50


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """`older` and `newer` are the values of `?after=` and `?before=` that lead on, None where nothing follows.

    One `is_beyond` where such a value led to no row: there may be others, nearer to the newest.
    """

    rows: list[Row]
    older: str | None = None
    newer: str | None = None
    is_beyond: bool = False


def take(rows: QuerySet[Row], asked: Mapping[str, str], size: int = SIZE, by: str = "uid") -> Slice[Row]:
    """The latest first, by `uid`, or by a moment that no two rows share (`by`).

    `after` and `before` name a row of another page; what names none is passed over.
    """
    read = as_uid if by == "uid" else as_moment
    after, before = read(asked.get("after")), read(asked.get("before"))
    if before is not None and after is None:
        found = list(rows.filter(**{f"{by}__gt": before}).order_by(by)[: size + 1])
        more, page = len(found) > size, found[:size][::-1]
        return Slice(page, name_of(page, -1, by), name_of(page, 0, by) if more else None, is_beyond=not page)
    if after is not None:
        rows = rows.filter(**{f"{by}__lt": after})
    found = list(rows.order_by(f"-{by}")[: size + 1])
    page = found[:size]
    older = name_of(page, -1, by) if len(found) > size else None
    return Slice(page, older, name_of(page, 0, by) if after else None, is_beyond=not page and after is not None)


def name_of(rows: list[Any], place: int, by: str = "uid") -> str | None:
    if not rows:
        return None
    value = getattr(rows[place], by)
    return value.isoformat() if isinstance(value, datetime) else str(value)


def as_uid(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None


def as_moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo and is_in_reach(moment) else None
