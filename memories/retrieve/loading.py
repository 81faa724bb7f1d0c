"""From the database into the columns of an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memories.models.near import TABLE as NEAR
from memories.models.vector import read_vectors
from memories.retrieve.columns import NOBODY, ORIGINS, TONES, Codes, Columns
from memories.retrieve.nearest import sign_bits
from memories.text.looks import looks_kept
from memsite.db.prepared import Prepared, fetch_all
from memsite.tenancy.models import App

LOAD_ROWS = 2000
# Rows of so many changes are read at once. More may have come meanwhile, but not so many that it matters.
FEW_CHANGES = 100
FIRST_DAY = date(1970, 1, 1).toordinal()
ORIGIN_CODES = {origin: code for code, origin in enumerate(ORIGINS)}
TONE_CODES = {str(tone): code for code, tone in enumerate(TONES)}
# Times as arrays take them: a column's would be made a datetime, one by one, which took longer than all the rest.
PLAIN_TIMES = {"sqlite": "coalesce({0}, {0})", "postgresql": "date_part('epoch', {0})"}
# Characters of a word and the space behind it, at most on average: where no spaces are, they cannot be counted by.
LONG_WORD = 8
# Of most, the second and the third are the first.
TIMES = (
    "m.created_at", "nullif(m.updated_at, m.created_at)", "nullif(m.confirmed_at, m.created_at)", "m.valid_from",
    "m.valid_until",
)  # fmt: skip
SECONDS_PER_DAY = 24 * 60 * 60
CHANGED = """
SELECT m.id, m.change_number,
       CASE m.status WHEN 'active' THEN 1 ELSE 0 END + CASE m.source WHEN 'api' THEN 0 ELSE 2 END
       + CASE m.visibility WHEN 'shared' THEN 4 WHEN 'agent' THEN 8 ELSE 0 END,
       coalesce(m.agent_id, 0), m.user_id, m.subject, coalesce(m.session_id, 0),
       coalesce(m.turn_number, 0), length(m.content), length(m.content) - length(replace(m.content, ' ', '')) + 1,
       m.importance, m.priority, m.confidence, m.sentiment, coalesce(m.look, 0),
       CASE WHEN m.reviewed_at IS NULL THEN m.origin ELSE '' END, {times},
       CASE WHEN {dim} = %s THEN {data} END
FROM memories_memory m LEFT JOIN {table} v ON v.memory_id = m.id AND v.model = %s
WHERE m.app_id = %s AND m.change_number > %s AND m.change_number <= %s AND m.purged_at IS NULL
AND m.status NOT IN ('cold', 'withdrawn')
"""
ACTIVE, STATED, SHARED, PRIVATE = 1, 2, 4, 8
"""Of the third column, which is one number: each value that is handed over takes its time."""
# Those of another length were made by another model of that name, and can be compared with none. Not a condition of the
# join: PostgreSQL, which knows nothing of lengths, would take it for one that few fulfil, and take twice as long.
HELD = {"data": "v.data", "table": "memories_vector", "dim": "v.dim"}
# Of what is away, the signs: four bytes that tell their number, and then the bits, as `sign_bits` packs them.
AWAY = {"data": "bit_send(binary_quantize(v.near))", "table": NEAR, "dim": "vector_dims(v.near)"}
BIT_HEADER = 4
# Forgotten, to be forgotten, taken back, or in the cold archive.
GONE = """
SELECT memory_id FROM memories_forgotten WHERE app_id = %s AND change_number > %s AND change_number <= %s UNION ALL
SELECT id FROM memories_memory WHERE app_id = %s AND change_number > %s AND change_number <= %s
AND (purged_at IS NOT NULL OR status IN ('cold', 'withdrawn'))
"""
# Changed or forgotten.
TOUCHED = """
SELECT memory_id FROM memories_forgotten WHERE app_id = %s AND change_number > %s AND change_number <= %s UNION ALL
SELECT id FROM memories_memory WHERE app_id = %s AND change_number > %s AND change_number <= %s
"""
HOW_MANY = "SELECT count(*) FROM memories_memory WHERE app_id = %s AND change_number > %s AND change_number <= %s"
MEANWHILE = 1_000
"""So many changes may come while it is read. PostgreSQL, told of no end, takes the few numbers that are new in one app
for the many that a larger one has there, and reads both of them whole."""
Rows = list[tuple[Any, ...]]


@Prepared
def counts_of(app_pk: int) -> Any:
    """The app's change number, and how many live memories it has."""
    return App.objects.filter(pk=app_pk).values_list("change_number", "memory_count")


def changed_between(
    app_pk: int, model: str, dim: int, start: int, latest: int, *, away: bool = False
) -> Iterator[Rows]:  # fmt: skip
    """What was written after the change `start`, some rows at a time, in any order; about as many as changes to the
    `latest`.

    Each begins with its number and that of its change, and ends with its vector of `dim` numbers, or the signs of one
    away.
    """
    sql = changed(connection.vendor, away=away)
    parameters: list[str | int] = [dim, model, app_pk, start, latest + MEANWHILE]
    if latest - start <= FEW_CHANGES:
        if rows := fetch_all(sql, parameters):
            yield rows
        return
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        while rows := cursor.fetchmany(LOAD_ROWS):
            yield rows


@cache
def changed(vendor: str, *, away: bool) -> str:
    times = ", ".join(map(PLAIN_TIMES[vendor].format, TIMES))
    return CHANGED.format(times=times, **(AWAY if away else HELD))


def how_many_changed(app_pk: int, start: int, latest: int) -> int:
    """Rows that were written after the change `start`."""
    ((number,),) = fetch_all(HOW_MANY, [app_pk, start, latest + MEANWHILE])
    return int(number)


def gone_between(app_pk: int, start: int, latest: int) -> list[int]:
    """Pks of what left every search after the change `start`."""
    return [pk for (pk,) in fetch_all(GONE, [app_pk, start, latest + MEANWHILE] * 2)]


def touched_between(app_pk: int, start: int, latest: int) -> list[int]:
    """Pks of what was written or has left every search after the change `start`."""
    return [pk for (pk,) in fetch_all(TOUCHED, [app_pk, start, latest + MEANWHILE] * 2)]


def fill(new: Columns, rows: Rows, users: Codes, subjects: Codes, *, away: bool = False) -> list[int]:
    """Writes rows into columns of their number; answers the pks of those that have vectors which cannot be read."""
    pks, _, kinds, agents, user_names, subject_names, sessions, turns, *rest = zip(*rows, strict=True)
    lengths, words, importances, priorities, confidences, tones, looks, origins, *times, blobs = rest
    created, changed, confirmed, since, until = unix_seconds(list(chain.from_iterable(times))).reshape(len(times), -1)
    kind = np.array(kinds)
    new.pk[:], new.agent[:] = pks, agents
    new.active[:], new.stated[:], new.shared[:] = kind & ACTIVE, kind & STATED, kind & SHARED
    new.owner[:] = np.where(kind & PRIVATE, new.agent, NOBODY)
    new.user[:] = list(map(users.code, user_names))
    new.subject[:] = list(map(subjects.code, subject_names))
    new.session[:] = sessions
    put(new.turn, turns)
    put(new.length, lengths)
    put(new.words, [max(*counted) for counted in zip(words, (length // LONG_WORD for length in lengths), strict=True)])
    put(new.importance, importances)
    alone = new.session == NOBODY
    new.session[alone] = -new.pk[alone]
    new.priority[:], new.confidence[:] = priorities, confidences
    new.sentiment[:] = list(map(TONE_CODES.__getitem__, tones))
    new.look[:] = looks_kept(np.array(looks))
    new.unreviewed[:] = list(map(ORIGIN_CODES.__getitem__, origins))
    new.day[:] = FIRST_DAY + np.floor(np.where(np.isnan(since), created, since) / SECONDS_PER_DAY)
    new.created[:], new.updated[:] = created, np.where(np.isnan(changed), created, changed)
    new.confirmed[:] = np.where(np.isnan(confirmed), created, confirmed)
    new.since[:], new.until[:] = np.where(np.isnan(since), -np.inf, since), np.where(np.isnan(until), np.inf, until)
    has_vector = np.array([blob is not None for blob in blobs])
    known = [blob for blob in blobs if blob is not None]
    # Of a text that it cannot read an embedder makes zeros: these say as little as none.
    if away:
        new.signs[:] = 0
        new.signs[has_vector] = packed_words(list(map(bytes, known)), new.signs.shape[1])
        new.embedded[:] = new.signs.any(axis=1)
        return []
    at = np.flatnonzero(has_vector)
    whole, vectors = read_vectors(known, new.vectors.shape[1])
    new.vectors[at[whole]] = vectors
    new.embedded[:] = new.vectors.any(axis=1)
    new.signs[:] = sign_bits(new.vectors)
    unreadable: list[int] = new.pk[at[~whole]].tolist()
    return unreadable


def put(column: NDArray[Any], told: Sequence[int]) -> None:
    """An integer that the column cannot hold is read as the nearest that it can: one row is not to stop all others."""
    try:
        column[:] = told
    except OverflowError:
        bounds = np.iinfo(column.dtype)
        column[:] = np.clip(np.array(told, np.int64), bounds.min, bounds.max)


def packed_words(told: Sequence[bytes], words: int) -> NDArray[np.uint64]:
    """Bits as PostgreSQL sends them, in words."""
    whole = b"".join(one[BIT_HEADER:].ljust(8 * words, b"\0") for one in told)
    return np.frombuffer(whole, np.uint64).reshape(-1, words)


def unix_seconds(told: Sequence[str | float | None]) -> NDArray[np.float64]:
    """Times as the database answers them: of SQLite as texts, in UTC. nan where it is null."""
    if str not in set(map(type, told)):
        return np.array(told, np.float64)
    times = np.array([one or "NaT" for one in told], "datetime64[us]")
    return np.where(np.isnat(times), np.nan, times.astype(np.int64) / 1e6)
