"""What PostgreSQL has no place for in a text, and what it is told instead."""

from __future__ import annotations

import re
from typing import Any

from psycopg import adapters
from psycopg.abc import Buffer
from psycopg.types.json import Jsonb, JsonbDumper
from psycopg.types.string import StrDumperUnknown

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
        told = super().dump(obj)
        return told and ESCAPED_NUL.sub(rb"\1\\ufffd", told)


def adapt_texts() -> None:
    """For all connections that are made from now on in this process."""
    adapters.register_dumper(str, Text)
    adapters.register_dumper(Jsonb, Json)
