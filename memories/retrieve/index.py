"""The vectors of an app in memory: exact cosines of 100,000 memories in milliseconds.

One index per app and process, shared by its threads, kept fresh by the app's change number: a search first reads what
was written since, wherever it was written. Rows are only ever appended; a changed memory leaves a dead row behind.
A search therefore works on a view that no later write can disturb, without holding a lock.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, fields
from threading import Lock
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memories.models import Status, Visibility
from memories.providers.embeddings import Vectors
from memories.retrieve.nearest import sign_bits
from memsite.tenancy.models import App

GROWTH = 1.25
LOAD_ROWS = 2000
# Dead rows are dropped when they are this share of all.
MOST_DEAD = 0.25
NOBODY = 0

CHANGED = """
SELECT m.id, m.status, m.visibility, m.agent_id, m.user_id, m.subject, m.session_id, m.turn_number,
       length(m.content), v.data
FROM memories_memory m LEFT JOIN memories_vector v ON v.memory_id = m.id AND v.model = %s
WHERE m.app_id = %s AND m.change_number > %s
"""
FORGOTTEN = "SELECT memory_id FROM memories_forgotten WHERE app_id = %s AND change_number > %s"


@dataclass(slots=True)
class Columns:
    """Arrays of one length. Codes stand for texts; 0 is none."""

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
    vectors: Vectors
    signs: NDArray[np.uint64]

    def head(self, size: int) -> Columns:
        return Columns(*(getattr(self, field.name)[:size] for field in fields(self)))

    def take(self, rows: NDArray[np.bool_]) -> Columns:
        return Columns(*(getattr(self, field.name)[rows] for field in fields(self)))

    def grown(self, capacity: int) -> Columns:
        return Columns(*(grow(getattr(self, field.name), capacity) for field in fields(self)))

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, field.name).nbytes for field in fields(self))


def grow(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    larger = np.zeros((capacity, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def empty_columns(dim: int) -> Columns:
    words = -(-dim // 64)
    return Columns(
        pk=np.zeros(0, np.int64),
        alive=np.zeros(0, np.bool_),
        active=np.zeros(0, np.bool_),
        embedded=np.zeros(0, np.bool_),
        owner=np.zeros(0, np.int64),
        user=np.zeros(0, np.int32),
        subject=np.zeros(0, np.int32),
        session=np.zeros(0, np.int64),
        turn=np.zeros(0, np.int32),
        length=np.zeros(0, np.int32),
        vectors=np.zeros((0, dim), np.float32),
        signs=np.zeros((0, words), np.uint64),
    )


class AppIndex:
    """The memories of one app. `columns` has capacity; the first `size` rows are in use."""

    def __init__(self, app_pk: int, model: str, dim: int) -> None:
        self.app_pk, self.model, self.dim = app_pk, model, dim
        self.columns = empty_columns(dim)
        self.size = 0
        self.change_number = -1
        self.row_of: dict[int, int] = {}
        self.codes: dict[str, int] = {}
        self.lock = Lock()

    def view(self) -> Columns:
        """The memories as they are now. One query that changes nothing; two more if something was written."""
        with self.lock:
            self.refresh()
            return self.columns.head(self.size)

    def refresh(self) -> None:
        """Reads what was written since. Rows first, then deletions, and the number before both: what is written
        meanwhile may be read twice, never missed."""
        latest = App.objects.values_list("change_number", flat=True).get(pk=self.app_pk)
        if latest == self.change_number:
            return
        with connection.cursor() as cursor:
            cursor.execute(CHANGED, [self.model, self.app_pk, self.change_number])
            while rows := cursor.fetchmany(LOAD_ROWS):
                self.append(rows)
            cursor.execute(FORGOTTEN, [self.app_pk, self.change_number])
            for (pk,) in cursor.fetchall():
                self.bury(pk)
        self.change_number = latest
        self.compact()

    def append(self, rows: list[tuple[Any, ...]]) -> None:
        start, end = self.size, self.size + len(rows)
        if end > len(self.columns.pk):
            self.columns = self.columns.grown(max(end, int(GROWTH * end)))
        new = Columns(*(getattr(self.columns, field.name)[start:end] for field in fields(Columns)))
        self.fill(new, rows)
        for offset, row in enumerate(rows):
            self.bury(row[0])
            self.row_of[row[0]] = start + offset
        new.alive[:] = True
        self.size = end

    def fill(self, new: Columns, rows: list[tuple[Any, ...]]) -> None:
        pks, statuses, visibilities, agents, users, subjects, sessions, turns, lengths, blobs = zip(*rows, strict=True)
        new.pk[:] = pks
        new.active[:] = [status == Status.ACTIVE for status in statuses]
        private = zip(visibilities, agents, strict=True)
        new.owner[:] = [agent or NOBODY if visibility == Visibility.AGENT else NOBODY for visibility, agent in private]
        new.user[:] = [self.code(user) for user in users]
        new.subject[:] = [self.code(subject) for subject in subjects]
        new.session[:] = [session or NOBODY for session in sessions]
        new.turn[:] = [turn or 0 for turn in turns]
        new.length[:] = lengths
        new.embedded[:] = [blob is not None for blob in blobs]
        if any(new.embedded):
            known = b"".join(bytes(blob) for blob in blobs if blob is not None)
            new.vectors[new.embedded] = np.frombuffer(known, "<f4").reshape(-1, self.dim)
        new.signs[:] = sign_bits(new.vectors)

    def code(self, text: str | None) -> int:
        return self.codes.setdefault(text, len(self.codes) + 1) if text else NOBODY

    def bury(self, pk: int) -> None:
        row = self.row_of.pop(pk, None)
        if row is not None:
            self.columns.alive[row] = False

    def compact(self) -> None:
        """Drops dead rows into new arrays; views keep the old ones."""
        dead = self.size - len(self.row_of)
        if dead <= MOST_DEAD * self.size or not dead:
            return
        used = self.columns.head(self.size)
        self.columns = used.take(used.alive)
        self.size = len(self.columns.pk)
        self.row_of = {int(pk): row for row, pk in enumerate(self.columns.pk)}


class Indexes:
    """The indexes of a process, the least recently used dropped first when they outgrow `limit_bytes`."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.kept: OrderedDict[tuple[int, str, int], AppIndex] = OrderedDict()
        self.lock = Lock()

    def of(self, app: App, model: str, dim: int) -> AppIndex:
        with self.lock:
            index = self.kept.setdefault((app.pk, model, dim), AppIndex(app.pk, model, dim))
            self.kept.move_to_end((app.pk, model, dim))
            self.shrink()
            return index

    def shrink(self) -> None:
        while len(self.kept) > 1 and sum(index.columns.nbytes for index in self.kept.values()) > self.limit_bytes:
            self.kept.popitem(last=False)
