"""What stands inside a JSON column, asked for alike on SQLite and PostgreSQL: true or false, never NULL.

Names and values are parameters, and never a lookup, a path or a pattern: any name is a name.
"""

from __future__ import annotations

import json
from typing import Any

from django.db.models import BooleanField, Func

SQL = tuple[str, tuple[Any, ...]]


class HoldsText(Func):
    """Whether a list holds exactly this text."""

    output_field = BooleanField()

    def __init__(self, column: str, text: str) -> None:
        super().__init__(column)
        self.text = text

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> SQL:
        column, parameters = compiler.compile(self.source_expressions[0])
        sql = f"EXISTS (SELECT 1 FROM json_each({column}) WHERE type = 'text' AND atom = %s)"  # noqa: S608  # our own words
        return sql, (*parameters, self.text)

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
        condition, values = self.sqlite_condition()
        negation = "NOT " if self.value is None else ""
        sql = f"{negation}EXISTS (SELECT 1 FROM json_each({inside}) WHERE key = %s AND {condition})"  # noqa: S608
        return sql, (*parameters, name, *values)

    def sqlite_condition(self) -> SQL:
        if self.value is None:
            return "type <> 'null'", ()
        if isinstance(self.value, bool):
            return "type = %s", (json.dumps(self.value),)
        if isinstance(self.value, str):
            return "type = 'text' AND atom = %s", (self.value,)
        value = self.value if -(2**63) <= self.value < 2**63 else float(self.value)
        return "type IN ('integer', 'real') AND atom = %s", (value,)

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> SQL:
        column, parameters = compiler.compile(self.source_expressions[0])
        found = column + " -> %s::text" * len(self.path)
        sql = f"(COALESCE({found}, 'null'::jsonb) = %s::jsonb)"
        return sql, (*parameters, *self.path, json.dumps(self.value))
