"""Tables of cases: one test tries every row, in one set-up, and reports each row that misses."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from tests.caches import clear_caches

DATA = Path(__file__).parent / "data" / "tables"
Test = Callable[..., None]


def each_row(names: str | Sequence[str], rows: Iterable[Any], *, rolled_back: bool = False) -> Callable[[Test], Test]:
    """Call the test once for each row, as `pytest.mark.parametrize` would, but as one test with one set-up.

    All rows are tried. AssertionError names each row that failed and its reason. With `rolled_back` each row has a
    savepoint of its own, so that no row sees what another one wrote; the test must ask for the database.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [row if len(columns) > 1 else (row,) for row in rows]
    assert table, "A table without rows tests nothing."

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        missing = set(columns) - set(signature.parameters)
        assert not missing, f"{test.__name__} takes no {missing}"

        @wraps(test)
        def try_all(*arguments: Any, **fixtures: Any) -> None:
            misses = []
            for row in table:
                case = dict(zip(columns, row, strict=True))
                try:
                    if rolled_back:
                        call_rolled_back(test, *arguments, **fixtures, **case)
                    else:
                        test(*arguments, **fixtures, **case)
                except (Exception, pytest.fail.Exception) as error:
                    misses.append(f"{case}\n    {describe(error)}")
            assert not misses, f"{len(misses)} of {len(table)} rows miss:\n" + "\n".join(misses)

        parameters = [parameter for name, parameter in signature.parameters.items() if name not in columns]
        try_all.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return try_all

    return decorate


def each_row_of(file: str) -> Callable[[Test], Test]:
    """Take the rows from `tests/data/tables/<file>.json`, an object of tables by the names of their tests.

    A table is `{"columns": [name, …], "rows": [[value, …], …]}`.
    """

    def decorate(test: Test) -> Test:
        table = load_tables(file)[test.__qualname__]
        columns = table["columns"]
        return each_row(columns, [row if len(columns) > 1 else row[0] for row in table["rows"]])(test)

    return decorate


def load_tables(file: str) -> dict[str, Any]:
    return json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def call_rolled_back(test: Test, *arguments: Any, **named: Any) -> None:
    clear_caches()
    with transaction.atomic():
        try:
            test(*arguments, **named)
        finally:
            transaction.set_rollback(True)
    clear_caches()


def describe(error: BaseException) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: " + "\n    ".join(lines[:12])
