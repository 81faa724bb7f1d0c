"""Days that come round because of what they are: birthdays and anniversaries."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time

from memories.text.future.found import Found, Speech
from memories.text.future.rules import first_day, yearly_on
from memories.text.future.words import BIRTHDAYS, CELEBRATIONS
from memories.text.temporal.words import MONTHS
from memories.text.wordlist import words

_BETWEEN = words(
    "is was are falls on in the comes coming up it's it will be this next : - – , ( = ist am es el le est de von of"
)
_MOST_BETWEEN = 5
_BEFORE_BIRTHDAY = words("is it's ist es est")


def as_birthday(speech: Speech, first: int, end: int, found: Found) -> Found | None:
    """The same day with a yearly rule if the words around it say that someone was born or married on it.

    A year that is over ("May 3, 1990") is left out of it. None for any other day.
    """
    if found.last or found.rule or found.first == datetime.min:
        return None
    is_dated = _is_dated(speech, first, end)
    is_born = is_dated and speech.said(first - 1) == "born"
    if not is_born and not _is_named_before(speech, first) and not _is_named_behind(speech, end):
        return None
    if not is_dated and found.first < speech.today:
        return None
    rule = yearly_on(found.first.month, found.first.day)
    day = first_day(rule, speech.today.date())
    return replace(found, first=datetime.combine(day, time()), rule=rule) if day else None


def _is_dated(speech: Speech, first: int, end: int) -> bool:
    """Whether a date is named: "on Friday" with "was" is over, "on May 3" comes again."""
    return any(speech.word(at) in MONTHS or speech.word(at)[:1].isdecimal() for at in range(first, end))


def is_lasting(speech: Speech, first: int, end: int, found: Found) -> bool:
    """Whether the day comes again although the clause tells of the past: "my birthday was on May 3"."""
    return bool(found.rule) and _is_dated(speech, first, end)


def _is_named_before(speech: Speech, first: int) -> bool:
    for at in range(first - 1, max(-1, first - 2 - _MOST_BETWEEN), -1):
        if speech.word(at) in BIRTHDAYS:
            return speech.word(at + 1) not in CELEBRATIONS
        if speech.said(at) not in _BETWEEN and not speech.is_capital(at):
            return False
    return False


def _is_named_behind(speech: Speech, end: int) -> bool:
    """Read "May 3 is Anna's birthday"."""
    if speech.word(end) in BIRTHDAYS:
        return speech.word(end + 1) not in CELEBRATIONS
    if speech.said(end) not in _BEFORE_BIRTHDAY:
        return False
    for at in range(end + 1, end + 1 + _MOST_BETWEEN):
        if speech.word(at) in BIRTHDAYS:
            return speech.word(at + 1) not in CELEBRATIONS
        if not speech.word(at).isalpha():
            return False
    return False
