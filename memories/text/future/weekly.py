"""Weekdays that come round: "every Monday", "Mondays and Thursdays", "every other Tuesday", "on weekends"."""

from __future__ import annotations

from datetime import datetime, time

from memories.text.future.found import Found, Proof, Speech
from memories.text.future.rules import DAY_CODES, WORKDAYS, every, first_day
from memories.text.future.words import ALTERNATE, NO_RULE_BEHIND
from memories.text.temporal.words import DAY_PARTS, DETERMINERS, OWNERS, WEEKDAY_PLURALS, WEEKDAYS

_PLURAL_PARTS = frozenset(f"{part}s" for part in DAY_PARTS)
_JOINERS = frozenset({"and", ",", "/", "&", "or", "+"})


def ruled(speech: Speech, words: int, rule: str, start: datetime | None = None) -> Found | None:
    first = first_day(rule, (start or speech.today).date())
    return Found(words, datetime.combine(first, time()), proof=Proof.NOT_OVER, rule=rule) if first else None


def read_every_weekday(speech: Speech, at: int) -> Found | None:
    """Read "Monday", "Mon, Wed and Fri", "other Tuesday", "weekday", "weekend" behind "every"."""
    interval = ALTERNATE.get(speech.word(at), 1)
    place = at + (interval > 1)
    word = speech.word(place)
    if word in {"weekday", "workday"} and interval == 1:
        return ruled(speech, 1, every("week", 1, f"BYDAY={WORKDAYS}"))
    if word == "weekend":
        return ruled(speech, place + 1 - at, every("week", interval, "BYDAY=SA,SU"))
    days, used = read_weekdays(speech, place, WEEKDAYS.keys() | WEEKDAY_PLURALS)
    rule = every("week", interval, f"BYDAY={codes(days)}")
    return ruled(speech, place + used - at, rule) if days else None


def read_weekdays(speech: Speech, at: int, names: set[str]) -> tuple[list[int], int]:
    """The weekdays that are named one behind the other, and the tokens they take."""
    days: list[int] = []
    place = end = at
    while speech.word(place) in names and len(days) < len(DAY_CODES):
        days.append(_day_number(speech.word(place)))
        end = place + 1
        place = end
        while speech.word(place) in _JOINERS and place < end + 2:
            place += 1
        place = speech.skip(place, "on", "every")
        if place == end:
            break
    return days, end - at


def _day_number(name: str) -> int:
    return WEEKDAYS[name] if name in WEEKDAYS else WEEKDAYS[name.removesuffix("s")]


def codes(days: list[int]) -> str:
    return ",".join(DAY_CODES[day] for day in sorted(set(days)))


def read_plural_days(speech: Speech, at: int) -> Found | None:
    """Read "Fridays", "Mondays and Thursdays", "weekends", "Mondays to Fridays", "Tuesday evenings"."""
    word = speech.word(at)
    if speech.word(at - 1) in OWNERS | DETERMINERS | NO_RULE_BEHIND:
        return None
    if word in {"weekdays", "workdays", "weekends"}:
        return ruled(speech, 1, every("week", 1, f"BYDAY={'SA,SU' if word == 'weekends' else WORKDAYS}"))
    if word in WEEKDAYS and speech.word(at + 1) in _PLURAL_PARTS:
        return ruled(speech, 2, every("week", 1, f"BYDAY={codes([_day_number(word)])}"))
    if word not in WEEKDAY_PLURALS:
        return None
    if speech.word(at + 1) in {"to", "through", "-", "–"} and speech.word(at + 2) in WEEKDAY_PLURALS:
        first, last = _day_number(word), _day_number(speech.word(at + 2))
        row = [day % 7 for day in range(first, first + (last - first) % 7 + 1)]
        return ruled(speech, 3, every("week", 1, f"BYDAY={codes(row)}"))
    days, used = read_weekdays(speech, at, {*WEEKDAY_PLURALS})
    return ruled(speech, used, every("week", 1, f"BYDAY={codes(days)}"))
