"""A value that stands in the SQL itself.

SQLite takes an index of some rows only for a query that has the index's condition word for word, not as a parameter.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Value


class Literal(Value):
    """Of our own words only (a status, a kind): ValueError for anything else."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        word = str(self.value)
        if not word.isidentifier():
            raise ValueError(f"{word!r} is no word of ours")
        return f"'{word}'", ()


def literals(*words: str) -> list[Literal]:
    return [Literal(word) for word in words]
