"""Statements as SQLite takes them: what Django's own cursor makes of them, once for each."""

from __future__ import annotations

import pytest
from django.db import connection

from memsite.db.sqlite import base

pytestmark = [pytest.mark.sqlite("no other database is spoken to like this"), pytest.mark.django_db]


@pytest.mark.parametrize(
    ("sql", "parameters", "found"),
    [
        ("SELECT %s || '%%' || %s", ["a", "b"], "a%b"),
        ("SELECT '%%s' || %s", ["c"], "%sc"),
        ("SELECT %(one)s || %(two)s", {"one": "d", "two": "e"}, "de"),
        ("SELECT '100%'", None, "100%"),
    ],
)
def test_percent_signs_are_parameters_or_themselves(sql: str, parameters: object, found: str) -> None:
    for _ in range(2):
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            assert cursor.fetchone() == (found,)


def test_a_statement_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    class Watched:
        def sub(self, sign: str, sql: str) -> str:
            seen.append(sql)
            return sql.replace("%s", sign)

    monkeypatch.setattr(base.base, "FORMAT_QMARK_REGEX", Watched())
    sql = "SELECT %s || ' once'"
    for value in ("a", "b"):
        with connection.cursor() as cursor:
            cursor.execute(sql, [value])
            assert cursor.fetchone() == (f"{value} once",)
        assert connection.fetch_all(sql, [value]) == [(f"{value} once",)]  # type: ignore[attr-defined]  # our own
    assert seen == [sql]


def test_long_ones_are_not_kept() -> None:
    base.kept_with_question_marks.cache_clear()
    numbers = [*range(2_000)]
    for _ in range(2):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT 7 IN ({', '.join(['%s'] * len(numbers))})", numbers)
            assert cursor.fetchone() == (1,)
    assert base.kept_with_question_marks.cache_info().currsize == 0
