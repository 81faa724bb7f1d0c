"""Filters: which memories may be found at all, as JSON.

    {"and": [{"category": "work"}, {"not": {"tags": "old"}}, {"importance": {"gte": 3}}]}

`and` and `or` take lists, `not` takes one filter; several fields in one object must all hold. A field's value is
what it equals, a list is any of these, an object holds operators. `tags` asks for one tag; `metadata.NAME` for a value
inside `metadata`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.dateparse import parse_datetime

from memories.models import Kind, Source, Visibility
from memories.models.memory import subject_of
from memsite.moments import in_utc
from memsite.tenancy.origin import Origin

MAX_PARTS = 100
MAX_DEPTH = 10
MAX_VALUES = 500
OPERATORS = {"eq": "", "gt": "__gt", "gte": "__gte", "lt": "__lt", "lte": "__lte"}


class FilterError(ValueError):
    """What is wrong with a filter, in a sentence."""


def build_filter(filters: Any) -> Q:
    """The condition on memories; FilterError if it cannot be read."""
    return Builder().build(filters, 0)


def text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 1000:
        raise FilterError("takes a text")
    return value


def one_of(choices: list[str]) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in choices:
            raise FilterError(f"takes one of {', '.join(choices)}")
        return str(value)

    return check


def number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 2**53:
        raise FilterError("takes a number")
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise FilterError("takes true or false")
    return value


def uid(value: Any) -> UUID:
    try:
        return UUID(text(value))
    except ValueError as error:
        raise FilterError("takes an id") from error


def moment(value: Any) -> datetime:
    try:
        found = parse_datetime(text(value))
        if found is not None:
            return in_utc(found)
    except (ValueError, OverflowError) as error:
        raise FilterError("takes a time in ISO 8601") from error
    raise FilterError("takes a time in ISO 8601")


# How a field is called in the database, what it takes, and whether it has an order.
FIELDS: dict[str, tuple[str, Callable[[Any], Any], bool]] = {
    "category": ("category", text, False),
    "subject": ("subject", text, False),
    "kind": ("kind", one_of(Kind.values), False),
    "visibility": ("visibility", one_of(Visibility.values), False),
    "source": ("source", one_of(Source.values), False),
    "origin": ("origin", one_of(Origin.values), False),
    "reviewed_at": ("reviewed_at", moment, True),
    "agent": ("agent__name", text, False),
    "user_id": ("user_id", text, False),
    "external_id": ("external_id", text, False),
    "session_id": ("session__uid", uid, False),
    "pinned": ("pinned", flag, False),
    "importance": ("importance", number, True),
    "confidence": ("confidence", number, True),
    "priority": ("priority", number, True),
    "tier": ("tier", number, True),
    "turn_number": ("turn_number", number, True),
    "access_count": ("access_count", number, True),
    "created_at": ("created_at", moment, True),
    "updated_at": ("updated_at", moment, True),
    "confirmed_at": ("confirmed_at", moment, True),
    "valid_from": ("valid_from", moment, True),
    "valid_until": ("valid_until", moment, True),
}


def names_in(filters: Mapping[str, Any]) -> set[str]:
    """The fields that a filter looks at, "metadata" for all inside it."""
    found: set[str] = set()
    for name, value in filters.items():
        if name == "not":
            found |= names_in(value)
        elif name in ("and", "or"):
            found = found.union(*map(names_in, value))
        else:
            found.add(name.partition(".")[0])
    return found


class Builder:
    """Counts the parts, so that no filter is too much work."""

    def __init__(self) -> None:
        self.parts = 0

    def build(self, filters: Any, depth: int) -> Q:
        if not isinstance(filters, Mapping):
            raise FilterError("A filter is an object.")
        if depth > MAX_DEPTH:
            raise FilterError(f"Filters go {MAX_DEPTH} levels deep at most.")
        condition = Q()
        for name, value in filters.items():
            self.parts += 1
            if self.parts > MAX_PARTS:
                raise FilterError(f"A filter has {MAX_PARTS} parts at most.")
            condition &= self.part(name, value, depth)
        return condition

    def part(self, name: str, value: Any, depth: int) -> Q:
        if name == "not":
            return ~self.build(value, depth + 1)
        if name in ("and", "or"):
            if not isinstance(value, list) or not value:
                raise FilterError(f"{name}: takes a list of filters.")
            conditions = [self.build(item, depth + 1) for item in value]
            joined = conditions[0]
            for condition in conditions[1:]:
                joined = joined & condition if name == "and" else joined | condition
            return joined
        try:
            return field_condition(name, value)
        except FilterError as error:
            raise FilterError(f"{name[:100]}: {error}.") from error


def field_condition(name: str, value: Any) -> Q:
    if name == "tags":
        return any_of(value, has_tag)
    if name.startswith("metadata."):
        return any_of(value, lambda item: metadata_equals(name, item))
    if name not in FIELDS:
        raise FilterError("unknown field")
    column, read, is_ordered = FIELDS[name]
    if isinstance(value, Mapping):
        return compared(column, read, value, is_ordered)
    return any_of(value, lambda item: equals(column, read, item))


def any_of(value: Any, condition: Callable[[Any], Q]) -> Q:
    """The condition of one value, or of any of a list."""
    if not isinstance(value, list):
        return condition(value)
    if not 0 < len(value) <= MAX_VALUES:
        raise FilterError(f"takes a list of 1 to {MAX_VALUES}")
    joined = Q()
    for item in value:
        joined |= condition(item)
    return joined


def equals(column: str, read: Callable[[Any], Any], value: Any) -> Q:
    known = None if value is None else read(value)
    if column == "subject":
        known = subject_of(known)
    return Q(**{f"{column}__isnull": True}) if known is None else Q(**{column: known})


def compared(column: str, read: Callable[[Any], Any], operators: Mapping[str, Any], is_ordered: bool) -> Q:
    condition = Q()
    for operator, value in operators.items():
        if operator == "ne":
            condition &= ~equals(column, read, value)
        elif operator == "in":
            condition &= any_of(value if isinstance(value, list) else [value], lambda item: equals(column, read, item))
        elif operator == "eq":
            condition &= equals(column, read, value)
        elif operator in OPERATORS and is_ordered:
            condition &= Q(**{column + OPERATORS[operator]: read(value)})
        else:
            raise FilterError(f"has no operator {operator[:20]}")
    return condition


def has_tag(value: Any) -> Q:
    # The column is a JSON list of texts: a tag is in it when its JSON is.
    return Q(tags__icontains=json.dumps(text(value))) | Q(tags__icontains=json.dumps(text(value), ensure_ascii=False))


def metadata_equals(name: str, value: Any) -> Q:
    path = name.removeprefix("metadata.").split(".")
    if not all(part.isidentifier() for part in path) or len(path) > MAX_DEPTH:
        raise FilterError("takes a path of plain names")
    if isinstance(value, Mapping):
        raise FilterError("takes a plain value")
    return Q(**{"metadata__" + "__".join(path): value})
