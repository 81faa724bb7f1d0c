"""Keep the memories of an app in this process: exact cosines of 100,000 memories in milliseconds.

One index per app and process, shared by its threads, kept fresh by the app's change number: a search first reads what
was written since, wherever it was written. Rows are only ever appended; a changed memory leaves a dead row behind. A
search therefore works on a view that no later write can disturb, without holding a lock.

Living rows are in the order of their last write. Ties, estimates and samples are decided by position, so an app answers
the same in each process, on each database, and after a restart.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.index import index_cache
from memories.index.columns import (
    FEW_CHANGES,
    HOW_MANY,
    MEANWHILE,
    NOBODY,
    Codes,
    Columns,
    LoadedRows,
    Sessions,
    Subjects,
    TurnOrder,
    changed_between,
    counts_of,
    empty_columns,
    fill,
    gone_between,
    grow,
    layout_of,
    turn_order_of,
)
from memories.index.pgvector_store import PgvectorStore
from memories.index.similarity import Rows
from memories.index.vector_store import InProcessStore, Sample, VectorStore
from memories.models import Memory
from memories.store.damage import VECTORS, report_damage
from memsite.db.lru_cache import Commit, Latest
from memsite.db.prepared import fetch_all
from memsite.db.replica import on_primary
from memsite.tenancy.models import App

# Numbers of rows that are kept for each row of the index, and at least: 64 bytes beside the 1,600 of a memory.
KEPT_PER_ROW, LEAST_KEPT = 8, 2**16
# What a word costs beside its rows, in rows.
WORD_COST = 16
GROWTH = 1.25
# Each takes about a twentieth of what the vectors take.
VIEWS_KEPT = 4
# Dead rows are dropped when they are this share of all.
MOST_DEAD = 0.25
# Where more than this share of the rows has changed since, all is read anew: beside the old rows the new ones would
# take twice the memory until the dead are dropped, and twice that for a moment.
MOST_CHANGED = 0.5
recent_memories: Latest[CachedMemory] = Latest(1_024)
"""Memories that were shown lately, by app pk and pk, for `memories.retrieve.hits`: 4 kB each, and their texts. What
changes is dropped."""


@dataclass(frozen=True, slots=True)
class Posting:
    """Hold, of the first `asked` rows, those with a word, rising: all of them if it is `whole`. Some may be dead."""

    rows: Rows
    asked: int
    whole: bool

    def and_then(self, rows: list[int], fetched: int) -> Posting:
        """Return it continued with those of the next rows that contain the word."""
        return Posting(np.concatenate([self.rows, rows], dtype=np.intp) if rows else self.rows, fetched, self.whole)


class Postings:
    """Cache the latest postings by word, for all threads.

    A row never changes, and a memory that does gets another row: what was found of a row is true as long as it lives.
    """

    def __init__(self) -> None:
        self.by_word: dict[str, Posting] = {}
        self.cost = 0
        self.is_damaged = False
        """Whether the database's index of words was found to be damaged. Once it is mended, all is read anew."""
        self.lock = Lock()

    def get(self, word: str) -> Posting | None:
        return self.by_word.get(word)

    def put(self, word: str, posting: Posting) -> None:
        most = max(LEAST_KEPT, KEPT_PER_ROW * posting.asked)
        with self.lock:
            self.drop(word)
            self.by_word[word] = posting
            self.cost += WORD_COST + len(posting.rows)
            while self.cost > most and len(self.by_word) > 1:
                self.drop(next(iter(self.by_word)))

    def drop(self, word: str) -> None:
        dropped = self.by_word.pop(word, None)
        self.cost -= WORD_COST + len(dropped.rows) if dropped else 0


@dataclass(frozen=True, slots=True)
class CachedMemory:
    """Hold a memory row to copy from, and the commit as of which it and its counts are known to be current."""

    memory: Memory
    commit: Commit | None


@dataclass(frozen=True, slots=True)
class ViewState:
    """Hold what an earlier view has derived from its rows, the first `size` of the next one's; None where it has not.

    `scoped_views` is what its last scoped views have derived, by their visibility.
    """

    size: int = 0
    order: TurnOrder | None = None
    moments: NDArray[np.float64] | None = None
    session_words: NDArray[np.int32] | None = None
    rises: bool | None = None
    scoped_views: Mapping[Any, Any] = field(default_factory=dict)


NOTHING = ViewState()


class IndexView:
    """Hold an app's memories at one moment. Nothing that is written later shows in it.

    `scoped_views` caches what `memories.retrieve.scoped_view` made of it for the last few visibilities. What is `known`
    of its first rows is not derived again. `postings` belong to the index, and may tell of rows after these. It
    `is_partial` where memories have vectors that cannot be read.
    """

    def __init__(
        self,
        columns: Columns,
        users: Codes,
        subjects: Subjects,
        held: VectorStore | None = None,
        known: ViewState = NOTHING,
        postings: Postings | None = None,
        *,
        is_partial: bool = False,
    ) -> None:
        self.columns, self.users, self.subjects = columns, users, subjects
        self.is_partial = is_partial
        self.held = held or InProcessStore(columns, Sample())
        self.known = known
        self.postings = postings or Postings()
        self.scoped_views: Latest[Any] = Latest(VIEWS_KEPT)

    @property
    def size(self) -> int:
        """Return the number of living rows."""
        return int(np.count_nonzero(self.columns.alive))

    @cached_property
    def has_documents(self) -> bool:
        return bool((self.columns.quoted & self.columns.alive).any())

    @cached_property
    def owners(self) -> set[int]:
        """Return the pks of the agents that have private memories."""
        owner = self.columns.owner
        return set(owner[np.flatnonzero(owner != NOBODY)].tolist())

    def known_now(self) -> ViewState:
        """Return what the next view need not derive again."""
        done = vars(self)
        known = ("order", "moments", "session_words", "rises")
        cached = self.scoped_views.values.copy()
        now = {visibility: entry.scoped.known_now() for visibility, entry in cached.items()}
        before = {visibility: entry for visibility, entry in self.known.scoped_views.items() if visibility not in now}
        scoped_views = dict([*before.items(), *now.items()][-VIEWS_KEPT:])
        return ViewState(len(self.columns.pk), **{name: done.get(name) for name in known}, scoped_views=scoped_views)

    @cached_property
    def order(self) -> TurnOrder:
        """Return all rows in the order of turns."""
        known = self.known.order
        return turn_order_of(self.columns) if known is None else known.continued(self.columns)

    @cached_property
    def moments(self) -> NDArray[np.float64]:
        """Return the Unix seconds at which memories begin or cease to be valid, unordered."""
        known = self.known.moments
        first = 0 if known is None else self.known.size
        new = [times[np.isfinite(times)] for times in (self.columns.since[first:], self.columns.until[first:])]
        return np.concatenate(new if known is None else [known, *new])

    @cached_property
    def session_words(self) -> NDArray[np.int32]:
        """Return the words of all rows by the number of their session."""
        known, columns = self.known.session_words, self.columns
        if known is None:
            return np.bincount(columns.session_number, columns.words).astype(np.int32)
        new = slice(self.known.size, None)
        numbers = columns.session_number[new]
        words = np.zeros(max(len(known), 1 + int(numbers.max(initial=0))), np.int32)
        words[: len(known)] = known
        np.add.at(words, numbers, columns.words[new])
        return words

    @cached_property
    def rises(self) -> bool:
        """Tell whether pks rise from row to row, as they do until a memory is changed."""
        if self.known.rises is False:
            return False
        pk = self.columns.pk[max(0, self.known.size - 1) if self.known.rises else 0 :]
        return bool((pk[1:] > pk[:-1]).all())

    @cached_property
    def by_pk(self) -> tuple[Rows, NDArray[np.int64]]:
        """Return the rows sorted by pk, and these pks."""
        order = np.argsort(self.columns.pk, kind="stable")
        return order, self.columns.pk[order]

    def rows_of(self, pks: NDArray[np.int64]) -> Rows:
        """Return the living rows of these memories, without those that are not in the view."""
        rows, here = self.find(pks)
        return rows[here]

    def find(self, pks: NDArray[np.int64]) -> tuple[Rows, NDArray[np.bool_]]:
        """Return a row for each of these memories, and whether it is its living row."""
        if not len(self.columns.pk):
            return np.zeros(len(pks), np.intp), np.zeros(len(pks), bool)
        order, numbers = (None, self.columns.pk) if self.rises else self.by_pk
        # An edited memory has dead rows before its living one: the last of its number is the one.
        places = np.maximum(np.searchsorted(numbers, pks, side="right") - 1, 0)
        rows: Rows = places if order is None else order[places]
        here: NDArray[np.bool_] = (numbers[places] == pks) & self.columns.alive[rows]
        return rows, here


class LivingRows:
    """Find the living row of a memory by its pk: of what was there at first in arrays, of what came since in a dict.

    A dict of all takes a tenth of what the vectors take, in each process.
    """

    def __init__(self, pks: NDArray[np.int64] | None = None, rows: Rows | None = None) -> None:
        self.pks = np.zeros(0, np.int64) if pks is None else pks
        """They rise."""
        self.rows = rows
        """Theirs; None: each is at its own place."""
        self.gone = set[int]()
        self.later = dict[int, int]()

    @classmethod
    def of(cls, columns: Columns) -> LivingRows:
        if columns.alive.all() and (columns.pk[1:] > columns.pk[:-1]).all():
            return cls(columns.pk)
        rows = np.flatnonzero(columns.alive)
        rows = rows[np.argsort(columns.pk[rows])].astype(np.int32)
        return cls(columns.pk[rows], rows)

    def __len__(self) -> int:
        return len(self.pks) - len(self.gone) + len(self.later)

    def __contains__(self, pk: int) -> bool:
        return self.get(pk) is not None

    def get(self, pk: int) -> int | None:
        row = self.later.get(pk)
        if row is not None or pk in self.gone:
            return row
        place = int(np.searchsorted(self.pks, pk))
        if place == len(self.pks) or self.pks[place] != pk:
            return None
        return place if self.rows is None else int(self.rows[place])

    def pop(self, pk: int) -> int | None:
        row = self.get(pk)
        if self.later.pop(pk, None) is None and row is not None:
            self.gone.add(pk)
        return row

    def update(self, rows: Iterable[tuple[int, int]]) -> None:
        """Set the rows of memories that have come, or were taken out before."""
        self.later.update(rows)


class AppIndex:
    """Hold the memories of one app. `columns` has capacity; the first `size` rows are in use. `number` is the app's.

    The vectors may be `away`: then pgvector is asked for them.
    """

    def __init__(self, app_pk: int, model: str, dim: int, number: int = 0, *, away: bool = False) -> None:
        self.app_pk, self.model, self.dim, self.number, self.away = app_pk, model, dim, number, away
        self.clear()
        self.lock = Lock()
        self.nbytes = -1
        """As the columns were when the indexes were looked at last (`Indexes.shrink`)."""
        self.is_asked = False
        """Whether anybody has asked for a view since a writer refreshed it (`memories.retrieve.warmup`)."""

    def clear(self) -> None:
        self.columns = empty_columns(self.dim, away=self.away)
        self.size, self.change_number = 0, -1
        self.row_of = LivingRows()
        self.unreadable: set[int] = set()
        """Pks of the memories whose vectors cannot be read, until they have others."""
        self.users, self.subjects, self.sessions = Codes(), Subjects(), Sessions()
        self.forget()

    def forget(self) -> None:
        """Drop what is known of the rows: these are others now."""
        self.sample = Sample()
        self.latest_view: IndexView = IndexView(self.columns, self.users, self.subjects)
        self.postings = Postings()

    def view(self, commit: Commit | None = None) -> IndexView:
        """Return the memories as of now, or as of this commit, if it is the last one.

        One query if nothing was written to the app, two more otherwise.
        """
        self.is_asked = True
        return self.up_to_date(commit)

    def up_to_date(self, commit: Commit | None = None) -> IndexView:
        """Refresh the index, and return its latest view."""
        with self.lock, on_primary():
            before = self.latest_view
            if self.refresh(commit):
                self.make_view(before)
            return self.latest_view

    def make_view(self, before: IndexView) -> None:
        """Make the latest view of what was read; `before` was the latest."""
        columns = self.columns.head(self.size)
        known = self.latest_view.known_now()
        # Readings know the view that keeps them: nothing of either would be freed before the next collection.
        before.scoped_views.clear()
        store: VectorStore = InProcessStore(columns, self.sample)
        if self.away:
            store = PgvectorStore(self.app_pk, self.model, self.dim, columns, self.sample)
        is_partial = bool(self.unreadable)
        self.latest_view = IndexView(
            columns, self.users, self.subjects, store, known, self.postings, is_partial=is_partial
        )

    def refresh(self, commit: Commit | None) -> bool:
        """Read what was written since. Return False if nothing was.

        Rows first, then deletions, and the number before both: what is written meanwhile may be read twice, never
        missed.
        """
        ((latest, count),) = counts_of.as_of(commit, self.app_pk)
        # Since that commit, a later one may have been followed.
        if latest == self.change_number or (commit and latest < self.change_number):
            return False
        is_new = self.change_number < 0 or self.is_outdated(self.size, self.change_number, latest)
        if is_new:
            self.begin(count if isinstance(count, int) else 0, latest)
        size_before, changes = self.size, list[int]()
        for rows in changed_between(self.app_pk, self.model, self.dim, self.change_number, latest, away=self.away):
            self.append(rows)
            changes += [row[1] for row in rows]
        self.arrange(size_before, changes)
        if is_new:
            self.row_of = LivingRows.of(self.columns.head(self.size))
        if unreadable := [
            pk for pk in self.unreadable if (row := self.row_of.get(pk)) is not None and row >= size_before
        ]:
            report_damage(self.app_pk, VECTORS, memories=len(unreadable), first=min(unreadable))
        for pk in gone_between(self.app_pk, self.change_number, latest):
            self.bury(pk)
        self.change_number = latest
        self.compact()
        if is_new and self.size - size_before > index_cache.STALE * self.size:
            self.keep()
        return True

    def is_outdated(self, size: int, change_number: int, latest: int) -> bool:
        """Tell whether most of so many rows, as of that change, have changed since. One query if that may be."""
        if latest - change_number <= FEW_CHANGES:
            return False
        ((number,),) = fetch_all(HOW_MANY, [self.app_pk, change_number, latest + MEANWHILE])
        return int(number) > MOST_CHANGED * size

    def begin(self, count: int, latest: int) -> None:
        """Begin anew: from the index cache on the disk, if that has most of it; else with capacity for so many rows."""
        self.clear()
        state = index_cache.read_index(self.kind)
        if state is None or self.is_outdated(state.size, state.change_number, latest):
            self.reserve(count)
            return
        self.install(state)

    def install(self, state: index_cache.IndexState) -> None:
        """Take over what is in the cache, into an index that was cleared."""
        self.columns, self.size, self.change_number = state.columns, state.size, state.change_number
        columns = self.columns.head(self.size)
        for codes, names in ((self.users, state.users), (self.subjects, state.subjects)):
            for name in names:
                codes.take_in(name)
        self.sessions = Sessions.of(columns.session, columns.session_number)
        self.row_of = LivingRows.of(columns)

    def share(self) -> None:
        """Map the cached index in the place of this process's own copy, and read what was written since."""
        state = index_cache.read_index(self.kind)
        if state is None:
            return
        with self.lock:
            before = self.latest_view
            self.clear()
            self.install(state)
            self.refresh(None)
            self.make_view(before)

    def keep(self) -> None:
        """Write the index to the cache on the disk, and share it, in the background."""
        users, subjects = self.users.names[1:], self.subjects.names[1:]
        state = index_cache.IndexState(self.columns, self.size, self.change_number, users, subjects)
        if not self.unreadable:
            index_cache.write_in_background(self.kind, state, self.share)

    @property
    def kind(self) -> index_cache.IndexKey:
        return index_cache.IndexKey(self.app_pk, self.model, self.dim, self.number, self.away)

    def reserve(self, size: int) -> None:
        """Make capacity for so many rows."""
        if size > len(self.columns.pk):
            capacity = int(GROWTH * size) + 1
            self.columns = self.columns.each(lambda column: grow(column, capacity))

    def append(self, rows: LoadedRows) -> None:
        """Append rows read from the database, and bury the rows that these memories had before."""
        start, end = self.size, self.size + len(rows)
        self.reserve(end)
        new = self.columns.each(lambda column: column[start:end])
        unreadable = fill(new, rows, self.users, self.subjects, away=self.away)
        new.session_number[:] = self.sessions.numbers_of(new.session)
        pks = [row[0] for row in rows]
        for pk in filter(self.row_of.__contains__, pks):
            self.bury(pk)
        self.row_of.update(zip(pks, range(start, end), strict=True))
        self.unreadable.update(unreadable)
        new.alive[:] = True
        self.size = end

    def arrange(self, first: int, changes: Sequence[int]) -> None:
        """Sort the rows from `first` on as they were written, by these change numbers. No view has them yet.

        The database answers them in any order.
        """
        if len(changes) < 2:
            return
        new = self.columns.each(lambda column: column[first : self.size])
        order = np.lexsort((new.pk, np.array(changes)))
        if (order[1:] > order[:-1]).all():
            return
        for name in Columns.__slots__:
            column = getattr(new, name)
            column[:] = column[order]
        rows = np.flatnonzero(new.alive)
        self.row_of.update(zip(new.pk[rows].tolist(), (first + rows).tolist(), strict=True))

    def bury(self, pk: int) -> None:
        """Mark the row of a memory as dead."""
        recent_memories.drop((self.app_pk, pk))
        self.unreadable.discard(pk)
        row = self.row_of.pop(pk)
        if row is not None:
            self.columns.alive[row] = False

    def compact(self) -> None:
        """Move the living rows into new arrays, where enough are dead; views keep the old arrays."""
        dead = self.size - len(self.row_of)
        if dead <= MOST_DEAD * self.size or not dead:
            return
        alive = self.columns.alive[: self.size]
        living = self.columns.head(self.size).each(lambda column: column[alive])
        self.columns = living.each(lambda column: np.asarray(column, order=layout_of(column)))
        self.sessions = Sessions()
        self.columns.session_number[:] = self.sessions.numbers_of(self.columns.session)
        self.forget()
        self.size = len(self.columns.pk)
        self.row_of = LivingRows.of(self.columns)


class Indexes:
    """Hold the indexes of a process. The least recently used are dropped when they outgrow `limit_bytes`."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.by_key: OrderedDict[tuple[int, str, int], AppIndex] = OrderedDict()
        self.lock = Lock()

    def of(self, app: App, model: str, dim: int) -> AppIndex:
        """Return the app's index, a new one if the app's `index_number` was raised: those of smaller numbers go."""
        key = (app.pk, model, dim)
        with self.lock:
            index = self.by_key.get(key)
            if index is None or index.number < app.index_number:
                for other, older in list(self.by_key.items()):
                    if other[0] == app.pk and older.number < app.index_number:
                        del self.by_key[other]
                index = AppIndex(app.pk, model, dim, app.index_number, away=app.near_model == model)
                self.by_key[key] = index
            self.by_key.move_to_end(key)
            if index.nbytes != index.columns.nbytes:
                self.shrink()
            return index

    def of_app(self, app_pk: int) -> list[AppIndex]:
        """Return the app's indexes that are there, of whatever embedder."""
        with self.lock:
            return [index for (pk, *_), index in self.by_key.items() if pk == app_pk]

    def shrink(self) -> None:
        """Drop the least recently used indexes over the limit, when an index was added or has grown."""
        for index in self.by_key.values():
            index.nbytes = index.columns.nbytes
        while len(self.by_key) > 1 and sum(index.nbytes for index in self.by_key.values()) > self.limit_bytes:
            self.by_key.popitem(last=False)
