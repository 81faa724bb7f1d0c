"""Times with two ends: "between 3 and 5 May", "from March to June 2023", "May 3-5", "2020-2022"."""

from __future__ import annotations

from dataclasses import replace

from memories.text.temporal.calendar import DAY, Span
from memories.text.temporal.dates import Found, read_decade, read_expected
from memories.text.temporal.names import read_day
from memories.text.temporal.parts import read_part
from memories.text.temporal.phrases import read_ago, read_relative_day
from memories.text.temporal.tokens import Reading

_DASHES = frozenset({"-", "–", "—"})
_LINKS = {
    "between": frozenset({"and", *_DASHES}),
    "from": frozenset({"to", "until", "till", "through", *_DASHES}),
}
_BARE_LINKS = frozenset({"to", "through", *_DASHES})


def read_range(reading: Reading, at: int) -> Found | None:
    """A range that begins here, at its "between" or "from", or at its first date where a dash or "to" follows."""
    opener = reading.word(at)
    links = _LINKS.get(opener, _BARE_LINKS)
    first = at + 1 if opener in _LINKS else at
    found = _read_days(reading, first, links) or _read_days_behind_month(reading, first, links)
    if not found:
        found = _read_two(reading, first, links, is_open=opener in _LINKS)
    return found and replace(found, words=found.words + first - at)


def _read_days(reading: Reading, at: int, links: frozenset[str]) -> Found | None:
    """Read "3 and 5 May 2023", "3rd-5th of May"."""
    place = reading.skip(at, "the")
    day = read_day(reading, place)
    if not day or reading.word(place + 1) not in links:
        return None
    last_at = reading.skip(place + 2, "the")
    last = read_expected(reading, last_at) if read_day(reading, last_at) else None
    return _days(reading, at, last_at, last, day[0]) if last else None


def _days(reading: Reading, at: int, last_at: int, last: Found, first_day: int) -> Found | None:
    if last.precision != "day" or first_day >= last.span.start.day:
        return None
    return Found(last_at + last.words - at, _from_day(reading, last, first_day), "range")


def _from_day(reading: Reading, last: Found, first_day: int) -> Span:
    """From a day of a month to a later one. Without a year, the latest range that has begun is meant."""
    gap = (last.span.start.day - first_day) * DAY
    span = (last.cycle.latest(reading.local + gap) if last.cycle else None) or last.span
    return Span(span.start - gap, span.end)


def _read_days_behind_month(reading: Reading, at: int, links: frozenset[str]) -> Found | None:
    """Read "May 3-5", "May 3 to 5, 2023": the month and the last day are read as if the first were not there."""
    first = read_day(reading, at + 1)
    last = read_day(reading, at + 3)
    if not first or not last or reading.word(at + 2) not in links or first[0] >= last[0]:
        return None
    tokens = [*reading.tokens[max(0, at - 2) : at + 1], *reading.tokens[at + 3 : at + 8]]
    shorter = Reading(tokens, reading.now)
    found = read_expected(shorter, at - max(0, at - 2))
    if not found or found.precision != "day":
        return None
    return Found(found.words + 2, _from_day(reading, found, first[0]), "range")


def _read_two(reading: Reading, at: int, links: frozenset[str], is_open: bool) -> Found | None:
    """Two whole dates. Without "between" or "from" before them, both must be of one kind: "May-July", "2020-2022"."""
    first = _read_end(reading, at)
    if not first or reading.word(at + first.words) not in links:
        return None
    place = at + first.words + 1
    last = _read_end(reading, place)
    if not last or not (is_open or first.precision == last.precision):
        return None
    first, last = _adjust(first, last)
    if first.span.start >= last.span.end:
        return None
    return Found(place + last.words - at, Span(first.span.start, last.span.end), "range")


def _read_end(reading: Reading, at: int) -> Found | None:
    place = reading.skip(at, "the")
    found = read_expected(reading, place)
    if found:
        return replace(found, words=found.words + place - at)
    return read_relative_day(reading, at) or read_ago(reading, at) or read_part(reading, at) or read_decade(reading, at)


def _adjust(first: Found, last: Found) -> tuple[Found, Found]:
    """Where a year was left open, the range is the shortest that runs forward."""
    if first.cycle:
        span = first.cycle.latest(last.span.start)
        return (replace(first, span=span) if span else first), last
    if last.cycle:
        span = last.cycle.latest(first.span.start)
        following = span if span and span.start >= first.span.start else last.cycle.next(first.span.start)
        return first, (replace(last, span=following) if following else last)
    return first, last
