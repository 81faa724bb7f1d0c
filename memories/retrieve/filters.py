"""Filters: which memories may be found at all, as JSON.

    {"and": [{"category": "work"}, {"not": {"tags": "old"}}, {"importance": {"gte": 3}}]}

`and` and `or` take lists, `not` takes one filter; several fields in one object must all hold. A field's value is
what it equals, a list is any of these, null is none, an object holds operators. `tags` asks for one tag as it stands;
`metadata.NAME` for a value inside `metadata`, by any names with dots between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import isfinite
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import BooleanField, Func, Q
from django.utils.dateparse import parse_datetime
from numpy.typing import NDArray

from memories.index.columns import MEANWHILE, counts_of, touched_between
from memories.models import Kind, Memory, Source, Visibility
from memories.models.memory import MemoryQuerySet, subject_of
from memsite.db.lru_cache import Latest, is_committed
from memsite.http.json_body import fits_64_bits
from memsite.tenancy.models import App
from memsite.tenancy.origin import Origin
from memsite.timestamps import in_utc

SQL = tuple[str, tuple[Any, ...]]
MAX_PARTS = 100
MAX_DEPTH = 10
MAX_VALUES = 500
MAX_CHARACTERS = 1_000
PLAIN = re.compile(r"[A-Za-z0-9 _.:#@+-]+")
ORDERED = ("gt", "gte", "lt", "lte")
UNVERSIONED = {"access_count", "agent"}
"""Fields that change by themselves."""
FILTERS_KEPT = 8
"""Of all apps. One has eight bytes for each memory that it lets in."""
Pks = NDArray[np.int64]
cached_filters: Latest[CachedFilter] = Latest(FILTERS_KEPT)


class HoldsText(Func):
    """Whether a list holds exactly this text."""

    output_field = BooleanField()

    def __init__(self, column: str, text: str) -> None:
        super().__init__(column)
        self.text = text

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> SQL:
        column, parameters = compiler.compile(self.source_expressions[0])
        sql = f"EXISTS (SELECT 1 FROM json_each({column}) WHERE type = 'text' AND atom = %s)"  # noqa: S608  # our own words
        if not PLAIN.fullmatch(self.text):
            return sql, (*parameters, self.text)
        # Such a text stands in its JSON as it is: most rows need not be read as JSON.
        return f"(instr({column}, %s) AND {sql})", (*parameters, f'"{self.text}"', *parameters, self.text)

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> SQL:
        column, parameters = compiler.compile(self.source_expressions[0])
        return f"({column} @> %s::jsonb)", (*parameters, json.dumps([self.text]))


class HoldsValue(Func):
    """Whether a path of names leads to exactly this text, number or truth; with None, whether it leads to nothing.

    Objects are gone into, lists are not: "0" is a name, too.
    """

    output_field = BooleanField()

    def __init__(self, column: str, path: list[str], value: str | float | bool | None) -> None:
        super().__init__(column)
        self.path, self.value = path, value

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> SQL:
        """json_each, as its paths read names with quotes or digits in another way."""
        inside, parameters = compiler.compile(self.source_expressions[0])
        *parents, name = self.path
        for parent in parents:
            inside = f"(SELECT value FROM json_each({inside}) WHERE key = %s AND type = 'object')"  # noqa: S608
            parameters = (*parameters, parent)
        negation, condition = "", "type IN ('integer', 'real') AND atom = %s"
        values: tuple[Any, ...] = (self.value,)
        if self.value is None:
            negation, condition, values = "NOT ", "type <> 'null'", ()
        elif isinstance(self.value, bool):
            condition, values = "type = %s", (json.dumps(self.value),)
        elif isinstance(self.value, str):
            condition = "type = 'text' AND atom = %s"
        elif not -(2**63) <= self.value < 2**63:
            values = (float(self.value),)
        sql = f"{negation}EXISTS (SELECT 1 FROM json_each({inside}) WHERE key = %s AND {condition})"  # noqa: S608
        return sql, (*parameters, name, *values)

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> SQL:
        column, parameters = compiler.compile(self.source_expressions[0])
        expression = column + " -> %s::text" * len(self.path)
        sql = f"(COALESCE({expression}, 'null'::jsonb) = %s::jsonb)"
        return sql, (*parameters, *self.path, json.dumps(self.value))


class FilterError(ValueError):
    """What is wrong with a filter, in a sentence."""


def build_filter(filters: Any) -> Q:
    """Return the condition on memories. Raises FilterError if the filter cannot be read."""
    return Builder().build(filters, 0)


def text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_CHARACTERS:
        raise FilterError(f"takes a text of {MAX_CHARACTERS:,} characters at most")
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
        parsed = parse_datetime(text(value))
        if parsed is not None:
            return in_utc(parsed)
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

KNOWN = ("and", "or", "not", "tags", "metadata.<name>", *sorted(FIELDS))


def names_in(filters: Mapping[str, Any]) -> set[str]:
    """Return the fields that a filter looks at, "metadata" for all inside it."""
    names: set[str] = set()
    for name, value in filters.items():
        if name == "not":
            names |= names_in(value)
        elif name in ("and", "or"):
            names = names.union(*map(names_in, value))
        else:
            names.add(name.partition(".")[0])
    return names


def users_named(filters: Mapping[str, Any]) -> set[str]:
    """Return the end users whose memories a filter asks for. Whom it leaves out (`not`, `ne`) it does not name."""
    users: set[str] = set()
    for name, value in filters.items():
        if name in ("and", "or"):
            users = users.union(*map(users_named, value))
        elif name == "user_id":
            users.update(user for user in equals_of(value) if isinstance(user, str))
    return users


def equals_of(value: Any) -> list[Any]:
    """Return the values that a field may equal."""
    if isinstance(value, Mapping):
        return [equal for name in ("eq", "in") if name in value for equal in equals_of(value[name])]
    return value if isinstance(value, list) else [value]


class Builder:
    """Build a condition and count its parts, so that no filter is too much work."""

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
            equals, ordered = comparison(name)
            if isinstance(value, Mapping):
                return compared(equals, ordered, value)
            return any_of(value, equals)
        except FilterError as error:
            raise FilterError(f"{name[:100]}: {error}.") from error


def comparison(name: str) -> tuple[Callable[[Any], Q], Callable[[str, Any], Q] | None]:
    """Return how a field is compared with one value, and by an operator if it has an order."""
    if name == "tags":
        return (lambda value: Q(tags=[]) if value is None else Q(HoldsText("tags", text(value)))), None
    if name.startswith("metadata."):
        path = name.split(".")[1:]
        if not all(path) or len(path) > MAX_DEPTH or "\0" in name:
            raise FilterError(f"takes 1 to {MAX_DEPTH} names with dots between them")
        return partial(metadata_equals, path), None
    if name not in FIELDS:
        raise FilterError(f"unknown field; there are {', '.join(KNOWN)}")
    column, read, is_ordered = FIELDS[name]

    def equals(value: Any) -> Q:
        known = None if value is None else read(value)
        if column == "subject":
            known = subject_of(known)
        return Q(**{f"{column}__isnull": True}) if known is None else Q(**{column: known})

    return equals, (lambda operator, value: Q(**{f"{column}__{operator}": read(value)})) if is_ordered else None


def any_of(value: Any, condition: Callable[[Any], Q]) -> Q:
    """Return the condition of one value, or of any of a list."""
    if not isinstance(value, list):
        return condition(value)
    if not 0 < len(value) <= MAX_VALUES:
        raise FilterError(f"takes a list of 1 to {MAX_VALUES}")
    joined = Q()
    for item in value:
        joined |= condition(item)
    return joined


def compared(equals: Callable[[Any], Q], ordered: Callable[[str, Any], Q] | None, operators: Mapping[str, Any]) -> Q:
    condition = Q()
    for operator, value in operators.items():
        if operator == "ne":
            condition &= ~equals(value)
        elif operator == "in":
            condition &= any_of(value if isinstance(value, list) else [value], equals)
        elif operator == "eq":
            condition &= equals(value)
        elif ordered and operator in ORDERED:
            condition &= ordered(operator, value)
        else:
            raise FilterError(f"has no operator {operator[:20]}")
    return condition


def metadata_equals(path: list[str], value: Any) -> Q:
    if isinstance(value, str):
        text(value)
    elif value is not None and not (isinstance(value, int | float) and isfinite(value) and fits_64_bits(value)):
        raise FilterError("takes a text, a number, true, false or null")
    return Q(HoldsValue("metadata", path, value))


@dataclass(frozen=True, slots=True)
class CachedFilter:
    """Hold the memories that a filter matches, as of a change of the app."""

    change_number: int
    pks: Pks


def matching_pks(app: App, filters: Mapping[str, Any]) -> Pks:
    """Return the pks of the app's memories that match a filter. Raises FilterError if it cannot be read.

    A filter that is not cached, or behind by much, takes one query over the whole app and a short one. A cached one
    takes the short one if nothing was written since, and two more about what was.
    """
    rows = Memory.objects.for_app(app).filter(build_filter(filters)).order_by()
    if not is_committed() or names_in(filters) & UNVERSIONED:
        return pks_of(rows)
    key = app.pk, app.index_number, json.dumps(filters, sort_keys=True)
    # The number first: what is written meanwhile may be read twice, never missed.
    ((latest, _),) = counts_of(app.pk)
    known = cached_filters.get(key)
    if known and known.change_number == latest:
        return known.pks
    if known and 0 < latest - known.change_number <= MEANWHILE:
        touched = touched_between(app.pk, known.change_number, latest)
        since = rows.filter(change_number__gt=known.change_number, change_number__lte=latest + MEANWHILE)
        pks = np.concatenate([known.pks[~np.isin(known.pks, touched)], pks_of(since)])
    else:
        pks = pks_of(rows)
    cached_filters.put(key, CachedFilter(latest, pks))
    return pks


def pks_of(rows: MemoryQuerySet) -> Pks:
    return np.fromiter(rows.values_list("pk", flat=True), np.int64)
