"""Dates of the calendar that lie ahead: "May 3", "3 May 2027", "2027-05-03", "Friday", "the 15th", "in May"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, time
from itertools import takewhile

from memories.text.future.clock import read_clock
from memories.text.future.found import Found, Proof, Speech, from_span
from memories.text.future.occasions import is_told_beforehand
from memories.text.future.words import BOUNDARIES, LEADS, LIMITS, MOVED, NO_DAY_BEHIND, NOT_A_DATE_BEHIND, PASSED
from memories.text.temporal import calendar
from memories.text.temporal.calendar import DAY, UNIT_CYCLES, Cycle, Span
from memories.text.temporal.dates import read_bare_year, read_numeric, read_year
from memories.text.temporal.names import Named, read_name
from memories.text.temporal.words import (
    DETERMINERS,
    MONTHS,
    OWNERS,
    WEEKDAYS,
)

_LEADS_OF_MONTHS = LIMITS | {"in", "for", "from", "after", "starting", "beginning", "around", "during", "early", "late"}
_LEADS_OF_SHORT_DATES = LIMITS | {"on", "for", "due"}
_CLOCK_OF_ISO = re.compile(r"t([01][0-9]|2[0-3]):([0-5][0-9])")
_MOST_MONTHS = 60
MOST_AHEAD = 300 * DAY
"""Who names a month without its year, and tells of no plan, means none that is nearer behind."""
_OVER = Span(datetime.min, datetime.min + DAY)
"""For a date that is not to be read, nor its pieces."""
_OPEN = BOUNDARIES | {"", ",", "is", "it's", "'s", "was", "now", "actually"}
_CLOSED = BOUNDARIES | {"", ",", "at", "then", "and", "works", "suits"}
_TODAY_IS = frozenset({"it's", "its", "today's"})


def coming(cycle: Cycle, today: datetime) -> Span | None:
    """The running period of a cycle, else the next; of a weekday always the next."""
    running = cycle.latest(today) if cycle.number is not calendar.week_number or cycle.precision != "day" else None
    return running if running and running.end > today else cycle.next(today)


def read_named_date(speech: Speech, at: int) -> Found | None:
    """Read "May 3", "the 3rd of May 2027", "Friday", "in May", "on the 15th", "the 15th of next month"."""
    named = read_name(speech, at) or _read_the(speech, at)
    if not named or not _is_meant(speech, at, named):
        return None
    year = read_year(speech, at + named.words) if named.cycle.is_yearly else None
    if year:
        span = named.cycle.at(year[0])
        proof = Proof.NONE if span and span.start > speech.today else Proof.NOT_PAST
        return from_span(named.words + year[1], span, speech.today, proof) if span else None
    inside = _read_inside(speech, at + named.words, named.cycle)
    if inside:
        return inside.moved(named.words)
    if not named.is_sure and not _is_before_clock(speech, at) and not _is_alone(speech, at, named):
        return None
    span = coming(named.cycle, speech.today)
    return from_span(named.words, span, speech.today, _proof_of(speech, at, named, span)) if span else None


def _proof_of(speech: Speech, at: int, named: Named, span: Span) -> Proof:
    """ "Sales are up in Q3", and in March "the figures for January are wrong", tell of what was last called so."""
    is_just_over = named.cycle.precision == "month" and span.start - speech.today > MOST_AHEAD
    is_last = (is_just_over or named.cycle.precision == "quarter") and not is_told_beforehand(speech, at)
    return Proof.NO_HABIT if is_last else Proof.NOT_PAST


def read_day_ahead(speech: Speech, at: int) -> Found | None:
    """Read "the 28th", "May 3" where nothing but a day can stand."""
    named = read_name(speech, at) or _read_the(speech, at)
    span = coming(named.cycle, speech.today) if named and named.cycle.precision == "day" else None
    return from_span(named.words, span, speech.today) if named and span else None


def _read_the(speech: Speech, at: int) -> Named | None:
    """A name behind "the": "the May 3 release" is none of it, "the 3rd of May" and "the weekend" are."""
    named = read_name(speech, at + 1) if speech.word(at) == "the" else None
    is_kept = named and named.cycle.precision == "day" and named.words > 1
    return replace(named, words=named.words + 1) if named and is_kept else None


def _is_meant(speech: Speech, at: int, named: Named) -> bool:
    precision = named.cycle.precision
    if precision in {"month", "quarter"}:
        return speech.before(_start_of_row(speech, at)) in _LEADS_OF_MONTHS or read_year(speech, at + 1) is not None
    if precision in {"season", "half", "holiday", "weekend"}:
        return False
    if named.words > 1:
        return speech.word(at - 1) not in OWNERS | NOT_A_DATE_BEHIND
    if speech.word(at) in WEEKDAYS:
        return _is_a_day(speech, at)
    return True


def _start_of_row(speech: Speech, at: int) -> int:
    """The first of the months that are named one behind the other: "for June and July"."""
    while speech.word(at - 1) in {"and", "or", ","} and speech.word(at - 2) in MONTHS:
        at -= 2
    return at


def _is_a_day(speech: Speech, at: int) -> bool:
    """Not "Man Friday", "your Friday", "a Friday", "the Friday call", nor "It's Friday!"."""
    before = speech.word(at - 1)
    if before in NO_DAY_BEHIND | PASSED | (OWNERS - {"her"}) | {"a"} or (
        before in DETERMINERS and speech.word(at + 1).isalpha()
    ):
        return False
    is_today = speech.today.weekday() == WEEKDAYS[speech.word(at)]
    is_told = speech.said(at - 1) in _TODAY_IS and not _is_beside_day(speech, at)
    return not is_told and not (is_today and before == "is")


def _is_beside_day(speech: Speech, at: int) -> bool:
    """Whether another day is set right by it: "it isn't Wednesday, it's Tuesday", "it's Tuesday, not Wednesday"."""
    near = (speech.word(place) for place in (at - 4, at - 3, at - 2, at + 2, at + 3))
    return any(word in WEEKDAYS and word != speech.word(at) for word in near)


def _read_inside(speech: Speech, at: int, cycle: Cycle) -> Found | None:
    """Read "of next month", "of this month" behind "the 15th"; words are counted from `at`."""
    place = speech.skip(at, "of")
    which, unit = speech.word(place), speech.word(place + 1)
    if cycle.number is not calendar.month_number or which not in {"this", "next", "the"} or unit != "month":
        return None
    span = cycle.at(cycle.number(speech.local) + (which == "next"))
    if which == "the" and span and span.start < speech.today:
        span = cycle.next(speech.local)
    return Found(place + 2 - at, span.start if span else datetime.min)


def _is_alone(speech: Speech, at: int, named: Named) -> bool:
    """Read "the 18th" as a whole answer, "it's the 18th", "moved it, now the 18th", "moved it to the 18th"."""
    is_day = speech.word(at) == "the" and named.cycle.number is calendar.month_number
    before, behind = speech.said(at - 1), speech.word(at + named.words)
    if before == "to":
        verbs = takewhile(lambda place: speech.said(place) not in BOUNDARIES, range(at - 2, max(-1, at - 9), -1))
        is_moved = any(speech.said(place) in MOVED for place in verbs)
        return is_day and is_moved and (behind in _CLOSED or behind in {"instead", "of", "because", "so", "for"})
    is_ours = before in {"it's", "is"} and behind in {"we", "i"}
    return is_day and before in _OPEN and (behind in _CLOSED or is_ours)


def _is_before_clock(speech: Speech, at: int) -> bool:
    """Read "Sat at 5", which would be the verb without the clock."""
    return (
        speech.word(at) in WEEKDAYS
        and speech.is_capital(at)
        and read_clock(speech, speech.skip(at + 1, ",")) is not None
    )


def read_the_weekend(speech: Speech, at: int) -> Found | None:
    """Read "for the weekend"; without a preposition before it, it tells of any, and before "of" of another."""
    is_said = (speech.word(at), speech.word(at + 1)) == ("the", "weekend") and speech.word(at - 1) in LEADS
    is_said = is_said and speech.word(at + 2) != "of"
    span = coming(UNIT_CYCLES["weekend"], speech.today) if is_said else None
    return from_span(2, span, speech.today) if span else None


def read_weekday_with_day(speech: Speech, at: int) -> Found | None:
    """Read "Friday the 13th", "Friday, 13th": the next day that is both."""
    if speech.word(at) not in WEEKDAYS:
        return None
    place = speech.skip(speech.skip(at + 1, ","), "the")
    number = re.fullmatch(r"([0-9]{1,2})(?:st|nd|rd|th)", speech.word(place))
    if not number or not 1 <= int(number[1]) <= 31 or speech.word(place + 1) in {"floor", "of"}:
        return None
    cycle, month = calendar.day_of_month(int(number[1])), calendar.month_number(speech.today)
    spans = (cycle.at(later) for later in range(month, month + _MOST_MONTHS))
    days = (span.start for span in spans if span and span.start.weekday() == WEEKDAYS[speech.word(at)])
    first = next((day for day in days if day >= speech.today), None)
    return Found(place + 1 - at, first) if first else None


def read_numeric_date(speech: Speech, at: int) -> Found | None:
    """Read "2027-05-03", "2027-05-03T10:30", "03.05.2027", "13/05/2027".

    With slashes a date that can be read both ways is left out, unless both are the same day. Dots put the day first.
    """
    if speech.word(at - 1) in NOT_A_DATE_BEHIND or _is_file(speech, at) or speech.word(at + 1) == "version":
        return None
    read = read_numeric(speech, at)
    if not read:
        return _read_short(speech, at)
    is_clear = not read.other
    proof = Proof.NONE if is_clear and read.span.start > speech.today else Proof.NOT_PAST
    found = from_span(1, read.span if is_clear else _OVER, speech.today, proof)
    clock = _CLOCK_OF_ISO.search(speech.word(at))
    return replace(found, at=time(int(clock[1]), int(clock[2]))) if clock else found


def _is_file(speech: Speech, at: int) -> bool:
    is_dotted = speech.word(at + 1) == "." and speech.is_glued(at + 1) and speech.is_glued(at + 2)
    return is_dotted and speech.word(at + 2).isalnum()


def _read_short(speech: Speech, at: int) -> Found | None:
    """Read "by 25/12", "on 12/25": one of the numbers must be above 12."""
    numbers = [speech.word(at), speech.word(at + 2)]
    is_glued = speech.word(at + 1) == "/" and speech.is_glued(at + 1) and speech.is_glued(at + 2)
    is_led = speech.word(at - 1) in _LEADS_OF_SHORT_DATES
    is_longer = speech.word(at + 3) in {"/", "-"} and speech.is_glued(at + 3)
    if not is_glued or not is_led or is_longer or not all(re.fullmatch("[0-9]{1,2}", number) for number in numbers):
        return None
    month, day = sorted(int(number) for number in numbers)
    if not 1 <= month <= 12 < day <= 31 or numbers == ["24", "7"]:
        return None
    span = coming(calendar.day_of_year(month, day), speech.today)
    return Found(3, span.start) if span else None


def read_bare_year_ahead(speech: Speech, at: int, is_expected: bool = False) -> Found | None:
    """Read "in 2028"; the running year only where something is said to come in it."""
    read = read_bare_year(speech, at, is_expected)
    if not read:
        return None
    proof = Proof.NONE if read.span.start > speech.today else Proof.FUTURE
    return from_span(1, read.span, speech.today, proof)
