"""What is derived from memories: whether it is whole, and making it anew where it is not.

`verify`, each backup and each night look at all of it here; what a request stumbles over is mended by the same list
(`memories.store.damage`). Nothing here is the truth: what is damaged may go, and is made from the memories again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import structlog
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.utils import timezone

from memories.index import scratch_index
from memories.index.app_embedder import current_embedder, serving_embedder
from memories.maintain.embedding import embed
from memories.maintain.summaries import AT_LEAST_CHANGES
from memories.models import LIVE, Memory, Mention, Passage, Source, Status, Summary, Vector, pgvector_table
from memories.models.fulltext import MEMORY, TABLE, WORDS, WORDS_INDEX, app_word, search_vector
from memories.models.vector import FLOAT_BYTES, embedded_text, read_vectors, to_bytes
from memories.store import vacuum
from memories.store.links import drop_unmentioned, keep_mentions, words_of
from memories.store.revisions import mark_due
from memsite.db.postgres.session import waiting_without_end
from memsite.db.prepared import fetch_all
from memsite.db.transactions import execute_all, in_batches
from memsite.jobs.job import Run, Unclaimed
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.row_level_security import confined, site_wide

log = structlog.get_logger("memories.maintain")
SITE = 0
"""In the place of an app's pk: of all apps together."""
BATCH = 1_000
SAMPLE = 64
"""Memories of an app that are looked for in the index of words, from the first to the last."""
INTEGRITY = f"INSERT INTO {TABLE} ({TABLE}, rank) VALUES ('integrity-check', 1)"  # noqa: S608  # our own names
REBUILD = f"INSERT INTO {TABLE} ({TABLE}) VALUES ('rebuild')"  # noqa: S608
INDEX_IS_WHOLE = "SELECT count(*) > 0 FROM pg_index WHERE indexrelid = to_regclass(%s) AND indisvalid AND indisready"
LONE_COPIES = f"""
SELECT n.app_id, n.memory_id FROM {pgvector_table.TABLE} n WHERE NOT EXISTS
(SELECT 1 FROM memories_vector v WHERE v.memory_id = n.memory_id AND v.model = n.model)
"""  # noqa: S608  # our own names
COPIES = f"""
memories_vector v JOIN tenancy_app a ON a.id = v.app_id AND a.near_model = v.model
LEFT JOIN {pgvector_table.TABLE} n ON n.memory_id = v.memory_id AND n.model = v.model
"""
WARM = f"m.status <> '{Status.COLD}' AND m.purged_at IS NULL"
LACKS_VECTOR = f"""
a.status = '{AppStatus.ACTIVE}' AND a.vector_model <> '' AND m.change_number <= a.embedded_to AND {WARM}
AND NOT EXISTS (SELECT 1 FROM memories_vector v WHERE v.memory_id = m.id AND v.model = a.vector_model)
"""  # noqa: S608  # our own names
MEMORIES_OF_APPS = "memories_memory m JOIN tenancy_app a ON a.id = m.app_id"
UNMENTIONED = "NOT EXISTS (SELECT 1 FROM memories_mention t WHERE t.entity_id = e.id)"
LACKS_NAME = f"""
m.subject IS NOT NULL AND m.subject <> '' AND m.source <> '{Source.DOCUMENT}' AND {WARM}
AND NOT EXISTS (SELECT 1 FROM memories_mention t WHERE t.memory_id = m.id)
"""  # noqa: S608
Ask = Callable[[str, Sequence[Any]], list[Any]]
Found = tuple[int, int]
"""The app and the row, or memory, that is damaged."""


@dataclass(frozen=True, slots=True)
class Place:
    """A database: how it `ask`s for rows, and of which app it is looked at (None: of all).

    `thorough` is what keeps writers waiting: two seconds for 100,000 memories.
    """

    ask: Ask
    vendor: str
    app_pk: int | None = None
    thorough: bool = False
    is_live: bool = True

    def whose(self, column: str = "app_id") -> str:
        return "1 = 1" if self.app_pk is None else f"{column} = {int(self.app_pk)}"

    def rows_where(self, source: str, where: str, alias: str) -> Iterator[Found]:
        """Yield the app and the number of each row."""
        for rows in self.batches(f"{alias}.app_id", source, where, alias):
            yield from ((app, pk) for pk, app in rows)

    def batches(self, columns: str, source: str, where: str, alias: str) -> Iterator[list[Any]]:
        """Yield all rows, some at a time, by their numbers, which come first."""
        whose = self.whose(f"{alias}.app_id")
        # First the numbers alone: asked for the next ones each time, a database would look for them among all.
        pks = sorted(pk for (pk,) in self.ask(f"SELECT {alias}.id FROM {source} WHERE {whose} AND {where}", []))  # noqa: S608
        for batch in in_batches(pks, BATCH):
            some = ", ".join(map(str, batch))
            yield self.ask(f"SELECT {alias}.id, {columns} FROM {source} WHERE {alias}.id IN ({some})", [])  # noqa: S608


def here(app: App | None = None, *, thorough: bool = False) -> Place:
    """Return the site's own database."""
    return Place(fetch_all, connection.vendor, app.pk if app else None, thorough)


# --- vectors


def unreadable_vectors(place: Place) -> Iterator[Found]:
    """Find unreadable ones, of another length than most of their model, and zeros of what can be read."""
    empty: dict[int, list[int]] = defaultdict(list)
    lengths: dict[tuple[int, str], Counter[int]] = defaultdict(Counter)
    for rows in place.batches("v.app_id, v.model, v.dim, v.data", "memories_vector v", "1 = 1", "v"):
        by_length: dict[Any, list[tuple[int, int, bytes]]] = defaultdict(list)
        for pk, app, model, dim, data in rows:
            by_length[dim if isinstance(dim, int) else -1].append((pk, app, data))
            lengths[app, model][dim if isinstance(dim, int) else -1] += 1
        for dim, those in by_length.items():
            whole, vectors = read_vectors([data for *_, data in those], max(dim, 1))
            yield from (
                (app, pk) for (pk, app, _), is_whole in zip(those, whole, strict=True) if not is_whole or dim < 1
            )
            for (pk, app, _), is_any in zip(compress(those, whole), np.asarray(vectors.any(axis=1)), strict=True):
                if not is_any:
                    empty[app].append(pk)
    for (app, model), counted in lengths.items():
        usual = max(counted, key=counted.__getitem__)
        for dim in counted.keys() - {usual, -1}:
            sql = "SELECT id FROM memories_vector WHERE app_id = %s AND model = %s AND dim = %s"
            yield from ((app, pk) for (pk,) in place.ask(sql, [app, model, dim]))
    if place.is_live:
        yield from ((app, pk) for app, pks in empty.items() for pk in emptied(app, pks))


def emptied(app_pk: int, pks: Sequence[int]) -> Iterator[int]:
    """Yield, of vectors that are zeros, those whose embedder, if in this process, makes something else of the text."""
    app = App.objects.select_related("policy").get(pk=app_pk)
    embedder = serving_embedder(app, current_embedder())
    for start in range(0, len(pks) if embedder.in_process else 0, BATCH):
        vectors = Vector.objects.for_app(app).filter(pk__in=pks[start : start + BATCH], model=embedder.name)
        rows = list(vectors.values_list("pk", "memory__content", "memory__subject"))
        made = embed([embedded_text(content, subject) for _, content, subject in rows], embedder) if rows else None
        if made is not None:
            yield from (pk for (pk, *_), vector in zip(rows, made, strict=True) if vector.any())


def drop_vectors(app: App, pks: Sequence[int]) -> None:
    """Drop vectors; they come anew within a minute: the job `embedding` looks at all of the app again."""
    Vector.objects.for_app(app).filter(pk__in=pks).delete()
    embed_anew(app, pks)


def embed_anew(app: App, pks: Sequence[int]) -> None:
    App.objects.filter(pk=app.pk).update(embedded_to=0)


# --- summaries


def unreadable_summaries(place: Place) -> Iterator[Found]:
    """Find those whose text, or a line of it, is none."""
    if place.vendor != "sqlite":
        return
    own = place.batches("s.app_id, s.id, CAST(s.content AS BLOB)", "memories_summary s", "1 = 1", "s")
    lines = place.batches("p.app_id, p.summary_id, CAST(p.text AS BLOB)", "memories_passage p", "1 = 1", "p")
    damaged = {
        (app, pk) for source in (own, lines) for rows in source for _, app, pk, text in rows if not is_text(text)
    }
    yield from sorted(damaged)


def is_text(text: bytes | None) -> bool:
    try:
        return bool(text and b"\0" not in text and text.decode())
    except UnicodeDecodeError:
        return False


def write_anew(app: App, pks: Sequence[int]) -> None:
    """Delete them; their categories are written anew by the job `summaries`."""
    rows = Summary.objects.for_app(app).filter(pk__in=pks)
    mark_due(app, set(rows.values_list("category", "user_id")), timezone.now(), AT_LEAST_CHANGES)
    # Their texts, which cannot be read, are not asked for.
    rows.only("pk").delete()


def unreadable_passages(place: Place) -> Iterator[Found]:
    """Find those whose vector is none, or of another length than most of the app's of its model."""
    lengths: dict[tuple[int, str], Counter[int]] = defaultdict(Counter)
    passages: list[tuple[int, int, str, Any]] = []
    for rows in place.batches("p.app_id, p.model, p.data", "memories_passage p", "p.data IS NOT NULL", "p"):
        passages += [(app, pk, model, data) for pk, app, model, data in rows]
    for app, model in {(app, model) for app, _, model, _ in passages}:
        sql = "SELECT dim FROM memories_vector WHERE app_id = %s AND model = %s LIMIT %s"
        lengths[app, model].update(dim for (dim,) in place.ask(sql, [app, model, BATCH]) if isinstance(dim, int))
    for app, pk, model, data in passages:
        usual = max(lengths[app, model], key=lengths[app, model].__getitem__, default=0)
        dim = usual or (len(data) // 4 if isinstance(data, bytes | memoryview) else 0)
        if dim <= 0 or not read_vectors([data], dim)[0].all():
            yield app, pk


def embed_passages(app: App, pks: Sequence[int]) -> None:
    """Embed passages at once; where the embedder does not answer they are found by their words."""
    embedder = serving_embedder(app, current_embedder())
    for batch in in_batches(pks, BATCH):
        rows = list(Passage.objects.for_app(app).filter(pk__in=batch))
        made = embed([row.text for row in rows], embedder) if rows else None
        for index, row in enumerate(rows):
            row.model, row.data = ("", None) if made is None else (embedder.name, to_bytes(made[index]))
        Passage.objects.for_app(app).bulk_update(rows, ["model", "data"])


# --- the index of words


def wrong_search_vectors(place: Place) -> Iterator[Found]:
    """Find PostgreSQL's, beside the memory, that are not what its text makes. Reads every text."""
    if place.vendor == "postgresql":
        where = f"m.{WORDS} IS DISTINCT FROM ({search_vector('m.')})"
        yield from place.rows_where(f"{MEMORY} m", where, "m")


def split_anew(app: App, pks: Sequence[int]) -> None:
    """Let the database make the search vector of each text that is written, also as it was."""
    for batch in in_batches(pks, BATCH):
        Memory.objects.for_app(app).filter(pk__in=batch).update(content=F("content"))
    App.objects.filter(pk=app.pk).update(index_number=F("index_number") + 1)


def damaged_words(place: Place) -> Iterator[Found]:
    """Find what SQLite's index of words has lost without a trace: it is counted, and some memories are looked for.

    PostgreSQL's says nothing of what is wrong with it, and is counted.
    """
    try:
        if place.vendor == "sqlite" and place.thorough:
            place.ask(INTEGRITY, [])
        are_there = are_words_of if place.vendor == "sqlite" else are_in_index
        # Twice: somebody may write between two questions.
        is_whole = all(are_there(place, app) or are_there(place, app) for app in apps_of(place))
    except (DatabaseError, sqlite3.Error) as error:
        log.warning("index_of_words_damaged", error=str(error))
        is_whole = False
    if not is_whole:
        yield SITE, 0


def apps_of(place: Place) -> list[int]:
    return [pk for (pk,) in place.ask(f"SELECT id FROM tenancy_app WHERE {place.whose('id')}", [])]  # noqa: S608


def are_words_of(place: Place, app: int) -> bool:
    """Return whether the index knows as many memories of the app as there are, and some of them by their words."""
    known = f"(SELECT count(*) FROM {TABLE} WHERE {TABLE} MATCH %s)"  # noqa: S608
    own = "(SELECT count(*) FROM memories_memory WHERE app_id = %s AND content <> '')"
    ((indexed, there),) = place.ask(f"SELECT {known}, {own}", [f"app : {app_word(app)}", app])
    if indexed != there:
        return False
    every = sorted(pk for (pk,) in place.ask("SELECT id FROM memories_memory WHERE app_id = %s", [app]))
    pks = every[:: max(1, len(every) // SAMPLE)]
    some = in_batches(pks, scratch_index.FEW_TEXTS)
    return not any(scratch_index.missing_from_index(those, place.ask) for those in some)


def are_in_index(place: Place, app: int) -> bool:
    """Return whether PostgreSQL's index is there, and finds as many memories of the app as have words."""
    ((is_whole,),) = place.ask(INDEX_IS_WHOLE, [TABLE])
    if not is_whole:
        return False
    with site_wide(), transaction.atomic():
        execute_all([("SET LOCAL enable_seqscan TO off", ())])
        ((indexed,),) = place.ask(f"SELECT count(*) FROM {MEMORY} WHERE {WORDS} @@ %s::tsquery", [f"'#{app}'"])  # noqa: S608
        execute_all([("SET LOCAL enable_seqscan TO DEFAULT", ())])
        own = f"SELECT count(*) FROM {MEMORY} WHERE app_id = %s AND {WORDS} IS NOT NULL"  # noqa: S608
        ((there,),) = place.ask(own, [app])
    return bool(indexed == there)


def index_words(app: App, pks: Sequence[int]) -> None:
    """Index the words of all apps. Every process loads anew what it kept of it. On PostgreSQL others go on."""
    if connection.vendor == "postgresql":
        at_once = "" if connection.in_atomic_block else "CONCURRENTLY"
        with site_wide(), waiting_without_end(), connection.cursor() as cursor:
            cursor.execute(f"DROP INDEX {at_once} IF EXISTS {TABLE}")
            cursor.execute(WORDS_INDEX.format(at_once))
    with transaction.atomic():
        if connection.vendor == "sqlite":
            execute_all([(REBUILD, ())])
        App.objects.update(index_number=F("index_number") + 1)


# --- the copies that pgvector is asked for


def wrong_copies(place: Place) -> Iterator[Found]:
    """Find memories whose copy is missing, of another app or another vector, or there without a vector.

    Of an app whose index over them is gone, none (0).
    """
    if place.vendor != "postgresql" or not pgvector_table.is_there():
        return
    yield from place.ask(f"{LONE_COPIES} AND {place.whose('n.app_id')}", [])
    for app, model in place.ask(f"SELECT id, near_model FROM tenancy_app WHERE {place.whose('id')}", []):  # noqa: S608
        if model and not pgvector_table.has_index(app, model):
            yield app, 0
    columns = "v.app_id, v.memory_id, v.data, n.app_id, halfvec_send(n.near)"
    for rows in place.batches(columns, COPIES, "1 = 1", "v"):
        for _, app, memory, data, owner, sent in rows:
            is_right = owner == app and pgvector_table.is_copy(sent, data)
            # What cannot be read has no copy, and is made anew itself.
            if not is_right and read_vectors([data], len(data) // FLOAT_BYTES)[0].any():
                yield app, memory


def copy_anew(app: App, pks: Sequence[int]) -> None:
    """Delete all wrong copies first: one of another length would keep the others out."""
    pgvector_table.drop_copies(pks)
    app.refresh_from_db(fields=["near_model"])
    if not app.near_model:
        return
    for batch in in_batches(pks, BATCH):
        rows = Vector.objects.for_app(app).filter(model=app.near_model, memory_id__in=batch)
        pgvector_table.put(app, list(rows))
    dim = Vector.objects.for_app(app).filter(model=app.near_model).values_list("dim", flat=True).first()
    if dim:
        with suppress(pgvector_table.BeingMade):
            pgvector_table.make_index(app, app.near_model, dim)


# --- what memories name, and how many there are


def unnamed(place: Place) -> Iterator[Found]:
    """Find memories about something that mention nothing."""
    for rows in place.batches("m.app_id, m.subject", "memories_memory m", LACKS_NAME, "m"):
        yield from ((app, pk) for pk, app, subject in rows if words_of(subject))


def name_anew(app: App, pks: Sequence[int]) -> None:
    for batch in in_batches(pks, BATCH):
        with transaction.atomic():
            rows = list(Memory.objects.for_app(app).filter(pk__in=batch))
            Mention.objects.for_app(app).filter(memory__in=rows).delete()
            keep_mentions(app, rows, timezone.now(), 0)


def miscounted(place: Place) -> Iterator[Found]:
    """Find apps whose numbers are others than their memories'."""
    live = ", ".join(f"'{status}'" for status in LIVE)
    rows = place.ask(
        f"SELECT a.id, a.memory_count, a.change_number, a.embedded_to, "  # noqa: S608  # our own names
        f"(SELECT count(*) FROM memories_memory m WHERE m.app_id = a.id AND m.status IN ({live})), "
        "(SELECT max(m.change_number) FROM memories_memory m WHERE m.app_id = a.id) "
        f"FROM tenancy_app a WHERE {place.whose('a.id')}",
        [],
    )
    for app, count, change, embedded_to, counted, latest in rows:
        numbers = (count, change, embedded_to)
        if not all(isinstance(number, int) for number in numbers) or count != counted or change < (latest or 0):
            yield app, app


def count_anew(app: App, pks: Sequence[int]) -> None:
    """Count while nobody writes to the app: who does has its row."""
    with transaction.atomic():
        rows = Memory.objects.for_app(app)
        App.objects.filter(pk=app.pk).update(embedded_to=0)
        latest = rows.order_by("-change_number").values_list("change_number", flat=True).first() or 0
        noted = fetch_all("SELECT change_number FROM tenancy_app WHERE id = %s", [app.pk])
        latest = max([latest, *(number for (number,) in noted if isinstance(number, int))])
        count = rows.live().count()
        App.objects.filter(pk=app.pk).update(memory_count=count, change_number=latest + 1, embedded_to=0)


# --- the files of indexes


def unreadable_files(place: Place) -> Iterator[Found]:
    if place.vendor == "sqlite" and place.is_live:
        yield from ((pk, pk) for pk in vacuum.unreadable_index_files() if place.app_pk in (None, pk))


def drop_files(app: App, pks: Sequence[int]) -> None:
    """Drop the files: who needs one reads the database, and writes it again."""
    if path := vacuum.index_file_of(app.pk):
        path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Derived:
    """`find` tells the damaged rows, or memories, of a place; `rebuild` makes an app's anew."""

    name: str
    find: Callable[[Place], Iterator[Found]]
    rebuild: Callable[[App, Sequence[int]], None]


DERIVED = (
    # First: whatever changes or deletes a memory changes it, too.
    Derived("search vectors", wrong_search_vectors, split_anew),
    Derived("index of words", damaged_words, index_words),
    Derived("counts", miscounted, count_anew),
    Derived("vectors", unreadable_vectors, drop_vectors),
    # Memories that have none, and of which it is noted that they have.
    Derived("missing vectors", lambda place: place.rows_where(MEMORIES_OF_APPS, LACKS_VECTOR, "m"), embed_anew),
    Derived("copies for pgvector", wrong_copies, copy_anew),
    Derived("names in memories", unnamed, name_anew),
    Derived(
        "names of nothing", lambda place: place.rows_where("memories_entity e", UNMENTIONED, "e"), drop_unmentioned
    ),
    Derived("summaries", unreadable_summaries, write_anew),
    Derived("vectors of summaries", unreadable_passages, embed_passages),
    Derived("files of indexes", unreadable_files, drop_files),
)


def damage_in(place: Place) -> dict[str, Counter[int]]:
    """Return how many are damaged, by structure and app (or SITE). What cannot even be looked at is."""
    damaged = {kind.name: Counter(app for app, _ in found_by(kind, place)) for kind in DERIVED}
    return {name: counted for name, counted in damaged.items() if counted}


def found_by(kind: Derived, place: Place) -> set[Found]:
    try:
        return set(kind.find(place))
    except (DatabaseError, sqlite3.Error) as error:
        log.warning("not_looked_at", what=kind.name, error=str(error))
        return {(SITE, 0)}


def damage_in_copy(copy: sqlite3.Connection) -> dict[str, Counter[int]]:
    """Return the same of a copy, of SQLite, of which nobody else knows."""

    def ask(sql: str, parameters: Sequence[Any]) -> list[Any]:
        return copy.execute(sql.replace("%s", "?"), parameters).fetchall()

    return damage_in(Place(ask, "sqlite", thorough=True, is_live=False))


def named(damage: Mapping[str, Counter[int]]) -> str:
    """Return names for people: "vectors (3), index of words"."""
    return ", ".join(
        name if counted.keys() == {SITE} else f"{name} ({counted.total():,})" for name, counted in damage.items()
    )


def mend_all(damage: Mapping[str, Counter[int]]) -> Counter[str]:
    """Mend what was found on the whole site, or in a copy of it just made: app by app."""
    pks = {pk for counted in damage.values() for pk in counted}
    apps = App.objects.filter(status=AppStatus.ACTIVE).select_related("policy").order_by("pk")
    mended: Counter[str] = Counter()
    for app in apps if SITE in pks else apps.filter(pk__in=pks):
        with confined(app.pk):
            mended += mend_reported(app)
    return mended


def mend(app: App, run: Run, *, thorough: bool = False) -> Counter[str]:
    """Make anew what is damaged; answers what, and counts it as `mended`."""
    mended: Counter[str] = Counter()
    for kind in DERIVED:
        if pks := sorted({pk for _, pk in found_by(kind, here(app, thorough=thorough))}):
            try:
                kind.rebuild(app, pks)
            except DatabaseError as error:
                log.error("not_mended", what=kind.name, app=app.app_id, error=str(error))
                continue
            mended[kind.name] = len(pks)
            with transaction.atomic():
                run.done({"mended": len(pks)})
    if mended:
        log.warning("mended", app=app.app_id, **{name.replace(" ", "_"): count for name, count in mended.items()})
    return mended


def mend_reported(app: App) -> Counter[str]:
    """Mend after a request has met damage. Every process looks again at what it takes for damaged."""
    mended = mend(app, Unclaimed(until=timezone.now()), thorough=True)
    App.objects.filter(pk=app.pk).update(index_number=F("index_number") + 1)
    return mended
