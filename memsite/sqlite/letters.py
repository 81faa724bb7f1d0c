"""Small and capital letters beyond ASCII: for SQLite's LIKE "ü" and "Ü" are two letters, for people they are one.

Only where the text that is looked for has a letter beyond ASCII, Python folds the rows for LIKE. That takes ten times
as long as LIKE alone, and all other texts find the same without it.
"""

from __future__ import annotations

from typing import Any

from django.db.models import CharField, TextField
from django.db.models.lookups import BuiltinLookup, IContains, IEndsWith, IExact, IStartsWith

FOLDED = "FOLDED"


def folded(text: Any) -> Any:
    return text.casefold() if isinstance(text, str) else text


class Folding(BuiltinLookup):
    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        if not isinstance(self.rhs, str) or self.rhs.isascii():
            sql, params = self.as_sql(compiler, connection)
            return sql, list(params)
        left, params = self.process_lhs(compiler, connection)
        right, pattern = self.process_rhs(compiler, connection)
        return f"{FOLDED}({left}) {self.get_rhs_op(connection, f'{FOLDED}({right})')}", [*params, *pattern]


for field in (CharField, TextField):
    for lookup in (IContains, IEndsWith, IExact, IStartsWith):
        field.register_lookup(type(f"Folding{lookup.__name__}", (Folding, lookup), {}))
