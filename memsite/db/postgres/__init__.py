"""What PostgreSQL cannot hold in a text, and what it is told instead; what it tells otherwise; which plans it keeps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from psycopg import Cursor, adapters
from psycopg.abc import Buffer
from psycopg.types.json import Jsonb, JsonbDumper
from psycopg.types.numeric import Int8
from psycopg.types.string import StrDumperUnknown, TextLoader

from memsite.db.expressions import with_floats

NUL, INSTEAD = "\x00", "\ufffd"
"""What SQLite can hold in a text and PostgreSQL cannot, and what stands for it then."""
# An even number of backslashes before it are no part of it.
ESCAPED_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")


class Text(StrDumperUnknown):
    """Doors refuse NUL characters; what a model answers, or a file holds, may have some."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace(NUL, INSTEAD) if NUL in obj else obj)


class Json(JsonbDumper):
    def dump(self, obj: Any) -> Buffer | None:
        dumped = super().dump(obj)
        return dumped and ESCAPED_NUL.sub(rb"\1\\ufffd", dumped)


class JsonText(TextLoader):
    """Django parses it."""

    def load(self, data: Buffer) -> bytes | str:
        loaded = super().load(data)
        assert isinstance(loaded, str), "connections are UTF-8"
        return with_floats(loaded)


def adapt() -> None:
    """Register our types for all connections that this process opens from now on."""
    adapters.register_dumper(str, Text)
    adapters.register_dumper(Jsonb, Json)
    connection_created.connect(read_json)


def read_json(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Register our reader anew, as Django's own is with each connection."""
    if connection.vendor == "postgresql":
        connection.connection.adapters.register_loader("jsonb", JsonText)


# --- plans


class Planned(Cursor[Any]):
    """Of each statement the connection keeps the plan: to make it anew takes as long as to answer it."""

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = True, binary: bool | None = None
    ) -> Any:
        return super().execute(query, params, prepare=prepare, binary=binary)


def fetch_planned(connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any]) -> list[Any]:
    """Return the rows that SQL finds, which is the same each time but for its parameters.

    All numbers are of one size: a plan is one for numbers of each.
    """
    with connection.cursor() as cursor:
        # The same wrapper, with all that it does around a statement.
        cursor.cursor = Planned(connection.connection)
        cursor.execute(sql, [Int8(parameter) if isinstance(parameter, int) else parameter for parameter in parameters])
        return list(cursor.fetchall())
