"""What a text says will happen or should be remembered: "dentist on Friday at 3pm", "in two weeks", "every Monday".

Where `temporal` reads a time as past, here it is read as coming: "Friday" is the next one, "May 3" today's at the
earliest. What is told in the past tense, has a year that is over or only looks like a date is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time
from itertools import islice, takewhile

from memories.text.future.birthdays import as_birthday, is_lasting
from memories.text.future.found import Found, Proof, Speech
from memories.text.future.moments import places_to_read, read_moment
from memories.text.future.rules import next_day
from memories.text.future.speech import read_speech
from memories.text.future.tense import fits
from memories.text.future.words import BOUNDARIES, INSTEAD, LIMITS, MOVED, NOT, TOO
from memories.text.temporal.calendar import LAST
from memories.text.undated import is_excepted

__all__ = ["MOST_COMING", "MOST_PLACES", "Coming", "find_coming", "next_day"]

MOST_COMING = 32
MOST_PLACES = 5000
REACH_OF_INSTEAD = 6


@dataclass(frozen=True, slots=True)
class Coming:
    """`text` is what was said from `start` to before `end`.

    `on` is the day, or the first of a span that ends with `until`; spans that are running begin today. For "by
    Friday" it is the limit. `at` is the time of the clock in the time zone of now. `rule` is an RRULE (RFC 5545)
    whose first day is `on`.
    """

    start: int
    end: int
    text: str
    on: date
    at: time | None = None
    until: date | None = None
    rule: str = ""


def find_coming(text: str, now: datetime, with_denied: bool = False) -> list[Coming]:
    """The coming times of a text in the order they are said, at most MOST_COMING.

    `with_denied` tells also which days are not meant: the Friday of "not this Friday but the 12th".
    Linear in the length of the text. Of a very long one, the first MOST_PLACES that look like a time are read.
    """
    speech = read_speech(text, now)
    comings: list[Coming] = []
    end = moved_to = 0
    for at in islice(places_to_read(speech), MOST_PLACES):
        if at < end:
            continue
        found = _read(speech, at)
        if not found:
            continue
        left = _left_behind(speech, at)
        end = at + (found.words if found.last or not left else left)
        moved_to = at + left if left else moved_to
        is_out = _is_taken_out(speech, at, text) or (_is_denied(speech, at) and not with_denied)
        if is_out or (left and not found.last):
            continue
        found = _as_moved(found) if at <= moved_to and moved_to else found
        if _is_coming(speech, at + left, end, found):
            comings.append(_place(found, text, speech.tokens[at + left].start, speech.tokens[end - 1].end))
        if len(comings) == MOST_COMING:
            break
    return comings


def _read(speech: Speech, at: int) -> Found | None:
    """None, too, for days outside of the calendar."""
    try:
        found = read_moment(speech, at)
        found = found and (as_birthday(speech, at, at + found.words, found) or found)
    except (ValueError, OverflowError):
        return None
    return found if found and found.end <= LAST else None


def _is_taken_out(speech: Speech, at: int, text: str) -> bool:
    """ "Never later in the week", "except on Fridays"; "never before Friday" names the day."""
    is_out = speech.word(at - 1) == "never" or is_excepted(text, speech.tokens[at].start)
    return is_out and speech.word(at) not in LIMITS


def _is_denied(speech: Speech, at: int) -> bool:
    """ "Not this Friday but the 12th"; "why not Friday?" and "not before Friday" name the day."""
    is_not = speech.said(at - 1) in NOT and speech.word(at - 2) != "why"
    behind = range(at + 1, at + REACH_OF_INSTEAD)
    is_not |= any(speech.said(place) in INSTEAD and speech.said(place + 1) not in TOO for place in behind)
    is_not |= speech.said(at - 1) == "pas" and "mais" in map(speech.said, behind)
    return is_not and speech.word(at) not in LIMITS


def _left_behind(speech: Speech, at: int) -> int:
    """The tokens of a time that something is moved from: "moved it from Tuesday to Thursday" names Thursday; else 0."""
    if speech.word(at) != "from":
        return 0
    before = takewhile(lambda place: speech.said(place) not in BOUNDARIES, range(at - 1, at - 10, -1))
    if not any(speech.said(place) in MOVED for place in before):
        return 0
    to = next((place for place in range(at + 1, at + 6) if speech.said(place) == "to"), at + 1)
    return to - at + (speech.said(to) == "to")


def _as_moved(found: Found) -> Found:
    """What something is moved to: the end of a span, whatever tense that is told in."""
    return replace(found, first=found.last or found.first, last=None, begin=None, proof=Proof.NONE)


def _is_coming(speech: Speech, first: int, end: int, found: Found) -> bool:
    if found.first < speech.today:
        return False
    is_today = found.first == speech.today and not (found.last or found.rule)
    if is_today and found.at and found.at < speech.local.time().replace(second=0, microsecond=0):
        return False
    if is_today and found.at and found.proof is Proof.FUTURE:
        return fits(speech, first, end, Proof.NOT_PAST)
    return is_lasting(speech, first, end, found) or fits(speech, first, end, found.proof)


def _place(found: Found, text: str, start: int, end: int) -> Coming:
    until = found.last.date() if found.last else None
    return Coming(start, end, text[start:end], found.first.date(), found.at, until, found.rule)
