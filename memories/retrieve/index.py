"""The vectors of an app in memory: exact cosines of 100,000 memories in milliseconds.

One index per app and process, shared by its threads, kept fresh by the app's change number: a search first reads what
was written since, wherever it was written. Rows are only ever appended; a changed memory leaves a dead row behind.
A search therefore works on a view that no later write can disturb, without holding a lock.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from functools import cached_property
from threading import Lock
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memories.models import Sentiment, Source, Status, Visibility
from memories.providers.embeddings import Vectors
from memories.retrieve.nearest import sign_bits
from memsite.prepared import Prepared
from memsite.tenancy.models import App

Value = TypeVar("Value")
change_number_of = Prepared(lambda app_pk: App.objects.filter(pk=app_pk).values_list("change_number"))
GROWTH = 1.25
# Each takes about a twentieth of what the vectors take.
READINGS_KEPT = 4
LOAD_ROWS = 2000
# Dead rows are dropped when they are this share of all.
MOST_DEAD = 0.25
NOBODY = 0
# What a memory's tone is called in its column; the first is none.
TONES = (Sentiment.NEUTRAL, Sentiment.FRUSTRATED, Sentiment.EXCITED, Sentiment.UNCERTAIN)

CHANGED = """
SELECT m.id, m.status, m.visibility, m.agent_id, m.user_id, m.subject, m.session_id, m.turn_number,
       length(m.content), length(m.content) - length(replace(m.content, ' ', '')) + 1,
       coalesce(m.valid_from, m.created_at), m.valid_until, m.importance, m.priority, m.created_at,
       m.confidence, m.updated_at, m.source, m.valid_from, m.sentiment, v.data
FROM memories_memory m LEFT JOIN memories_vector v ON v.memory_id = m.id AND v.model = %s
WHERE m.app_id = %s AND m.change_number > %s AND m.purged_at IS NULL AND m.status <> 'cold'
"""
# Forgotten, to be forgotten, or in the cold archive.
GONE = """
SELECT memory_id FROM memories_forgotten WHERE app_id = %s AND change_number > %s UNION ALL
SELECT id FROM memories_memory WHERE app_id = %s AND change_number > %s AND (purged_at IS NOT NULL OR status = 'cold')
"""


@dataclass(slots=True)
class Columns:
    """Arrays of one length. Codes stand for texts; 0 is none. `day` is an ordinal, `since` and `until` Unix seconds.

    `stated` memories are statements on their own, such as markers; others may be turns of a talk.
    """

    pk: NDArray[np.int64]
    alive: NDArray[np.bool_]
    active: NDArray[np.bool_]
    embedded: NDArray[np.bool_]
    owner: NDArray[np.int64]
    user: NDArray[np.int32]
    subject: NDArray[np.int32]
    session: NDArray[np.int64]
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
    stated: NDArray[np.bool_]
    agent: NDArray[np.int64]
    since: NDArray[np.float64]
    sentiment: NDArray[np.uint8]
    shared: NDArray[np.bool_]
    look: NDArray[np.uint16]
    vectors: Vectors
    signs: NDArray[np.uint64]

    def head(self, size: int) -> Columns:
        return self.each(lambda column: column[:size])

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Columns:
        return Columns(**{field.name: change(getattr(self, field.name)) for field in fields(self)})

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, field.name).nbytes for field in fields(self))


def grow(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    larger = np.zeros((capacity, *array.shape[1:]), array.dtype, order_of(array))
    larger[: len(array)] = array
    return larger


def order_of(array: NDArray[Any]) -> Literal["C", "F"]:
    """Vectors are read row by row, sign bits word by word of all rows: 5 times as fast as the other way round."""
    return "F" if array.dtype == np.uint64 else "C"


def empty_columns(dim: int) -> Columns:
    def empty(kind: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((0, *shape), kind)

    return Columns(
        pk=empty(np.int64),
        alive=empty(np.bool_),
        active=empty(np.bool_),
        embedded=empty(np.bool_),
        owner=empty(np.int64),
        user=empty(np.int32),
        subject=empty(np.int32),
        session=empty(np.int64),
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
        stated=empty(np.bool_),
        agent=empty(np.int64),
        since=empty(np.float64),
        sentiment=empty(np.uint8),
        shared=empty(np.bool_),
        look=empty(np.uint16),
        vectors=empty(np.float32, dim),
        signs=empty(np.uint64, -(-dim // 64)),
    )


class Codes:
    """Small numbers for texts, from 1; 0 is none. Only ever grows."""

    def __init__(self) -> None:
        self.names: list[str] = [""]
        self.numbers: dict[str, int] = {}

    def code(self, text: str | None) -> int:
        if not text:
            return NOBODY
        if text not in self.numbers:
            self.names.append(text)
            self.numbers[text] = len(self.names) - 1
        return self.numbers[text]


class Latest(Generic[Value]):
    """The last few values that were put in, by key. For all threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: dict[Any, Value] = {}
        self.lock = Lock()

    def get(self, key: Any) -> Value | None:
        return self.values.get(key)

    def put(self, key: Any, value: Value) -> None:
        with self.lock:
            self.values.pop(key, None)
            self.values[key] = value
            while len(self.values) > self.most:
                del self.values[next(iter(self.values))]


class View:
    """An app's memories at one moment. Nothing that is written later shows in it.

    `readings` keeps what `memories.retrieve.reading` made of it for the last few pairs of eyes.
    """

    def __init__(self, columns: Columns, users: Codes, subjects: Codes) -> None:
        self.columns, self.users, self.subjects = columns, users, subjects
        self.readings: Latest[Any] = Latest(READINGS_KEPT)

    @property
    def size(self) -> int:
        return len(self.reading_order)

    @cached_property
    def owners(self) -> set[int]:
        """Pks of the agents that have memories for their own eyes."""
        return set(np.unique(self.columns.owner).tolist()) - {NOBODY}

    @cached_property
    def reading_order(self) -> NDArray[np.intp]:
        """Living rows as they were said: sessions together, turns rising; what has no session stands alone."""
        columns = self.columns
        alone = np.where(columns.session > NOBODY, columns.session, -columns.pk)
        order = np.lexsort((columns.pk, columns.turn, alone))
        living: NDArray[np.intp] = order[columns.alive[order]]
        return living

    @cached_property
    def by_pk(self) -> NDArray[np.intp]:
        return np.argsort(self.columns.pk, kind="stable")

    def rows_of(self, pks: NDArray[np.int64]) -> NDArray[np.intp]:
        """The living rows of these memories; those that are not in here are left out."""
        if not len(self.columns.pk):
            return np.zeros(0, np.intp)
        order = self.by_pk
        # An edited memory has dead rows before its living one: the last of its number is the one.
        at = np.searchsorted(self.columns.pk, pks, side="right", sorter=order) - 1
        rows: NDArray[np.intp] = order[np.maximum(at, 0)]
        here: NDArray[np.bool_] = (self.columns.pk[rows] == pks) & self.columns.alive[rows]
        return rows[here]


class AppIndex:
    """The memories of one app. `columns` has capacity; the first `size` rows are in use. `number` is the app's."""

    def __init__(self, app_pk: int, model: str, dim: int, number: int = 0) -> None:
        self.app_pk, self.model, self.dim, self.number = app_pk, model, dim, number
        self.columns = empty_columns(dim)
        self.size = 0
        self.change_number = -1
        self.row_of: dict[int, int] = {}
        self.users, self.subjects = Codes(), Codes()
        self.lock = Lock()
        self.latest_view = View(self.columns, self.users, self.subjects)

    def view(self) -> View:
        """The memories as they are now. One query if nothing was written, two more otherwise."""
        with self.lock:
            if self.refresh():
                self.latest_view = View(self.columns.head(self.size), self.users, self.subjects)
            return self.latest_view

    def refresh(self) -> bool:
        """Reads what was written since; False if nothing was.

        Rows first, then deletions, and the number before both: what is written meanwhile may be read twice, never
        missed.
        """
        ((latest,),) = change_number_of(self.app_pk)
        if latest == self.change_number:
            return False
        with connection.cursor() as cursor:
            cursor.execute(CHANGED, [self.model, self.app_pk, self.change_number])
            while rows := cursor.fetchmany(LOAD_ROWS):
                self.append(rows)
            cursor.execute(GONE, [self.app_pk, self.change_number] * 2)
            for (pk,) in cursor.fetchall():
                self.bury(pk)
        self.change_number = latest
        self.compact()
        return True

    def append(self, rows: list[tuple[Any, ...]]) -> None:
        start, end = self.size, self.size + len(rows)
        if end > len(self.columns.pk):
            capacity = int(GROWTH * end) + 1
            self.columns = self.columns.each(lambda column: grow(column, capacity))
        new = self.columns.each(lambda column: column[start:end])
        self.fill(new, rows)
        for offset, row in enumerate(rows):
            self.bury(row[0])
            self.row_of[row[0]] = start + offset
        new.alive[:] = True
        self.size = end

    def fill(self, new: Columns, rows: list[tuple[Any, ...]]) -> None:
        pks, statuses, visibilities, agents, users, subjects, sessions, turns, *rest = zip(*rows, strict=True)
        lengths, words, days, untils, importances, priorities, created, confidences, updated, sources, *last = rest
        sinces, sentiments, blobs = last
        new.pk[:] = pks
        new.active[:] = [status == Status.ACTIVE for status in statuses]
        new.agent[:] = [agent or NOBODY for agent in agents]
        new.shared[:] = [visibility == Visibility.SHARED for visibility in visibilities]
        private = zip(visibilities, agents, strict=True)
        new.owner[:] = [agent or NOBODY if visibility == Visibility.AGENT else NOBODY for visibility, agent in private]
        new.user[:] = [self.users.code(user) for user in users]
        new.subject[:] = [self.subjects.code(subject) for subject in subjects]
        new.session[:] = [session or NOBODY for session in sessions]
        new.turn[:] = [turn or 0 for turn in turns]
        new.length[:] = lengths
        new.words[:] = words
        new.day[:] = [date.fromisoformat(str(day)[:10]).toordinal() for day in days]
        new.until[:] = [unix_seconds(until) for until in untils]
        new.importance[:] = importances
        new.priority[:] = priorities
        new.created[:] = [unix_seconds(moment) for moment in created]
        new.confidence[:] = confidences
        new.updated[:] = [unix_seconds(moment) for moment in updated]
        new.stated[:] = [source != Source.API for source in sources]
        new.since[:] = [unix_seconds(since, never=-np.inf) for since in sinces]
        new.sentiment[:] = [TONES.index(sentiment) for sentiment in sentiments]
        new.embedded[:] = [blob is not None for blob in blobs]
        if any(new.embedded):
            known = b"".join(bytes(blob) for blob in blobs if blob is not None)
            new.vectors[new.embedded] = np.frombuffer(known, "<f4").reshape(-1, self.dim)
        new.signs[:] = sign_bits(new.vectors)

    def bury(self, pk: int) -> None:
        row = self.row_of.pop(pk, None)
        if row is not None:
            self.columns.alive[row] = False

    def compact(self) -> None:
        """Drops dead rows into new arrays; views keep the old ones."""
        dead = self.size - len(self.row_of)
        if dead <= MOST_DEAD * self.size or not dead:
            return
        alive = self.columns.alive[: self.size]
        living = self.columns.head(self.size).each(lambda column: column[alive])
        self.columns = living.each(lambda column: np.asarray(column, order=order_of(column)))
        self.size = len(self.columns.pk)
        self.row_of = {int(pk): row for row, pk in enumerate(self.columns.pk)}


def unix_seconds(moment: Any, never: float = np.inf) -> float:
    """A time as the database answers it; `never` where it is null."""
    if moment is None:
        return never
    known = moment if isinstance(moment, datetime) else datetime.fromisoformat(str(moment))
    return known.replace(tzinfo=known.tzinfo or UTC).timestamp()


class Indexes:
    """The indexes of a process, the least recently used dropped first when they outgrow `limit_bytes`."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.kept: OrderedDict[tuple[int, str, int], AppIndex] = OrderedDict()
        self.lock = Lock()

    def of(self, app: App, model: str, dim: int) -> AppIndex:
        """The app's index, a new one if the app's `index_number` was raised: those of smaller numbers go."""
        key = (app.pk, model, dim)
        with self.lock:
            index = self.kept.get(key)
            if index is None or index.number < app.index_number:
                self.drop_older(app)
                index = self.kept[key] = AppIndex(app.pk, model, dim, app.index_number)
            self.kept.move_to_end(key)
            self.shrink()
            return index

    def drop_older(self, app: App) -> None:
        for key, index in list(self.kept.items()):
            if key[0] == app.pk and index.number < app.index_number:
                del self.kept[key]

    def shrink(self) -> None:
        while len(self.kept) > 1 and sum(index.columns.nbytes for index in self.kept.values()) > self.limit_bytes:
            self.kept.popitem(last=False)
