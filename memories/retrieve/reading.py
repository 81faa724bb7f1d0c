"""The memories a caller may be shown, in reading order: arrays over which a question is ranked."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.retrieve.columns import NOBODY, ORIGINS
from memories.retrieve.index import View
from memories.retrieve.nearest import Floats, Rows

__all__ = ["Floats", "Reading", "Rows", "Scope", "read"]
WORD = re.compile(r"\w+")
# Mean characters: below, texts are turns of a chat; above, documents.
SHORT_TEXT, LONG_TEXT = 200, 800
# BM25's.
K1, B_CHAT, B_LONG = 1.2, 0.4, 0.75


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose eyes: an agent's (None: an operator's), for an end user, at a time.

    `without` are pks that are left out, `only` those that are let in (None: all), `unheard` the origins whose memories
    are left out unless somebody has reviewed them. In the `past`, `only` says what was valid then. Another app's eyes
    see what is `shared` and no end user's. `off_domain` are the agents whose memories count less, `tone` is how the
    question sounds.
    """

    agent_pk: int | None
    user_id: str | None
    now: float
    without: tuple[int, ...] = ()
    only: tuple[int, ...] | None = None
    past: bool = False
    shared: bool = False
    off_domain: tuple[int, ...] = ()
    tone: str = ""
    unheard: tuple[str, ...] = ()


class Reading:
    """`rows` are the index rows that are allowed, sessions together and turns rising. Everything else follows them.

    `seen` are all that the caller may see, of whatever status. The next search of the same eyes reads the same: what is
    worked out here is worked out once.
    """

    def __init__(self, view: View, rows: Rows, seen: NDArray[np.bool_]) -> None:
        self.view, self.rows, self.seen = view, rows, seen

    def column(self, name: str) -> NDArray[Any]:
        values: NDArray[Any] = getattr(self.view.columns, name)
        return values[self.rows]

    @property
    def size(self) -> int:
        return len(self.rows)

    @cached_property
    def pks(self) -> NDArray[np.int64]:
        return self.column("pk")

    @cached_property
    def days(self) -> NDArray[np.int32]:
        return self.column("day")

    @cached_property
    def words(self) -> NDArray[np.int32]:
        return self.column("words")

    @cached_property
    def relative_words(self) -> Floats:
        """Of each, in times the mean."""
        return in_means(self.words)

    @cached_property
    def length_discount(self) -> Floats:
        """BM25's factor for the length of each: less of it among turns of a chat than among long texts."""
        b = B_LONG + (B_CHAT - B_LONG) * self.chat
        factor: Floats = (K1 + 1) / (1 + K1 * (1 - b + b * self.relative_words))
        return factor

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        return self.column("length")

    @cached_property
    def subjects(self) -> NDArray[np.int32]:
        return self.column("subject")

    @cached_property
    def sessions(self) -> NDArray[np.int64]:
        return self.view.sessions[self.rows]

    @cached_property
    def joined(self) -> NDArray[np.bool_]:
        """Shape (size − 1,): whether this one and the next are of one session."""
        joined: NDArray[np.bool_] = self.sessions[1:] == self.sessions[:-1]
        return joined

    @cached_property
    def session_starts(self) -> Rows:
        """Places of the first of each session, and `size` after the last."""
        return np.flatnonzero(np.r_[True, ~self.joined, True]) if self.size else np.zeros(1, np.intp)

    @cached_property
    def session_numbers(self) -> NDArray[np.int64]:
        """Of each row, counted from 0."""
        turns = np.diff(self.session_starts)
        return np.repeat(np.arange(len(turns)), turns)

    @cached_property
    def session_lengths(self) -> Floats:
        """Words of each session, in times the mean."""
        return in_means(np.bincount(self.session_numbers, self.words))

    @cached_property
    def chat(self) -> float:
        """1 where memories are as short as turns of a chat, 0 where they are long, in between on a log scale."""
        mean = float(self.lengths.mean()) if self.size else SHORT_TEXT
        share = math.log(max(mean, 1) / SHORT_TEXT) / math.log(LONG_TEXT / SHORT_TEXT)
        return 1 - min(1.0, max(0.0, share))

    @cached_property
    def subject_counts(self) -> NDArray[np.int64]:
        return np.bincount(self.subjects, minlength=len(self.view.subjects.names))

    @cached_property
    def subject_words(self) -> dict[str, list[int]]:
        """Codes of the subjects here by each word of their names."""
        words: dict[str, list[int]] = {}
        for code in np.flatnonzero(self.subject_counts):
            if code != NOBODY:
                for word in WORD.findall(self.view.subjects.names[code].casefold()):
                    words.setdefault(word, []).append(int(code))
        return words

    @cached_property
    def subject_words_by_letter(self) -> dict[str, list[str]]:
        """Those words by their first letter."""
        words: dict[str, list[str]] = {}
        for word in self.subject_words:
            words.setdefault(word[0], []).append(word)
        return words

    def places(self, pks: NDArray[np.int64]) -> Rows:
        """Where in the reading these memories are; those that are not are left out."""
        place = self.place_of_row[self.view.rows_of(pks)]
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


def in_means(counts: NDArray[Any]) -> Floats:
    """Counts in times their mean."""
    mean = float(counts.mean()) if len(counts) else 0.0
    relative: Floats = counts.astype(np.float32) / np.float32(max(1.0, mean))
    return relative


def read(view: View, scope: Scope) -> Reading:
    """What the scope lets through: active, valid, the caller's to see. The last few readings of a view are kept."""
    if scope.past or scope.without or scope.only is not None:
        return read_anew(view, scope)
    eyes = eyes_of(view, scope)
    kept = view.readings.get(eyes)
    if kept is None or not kept.since <= scope.now < kept.until:
        kept = Kept(read_anew(view, scope), *unchanged_around(view, scope.now))
        view.readings.put(eyes, kept)
    return kept.reading


def eyes_of(view: View, scope: Scope) -> tuple[object, ...]:
    """The same for all who see the same: agents and end users without memories of their own see what others do."""
    agent = scope.agent_pk if scope.agent_pk is None or scope.agent_pk in view.owners else NOBODY
    user = view.users.numbers.get(scope.user_id, -1) if scope.user_id else None
    return agent, user, scope.shared, scope.unheard


@dataclass(frozen=True, slots=True)
class Kept:
    """A reading, and from when and until when (Unix seconds) its eyes see the same."""

    reading: Reading
    since: float
    until: float


def unchanged_around(view: View, now: float) -> tuple[float, float]:
    """The last moment at which a memory began or ceased to be valid, and the next one."""
    told = [moments[np.isfinite(moments)] for moments in (view.columns.since, view.columns.until)]
    moments = np.concatenate([[-np.inf, np.inf], *told])
    return float(moments[moments <= now].max()), float(moments[moments > now].min())


def read_anew(view: View, scope: Scope) -> Reading:
    columns = view.columns
    seen = columns.alive.copy()
    if scope.shared:
        seen &= columns.shared & (columns.user == NOBODY)
    if scope.agent_pk is not None:
        seen &= (columns.owner == NOBODY) | (columns.owner == scope.agent_pk)
    if scope.user_id:
        seen &= (columns.user == NOBODY) | (columns.user == view.users.numbers.get(scope.user_id, -1))
    allowed = seen.copy()
    if not scope.past:
        allowed &= columns.active & (columns.until > scope.now) & (columns.since <= scope.now)
    if scope.unheard:
        allowed &= ~np.isin(columns.unreviewed, [ORIGINS.index(origin) for origin in scope.unheard])
    if scope.without:
        allowed[view.rows_of(np.array(scope.without, np.int64))] = False
    if scope.only is not None:
        let_in = np.zeros_like(allowed)
        let_in[view.rows_of(np.array(scope.only, np.int64))] = True
        allowed &= let_in
    order = view.reading_order
    return Reading(view, order[allowed[order]], seen)
