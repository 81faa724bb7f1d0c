"""Hold an app's memories as arrays, one row per memory: read from the database, and put in the order of their turns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import chain, pairwise, zip_longest
from typing import Any, Literal, TypeVar
from zlib import crc32

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memories.index.similarity import Rows, sign_bits
from memories.language.scripts import parts_in
from memories.language.standing import NOT_USERS
from memories.language.surface import Look, looks_kept
from memories.models import Sentiment
from memories.models.pgvector_table import TABLE as NEAR
from memories.models.vector import read_vectors
from memories.providers.embeddings import Vectors
from memsite.db.prepared import Prepared, fetch_all
from memsite.tenancy.models import App
from memsite.tenancy.origin import Origin

NOBODY = 0
# Sessions of turns that came without one, but with their day, lie below; those of others are -pk.
DAYS_APART = -(2**40)
# What a memory's tone is called in its column; the first is none.
TONES = (Sentiment.NEUTRAL, Sentiment.FRUSTRATED, Sentiment.EXCITED, Sentiment.UNCERTAIN)

ORIGINS = ("", *Origin.values)
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
    "m.created_at",
    "nullif(m.updated_at, m.created_at)",
    "nullif(m.confirmed_at, m.created_at)",
    "m.valid_from",
    "m.valid_until",
)
SECONDS_PER_DAY = 24 * 60 * 60
CHANGED = """
SELECT m.id, m.change_number,
       CASE m.status WHEN 'active' THEN 1 WHEN 'document' THEN 16 ELSE 0 END
       + CASE m.source WHEN 'api' THEN 0 ELSE 2 END
       + CASE m.visibility WHEN 'shared' THEN 4 WHEN 'agent' THEN 8 ELSE 0 END
       + CASE WHEN m.status = 'superseded' AND m.valid_until IS NOT NULL THEN 32 ELSE 0 END,
       CASE m.status WHEN 'superseded' THEN coalesce((SELECT max(l.from_memory_id) FROM memories_link l
       WHERE l.to_memory_id = m.id AND l.app_id = m.app_id AND l.kind = 'supersedes'), 0) ELSE 0 END,
       coalesce(m.agent_id, 0), m.user_id, m.subject, coalesce(m.session_id, 0),
       coalesce(m.turn_number, 0), length(m.content), length(m.content) - length(replace(m.content, ' ', '')) + 1,
       m.importance, m.priority, m.confidence, m.sentiment, coalesce(m.look, 0),
       CASE WHEN m.reviewed_at IS NULL THEN m.origin ELSE '' END, {times},
       CASE WHEN {dim} = %s THEN {data} END
FROM memories_memory m LEFT JOIN {table} v ON v.memory_id = m.id AND v.app_id = m.app_id AND v.model = %s
WHERE m.app_id = %s AND m.change_number > %s AND m.change_number <= %s AND m.purged_at IS NULL
AND m.status NOT IN ('cold', 'withdrawn')
"""
ACTIVE, STATED, SHARED, PRIVATE, QUOTED, REPLACED = 1, 2, 4, 8, 16, 32
"""Of the third column, which is one number: each value that is handed over takes its time."""
# Those of another length were made by another model of that name, and can be compared with none. Not a condition of the
# join: PostgreSQL, which knows nothing of lengths, would take it for one that few fulfil, and take twice as long.
VECTORS_HERE = {"data": "v.data", "table": "memories_vector", "dim": "v.dim"}
# Of what is away, the signs: four bytes that tell their number, and then the bits, as `sign_bits` packs them.
VECTORS_IN_PGVECTOR = {"data": "bit_send(binary_quantize(v.near))", "table": NEAR, "dim": "vector_dims(v.near)"}
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
LoadedRows = list[tuple[Any, ...]]
Value = TypeVar("Value", bound=np.generic)
# So many new rows find their places among those that are in order already; more are sorted with them.
MERGED = 200


@dataclass(slots=True)
class Columns:
    """Arrays of one length. Codes stand for texts; 0 is none. `day` is an ordinal, `since` and `until` Unix seconds.

    `unreviewed` is who said it, as in `ORIGINS`, where nobody has reviewed it.

    `session` is that of a turn. Turns without one ("Ann: I moved") are of one session with those that the same agent
    stored for the same user and the same day, if the day is known; all else is a session of its own. Both have numbers
    below zero. `session_number` counts sessions from 0.

    `stated` memories are statements on their own, such as markers; others may be turns of a talk. `quoted` are passages
    of documents. What was `replaced` held until another took its place; `successor` is the pk of what superseded it.
    """

    pk: NDArray[np.int64]
    alive: NDArray[np.bool_]
    active: NDArray[np.bool_]
    quoted: NDArray[np.bool_]
    replaced: NDArray[np.bool_]
    successor: NDArray[np.int64]
    embedded: NDArray[np.bool_]
    owner: NDArray[np.int64]
    user: NDArray[np.int32]
    subject: NDArray[np.int32]
    session: NDArray[np.int64]
    session_number: NDArray[np.int32]
    turn: NDArray[np.int32]
    length: NDArray[np.int32]
    words: NDArray[np.int32]
    day: NDArray[np.int32]
    until: NDArray[np.float64]
    importance: NDArray[np.uint8]
    priority: NDArray[np.float32]
    created: NDArray[np.float64]
    confidence: NDArray[np.float64]
    updated: NDArray[np.float64]
    confirmed: NDArray[np.float64]
    stated: NDArray[np.bool_]
    agent: NDArray[np.int64]
    since: NDArray[np.float64]
    sentiment: NDArray[np.uint8]
    shared: NDArray[np.bool_]
    unreviewed: NDArray[np.uint8]
    look: NDArray[np.uint16]
    vectors: Vectors
    signs: NDArray[np.uint64]

    def head(self, size: int) -> Columns:
        """Return the first `size` rows, without copying."""
        return self.each(lambda column: column[:size])

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Columns:
        """Return columns changed one by one."""
        return Columns(*[change(getattr(self, name)) for name in self.__slots__])

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in self.__slots__)


def grow(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    larger = np.zeros((capacity, *array.shape[1:]), array.dtype, layout_of(array))
    larger[: len(array)] = array
    return larger


def layout_of(array: NDArray[Any]) -> Literal["C", "F"]:
    """Return the memory layout of a column.

    Vectors are read row by row, sign bits word by word of all rows: 5 times as fast as the other way round.
    """
    return "F" if array.dtype == np.uint64 else "C"


def empty_columns(dim: int, *, away: bool = False) -> Columns:
    """Return columns without rows; without vectors, where these are `away`."""

    def empty(kind: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((0, *shape), kind)

    return Columns(
        pk=empty(np.int64),
        alive=empty(np.bool_),
        active=empty(np.bool_),
        quoted=empty(np.bool_),
        replaced=empty(np.bool_),
        successor=empty(np.int64),
        embedded=empty(np.bool_),
        owner=empty(np.int64),
        user=empty(np.int32),
        subject=empty(np.int32),
        session=empty(np.int64),
        session_number=empty(np.int32),
        turn=empty(np.int32),
        length=empty(np.int32),
        words=empty(np.int32),
        day=empty(np.int32),
        until=empty(np.float64),
        importance=empty(np.uint8),
        priority=empty(np.float32),
        created=empty(np.float64),
        confidence=empty(np.float64),
        updated=empty(np.float64),
        confirmed=empty(np.float64),
        stated=empty(np.bool_),
        agent=empty(np.int64),
        since=empty(np.float64),
        sentiment=empty(np.uint8),
        shared=empty(np.bool_),
        unreviewed=empty(np.uint8),
        look=empty(np.uint16),
        vectors=empty(np.float32, 0 if away else dim),
        signs=empty(np.uint64, -(-dim // 64)),
    )


def of_several(sessions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which sessions may have several memories."""
    return (sessions > NOBODY) | (sessions < DAYS_APART)


class Codes:
    """Give small numbers to texts, from 1; 0 is none. Only ever grows."""

    def __init__(self) -> None:
        self.names: list[str] = [""]
        self.numbers: dict[str, int] = {}

    def code(self, text: str | None) -> int:
        if not text:
            return NOBODY
        number = self.numbers.get(text)
        return self.take_in(text) if number is None else number

    def take_in(self, text: str) -> int:
        self.names.append(text)
        self.numbers[text] = len(self.names) - 1
        return self.numbers[text]


class Subjects(Codes):
    """Give small numbers to subjects, and find them by the words of their names.

    Shared by all views of an index: each skips those that it has not.
    """

    def __init__(self) -> None:
        super().__init__()
        self.by_word: dict[str, list[int]] = {}
        self.assistants: list[int] = []
        self.words_by_letter: dict[str, list[str]] = {}

    def take_in(self, text: str) -> int:
        number = super().take_in(text)
        if text.casefold() in NOT_USERS:
            self.assistants.append(number)
        for word in parts_in(text):
            if word not in self.by_word:
                self.words_by_letter.setdefault(word[0], []).append(word)
            self.by_word.setdefault(word, []).append(number)
        return number


class Sessions:
    """Give small numbers to sessions, from 0. A memory without session and day is one of its own."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.count = 0

    @classmethod
    def of(cls, sessions: NDArray[np.int64], numbers: NDArray[np.int32]) -> Sessions:
        """Return sessions that were given these numbers."""
        made = cls()
        shared = np.flatnonzero(of_several(sessions))
        several, first = np.unique(sessions[shared], return_index=True)
        made.numbers = dict(zip(several.tolist(), numbers[shared[first]].tolist(), strict=True))
        made.count = int(numbers.max(initial=-1)) + 1
        return made

    def numbers_of(self, sessions: NDArray[np.int64]) -> list[int]:
        numbers = list[int]()
        for session, is_shared in zip(sessions.tolist(), of_several(sessions).tolist(), strict=True):
            number = self.numbers.setdefault(session, self.count) if is_shared else self.count
            self.count += number == self.count
            numbers.append(number)
        return numbers


@Prepared
def counts_of(app_pk: int) -> Any:
    """Select the app's change number, and how many live memories it has."""
    return App.objects.filter(pk=app_pk).values_list("change_number", "memory_count")


def changed_between(
    app_pk: int, model: str, dim: int, start: int, latest: int, *, away: bool = False
) -> Iterator[LoadedRows]:
    """Yield what was written after the change `start`, some rows at a time, in any order.

    About as many as changes to the `latest`. Each begins with its number and that of its change, and ends with its
    vector of `dim` numbers, or the signs of one away.
    """
    sql = changed(connection.vendor, away=away)
    parameters: list[str | int] = [dim, model, app_pk, start, latest + MEANWHILE]
    if latest - start <= FEW_CHANGES:
        if rows := fetch_all(sql, parameters):
            yield rows
        return
    # PostgreSQL keeps the rest: this process would take as much memory again, and hardly give it back.
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, parameters)
        while rows := cursor.fetchmany(LOAD_ROWS):
            yield rows


@cache
def changed(vendor: str, *, away: bool) -> str:
    times = ", ".join(map(PLAIN_TIMES[vendor].format, TIMES))
    return CHANGED.format(times=times, **(VECTORS_IN_PGVECTOR if away else VECTORS_HERE))


def gone_between(app_pk: int, start: int, latest: int) -> list[int]:
    """Return the pks of what left every search after the change `start`."""
    return [pk for (pk,) in fetch_all(GONE, [app_pk, start, latest + MEANWHILE] * 2)]


def touched_between(app_pk: int, start: int, latest: int) -> list[int]:
    """Return the pks of what was written or has left every search after the change `start`."""
    return [pk for (pk,) in fetch_all(TOUCHED, [app_pk, start, latest + MEANWHILE] * 2)]


def fill(new: Columns, rows: LoadedRows, users: Codes, subjects: Codes, *, away: bool = False) -> list[int]:
    """Write rows into columns of their number; return the pks of those that have vectors which cannot be read."""
    pks, _, kinds, successors, agents, user_names, subject_names, sessions, turns, *rest = zip(*rows, strict=True)
    lengths, words, importances, priorities, confidences, tones, looks, origins, *times, blobs = rest
    created, changed, confirmed, since, until = unix_seconds(list(chain.from_iterable(times))).reshape(len(times), -1)
    kind = np.array(kinds)
    new.pk[:], new.successor[:], new.agent[:] = pks, successors, agents
    new.active[:], new.quoted[:], new.replaced[:] = kind & ACTIVE, kind & QUOTED, kind & REPLACED
    new.stated[:], new.shared[:] = kind & STATED, kind & SHARED
    new.owner[:] = np.where(kind & PRIVATE, new.agent, NOBODY)
    new.user[:] = list(map(users.code, user_names))
    new.subject[:] = list(map(subjects.code, subject_names))
    new.session[:] = sessions
    put_clipped(new.turn, turns)
    put_clipped(new.length, lengths)
    put_clipped(new.words, [max(count, size // LONG_WORD) for count, size in zip(words, lengths, strict=True)])
    put_clipped(new.importance, importances)
    new.priority[:], new.confidence[:] = priorities, confidences
    new.sentiment[:] = list(map(TONE_CODES.__getitem__, tones))
    new.look[:] = looks_kept(np.array(looks))
    new.unreviewed[:] = list(map(ORIGIN_CODES.__getitem__, origins))
    new.day[:] = FIRST_DAY + np.floor(np.where(np.isnan(since), created, since) / SECONDS_PER_DAY)
    new.created[:], new.updated[:] = created, np.where(np.isnan(changed), created, changed)
    new.confirmed[:] = np.where(np.isnan(confirmed), created, confirmed)
    new.since[:], new.until[:] = np.where(np.isnan(since), -np.inf, since), np.where(np.isnan(until), np.inf, until)
    new.session[new.session == NOBODY] = -new.pk[new.session == NOBODY]
    is_spoken = (new.look & Look.SPOKEN) != 0
    for row in np.flatnonzero((new.session < NOBODY) & is_spoken & ~np.isnan(since)):
        key = f"{new.agent[row]} {new.day[row]} {user_names[row]}"
        new.session[row] = DAYS_APART - 1 - crc32(key.encode())
    has_vector = np.array([blob is not None for blob in blobs])
    known = [blob for blob in blobs if blob is not None]
    # Of a text that it cannot read an embedder makes zeros: these say as little as none.
    if away:
        words_per_row = new.signs.shape[1]
        # Bits as PostgreSQL sends them, in words of 64.
        packed = b"".join(bytes(blob)[BIT_HEADER:].ljust(8 * words_per_row, b"\0") for blob in known)
        new.signs[:] = 0
        new.signs[has_vector] = np.frombuffer(packed, np.uint64).reshape(-1, words_per_row)
        new.embedded[:] = new.signs.any(axis=1)
        return []
    given = np.flatnonzero(has_vector)
    whole, vectors = read_vectors(known, new.vectors.shape[1])
    new.vectors[given[whole]] = vectors
    new.embedded[:] = new.vectors.any(axis=1)
    new.signs[:] = sign_bits(new.vectors)
    unreadable: list[int] = new.pk[given[~whole]].tolist()
    return unreadable


def put_clipped(column: NDArray[Any], values: Sequence[int]) -> None:
    """Write integers into a column, clipped to what it can hold: one row is not to stop all others."""
    try:
        column[:] = values
    except OverflowError:
        bounds = np.iinfo(column.dtype)
        column[:] = np.clip(np.array(values, np.int64), bounds.min, bounds.max)


def unix_seconds(times: Sequence[str | float | None]) -> NDArray[np.float64]:
    """Return times as the database answers them (SQLite: texts in UTC) as Unix seconds; nan where null."""
    if str not in set(map(type, times)):
        return np.array(times, np.float64)
    moments = np.array([time or "NaT" for time in times], "datetime64[us]")
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 1e6)


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """Hold rows in the order of their turns, sessions together, and of each whether a session `begins` with it."""

    rows: Rows
    begins: NDArray[np.bool_]

    def continued(self, columns: Columns) -> TurnOrder:
        """Return it continued with the rows that the columns have more."""
        first = len(self.rows)
        if len(columns.pk) - first > MERGED:
            return turn_order_of(columns)
        return self.with_rows(np.arange(first, len(columns.pk)), columns)

    def with_rows(self, rows: Rows, columns: Columns) -> TurnOrder:
        """Return it with a few more rows."""
        if not len(rows):
            return self
        new = rows[sorted_rows(columns, rows)]
        places = np.fromiter(self.places_of(new, columns), np.intp, len(new))
        rows, begins = inserted(self.rows, places, new), inserted(self.begins, places, np.ones(len(new), bool))
        # What follows a new row may not begin its session any more.
        own = places + np.arange(len(new))
        for some in (own[own > 0], own[own < len(rows) - 1] + 1):
            begins[some] = columns.session[rows[some]] != columns.session[rows[some - 1]]
        return TurnOrder(rows, begins)

    def without(self, gone: Rows, columns: Columns) -> TurnOrder:
        """Return it without a few rows, which are all in it."""
        if not len(gone):
            return self
        places = np.flatnonzero(np.isin(self.rows, gone))
        rows, begins = np.delete(self.rows, places), np.delete(self.begins, places)
        # What followed one of them may begin its session now.
        followers = np.unique(places - np.arange(len(places)))
        followers = followers[followers < len(rows)]
        begins[followers] = (followers == 0) | (
            columns.session[rows[followers]] != columns.session[rows[followers - 1]]
        )
        return TurnOrder(rows, begins)

    def places_of(self, new: Rows, columns: Columns) -> Iterator[int]:
        """Return before which of the ordered rows each of the new rows belongs."""
        pk, turn, session = columns.pk, columns.turn, columns.session
        for row in new:
            start, end = (
                find(self.rows, session[row], key=session.__getitem__) for find in (bisect_left, bisect_right)
            )
            beside = self.rows[start:end]
            earlier = (turn[beside] < turn[row]) | ((turn[beside] == turn[row]) & (pk[beside] <= pk[row]))
            yield start + int(np.count_nonzero(earlier))


def turn_order_of(columns: Columns) -> TurnOrder:
    rows = sorted_rows(columns, slice(None))
    return TurnOrder(rows, run_starts(columns.session[rows]))


def sorted_rows(columns: Columns, some: Rows | slice) -> Rows:
    """Return the positions of some rows among themselves, in turn order."""
    return np.lexsort((columns.pk[some], columns.turn[some], columns.session[some]))


def run_starts(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each value whether it differs from the one before."""
    differs = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def value_counts(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], Rows]:
    """Return each value once, rising, and how often it occurs. `np.unique` takes twice as long for a few."""
    rising = np.sort(values)
    begins = np.flatnonzero(run_starts(rising))
    return rising[begins], np.diff(begins, append=len(rising))


def distinct(numbers: Rows, size: int) -> Rows:
    """Return each of these numbers below `size` once: without sorting them, and without looking at all below it."""
    last, count = np.empty(size, np.int32), np.arange(len(numbers), dtype=np.int32)
    last[numbers] = count
    once: Rows = numbers[last[numbers] == count]
    return once


def inserted(values: NDArray[Value], places: Rows, new: NDArray[Value]) -> NDArray[Value]:
    """Insert values at rising places, as `np.insert`, but a few cost little more than the copy."""
    between = [values[start:end] for start, end in pairwise([0, *places.tolist(), len(values)])]
    pieces = zip_longest(between, np.split(new, range(1, len(new))), fillvalue=new[:0])
    return np.concatenate([piece for pair in pieces for piece in pair])
