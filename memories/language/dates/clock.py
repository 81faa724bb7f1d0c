"""Clock times and parts of the day: "at 3pm", "15:30", "noon", "9 o'clock", "in the morning"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time

from memories.language.dates.speech import BREAK, Speech
from memories.language.dates.words import DAY_PARTS, NUMBERS, PREPOSITIONS, WEEKDAYS
from memories.language.wordlists import words

_LEADS = words("at around about by from until till before after")
_NAMED = {"noon": 12, "midday": 12, "midnight": 0}
_HOUR = re.compile(r"([0-9]{1,2})(?:(am|pm)|h([0-5][0-9])?)?")
_COLON_LESS = re.compile(r"([0-9]{1,2})([0-5][0-9])(am|pm)")
_MINUTE = re.compile(r"([0-5][0-9])(am|pm)?")
_DOTTED = {"a.m": "am", "p.m": "pm"}
_HOUR_WORDS = words("o'clock uhr heures heure horas hrs h")
_LATE_PARTS = frozenset({"afternoon", "evening", "night"})
_MAY_FOLLOW = (
    PREPOSITIONS
    | WEEKDAYS.keys()
    | words("and or but tomorrow tonight today every each sharp if i we you he she they it next this then works so to")
    | {"", BREAK, ".", ",", "!", "?", ";", ")"}
)
_LAST_OF_THE_SMALL_HOURS = 6
_LAST_OF_THE_NIGHT = 4


@dataclass(frozen=True, slots=True)
class Clock:
    """`is_open` where neither am nor pm was said, nor 24 hours were counted."""

    hour: int
    minute: int
    words: int
    is_open: bool

    def as_time(self, part: str = "") -> time:
        """Read an hour: a bare one is late in the afternoon, evening or night; else 1 to 6 are hours after noon.

        "At 3" of a night is three hours after midnight.
        """
        is_small = part == "night" and 1 <= self.hour <= _LAST_OF_THE_NIGHT
        if not self.is_open or part == "morning" or is_small:
            return time(self.hour, self.minute)
        is_late = part in _LATE_PARTS or 1 <= self.hour <= _LAST_OF_THE_SMALL_HOURS
        return time(self.hour + 12 if is_late and 1 <= self.hour < 12 else self.hour, self.minute)


def read_clock(speech: Speech, index: int) -> Clock | None:
    """Return the clock time that begins here, with "at" or the like before it. A bare number needs an "at"."""
    place = index
    while place < index + 2 and speech.word(place) in _LEADS:
        place += 1
    is_led = "at" in (speech.word(index), speech.word(place - 1)) and place > index
    word = speech.word(place)
    if word in _NAMED:
        return Clock(_NAMED[word], 0, place + 1 - index, is_open=False)
    spread = _read_spread(speech, index, place)
    if spread:
        return spread
    if word in NUMBERS and is_led:
        return _checked(NUMBERS[word], 0, "", place + 1, speech, index, is_marked=False)
    return _read_digits(speech, index, place, is_led)


def _read_spread(speech: Speech, index: int, place: int) -> Clock | None:
    """Read the beginning of "3 to 5pm", "from 3pm to 5pm", "11-1pm"."""
    first = re.fullmatch(r"([0-9]{1,2})(am|pm)?", speech.word(place))
    if not first or speech.word(place + 1) not in {"to", "-", "–", "until", "till"}:
        return None
    end = _read_digits(speech, place + 2, place + 2, is_led=False)
    if not end or end.is_open or not 1 <= int(first[1]) <= 12 or not (first[2] or end.hour):
        return None
    hour = int(first[1]) % 12
    is_late = first[2] == "pm" or (not first[2] and end.hour >= 12 and hour + 12 <= end.hour)
    return Clock(hour + 12 if is_late else hour, 0, place + 2 + end.words - index, is_open=False)


def _read_digits(speech: Speech, index: int, place: int, is_led: bool) -> Clock | None:
    word = speech.word(place)
    joined = _COLON_LESS.fullmatch(word)
    if joined:
        return _checked(int(joined[1]), int(joined[2]), joined[3], place + 1, speech, index)
    hour = _HOUR.fullmatch(word)
    if not hour:
        return None
    meridiem, minutes, end = hour[2] or "", int(hour[3] or 0), place + 1
    is_marked = bool(meridiem) or "h" in word
    if not is_marked:
        is_colon = speech.word(end) == ":" and speech.is_glued(end) and speech.is_glued(end + 1)
        is_dot = speech.word(end) == "." and speech.is_glued(end + 1) and speech.word(end + 2) == "uhr"
        minute = _MINUTE.fullmatch(speech.word(end + 1)) if is_colon or is_dot else None
        if minute:
            minutes, meridiem, end, is_marked = int(minute[1]), minute[2] or "", end + 2, True
    if not meridiem:
        following = speech.word(end)
        meridiem = _DOTTED.get(speech.surface(end)[:3], "") or (following if following in {"am", "pm"} else "")
        is_named = bool(meridiem) or following in _HOUR_WORDS
        end, is_marked = end + is_named, is_marked or is_named
    if not is_marked and not is_led:
        return None
    is_counted = word.startswith("0") or "h" in word or speech.word(end - 1) in {"uhr", "heures"}
    return _checked(int(hour[1]), minutes, meridiem or ("24" if is_counted else ""), end, speech, index, is_marked)


def _checked(
    hour: int, minute: int, meridiem: str, end: int, speech: Speech, index: int, is_marked: bool = True
) -> Clock | None:
    """None for hours no clock shows, and for numbers that count something ("at 9 dollars")."""
    if hour > 23 or (meridiem in {"am", "pm"} and not 1 <= hour <= 12):
        return None
    if not is_marked and (speech.word(end) not in _MAY_FOLLOW or (speech.is_glued(end) and speech.is_glued(end + 1))):
        return None
    if meridiem in {"am", "pm"}:
        return Clock(hour % 12 + (12 if meridiem == "pm" else 0), minute, end - index, is_open=False)
    return Clock(hour, minute, end - index, is_open=not meridiem)


def read_day_part(speech: Speech, index: int) -> tuple[str, int]:
    """Return the part of a day behind it and the tokens it takes: "morning", "in the evening", "at night"."""
    for lead in (("in", "the"), ("at",), ()):
        place = index + len(lead)
        is_led = all(speech.word(index + offset) == word for offset, word in enumerate(lead))
        if is_led and speech.word(place) in DAY_PARTS:
            return speech.word(place), place + 1 - index
    return "", 0
