"""The memories a caller may be shown: arrays over which a question is ranked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from memories.index.app_index import IndexView
from memories.index.columns import MERGED, NOBODY, ORIGINS, Order, first_ones
from memories.index.similarity import Cosines, Floats, Rows, taken
from memories.providers.embeddings import EmbedderMisconfigured, Vectors
from memsite.db.lru_cache import Commit
from memsite.tenancy.end_users import Users

__all__ = ["Floats", "Reading", "Rows", "Scope", "read"]
# Mean characters: below, texts are turns of a chat; above, documents.
SHORT_TEXT, LONG_TEXT = 200, 800
# BM25's.
K1, B_CHAT, B_LONG = 1.2, 0.4, 0.75


@dataclass(frozen=True, slots=True)
class Then:
    """By pks: what was `changed` after a moment in the past, and what of that was `known` at it, active and valid."""

    changed: NDArray[np.int64]
    known: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose eyes: an agent's (None: an operator's), at a time. They see what is of these end `users` and of none.

    `without` are pks that are left out, `only` those that are let in (None: all), `unheard` the origins whose memories
    are left out unless somebody has reviewed them. Of a time in the `past` they see what was known at it. Another app's
    eyes see what is `shared` and no end user's. `off_domain` are the agents whose memories count less, `tone` is how
    the question sounds. Of a search that goes on page by page they see nothing that was stored since it `began`. Of
    what was read since the `commit`, the last one when they looked, nothing is read again.
    """

    agent_pk: int | None
    users: Users
    now: float
    without: tuple[int, ...] = ()
    only: NDArray[np.int64] | None = None
    past: Then | None = None
    shared: bool = False
    off_domain: tuple[int, ...] = ()
    tone: str = ""
    unheard: tuple[str, ...] = ()
    began: float | None = None
    commit: Commit | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier reading, of the same eyes and rows, had worked out of what it was `allowed`; None where it had
    not.
    """

    allowed: NDArray[np.bool_]
    ordered: Order | None = None
    session_words: NDArray[np.int32] | None = None
    sums: NDArray[np.int64] | None = None


class Reading:
    """What is `allowed` of a view's rows. Its `rows` rise, and everything else follows them: a place is a number there.

    `seen` are all that the caller may see, of whatever status. The next search of the same eyes reads the same: what is
    worked out here is worked out once, and after a few writes not all of it anew, if it is `known` of the one before.
    """

    def __init__(self, view: IndexView, allowed: NDArray[np.bool_], seen: NDArray[np.bool_]) -> None:
        self.view, self.allowed, self.seen = view, allowed, seen
        self.known: Known | None = None
        self.is_asked = False
        """Whether a search has read it: `ahead` makes some before there is any."""
        self.rows = np.flatnonzero(allowed)

    def known_now(self) -> Known:
        """What the next reading of the same eyes need not work out."""
        done = vars(self)
        return Known(self.allowed, **{name: done.get(name) for name in ("ordered", "session_words", "sums")})

    @cached_property
    def changes(self) -> tuple[Rows, Rows] | None:
        """The rows of what is known that are gone, and those that came; None if nothing is known, or they are many."""
        if self.known is None:
            return None
        before, now = self.known.allowed, self.allowed[: len(self.known.allowed)]
        changed = np.flatnonzero(before != now)
        came = np.concatenate([changed[now[changed]], len(before) + np.flatnonzero(self.allowed[len(before) :])])
        gone = changed[before[changed]]
        return (gone, came) if len(gone) + len(came) <= MERGED else None

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def is_whole(self) -> bool:
        return self.size == len(self.allowed)

    def column(self, name: str) -> NDArray[Any]:
        """Of all places."""
        return taken(getattr(self.view.columns, name), self.rows)

    def at(self, name: str, places: Rows) -> NDArray[Any]:
        """A column at some places."""
        values: NDArray[Any] = getattr(self.view.columns, name)[self.rows[places]]
        return values

    @cached_property
    def nothing(self) -> Floats:
        """0 of all places: one number, however many they are."""
        return np.broadcast_to(np.float32(0), self.size)

    @cached_property
    def pks(self) -> NDArray[np.int64]:
        return self.column("pk")

    @cached_property
    def days(self) -> NDArray[np.int32]:
        return self.column("day")

    @cached_property
    def days_told(self) -> tuple[int, int] | None:
        """The first and the last of the days; None if none is known."""
        known = self.days[self.days > 0]
        return (int(known.min()), int(known.max())) if len(known) else None

    @cached_property
    def subjects(self) -> NDArray[np.int32]:
        return self.column("subject")

    @cached_property
    def mean_words(self) -> float:
        """Of a memory, at least 1."""
        return max(1.0, float(self.sums[0]) / max(1, self.size))

    @cached_property
    def sums(self) -> NDArray[np.int64]:
        """Words and characters of all."""
        columns = (self.view.columns.words, self.view.columns.length)
        if self.changes is None or self.known is None or self.known.sums is None:
            return np.array([taken(column, self.rows).sum() for column in columns], np.int64)
        gone, came = self.changes
        more = [column[came].sum() - column[gone].sum() for column in columns]
        return self.known.sums + np.array(more, np.int64)

    def length_discount(self, places: Rows) -> Floats:
        """BM25's factor for the length of each: less of it among turns of a chat than among long texts."""
        b = B_LONG + (B_CHAT - B_LONG) * self.chat
        relative = self.at("words", places).astype(np.float32) / np.float32(self.mean_words)
        factor: Floats = (K1 + 1) / (1 + K1 * (1 - b + b * relative))
        return factor

    @cached_property
    def order(self) -> Order:
        """Of the places."""
        ordered = self.ordered
        return ordered if self.is_whole else Order(self.place_of_row[ordered.rows].astype(np.intp), ordered.begins)

    @cached_property
    def ordered(self) -> Order:
        """Of the rows."""
        if self.is_whole:
            return self.view.order
        columns = self.view.columns
        if self.changes is None or self.known is None or self.known.ordered is None:
            rows = self.view.order.rows
            rows = rows[self.allowed[rows]]
            return Order(rows, first_ones(columns.session[rows]))
        gone, came = self.changes
        return self.known.ordered.without(gone, columns).with_rows(came, columns)

    @cached_property
    def joined(self) -> NDArray[np.bool_]:
        """Shape (size + 1,), in order: whether each is of one session with the one before. Last stands that none is."""
        return ~np.append(self.order.begins, [True])

    @cached_property
    def has_sessions(self) -> bool:
        """Whether anything stands beside anything."""
        return bool(self.joined.any())

    @cached_property
    def at_of_place(self) -> NDArray[np.int32]:
        """Where in order each place is."""
        at = np.empty(self.size, np.int32)
        at[self.order.rows] = np.arange(self.size, dtype=np.int32)
        return at

    @cached_property
    def session_bounds(self) -> Rows:
        """Where in order each session begins, and `size` after the last."""
        return np.append(np.flatnonzero(self.order.begins), self.size)

    def members(self, starts: Rows, ends: Rows) -> tuple[Rows, Rows]:
        """The places of all between these bounds in order, and where among them each stretch begins."""
        counts = ends - starts
        firsts = np.cumsum(counts) - counts
        return self.order.rows[np.arange(counts.sum()) + np.repeat(starts - firsts, counts)], firsts

    @cached_property
    def session_words(self) -> NDArray[np.int32]:
        """Words here of each session, by its number; 0 of those that are not here."""
        if self.is_whole:
            return self.view.session_words
        columns = self.view.columns
        if self.changes is None or self.known is None or self.known.session_words is None:
            return np.bincount(self.column("session_number"), self.column("words")).astype(np.int32)
        words, (gone, came) = self.known.session_words, self.changes
        size = max(len(words), 1 + int(columns.session_number[came].max(initial=-1)))
        words = np.concatenate([words, np.zeros(size - len(words), np.int32)])
        np.subtract.at(words, columns.session_number[gone], columns.words[gone])
        np.add.at(words, columns.session_number[came], columns.words[came])
        return words

    @cached_property
    def session_count(self) -> int:
        return int(np.count_nonzero(self.session_words))

    @cached_property
    def mean_session_words(self) -> float:
        """At least 1."""
        return max(1.0, float(self.session_words.sum()) / max(1, self.session_count))

    def session_lengths(self, numbers: NDArray[Any]) -> Floats:
        """Words of each, in times the mean."""
        lengths: Floats = self.session_words[numbers].astype(np.float32) / np.float32(self.mean_session_words)
        return lengths

    @cached_property
    def chat(self) -> float:
        """1 where memories are as short as turns of a chat, 0 where they are long, in between on a log scale."""
        mean = float(self.sums[1]) / self.size if self.size else SHORT_TEXT
        share = math.log(max(mean, 1) / SHORT_TEXT) / math.log(LONG_TEXT / SHORT_TEXT)
        return 1 - min(1.0, max(0.0, share))

    @cached_property
    def subject_counts(self) -> NDArray[np.int64]:
        return np.bincount(self.subjects)

    def subjects_by(self, word: str) -> list[int]:
        """Codes of the subjects here with this word in their names."""
        codes = self.view.subjects.by_word.get(word)
        if not codes:
            return []
        counts = self.subject_counts
        return [code for code in codes if code < len(counts) and counts[code]]

    def places(self, pks: NDArray[np.int64]) -> Rows:
        """Where in the reading these memories are; those that are not are left out."""
        return self.places_of(self.view.rows_of(pks))

    def places_of(self, rows: Rows) -> Rows:
        """Where in the reading these rows of the view are; those that are not are left out."""
        if self.is_whole:
            return rows
        place = self.place_of_row[rows]
        return place[place >= 0].astype(np.intp)

    def visible(self, pks: set[int]) -> set[int]:
        """Those of these memories that the caller may see."""
        rows = self.view.rows_of(np.fromiter(pks, np.int64, len(pks)))
        return set(self.view.columns.pk[rows[self.seen[rows]]].tolist())

    @cached_property
    def place_of_row(self) -> NDArray[np.int32]:
        places = np.full(len(self.view.columns.pk), -1, np.int32)
        places[self.rows] = np.arange(self.size, dtype=np.int32)
        return places


def scoped_view(view: IndexView, scope: Scope) -> Reading:
    """What the scope lets through: active, valid, the caller's to see. The last few readings of a view are kept."""
    if scope.past or scope.without or scope.only is not None or is_newer(view, scope).any():
        return read_anew(view, scope)
    reading = reading_of(view, scope)
    reading.is_asked = True
    return reading


def is_newer(view: IndexView, scope: Scope) -> NDArray[np.bool_]:
    """Which rows were stored since the search began. What is of later than now was stored before, by a clock ahead."""
    if scope.began is None:
        return np.zeros(0, bool)
    created = view.columns.created
    newer: NDArray[np.bool_] = (created > scope.began) & (created <= timezone.now().timestamp())
    return newer


def reading_of(view: IndexView, scope: Scope) -> Reading:
    """The one that is kept of these eyes, or from now on."""
    eyes = eyes_of(view, scope)
    kept = view.readings.get(eyes)
    if kept is None or not kept.since <= scope.now < kept.until:
        reading = read_anew(view, scope)
        reading.known = kept.reading.known_now() if kept else view.known.readings.get(eyes)
        kept = Kept(reading, scope, *unchanged_around(view, scope.now))
        view.readings.put(eyes, kept)
    return kept.reading


def eyes_of(view: IndexView, scope: Scope) -> tuple[object, ...]:
    """The same for all who see the same: agents and end users without memories of their own see what others do."""
    agent = scope.agent_pk if scope.agent_pk is None or scope.agent_pk in view.owners else NOBODY
    return agent, numbers_of(view, scope.users), scope.shared, scope.unheard


def numbers_of(view: IndexView, users: Users) -> tuple[int, ...] | None:
    """Nobody's and those of these end users, as far as they have memories; None: any."""
    if users is None:
        return None
    numbers = view.users.numbers
    return NOBODY, *sorted({numbers[user] for user in users if user in numbers})


@dataclass(frozen=True, slots=True)
class Kept:
    """A reading and of what, and from when and until when (Unix seconds) its eyes see the same."""

    reading: Reading
    scope: Scope
    since: float
    until: float


def unchanged_around(view: IndexView, now: float) -> tuple[float, float]:
    """The last moment at which a memory began or ceased to be valid, and the next one."""
    moments = np.concatenate([[-np.inf, np.inf], view.moments])
    return float(moments[moments <= now].max()), float(moments[moments > now].min())


def read_anew(view: IndexView, scope: Scope) -> Reading:
    columns = view.columns
    seen = columns.alive.copy()
    if scope.shared:
        seen &= columns.shared & (columns.user == NOBODY)
    if scope.agent_pk is not None:
        seen &= (columns.owner == NOBODY) | (columns.owner == scope.agent_pk)
    numbers = numbers_of(view, scope.users)
    if numbers is not None:
        seen &= np.isin(columns.user, numbers)
    allowed = seen.copy()
    allowed &= columns.active
    if len(view.moments):
        allowed &= (columns.until > scope.now) & (columns.since <= scope.now)
    if scope.past:
        allowed &= columns.created <= scope.now
        allowed[view.rows_of(scope.past.changed)] = False
        known = view.rows_of(scope.past.known)
        allowed[known] = seen[known]
    if scope.unheard:
        allowed &= ~np.isin(columns.unreviewed, [ORIGINS.index(origin) for origin in scope.unheard])
    if scope.began is not None:
        allowed &= ~is_newer(view, scope)
    if scope.without:
        allowed[view.rows_of(np.array(scope.without, np.int64))] = False
    if scope.only is not None:
        let_in = np.zeros_like(allowed)
        let_in[view.rows_of(scope.only)] = True
        allowed &= let_in
    return Reading(view, allowed, seen)


def question_cosines(reading: Reading, query: Vectors) -> Cosines:
    """Of a large app, cosines are estimated by sign bits and those of the nearest are exact. EmbedderMisconfigured if
    the vectors of the app have another length: its model was replaced by another one of the same name.
    """
    if len(query) != (dim := reading.view.held.dim):
        raise EmbedderMisconfigured(f"the question's vector has {len(query)} dimensions, those of the app have {dim}")
    return reading.view.held.measure(query, reading.rows, reading.places)
