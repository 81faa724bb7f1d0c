"""A whole time as it is said: a day or a rule with its clock time and part of the day, in any order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, time

from memories.text.future.clock import Clock, read_clock, read_day_part
from memories.text.future.found import Found, Speech
from memories.text.future.limits import read_led
from memories.text.future.recurring import read_recurring
from memories.text.future.rules import next_day
from memories.text.future.words import ANCHORS, BOUNDARIES, LEADS, STARTERS
from memories.text.temporal.calendar import DAY
from memories.text.temporal.words import ADVERBS, MONTHS, WEEKDAYS
from memories.text.wordlist import words

_MOST_BETWEEN = 8
_MOST_BEFORE_ANCHOR = 6
_EARLY, _GETTING = words("alarm breakfast wake wakes waking woken"), words("be being get gets getting i'm")
_OTHER_TIMES = ADVERBS | MONTHS.keys() | WEEKDAYS.keys() | {",", "and", "then", "or"}


def places_to_read(speech: Speech) -> Iterator[int]:
    """Where a time may begin: at a word that begins times, a few words before one that every time has."""
    last_anchor = -1
    anchors = [-1] * len(speech.tokens)
    for at in range(len(speech.tokens) - 1, -1, -1):
        word = speech.word(at)
        if word in ANCHORS or word[:1].isdecimal():
            last_anchor = at
        anchors[at] = last_anchor
    for at, anchor in enumerate(anchors):
        if at <= anchor <= at + _MOST_BEFORE_ANCHOR and _may_begin(speech, at):
            yield at


def read_moment(speech: Speech, at: int) -> Found | None:
    """The time that begins here. Raises ValueError or OverflowError where it lies outside of the calendar."""
    early = read_clock(speech, at)
    if early:
        place = speech.skip(at + early.words, ",")
        found = _read_day(speech, place)
        if found:
            return _complete(speech, place, found, early).moved(place - at)
    found = _read_day(speech, at)
    return _complete(speech, at, found, None) if found else None


def _may_begin(speech: Speech, at: int) -> bool:
    word, following = speech.word(at), speech.word(at + 1)
    if word in LEADS:
        return following in STARTERS or following == "of" or following[:1].isdecimal()
    return word in STARTERS or word[:1].isdecimal()


def _read_day(speech: Speech, at: int) -> Found | None:
    return read_recurring(speech, at) or read_led(speech, at)


def _complete(speech: Speech, at: int, found: Found, early: Clock | None) -> Found:
    part, used = ("", 0) if found.last else read_day_part(speech, at + found.words)
    end = at + found.words + used
    part = part or found.part
    place = speech.skip(end, ",")
    clock = early or read_clock(speech, place)
    if clock and not early:
        end = place + clock.words
        if not part:
            part, used = read_day_part(speech, end)
            end += used
    found = replace(found, words=end - at, part=part)
    if not clock and not (found.last or found.at):
        clock = _clock_beside(speech, at, end)
    return _at_clock(speech, found, clock.as_time(part or _part_told_by(speech, at))) if clock else found


def _part_told_by(speech: Speech, at: int) -> str:
    """The part of the day that the clause before it tells: who gets up at 6 does so in the morning."""
    for place in range(at - 1, at - 1 - _MOST_BETWEEN, -1):
        word = speech.said(place)
        if not word or word in BOUNDARIES:
            return ""
        if word in _EARLY or (word == "up" and speech.said(place - 1) in _GETTING):
            return "morning"
    return ""


def _clock_beside(speech: Speech, first: int, end: int) -> Clock | None:
    """The clock time of the same clause, a few words away: "dinner on Friday with Ann at 7"."""
    for places in (range(end, end + _MOST_BETWEEN), range(first - 1, first - 1 - _MOST_BETWEEN, -1)):
        for at in places:
            word = speech.word(at)
            if not word or word in BOUNDARIES or word in _OTHER_TIMES:
                break
            clock = read_clock(speech, at) if word == "at" else None
            if clock:
                return clock
    return None


def _at_clock(speech: Speech, found: Found, at: time) -> Found:
    first = found.first
    if found.part == "night" and at == time() and not found.rule:
        # Midnight tonight is the beginning of tomorrow.
        first += DAY
    if found.rule and first == speech.today and at <= speech.local.time():
        day = next_day(found.rule, first.date(), first.date())
        first = datetime.combine(day, time()) if day else first
    return replace(found, at=at, first=first)
