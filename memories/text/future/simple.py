"""One day or span in one piece, whatever way it is said."""

from __future__ import annotations

from memories.text.future.counted import read_counted, read_weeks_on
from memories.text.future.dates import (
    coming,
    read_bare_year_ahead,
    read_named_date,
    read_numeric_date,
    read_the_weekend,
    read_weekday_with_day,
)
from memories.text.future.days import read_in_week, read_near_day, read_next
from memories.text.future.feasts import read_feast
from memories.text.future.found import Found, Speech, from_span
from memories.text.future.nth import read_nth_weekday
from memories.text.temporal import calendar
from memories.text.temporal.dates import read_year
from memories.text.temporal.names import read_day
from memories.text.temporal.words import MONTHS

_READERS = (
    read_weeks_on, read_near_day, read_in_week, read_next, read_counted, read_nth_weekday, read_numeric_date,
    read_feast, read_the_weekend, read_weekday_with_day, read_named_date, read_bare_year_ahead,
)  # fmt: skip


def read_simple(speech: Speech, at: int) -> Found | None:
    for read in _READERS:
        found = read(speech, at)
        if found:
            return found
    return None


def read_inner(speech: Speech, at: int) -> Found | None:
    """The end of a range or a whole of which a part is named; a month needs no preposition there."""
    is_dated = read_day(speech, at + 1) or read_year(speech, at + 1)
    if speech.word(at) not in MONTHS or is_dated:
        return read_simple(speech, at) or read_bare_year_ahead(speech, at, is_expected=True)
    span = coming(calendar.month_of_year(MONTHS[speech.word(at)]), speech.today)
    return from_span(1, span, speech.today) if span else None
