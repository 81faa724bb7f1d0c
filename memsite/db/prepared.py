"""Queries whose SQL is written once: the ORM takes longer to write one than SQLite takes to answer it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import repeat
from operator import methodcaller
from typing import Any, Generic, TypeVar
from uuid import UUID

import orjson
from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models.expressions import Col
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

from memsite.db.copies import copy_row
from memsite.db.lru_cache import Commit, Latest

Row = TypeVar("Row")
Value = TypeVar("Value")
Values = list[Any]
Make = Callable[[Iterable[Sequence[Any]]], Iterator[Any]]
Convert = Callable[[Any], Any]
ANSWERS_KEPT = 1_024
"""Of each query, where it is asked as of a commit."""


def fetch_all(sql: str, parameters: Sequence[Any], *, is_planned: bool = False) -> list[Any]:
    """Return the rows that SQL finds, as the database returns them.

    If it `is_planned`, PostgreSQL keeps its plan: of what finds few rows whatever its parameters are.
    """
    wrapper = connections[DEFAULT_DB_ALIAS]
    if is_planned and wrapper.vendor == "postgresql" and not wrapper.queries_logged:
        # psycopg takes its time to load, and SQLite needs none of it. It could not tell a log what it asked.
        from memsite.db.postgres import fetch_planned

        return fetch_planned(wrapper, sql, parameters)
    with wrapper.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def json_of(text: str) -> Any:
    """Read JSON, mostly empty; the faster parser reads it where both read the same."""
    if make := EMPTY.get(text):
        return make()
    if not LONG_NUMBER.search(text):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            pass
    return json.loads(text)


LONG_NUMBER = re.compile(r"\d{19}")
"""Such integers orjson may round."""
EMPTY: dict[str, Callable[[], Any]] = {"[]": list, "{}": dict}
# What Django does to a value of such a column that is not NULL, where it does one thing, in a third of the time.
QUICK: dict[str, Convert] = {
    "DateTimeField": methodcaller("replace", tzinfo=UTC),
    "UUIDField": UUID,
    "BooleanField": bool,
    "JSONField": json_of,
}


class Prepared(Generic[Row]):
    """A query by the ORM, called with its values: the rows that `make(*values)` would have, as a list.

    Values are model instances, numbers and texts, in the order in which the SQL asks for them, and never change what it
    is; the SQL may differ with their number. Measured: 0.1 instead of 0.8 ms for a key with its agent, app and policy.
    """

    def __init__(self, make: Callable[..., models.QuerySet[Any, Row]]) -> None:
        self.make = make
        # By the number of values.
        self.written: dict[int, Written] = {}
        self.latest: Latest[tuple[Commit | None, Sequence[Row]]] = Latest(ANSWERS_KEPT)

    def __call__(self, *values: models.Model | int | str) -> list[Row]:
        return self.query_for(values).ask(values)

    def as_of(self, commit: Commit | None, *values: models.Model | int | str) -> Sequence[Row]:
        """Return the same, and without asking the database if it was asked since that commit, the last one.

        For few rows that are asked for often: they stay in memory, and each caller is given copies.
        """
        key = tuple(parameters_of(values))
        cached = self.latest.get(key) if commit else None
        if cached is None or cached[0] != commit:
            cached = commit, self(*values)
            if commit:
                self.latest.put(key, cached)
        return [copy_row(row) if isinstance(row, models.Model) else row for row in cached[1]]

    def query_for(self, values: Sequence[models.Model | int | str]) -> Written:
        """Return placeholders for as many values."""
        if len(values) not in self.written:
            samples = list(samples_of(values))
            query = self.make(*samples)
            compiler = query.query.get_compiler(connection=connection)
            sql, taken = compiler.as_sql()
            if list(taken) != parameters_of(samples):
                raise ValueError(f"The query takes {list(taken)}, not {parameters_of(samples)}.")
            given = compiler.get_converters([column for column, *_ in compiler.select])
            converters = [(place, converter_of(expression, steps)) for place, (steps, expression) in given.items()]
            # Only `values_list` has fields of its own.
            is_plain = query._fields is not None  # type: ignore[attr-defined]
            make = as_tuples if is_plain else instances_of(compiler)
            self.written[len(values)] = Written(sql, converters, make)
        return self.written[len(values)]


@dataclass(frozen=True, slots=True)
class Written:
    """A query's SQL, how the values of its columns are read, and how rows are made of these."""

    sql: str
    converters: Sequence[tuple[int, Convert]]
    make: Make

    def ask(self, values: Sequence[models.Model | int | str]) -> list[Any]:
        rows = fetch_all(self.sql, parameters_of(values), is_planned=True)
        return list(self.make([converted(row, self.converters) for row in rows] if self.converters else rows))


def samples_of(values: Sequence[Any]) -> Iterator[Any]:
    """Yield values that all differ: the ORM drops the second of two equal ones from an IN."""
    taken, met = {value for value in values if isinstance(value, str)}, set[Any]()
    for number, value in enumerate(values, 1):
        if isinstance(value, int):
            yield number
        elif isinstance(value, str) and value in met:
            sample = value
            while sample in taken:
                sample += "+"
            taken.add(sample)
            yield sample
        else:
            met.add(value)
            yield value


def parameters_of(values: Sequence[Any]) -> list[Any]:
    return [value.pk if isinstance(value, models.Model) else value for value in values]


def as_tuples(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    return map(tuple, rows)


def converter_of(expression: Any, steps: Sequence[Callable[..., Any]]) -> Convert:
    """Return SQL for what is not NULL, which stays what it is."""
    quick = QUICK.get(expression.output_field.get_internal_type()) if isinstance(expression, Col) else None
    if quick and len(steps) == 1 and not getattr(expression.output_field, "decoder", None):
        return quick

    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value, expression, connection)
        return value

    return convert


def converted(row: Sequence[Any], converters: Sequence[tuple[int, Convert]]) -> Values:
    values = list(row)
    for place, convert in converters:
        if (value := values[place]) is not None:
            values[place] = convert(value)
    return values


def instances_of(compiler: SQLCompiler) -> Make:
    """Return what makes instances as the ORM does, with those selected with them."""
    select, known = compiler.select, compiler.klass_info
    assert known is not None
    start, end = known["select_fields"][0], known["select_fields"][-1] + 1
    names = [column.target.attname for column, *_ in select[start:end]]
    populators = get_related_populators(known, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]  # stubs of a later one
    model = known["model"]

    def make(rows: Iterable[Sequence[Any]]) -> Iterator[models.Model]:
        for row in rows:
            instance = model.from_db(DEFAULT_DB_ALIAS, names, row[start:end])
            for populator in populators:
                populator.populate(row, instance)
            yield instance

    return make


def padded(values: Sequence[Value]) -> list[Value]:
    """Repeat the last of at least one to the next power of two, for `IN`, so that few queries are written."""
    size = 1 << (len(values) - 1).bit_length()
    return [*values, *repeat(values[-1], size - len(values))]
