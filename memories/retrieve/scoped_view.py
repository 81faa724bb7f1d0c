"""Select the memories a caller may be shown: arrays over which a question is ranked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from memories.index.app_index import IndexView
from memories.index.columns import MERGED, NOBODY, ORIGINS, Columns, TurnOrder, distinct, run_starts
from memories.index.similarity import Cosines, Floats, Rows, disagreeing, take_rows
from memories.providers.embeddings import EmbedderMisconfigured, Vectors
from memsite.db.lru_cache import Commit
from memsite.tenancy.access import Users

Interval = tuple[float, float]
"""From and until when, in Unix seconds; the end is not in it."""
ALWAYS: Interval = (-math.inf, math.inf)
# Mean characters: below, texts are turns of a chat; above, documents.
SHORT_TEXT, LONG_TEXT = 200, 800
FORMER, STEPS = 64, 8
"""Of so many superseded memories the vectors are compared, and so many steps lead to what stands for one of them."""
# BM25's.
K1, B_CHAT, B_LONG = 1.2, 0.4, 0.75


@dataclass(frozen=True, slots=True)
class PastState:
    """Hold pks: what was `changed` after a moment in the past, and what of that was `known`, active and valid."""

    changed: NDArray[np.int64]
    known: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scope:
    """Hold who looks, and at which time. An agent (None: an operator) sees memories of these end `users` and of none.

    `without` are pks left out, `only` those allowed (None: all). Memories of the origins in `unheard` are left out
    unless reviewed. With `past`, the caller sees what was known at that time. With `shared`, the caller is another
    app, and sees what is shared and no end user's. With `documents`, passages of documents are seen in place of
    memories. Memories of the agents in `off_domain` count less; `tone` is that of the question. Of a search that
    goes on page by page, nothing stored since it `began` is seen. Nothing that was read since `commit`, the last
    one at the time of asking, is read again.

    With `valid`, what held at some time in it is seen, whatever holds now; what held in one of `held_in` is seen too.
    Only what was `stored` then is seen.
    """

    agent_pk: int | None
    users: Users
    now: float
    without: tuple[int, ...] = ()
    only: NDArray[np.int64] | None = None
    past: PastState | None = None
    shared: bool = False
    documents: bool = False
    off_domain: tuple[int, ...] = ()
    tone: str = ""
    unheard: tuple[str, ...] = ()
    began: float | None = None
    valid: Interval | None = None
    held_in: tuple[Interval, ...] = ()
    stored: Interval | None = None
    commit: Commit | None = None


@dataclass(frozen=True, slots=True)
class DerivedArrays:
    """Hold what an earlier view of this visibility had derived from what it was `allowed`; None where it had not."""

    allowed: NDArray[np.bool_]
    ordered: TurnOrder | None = None
    session_words: NDArray[np.int32] | None = None
    sums: NDArray[np.int64] | None = None


class ScopedView:
    """Hold what is `allowed` of an index view's rows. `rows` rise, and a place is a number among them.

    `seen` are all rows the caller may see, of whatever status, and `former` those of them that were superseded: what
    they said counts for what stands for them. Callers with the same visibility share one view: what is
    derived here is derived once, and after a few writes continued from what is `known` of the view before.
    """

    def __init__(
        self, view: IndexView, allowed: NDArray[np.bool_], seen: NDArray[np.bool_], former: Rows | None = None
    ) -> None:
        self.view, self.allowed, self.seen = view, allowed, seen
        self.former = np.zeros(0, np.intp) if former is None else former
        self.known: DerivedArrays | None = None
        self.is_asked = False
        """Whether a search has read it: `warmup` makes some before there is any."""
        self.rows = np.flatnonzero(allowed)

    def known_now(self) -> DerivedArrays:
        """Return what the next view of the same visibility need not derive again."""
        done = vars(self)
        return DerivedArrays(self.allowed, **{name: done.get(name) for name in ("ordered", "session_words", "sums")})

    @cached_property
    def changes(self) -> tuple[Rows, Rows] | None:
        """Return the rows that went and came since the known view; None if none is known, or they are many."""
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
        """Return a column at all places."""
        return take_rows(getattr(self.view.columns, name), self.rows)

    def values_at(self, name: str, places: Rows) -> NDArray[Any]:
        """Return a column at some places."""
        values: NDArray[Any] = getattr(self.view.columns, name)[self.rows[places]]
        return values

    @cached_property
    def nothing(self) -> Floats:
        """Return 0 at all places: one number, however many they are."""
        return np.broadcast_to(np.float32(0), self.size)

    @cached_property
    def pks(self) -> NDArray[np.int64]:
        return self.column("pk")

    @cached_property
    def days(self) -> NDArray[np.int32]:
        return self.column("day")

    @cached_property
    def days_told(self) -> tuple[int, int] | None:
        """Return the first and the last known day; None if none is known."""
        known = self.days[self.days > 0]
        return (int(known.min()), int(known.max())) if len(known) else None

    @cached_property
    def subjects(self) -> NDArray[np.int32]:
        return self.column("subject")

    @cached_property
    def mean_words(self) -> float:
        """Return the mean words of a memory, at least 1."""
        return max(1.0, float(self.sums[0]) / max(1, self.size))

    @cached_property
    def sums(self) -> NDArray[np.int64]:
        """Return the words and characters of all memories in view."""
        columns = (self.view.columns.words, self.view.columns.length)
        if self.changes is None or self.known is None or self.known.sums is None:
            return np.array([take_rows(column, self.rows).sum() for column in columns], np.int64)
        gone, came = self.changes
        more = [column[came].sum() - column[gone].sum() for column in columns]
        return self.known.sums + np.array(more, np.int64)

    def length_discount(self, places: Rows) -> Floats:
        """Return BM25's factor for the length of each: weaker among turns of a chat than among long texts."""
        b = B_LONG + (B_CHAT - B_LONG) * self.chat
        relative = self.values_at("words", places).astype(np.float32) / np.float32(self.mean_words)
        factor: Floats = (K1 + 1) / (1 + K1 * (1 - b + b * relative))
        return factor

    @cached_property
    def order(self) -> TurnOrder:
        """Return the places in the order of turns."""
        ordered = self.ordered
        return ordered if self.is_whole else TurnOrder(self.place_of_row[ordered.rows].astype(np.intp), ordered.begins)

    @cached_property
    def ordered(self) -> TurnOrder:
        """Return the rows in the order of turns."""
        if self.is_whole:
            return self.view.order
        columns = self.view.columns
        if self.changes is None or self.known is None or self.known.ordered is None:
            rows = self.view.order.rows
            rows = rows[self.allowed[rows]]
            return TurnOrder(rows, run_starts(columns.session[rows]))
        gone, came = self.changes
        return self.known.ordered.without(gone, columns).with_rows(came, columns)

    @cached_property
    def joined(self) -> NDArray[np.bool_]:
        """Tell, in turn order, which are of one session with the one before. Shape (size + 1,), False at last."""
        return ~np.append(self.order.begins, [True])

    @cached_property
    def has_sessions(self) -> bool:
        """Tell whether any two memories are of one session."""
        return bool(self.joined.any())

    @cached_property
    def at_of_place(self) -> NDArray[np.int32]:
        """Return the position of each place in turn order."""
        positions = np.empty(self.size, np.int32)
        positions[self.order.rows] = np.arange(self.size, dtype=np.int32)
        return positions

    @cached_property
    def session_bounds(self) -> Rows:
        """Return where in turn order each session begins, and `size` after the last."""
        return np.append(np.flatnonzero(self.order.begins), self.size)

    def members(self, starts: Rows, ends: Rows) -> tuple[Rows, Rows]:
        """Return the places between these bounds in turn order, and where among them each session begins."""
        counts = ends - starts
        firsts = np.cumsum(counts) - counts
        return self.order.rows[np.arange(counts.sum()) + np.repeat(starts - firsts, counts)], firsts

    @cached_property
    def session_words(self) -> NDArray[np.int32]:
        """Return the words in view of each session, by its number; 0 for sessions that are not in view."""
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
        """Return the mean words of a session, at least 1."""
        return max(1.0, float(self.session_words.sum()) / max(1, self.session_count))

    def session_lengths(self, numbers: NDArray[Any]) -> Floats:
        """Return the words of each session, in times the mean."""
        lengths: Floats = self.session_words[numbers].astype(np.float32) / np.float32(self.mean_session_words)
        return lengths

    @cached_property
    def chat(self) -> float:
        """Return 1 where memories are as short as turns of a chat, 0 where they are long; between, on a log scale."""
        mean = float(self.sums[1]) / self.size if self.size else SHORT_TEXT
        share = math.log(max(mean, 1) / SHORT_TEXT) / math.log(LONG_TEXT / SHORT_TEXT)
        return 1 - min(1.0, max(0.0, share))

    @cached_property
    def subject_counts(self) -> NDArray[np.int64]:
        return np.bincount(self.subjects)

    def subjects_by(self, word: str) -> list[int]:
        """Return the codes of the subjects in view with this word in their names."""
        codes = self.view.subjects.by_word.get(word)
        if not codes:
            return []
        counts = self.subject_counts
        return [code for code in codes if code < len(counts) and counts[code]]

    def places(self, pks: NDArray[np.int64]) -> Rows:
        """Return the places of these memories, without those that are not in view."""
        return self.places_of(self.view.rows_of(pks))

    def places_of(self, rows: Rows) -> Rows:
        """Return the places of these rows, without those that are not in view."""
        if self.is_whole:
            return rows
        place = self.place_of_row[rows]
        return place[place >= 0].astype(np.intp)

    @cached_property
    def replaced(self) -> tuple[Rows, Rows]:
        """Return the rows of what was superseded, and the place of what stands for each."""
        former = now = self.former
        standing = [(np.zeros(0, np.intp), np.zeros(0, np.intp))]
        for _ in range(STEPS):
            if not len(former):
                break
            now, here = self.view.find(self.view.columns.successor[now])
            is_shown = here & self.allowed[now]
            standing.append((former[is_shown], self.place_of_row[now[is_shown]].astype(np.intp)))
            goes_on = here & ~is_shown & (self.view.columns.successor[now] > 0)
            former, now = former[goes_on], now[goes_on]
        rows, places = zip(*standing, strict=True)
        return np.concatenate(rows), np.concatenate(places)

    @cached_property
    def place_standing_for(self) -> NDArray[np.int32]:
        """Return of each row its place, or that of what stands for it; -1 where there is none."""
        places = self.place_of_row.copy()
        former, standing = self.replaced
        places[former] = standing
        return places

    def places_holding(self, rows: Rows) -> Rows:
        """Return the places of these rows and of what stands for them, each once."""
        if not len(self.former):
            return self.places_of(rows)
        places = self.place_standing_for[rows].astype(np.intp)
        return distinct(places[places >= 0], self.size)

    def replaced_by(self, places: Rows) -> dict[int, list[int]]:
        """Return by place the pks of what each of these stands for, the latest first."""
        by_place: dict[int, list[int]] = {}
        former, standing = self.replaced
        is_one = np.isin(standing, places)
        pks = self.view.columns.pk[former[is_one]]
        for pk, place in sorted(zip(pks.tolist(), standing[is_one].tolist(), strict=True), reverse=True):
            by_place.setdefault(place, []).append(pk)
        return by_place

    def visible(self, pks: set[int]) -> set[int]:
        """Return those of these memories that the caller may see."""
        rows = self.view.rows_of(np.fromiter(pks, np.int64, len(pks)))
        return set(self.view.columns.pk[rows[self.seen[rows]]].tolist())

    @cached_property
    def place_of_row(self) -> NDArray[np.int32]:
        places = np.full(len(self.view.columns.pk), -1, np.int32)
        places[self.rows] = np.arange(self.size, dtype=np.int32)
        return places


def scoped_view(view: IndexView, scope: Scope) -> ScopedView:
    """Return the active, valid memories that the scope allows, or the passages of documents.

    An index view caches its last few scoped views.
    """
    is_of_times = scope.past or scope.valid or scope.stored
    if is_of_times or scope.without or scope.only is not None or is_newer(view, scope).any():
        return new_view(view, scope)
    scoped = cached_view(view, scope)
    scoped.is_asked = True
    if held_besides(view, scope).any():
        wider = new_view(view, scope)
        wider.known = scoped.known_now()
        return wider
    return scoped


def holding(view: IndexView, scope: Scope) -> NDArray[np.bool_]:
    """Return which rows hold at the time of the scope."""
    columns = view.columns
    if scope.valid:
        return (columns.active | columns.replaced) & overlaps(columns, scope.valid)
    if not len(view.moments):
        return columns.active
    is_valid = columns.active & (columns.until > scope.now) & (columns.since <= scope.now)
    besides = held_besides(view, scope)
    return is_valid | besides if len(besides) else is_valid


def held_besides(view: IndexView, scope: Scope) -> NDArray[np.bool_]:
    """Return which rows held in one of the times of the scope, and do not hold now."""
    columns = view.columns
    if not scope.held_in or not len(view.moments):
        return np.zeros(0, bool)
    is_valid = np.logical_or.reduce([overlaps(columns, span) for span in scope.held_in])
    is_valid &= columns.alive & (columns.active | columns.replaced)
    besides: NDArray[np.bool_] = is_valid & ~(
        columns.active & (columns.until > scope.now) & (columns.since <= scope.now)
    )
    return besides


def overlaps(columns: Columns, span: Interval) -> NDArray[np.bool_]:
    """Return which rows hold at some time in a span."""
    start, end = span
    is_valid: NDArray[np.bool_] = (columns.until > start) & (columns.since < end) & (columns.until > columns.since)
    return is_valid


def is_newer(view: IndexView, scope: Scope) -> NDArray[np.bool_]:
    """Return which rows were stored since the search began. One dated after now was stored before, by a clock ahead."""
    if scope.began is None:
        return np.zeros(0, bool)
    created = view.columns.created
    newer: NDArray[np.bool_] = (created > scope.began) & (created <= timezone.now().timestamp())
    return newer


def cached_view(view: IndexView, scope: Scope) -> ScopedView:
    """Return the cached scoped view of this visibility, or make and cache one."""
    agent = scope.agent_pk if scope.agent_pk is None or scope.agent_pk in view.owners else NOBODY
    visibility = agent, user_codes(view, scope.users), scope.shared, scope.unheard, scope.documents
    cached = view.scoped_views.get(visibility)
    if cached is None or not cached.since <= scope.now < cached.until:
        scoped = new_view(view, scope)
        scoped.known = cached.scoped.known_now() if cached else view.known.scoped_views.get(visibility)
        moments = np.concatenate([[-np.inf, np.inf], view.moments])
        since, until = moments[moments <= scope.now].max(), moments[moments > scope.now].min()
        cached = CachedView(scoped, scope, float(since), float(until))
        view.scoped_views.put(visibility, cached)
    return cached.scoped


def user_codes(view: IndexView, users: Users) -> tuple[int, ...] | None:
    """Return the codes of nobody and of these end users, as far as they have memories; None: any."""
    if users is None:
        return None
    numbers = view.users.numbers
    return NOBODY, *sorted({numbers[user] for user in users if user in numbers})


@dataclass(frozen=True, slots=True)
class CachedView:
    """Hold a scoped view, and from when and until when (Unix seconds) it stays the same."""

    scoped: ScopedView
    scope: Scope
    since: float
    until: float


def new_view(view: IndexView, scope: Scope) -> ScopedView:
    """Select the rows that a scope allows, one condition after the other."""
    columns = view.columns
    seen = columns.alive.copy()
    if scope.shared:
        seen &= columns.shared & (columns.user == NOBODY)
    if scope.agent_pk is not None:
        seen &= (columns.owner == NOBODY) | (columns.owner == scope.agent_pk)
    numbers = user_codes(view, scope.users)
    if numbers is not None:
        seen &= np.isin(columns.user, numbers)
    allowed = seen & (columns.quoted if scope.documents else holding(view, scope))
    is_of_now = not (scope.documents or scope.past or scope.valid or scope.stored)
    former = seen & (columns.successor > 0) if is_of_now else np.zeros(len(seen), bool)
    if scope.stored:
        allowed &= (columns.created >= scope.stored[0]) & (columns.created < scope.stored[1])
    if scope.past:
        allowed &= columns.created <= scope.now
        allowed[view.rows_of(scope.past.changed)] = False
        known = view.rows_of(scope.past.known)
        allowed[known] = seen[known]
    if scope.unheard:
        is_heard = ~np.isin(columns.unreviewed, [ORIGINS.index(origin) for origin in scope.unheard])
        allowed &= is_heard
        former &= is_heard
    if scope.began is not None:
        allowed &= ~is_newer(view, scope)
    if scope.without:
        left_out = view.rows_of(np.array(scope.without, np.int64))
        allowed[left_out] = former[left_out] = False
    if scope.only is not None:
        only = np.zeros_like(allowed)
        only[view.rows_of(scope.only)] = True
        allowed &= only
    return ScopedView(view, allowed, seen, np.flatnonzero(former & ~allowed))


def question_cosines(scoped: ScopedView, query: Vectors) -> Cosines:
    """Return the cosine of a question with each memory in view; exact for all that may matter.

    What stands for others is as near as the nearest of these.

    Raises EmbedderMisconfigured if the vectors of the app have another length: a model was replaced by another one of
    the same name.
    """
    if len(query) != (dim := scoped.view.held.dim):
        raise EmbedderMisconfigured(f"the question's vector has {len(query)} dimensions, those of the app have {dim}")
    cosines = scoped.view.held.measure(query, scoped.rows, scoped.places)
    former, places = scoped.replaced
    if len(former) > FORMER:
        likely = np.argpartition(disagreeing(scoped.view.columns.signs, query, former), FORMER)[:FORMER]
        former, places = former[likely], places[likely]
    if len(former):
        standing, number = np.unique(places, return_inverse=True)
        nearest = np.full(len(standing), -1, np.float32)
        np.maximum.at(nearest, number, scoped.view.held.cosines_of(query, former))
        cosines.raise_to(standing, nearest)
    return cosines
