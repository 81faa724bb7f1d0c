"""Which statements name the app whose rows they are about: those alone stay in one partition, or on one shard.

Each table of rows of apps that a statement names must be bound to an app: by a condition with its number, by a join
with a table that is, or by the column of what is inserted. What is told of a statement is no parser's word: it reads
the SQL that Django's ORM and this project's own statements are written in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

TABLE = re.compile(
    r"\b(?:FROM|JOIN|UPDATE|INTO|,) ?(?:ONLY )?([a-z_]+)"
    r"(?: (?:AS )?(?!(?:ON|WHERE|SET|INNER|LEFT|JOIN|CROSS|ORDER|GROUP|LIMIT|INDEXED|NOT|VALUES|UNION|AND|USING)\b)"
    r"(\w+))?"
)
INSERTED = re.compile(r"INSERT (?:OR \w+ )?INTO (\w+)(?: AS \w+)? ?\(([^)]*)\)")
BOUND = re.compile(r"(?:\b(\w+)\.)?\b(app_id|id) ?(?:=|IN) ?(?:\(?(\w+)\.(app_id|id)\b|(?=[(%\d'?]|ANY|CAST|NULL))")
LITERAL = re.compile(r"'(?:[^']|'')*'")
CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET ", "PRAGMA", "SELECT set_config")


def statements_in(captured: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Yield what was sent, one statement at a time, without its texts."""
    for query in captured:
        for sql in LITERAL.sub("''", query["sql"]).split("; "):
            if sql.strip() and not sql.strip().startswith(CONTROL):
                yield " ".join(sql.split())


def unnamed_tables(sql: str, columns: Mapping[str, str]) -> list[str]:
    """Return the tables of apps' rows that the statement binds to no app; `columns` has the app's number, by table."""
    text = sql.replace('"', "")
    tables = {alias or table: table for table, alias in TABLE.findall(text) if table in columns}
    bound = {table for table, fields in INSERTED.findall(text) if columns.get(table) in re.findall(r"\w+", fields)}
    joined: list[tuple[str, str]] = []
    for alias, column, other, other_column in BOUND.findall(text):
        aliases = [alias] if alias else [*tables]
        named = [name for name in aliases if columns.get(tables.get(name, "")) == column]
        if not other:
            bound.update(named)
        elif columns.get(tables.get(other, "")) == other_column:
            joined += [(name, other) for name in named]
    for _ in joined:
        for table, other in joined:
            if table in bound or other in bound:
                bound |= {table, other}
    return sorted({table for alias, table in tables.items() if not {alias, table} & bound})


def shortened(sql: str) -> str:
    """Which statement it is, without what it was about."""
    tables = re.findall(r'(?:FROM|INTO|UPDATE|JOIN) "?([a-z_]+)', sql)
    columns = re.findall(r'WHERE.*?"?\.?"?([a-z_]+)"? (?:=|IN|>|@@)', sql, re.DOTALL)
    return f"{sql.split()[0]} {', '.join(dict.fromkeys(tables))} by {', '.join(dict.fromkeys(columns)) or 'nothing'}"
