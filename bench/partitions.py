"""Simulate partitions by app, and see which statements a router of shards could send to one.

Writes "Partitions, simulated" of bench/results/performance.md.

    make bench-partitions [APPS=200 MEMORIES=1000]

On a PostgreSQL of its own. The two largest tables are copied as they are, and split by hash of their app, with the
statements of a search asked of each; then the statements of an agent's day are looked at one by one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bench.hashing import hashing
from bench.latency import spread
from bench.options import make_database, parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.search_latency import QUESTION_WORDS, SEED, STOP_WORDS, TEXT_WORDS, fill_app
from bench.synthetic import texts_of
from memories.retrieve.access_counters import counters
from memories.retrieve.pipeline import indexes
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent, App
from memsite.tenancy.row_level_security import scoped_tables
from tools.app_statements import shortened, statements_in, unnamed_tables

LAYOUTS = {"as it is": 0, "16 partitions": 16, "128 partitions": 128}
TABLES = ("memories_memory", "memories_vector")
ROUNDS = 30
FIRST_APP, FAR = 1_000_000, 10_000_000
"""Of the copied apps; and how far the numbers of their rows are from each other."""
STATEMENTS = {
    "SELECT m.id,": "an app's index, read whole",
    "SELECT (SELECT string_agg": "who holds the words",
    'SELECT "memories_memory"."id"': "the ten hits",
    "UPDATE memories_memory SET access_count": "their accesses, counted",
}
REFERENCE_TABLES = (
    "tenancy_apikey",
    "tenancy_identity",
    "tenancy_auditentry",
    "tenancy_purgepermit",
    "jobs_jobrun",
    "jobs_jobschedule",
    "memories_alertrule",
    "memories_alert",
    "oauth_*",
)
GROWN = "a tenth changed, then VACUUM, ms"


@dataclass(frozen=True, slots=True)
class Asked:
    """Seconds that planning and doing it took together, and how many tables or partitions were looked into."""

    seconds: list[float]
    tables: int


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--apps", type=int, default=200)
    options.add_argument("--memories", type=int, default=1_000, help="of each app")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    with hashing() as embedder:
        app = fill_app(given.memories, embedder, "partitions")
        key = create_key(Agent.objects.for_app(app).get(), ["read", "write"]).text
        statements = statements_of_a_search(key)
        laid_out = {name: lay_out(name, parts, app, given.apps) for name, parts in LAYOUTS.items()}
        question = {name: ask(name, statements) for name in LAYOUTS}
        grown = {name: vacuumed(name) for name in LAYOUTS}
        routed = routed_statements(key)
    body = render(given.apps, given.memories, laid_out, question, grown, routed, facts)
    write_section("Partitions, simulated", body, PERFORMANCE)
    print(body)


# --- the statements


def statements_of_a_search(key: str) -> dict[str, str]:
    """As the database hears them, by what they are for."""
    (question,) = texts_of(1, QUESTION_WORDS, SEED + 1, skipped=STOP_WORDS)
    indexes.by_key.clear()
    with hearing() as captured:
        assert parsed(client_of(key), "post", "memories/search", {"query": question})["results"]
        counters.write()
    heard = [query["sql"].strip() for query in captured]
    results = {what: next(sql for sql in heard if sql.startswith(start)) for start, what in STATEMENTS.items()}
    # What is told together is explained alone.
    return {what: sql.split("; ")[0] for what, sql in results.items()}


@contextmanager
def hearing() -> Iterator[CaptureQueriesContext]:
    """In a transaction, so that arms of a search are asked on this connection."""
    with transaction.atomic(), CaptureQueriesContext(connection) as captured:
        yield captured


def client_of(key: str) -> Client:
    return Client(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {key}"})


def parsed(client: Client, method: str, path: str, body: Mapping[str, object]) -> Any:
    """Return the rows of the answer, if there is one."""
    answer = getattr(client, method)(f"/api/v1/{path}", body, content_type="application/json")
    assert answer.status_code < 300, (path, answer.content)
    return answer.json() if answer.content else None


# --- copies of the tables


def schema_of(layout: str) -> str:
    return layout.replace(" ", "_")


def lay_out(layout: str, parts: int, app: App, count: int) -> float:
    """Fill copies of the tables with as many apps, which differ in their numbers alone. Return the seconds it took."""
    schema = schema_of(layout)
    started = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute(f'CREATE SCHEMA "{schema}"')
        for name in TABLES:
            like = "INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE"
            split = "PARTITION BY HASH (app_id)" if parts else ""
            cursor.execute(f'CREATE TABLE "{schema}".{name} (LIKE public.{name} {like}) {split}')
            for number in range(parts):
                cursor.execute(
                    f'CREATE TABLE "{schema}".{name}_{number} PARTITION OF "{schema}".{name} '
                    f"FOR VALUES WITH (MODULUS {parts}, REMAINDER {number})"
                )
            for definition in indexes_of(cursor, name, schema, parts > 0):
                cursor.execute(definition)
            cursor.execute(copying(cursor, name, schema), {"apps": count, "app": app.pk})
        cursor.execute("VACUUM ANALYZE")
    return time.perf_counter() - started


def indexes_of(cursor: Any, name: str, schema: str, is_split: bool) -> Iterator[str]:
    """As the table has them; a unique one of a split table has to name the app."""
    cursor.execute("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = %s", [name])
    for (definition,) in cursor.fetchall():
        copied = definition.replace("ON public.", f'ON "{schema}".')
        if is_split and "UNIQUE" in copied and "app_id" not in copied:
            copied = copied.replace("USING btree (", "USING btree (app_id, ")
        yield copied


def copying(cursor: Any, name: str, schema: str) -> str:
    """Return SQL that copies the app's rows for each app: the first as it is, the others with numbers of their own."""
    cursor.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = %s "
        "AND is_generated = 'NEVER'",
        [name],
    )
    names = [column for (column,) in cursor.fetchall()]
    changed = {
        "id": f"id + n * {FAR}",
        "memory_id": f"memory_id + n * {FAR}",
        "app_id": f"CASE WHEN n = 0 THEN app_id ELSE {FIRST_APP} + n END",
        "uid": "gen_random_uuid()",
    }
    values = ", ".join(changed.get(column, f'"{column}"') for column in names)
    listed = ", ".join(f'"{column}"' for column in names)
    return (
        f'INSERT INTO "{schema}".{name} ({listed}) SELECT {values} FROM public.{name}, '  # noqa: S608  # our own names
        "generate_series(0, %(apps)s - 1) AS n WHERE app_id = %(app)s"
    )


# --- what is measured


def ask(layout: str, statements: Mapping[str, str]) -> dict[str, Asked]:
    values: dict[str, Asked] = {}
    for what, sql in statements.items():
        plans = [explained(layout, sql) for _ in range(ROUNDS)]
        seconds = [(plan["Planning Time"] + plan["Execution Time"]) / 1_000 for plan in plans]
        values[what] = Asked(seconds, len(set(tables_in(plans[0]["Plan"]))))
    return values


def explained(layout: str, sql: str) -> dict[str, Any]:
    """Done, and undone."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f'SET LOCAL search_path TO "{schema_of(layout)}", public')
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}".replace("%", "%%"), [])
        (output,) = cursor.fetchone()
        transaction.set_rollback(True)
    (plan,) = json.loads(output) if isinstance(output, str) else output
    values: dict[str, Any] = plan
    return values


def tables_in(plan: Mapping[str, Any]) -> Iterator[str]:
    """Those of the two that were looked into."""
    name = str(plan.get("Relation Name", ""))
    if name.startswith(TABLES) and plan.get("Actual Loops"):
        yield name
    for part in plan.get("Plans", []):
        yield from tables_in(part)


def vacuumed(layout: str) -> float:
    """Seconds, after one memory in ten was changed."""
    with connection.cursor() as cursor:
        name = f'"{schema_of(layout)}".memories_memory'
        cursor.execute(f"UPDATE {name} SET importance = 6 - importance WHERE id % 10 = 0")  # noqa: S608  # our own name
        started = time.perf_counter()
        cursor.execute(f"VACUUM {name}")
        return time.perf_counter() - started


# --- routing


def routed_statements(key: str) -> dict[str, tuple[int, list[str]]]:
    """By what an agent does: how many statements about rows of apps it asks, and those that do not name the app."""
    columns = scoped_tables()
    client = client_of(key)
    uid = parsed(client, "post", "memories", {"content": "Grey herons stand in the reeds"})["id"]
    day: dict[str, tuple[str, str, dict[str, object]]] = {
        "stores a memory": ("post", "memories", {"content": "The lighthouse keeper counts ships"}),
        "searches": ("post", "memories/search", {"query": "Who counts ships?"}),
        "reads a list": ("get", "memories", {}),
        "reads one": ("get", f"memories/{uid}", {}),
        "changes it": ("patch", f"memories/{uid}", {"importance": 5}),
        "asks for context": ("post", "context", {"query": "Who counts ships?"}),
        "deletes it": ("delete", f"memories/{uid}", {}),
    }
    values: dict[str, tuple[int, list[str]]] = {}
    for what, (method, path, body) in day.items():
        with hearing() as captured:
            parsed(client, method, path, body)
            counters.write()
        about = [sql for sql in statements_in(captured) if any(f"{name} " in sql.replace('"', " ") for name in columns)]
        values[what] = len(about), [shortened(sql) for sql in about if unnamed_tables(sql, columns)]
    return values


# --- what is told


def render(
    count: int, memories: int, laid_out: Mapping[str, float], values: Mapping[str, Mapping[str, Asked]],
    grown: Mapping[str, float], routed: Mapping[str, tuple[int, Sequence[str]]], facts: str,
) -> str:  # fmt: skip
    text = (
        f"Copies of the tables of memories and vectors with {count:,} apps of {memories:,} memories of {TEXT_WORDS} "
        "words, on PostgreSQL: as they are, and split by hash of `app_id`, with the same indexes. The statements are "
        f"those that a search asks, {ROUNDS} times each; milliseconds of planning and doing together, p50 / p95, and "
        "in how many tables or partitions was looked. What else a search asks is about other tables."
    )
    rows = [
        [what, *[f"{spread(of[what].seconds, 2)} in {of[what].tables}" for of in values.values()]]
        for what in next(iter(values.values()))
    ]
    rows += [
        [GROWN, *[f"{1_000 * seconds:,.0f}" for seconds in grown.values()]],
        ["filling, memories a second", *[f"{count * memories / seconds:,.0f}" for seconds in laid_out.values()]],
    ]
    routing = (
        "**Shards**: a router such as Citus' sends a statement to one server if it names the app. Of the statements "
        "about rows of apps that an agent's requests ask, as the database hears them, so many do, and these do not."
    )
    references = (
        "**Tables that would be on every server**, as some of their rows are of no app, or are found before it is "
        f"known: {', '.join(f'`{name}`' for name in REFERENCE_TABLES)}, and Django's own. `tenancy_writeslot` would be "
        "split by its agent, `tenancy_idempotentanswer` by its caller, `tenancy_residue` by its number, which is the "
        "app's; all others by `app_id`."
    )
    days = [
        [what, number, number - len(others), "; ".join(f"`{seen}`" for seen in dict.fromkeys(others)) or "–"]
        for what, (number, others) in routed.items()
    ]
    return "\n\n".join([
        f"Measured {facts}", text, table(["", *values], rows), routing,
        table(["an agent", "statements", "name the app", "the others"], days), references,
    ])  # fmt: skip


if __name__ == "__main__":
    main()
