"""Feasts that lie ahead: "Christmas", "New Year's Eve", "Easter 2027"."""

from __future__ import annotations

from memories.text.future.dates import coming
from memories.text.future.found import Found, Proof, Speech
from memories.text.future.occasions import is_told_beforehand
from memories.text.future.words import FEASTS, LEADS
from memories.text.temporal import calendar
from memories.text.temporal.calendar import Cycle
from memories.text.temporal.dates import read_year
from memories.text.temporal.words import HOLIDAYS, NOT_A_HOLIDAY_BEFORE

_LEADS_OF_FEASTS = (LEADS | {"this"}) - {"during", "over", "throughout", "in"}


_FEAST_STARTS = frozenset(name.split()[0] for name in HOLIDAYS)


def read_feast(speech: Speech, at: int) -> Found | None:
    """Read "Christmas", "New Year's Eve", "Easter" behind a preposition, with or without a year."""
    name = feast_at(speech, at)
    words = len(name.split())
    year = read_year(speech, at + words) if name else None
    is_led = year or speech.word(at - 1) in _LEADS_OF_FEASTS
    if not name or not is_led or speech.word(at + words) in NOT_A_HOLIDAY_BEFORE:
        return None
    cycle = feast(name)
    span = cycle.at(year[0]) if year else coming(cycle, speech.today)
    proof = Proof.NOT_PAST if year or is_told_beforehand(speech, at) else Proof.NO_HABIT
    return Found(words + (year[1] if year else 0), span.start, proof=proof) if span else None


def feast(name: str) -> Cycle:
    """The day people mean by a feast: of Christmas the 25th."""
    return calendar.holiday(FEASTS.get(name, name))


def feast_at(speech: Speech, at: int) -> str:
    """The name of the feast that begins here, as `calendar.holiday` knows it."""
    if speech.word(at) not in _FEAST_STARTS:
        return ""
    for name in HOLIDAYS:
        if all(speech.word(at + place) == word for place, word in enumerate(name.split())):
            return name
    return ""
