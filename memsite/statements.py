"""Statements that go to the database together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from django.db import connection

Statement = tuple[str, Sequence[Any]]
"""SQL and its parameters."""


def execute_all(statements: Sequence[Statement]) -> None:
    """One after the other. PostgreSQL is told all of them in one message: waiting for each takes longer than it works.

    Call in a transaction.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for sql, parameters in statements:
                cursor.execute(sql, parameters)
        elif statements:
            cursor.execute("; ".join(sql for sql, _ in statements), [*chain(*(told for _, told in statements))])
