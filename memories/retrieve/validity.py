"""When a memory holds, and which time a question asks about: its interval is [valid_from, valid_until), null is open.

A question may name a time ("in February"), an event ("before the move", "while Priya was on call") or only the past
("used to", "originally"). What held then is found although it ended, and ranks before what began later or had ended.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memories.index.similarity import Rows
from memories.language.surface import Look
from memories.retrieve.question import tells_of_past, times_in
from memories.retrieve.ranking import Evidence, Ranked, has_look, in_talk, sorted_by_score
from memories.retrieve.scoped_view import ALWAYS, Interval, ScopedView
from memsite.tenancy.policy import Ranking
from memsite.timestamps import in_zone

Past = Literal["", "used to", "previous", "first"]
DAY = timedelta(days=1)
DAY_SECONDS = DAY.total_seconds()
INSTANT = timedelta(microseconds=1)
Times = tuple[datetime | None, datetime | None]
"""From and until when; None is open."""
ASKED_BEFORE = timedelta(days=30)
"""Of "before March" so much: what held right before is meant."""
HELD, LATEST, NOT_HELD, IS_EVENT = 2.0, 0.3, -4.0, -4.0
"""In logarithms: what held at the time, what did not, and the memory that only tells when it was."""
SHARES_WEIGH = 1 / 3
"""Where scores are shares, so much of these."""
NEAR, NEAR_SHARE = 1.5, 0.25
"""Hits that fit about equally well, as `ranking.BAND` has it."""
LEAST_OF_EVENT = 0.5
"""The share of an event's words that the memory of it holds."""
PART = "held_then"
EVENT = re.compile(
    r"\b(before|until|till|prior to|after|since|while|during"
    r"|when(?!\s+(?:did|do|does|is|was|were|are|will|has|have|had|can|could|should)\b))\s+([^?.!,;:\n]{2,60})",
    re.IGNORECASE,
)
PASTS: dict[Past, re.Pattern[str]] = {
    "first": re.compile(r"\b(originally|initially|at first|to begin with|in the beginning)\b", re.IGNORECASE),
    "previous": re.compile(r"\b(previous|previously|former|formerly)\b", re.IGNORECASE),
    "used to": re.compile(
        r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bbe )(?<!\bget )\bused? to\b"
        r"|\b(back then|in the past|in (the )?(old|earlier|former) (days|times)|at (the|that) time|in those days)\b",
        re.IGNORECASE,
    ),
}
ASKS_OF_PAST = re.compile(r"\b(did|was|were|had|been)\b", re.IGNORECASE)
HAS = re.compile(r"\b(has|have)\b", re.IGNORECASE)
MODAL = re.compile(
    r"\b(must|should|can|could|would|may|might|need|needs|will|shall|(?:has|have|had) to)\b", re.IGNORECASE
)
WORD = re.compile(r"\w+")
BY_SUM = (Ranking.STANDARD, Ranking.CONFIDENCE, Ranking.RECENT)
"""Rankings whose scores are sums of logarithms."""


@dataclass(frozen=True, slots=True)
class AskedTime:
    """Hold the time a question asks about: spans of Unix seconds, () where an event or only the past is named.

    `event` is how the question stands to it and its words. `is_given`: the caller gave the time, not the question.
    """

    spans: tuple[Interval, ...] = ()
    event: tuple[str, str] | None = None
    past: Past = ""
    is_given: bool = False
    now: float = math.inf
    told_by: int | None = None
    """The place of the memory that tells of the event, once it is found."""

    @property
    def limits(self) -> Interval:
        """Return the first and the last moment."""
        return min(start for start, _ in self.spans), max(end for _, end in self.spans)

    @property
    def sought(self) -> tuple[Interval, ...]:
        """Return in which time what is found may have held: any, until the event is found."""
        return self.spans or (ALWAYS,)


@dataclass(frozen=True, slots=True)
class TimeAnswer:
    """Hold the time that was asked about, in Unix seconds, and whether anything is known of it."""

    start: float
    end: float
    is_known: bool


def nothing_known(asked_time: AskedTime | None) -> TimeAnswer | None:
    """Return the answer where nothing is found; None where no time with known limits is asked about."""
    return TimeAnswer(*asked_time.limits, is_known=False) if asked_time and asked_time.spans else None


def known_by_any(answers: Sequence[TimeAnswer | None]) -> TimeAnswer | None:
    """Return the answer of several apps: something is known if one knows something."""
    known = [answer for answer in answers if answer]
    return next((answer for answer in known if answer.is_known), known[0] if known else None)


def at_moment(moment: datetime) -> Times:
    """Return the range of one moment."""
    return moment, moment + INSTANT


def given_time(start: datetime | None, end: datetime | None) -> Interval:
    """Return the range that a caller asks about."""
    return start.timestamp() if start else -math.inf, end.timestamp() if end else math.inf


def read_asked_time(text: str, now: datetime) -> AskedTime | None:
    """Return the time that a question asks about; None if it names none, or one that `now` is in."""
    windows = [window for window in times_in(text, now) if window.precision != "recent"]
    spans = list[Interval]()
    for window in windows:
        start, end = window.start, window.end
        if end and not start:
            start = end - ASKED_BEFORE
        if start is None or end is None or start <= now < end:
            return None
        spans.append((start.timestamp(), end.timestamp()))
    if spans:
        return AskedTime(tuple(spans), now=now.timestamp())
    event = EVENT.search(text)
    if event and not asks_of_past(text[: event.start()] + text[event.end() :], event[1].lower()):
        event = None
    past: Past = next((kind for kind, pattern in PASTS.items() if pattern.search(text)), "")
    if not event and not past:
        return None
    return AskedTime(event=(event[1].lower(), event[2]) if event else None, past=past, now=now.timestamp())


def asks_of_past(text: str, relation: str) -> bool:
    """Tell whether a question, without its event, is of what was: "what do I do when …" is of no time."""
    if MODAL.search(text):
        return False
    is_until_now = relation == "since" and HAS.search(text)
    return bool(is_until_now or ASKS_OF_PAST.search(text)) or tells_of_past(text)


def with_event(asked_time: AskedTime, evidence: Evidence) -> AskedTime | None:
    """Return the time with the span of the event that the question names; None if nothing tells of one."""
    if asked_time.spans:
        return asked_time
    place = place_of_event(asked_time.event[1], evidence) if asked_time.event else None
    if place is None or asked_time.event is None:
        # The past at large.
        return replace(asked_time, spans=((-math.inf, asked_time.now),)) if asked_time.past else None
    since, until = interval_of(evidence.scoped, np.array([place]), effective=True)
    start, end = float(since[0]), float(until[0])
    is_over = is_event(evidence, np.array([place]))[0]
    which = asked_time.event[0]
    if which in ("before", "until", "till", "prior to"):
        span = start - DAY_SECONDS, start
    elif which in ("after", "since"):
        first = start if is_over or not math.isfinite(end) else end
        span = first, first + DAY_SECONDS
    else:
        span = start, start + DAY_SECONDS if is_over else min(end, asked_time.now)
    return replace(asked_time, spans=(span,), past="", told_by=place)


def place_of_event(words: str, evidence: Evidence) -> int | None:
    """Return the place of the memory that holds most of an event's words, the nearest of several; None for none."""
    names = evidence.words.names
    known = [names.index(word) for word in WORD.findall(words.casefold()) if word in names]
    if not known:
        return None
    wanted = np.bitwise_or.reduce([np.uint32(1 << number) for number in known])
    shares = evidence.words.weight_of(evidence.words.bits & wanted) / evidence.words.weight_of(np.array([wanted]))[0]
    best = float(shares.max(initial=0))
    if best < LEAST_OF_EVENT:
        return None
    telling = np.flatnonzero(shares >= best - 1e-6)
    return int(telling[np.argmax(evidence.cosines.at(telling))])


def interval_of(
    scoped: ScopedView, places: Rows, *, effective: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return from and until when memories hold, in Unix seconds; `effective`: from when stored, where no start is."""
    since = scoped.values_at("since", places)
    if effective:
        since = np.where(np.isfinite(since), since, scoped.values_at("created", places))
    return since, scoped.values_at("until", places)


def is_event(evidence: Evidence, places: Rows) -> NDArray[np.bool_]:
    """Tell which tell of what happened once ("visited Madrid") and has no end of its own."""
    look = evidence.looks(places)
    event: NDArray[np.bool_] = has_look(look, Look.PAST) & np.isinf(evidence.scoped.values_at("until", places))
    return event


def times_of(evidence: Evidence, places: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return from and until when memories hold, and of which that is known: an event is of its day."""
    since, until = interval_of(evidence.scoped, places)
    event = is_event(evidence, places)
    since = np.where(event & np.isinf(since), evidence.scoped.values_at("created", places), since)
    until = np.where(event, since + DAY_SECONDS, until)
    return since, until, (np.isfinite(since) | np.isfinite(until)) & ~in_talk(evidence.scoped, places)


def tells_validity(scoped: ScopedView) -> bool:
    """Tell whether the app's intervals say when something held.

    Where all memories begin and none ends, that is when each was said.
    """
    if not len(scoped.view.moments):
        return False
    begins = np.isfinite(scoped.column("since"))
    return bool(np.isfinite(scoped.column("until")).any() or (begins.any() and not begins.all()))


def shares_held(scoped: ScopedView, places: Rows, spans: Sequence[Interval]) -> NDArray[np.float64]:
    """Return the share of the time asked about in which each memory held, the best of several spans."""
    return shares_of(*interval_of(scoped, places), spans)


def shares_of(since: NDArray[np.float64], until: NDArray[np.float64], spans: Sequence[Interval]) -> NDArray[np.float64]:
    shares = np.zeros(len(since))
    for start, end in spans:
        covered = np.minimum(until, end) - np.maximum(since, start)
        length = end - start
        whole = (covered > 0).astype(float) if math.isinf(length) else np.clip(covered / length, 0, 1)
        shares = np.maximum(shares, whole)
    return shares


def held_then(evidence: Evidence, places: Rows, asked_time: AskedTime) -> NDArray[np.float64]:
    """Return, as logarithms, what speaks for what held at the time asked about, and against what did not.

    Turns of a talk, and what has no interval, are neither.
    """
    since, until, has_interval = times_of(evidence, places)
    if asked_time.past:
        logs = of_past(since, until, asked_time)
    else:
        shares = shares_of(since, until, asked_time.spans)
        # A day of a year is all of an event.
        shares = np.where((shares > 0) & is_event(evidence, places), 1, shares)
        logs = np.where(shares > 0, HELD * (0.5 + 0.5 * shares) + LATEST * lateness(since, shares > 0), NOT_HELD)
    values: NDArray[np.float64] = np.where(has_interval, logs, 0.0)
    if asked_time.told_by is not None:
        values[places == asked_time.told_by] = IS_EVENT
    return values


def lateness(since: NDArray[np.float64], is_valid: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return from 0 to 1 how late what held began: where nobody ended the earlier, the later is meant."""
    known = is_valid & np.isfinite(since)
    if np.count_nonzero(known) < 2 or np.ptp(since[known]) == 0:
        return np.zeros(len(since))
    penalties: NDArray[np.float64] = np.zeros(len(since))
    penalties[known] = (since[known] - since[known].min()) / np.ptp(since[known])
    return penalties


def of_past(since: NDArray[Any], until: NDArray[Any], asked_time: AskedTime) -> NDArray[np.float64]:
    """Return the same where only the past is named: what is over counts, the first or the last of it most."""
    is_over = until <= asked_time.now
    logs = np.where(is_over, HELD / 2, NOT_HELD)
    if asked_time.past != "used to" and is_over.any():
        key = -since if asked_time.past == "first" else until
        order = np.argsort(np.argsort(key[is_over]))
        logs[is_over] += HELD / 2 * (order + 1) / len(order)
    return logs


def rank_by_time(ranked: Ranked, evidence: Evidence, asked_time: AskedTime, ranking: str) -> tuple[Ranked, TimeAnswer]:
    """Return the ranking with what held at the time before what did not, and whether anything is known of that time."""
    scoped, places = evidence.scoped, ranked.places
    logs = held_then(evidence, places, asked_time) if evidence.by_validity else np.zeros(len(places))
    start, end = asked_time.limits
    answer = TimeAnswer(start, end, is_known(ranked, scoped, asked_time, ranking))
    if not logs.any():
        return ranked, answer
    if ranked.combined == "product":
        part = np.exp(SHARES_WEIGH * logs)
        scores = ranked.scores * part
    else:
        part = ranked.scores * np.expm1(SHARES_WEIGH * logs) if ranking == Ranking.DUAL else logs
        scores = ranked.scores + part
    parts = np.concatenate([ranked.parts[:, ranked.columns], part[None, :]])
    names, columns = [*ranked.names, PART], np.arange(len(places))
    return sorted_by_score(scoped, replace(ranked, scores=scores, names=names, parts=parts, columns=columns)), answer


def is_known(ranked: Ranked, scoped: ScopedView, asked_time: AskedTime, ranking: str) -> bool:
    """Tell whether one of what fits best, whatever the time, holds at the time asked about."""
    others = (
        np.arange(len(ranked.places))
        if asked_time.told_by is None
        else np.flatnonzero(ranked.places != asked_time.told_by)
    )
    if not len(others) or asked_time.is_given:
        return bool(len(ranked.places))
    places, scores = ranked.places[others], ranked.scores[others]
    best = float(scores.max())
    is_near = scores >= best - (NEAR if ranking in BY_SUM else NEAR_SHARE * best)
    since, until = interval_of(scoped, places)
    has_interval = np.isfinite(since) | np.isfinite(until)
    is_told = np.where(has_interval, shares_of(since, until, asked_time.spans) > 0, scores >= best)
    return bool((is_near & is_told).any())


def is_of_time(evidence: Evidence, places: Rows, asked_time: AskedTime | None) -> NDArray[np.bool_]:
    """Tell which are statements whose interval says that they held at the time asked about."""
    if asked_time is None or not asked_time.spans:
        return np.zeros(len(places), bool)
    since, until = interval_of(evidence.scoped, places)
    is_told = np.isfinite(until) | (np.isfinite(since) & ~is_event(evidence, places))
    is_valid: NDArray[np.bool_] = is_told & (shares_held(evidence.scoped, places, asked_time.spans) > 0)
    return is_valid


def valid_text(start: datetime | None, end: datetime | None, zone: tzinfo) -> str:
    """Return when a memory holds, as people write it; "" where it says no time."""
    first, last = (in_zone(moment, zone) if moment else None for moment in (start, end))
    form = "%Y-%m-%d %H:%M" if first and last and first.date() == last.date() else "%Y-%m-%d"
    if first and last:
        return f"valid {first:{form}} to {last:{form}}"
    if first:
        return f"valid from {first:{form}}"
    return f"valid until {last:{form}}" if last else ""
