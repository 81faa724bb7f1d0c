"""A time with the preposition before it: "by Friday", "until March 3", "after Christmas", "on the 15th"."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memories.text.future.found import Found, Proof, Speech
from memories.text.future.parts import read_around, read_beside, read_end_of_day, read_nth_part, read_part
from memories.text.future.ranges import read_range
from memories.text.future.simple import read_inner, read_simple
from memories.text.future.words import ANNOUNCED, BOUNDARIES, LEADS, LIMITS, MADE_FOR, PAST
from memories.text.temporal.calendar import DAY
from memories.text.temporal.words import ADVERBS, MONTHS, PLAIN_MONTHS, WEEKDAYS

MOST_OBJECT = 8
"""Words between a verb and what it is done for: "announced a rent increase of 4 percent for July"."""
_READERS = (read_end_of_day, read_beside, read_around, read_nth_part, read_part, read_simple)
_LEADS_OF_VERBS = frozenset({"on", "in", "at", "over", "around", "through"})
"""In "come over tomorrow" they belong to the verb."""


def read_led(speech: Speech, at: int) -> Found | None:
    """A time and what leads it. "By", "until" and "before" give the day that is the limit, "after" the day behind it.

    What is led by "since" has begun: its day is `datetime.min`.
    """
    lead = speech.word(at) if speech.word(at) in LEADS and speech.word(at + 1) != "of" else ""
    if speech.word(at + 1) in ADVERBS and lead in _LEADS_OF_VERBS:
        return None
    place = at + 1 if lead else at
    if lead == "since":
        found = _read_time(speech, place)
        return Found(found.words + 1, datetime.min) if found else None
    between = speech.word(at) == "between"
    place += between
    if _is_ahead(speech, lead, at) and (speech.word(place) in PLAIN_MONTHS or _is_month(speech, place)):
        named = read_inner(speech, place)
        return replace(named.moved(1), proof=Proof.NONE) if named else None
    found = read_range(speech, place, is_between=between) or (None if between else _read_time(speech, place))
    return _limited(speech, lead, place, found).moved(place - at) if found else None


def _limited(speech: Speech, lead: str, place: int, found: Found) -> Found:
    if lead in LIMITS:
        is_end = "end" in (speech.word(place), speech.word(place + 1))
        return replace(found, first=found.end if is_end else found.first, last=None)
    if lead == "within":
        return replace(found, first=found.end, last=None)
    if lead == "after":
        return replace(found, first=found.end + DAY, last=None)
    is_for_day = lead == "for" and not found.last and found.proof is Proof.NOT_PAST
    if is_for_day and (speech.word(place) in WEEKDAYS or _is_ahead(speech, lead, place - 1)):
        # "Got tickets for Friday": what is done for a day is done before it.
        return replace(found, proof=Proof.NONE)
    return found


def _is_month(speech: Speech, at: int) -> bool:
    """Whether a word is one by its capital, and no person's name: "for May", "for April Jones"."""
    return speech.word(at) in MONTHS and speech.is_capital(at) and not speech.is_capital(at + 1)


def _is_ahead(speech: Speech, lead: str, at: int) -> bool:
    """Whether the verb before it does something about what is to come: "announced a rent increase for July"."""
    verbs = {"for": MADE_FOR, "from": ANNOUNCED}.get(lead)
    if not verbs:
        return False
    for place in range(at - 1, max(-1, at - 1 - MOST_OBJECT), -1):
        word = speech.said(place)
        if word in BOUNDARIES:
            return False
        if word in verbs or word in PAST or word.endswith("ed"):
            return word in verbs
    return False


def _read_time(speech: Speech, at: int) -> Found | None:
    for read in _READERS:
        found = read(speech, at)
        if found:
            return found
    return None
