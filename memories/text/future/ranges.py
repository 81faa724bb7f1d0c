"""Times with two ends: "May 3-5", "Monday to Friday", "between May 3 and June 5", "the 3rd to the 5th".

One that has begun, as "from Sep 30 until Oct 9" on 2 October, begins today.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from datetime import datetime

from memories.text.future.dates import coming, read_day_ahead, read_named_date
from memories.text.future.found import Found, Speech
from memories.text.future.simple import read_inner, read_simple
from memories.text.temporal import calendar
from memories.text.temporal.calendar import DAY
from memories.text.temporal.names import read_day, read_name
from memories.text.temporal.words import MONTHS, PREPOSITIONS, WEEKDAYS

_LINKS = frozenset({"-", "–", "—", "to", "through", "thru", "until", "till"})
_MOST_DAYS = 366
_GOING_ON = frozenset({"i", "we", "he", "she", "they", "and", "or", "so", "but", "because"})
"""Behind a day they begin something new; any other word may be what is counted: "the 3rd floor"."""


def read_range(speech: Speech, at: int, is_between: bool) -> Found | None:
    """A range that begins here, behind its "from" or "between"."""
    links = frozenset({"and"}) if is_between else _LINKS
    return (
        _read_weekdays(speech, at, links)
        or _read_days_of_month(speech, at, links)
        or _read_days_behind_month(speech, at, links)
        or _read_bare_days(speech, at, links)
        or _read_two(speech, at, links)
    )


def _read_weekdays(speech: Speech, at: int, links: Set[str]) -> Found | None:
    """Read "Monday to Friday"."""
    first, last = WEEKDAYS.get(speech.word(at)), WEEKDAYS.get(speech.word(at + 2))
    if first is None or last is None or first == last or speech.word(at + 1) not in links:
        return None
    if speech.word(at + 3).isdecimal() or speech.word(at + 3) in MONTHS:
        return None
    span = calendar.weekday(first).next(speech.local)
    return Found(3, span.start, span.start + (last - first) % 7 * DAY) if span else None


def _read_days_of_month(speech: Speech, at: int, links: Set[str]) -> Found | None:
    """Read "3-5 May", "the 3rd to the 5th of May 2027"."""
    place = speech.skip(at, "the")
    day = read_day(speech, place)
    last_at = place + 2
    if not day or speech.word(place + 1) not in links:
        return None
    last = read_named_date(speech, last_at) or read_named_date(speech, speech.skip(last_at, "the"))
    if not last or last.last or last.first.day <= day[0] or not read_day(speech, speech.skip(last_at, "the")):
        return None
    skipped = 0 if read_named_date(speech, last_at) else 1
    return replace(
        last, words=last_at + skipped + last.words - at, first=last.first.replace(day=day[0]), last=last.first
    )


def _read_days_behind_month(speech: Speech, at: int, links: Set[str]) -> Found | None:
    """Read "May 3-5", "May 3rd to 5th"."""
    if speech.word(at) not in MONTHS:
        return None
    found = read_named_date(speech, at)
    last = read_day(speech, at + 3)
    if not found or found.words != 2 or not last or speech.word(at + 2) not in links:
        return None
    if last[0] <= found.first.day or speech.word(at + 4) == ":":
        return None
    return replace(found, words=4, last=found.first.replace(day=last[0]))


def _read_bare_days(speech: Speech, at: int, links: Set[str]) -> Found | None:
    """Read "the 16th to the 20th", but not "the 2nd to the 3rd floor"."""
    place = speech.skip(at, "the")
    last_at = speech.skip(place + 2, "the")
    first, last = read_day(speech, place), read_day(speech, last_at)
    if not first or not last or not (first[1] and last[1]) or speech.word(place + 1) not in links:
        return None
    follower = speech.word(last_at + 1)
    if follower.isalpha() and follower not in PREPOSITIONS | _GOING_ON:
        return None
    end = coming(calendar.day_of_month(last[0]), speech.today)
    start = end and calendar.day_of_month(first[0]).latest(end.start - DAY)
    if not start or not end:
        return None
    return _until(Found(0, start.start), end.start, speech).moved(last_at + 1 - at)


def _until(first: Found, last: datetime, speech: Speech) -> Found:
    """From a day to a later one; what is running begins today."""
    return replace(first, first=max(first.first, speech.today), last=last, begin=first.first)


def _read_two(speech: Speech, at: int, links: Set[str]) -> Found | None:
    """Read "May 3 to June 5", "tomorrow until Friday", "June to August"."""
    first = read_simple(speech, at) or read_day_ahead(speech, at)
    if not first or speech.word(at + first.words) not in links:
        return None
    place = speech.skip(at + first.words + 1, "the")
    last = read_inner(speech, place)
    if last and (last.end - first.first).days > _MOST_DAYS and MONTHS.keys() & {speech.word(at), speech.word(at + 1)}:
        # "June 28 to July 5, 2027": the year is said once.
        first = replace(first, first=first.first.replace(year=last.end.year))
    if last and last.end <= first.first:
        first = _begun(speech, at, first, last.end)
    if not last or last.end <= first.first or (last.end - first.first).days > _MOST_DAYS:
        return None
    return _until(replace(first, words=place + last.words - at), last.end, speech)


def _begun(speech: Speech, at: int, first: Found, last: datetime) -> Found:
    """The first day of what ends on `last`, if it was named without its year or month: "Sep 30" to 9 October."""
    named = read_name(speech, at)
    span = named.cycle.latest(last - DAY) if named and named.words == first.words else None
    return replace(first, first=span.start) if span else first
