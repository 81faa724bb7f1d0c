"""Times counted from today: "tomorrow", "next Friday", "this weekend"."""

from __future__ import annotations

from datetime import timedelta

from memories.text.future.feasts import feast, feast_at
from memories.text.future.found import Found, Proof, Speech, from_span
from memories.text.future.words import ABSTRACT_BEFORE_TOMORROW, COMING, NEXT, SAME_AS, THIS
from memories.text.temporal import calendar
from memories.text.temporal.calendar import DAY, UNIT_CYCLES, Cycle, Span
from memories.text.temporal.names import Named, read_name
from memories.text.temporal.words import DAY_PARTS, WEEKDAYS

_UNITS_THAT_PASS = frozenset({"week", "month", "quarter", "year", "decade"})


def read_near_day(speech: Speech, at: int) -> Found | None:
    """Read "today", "tonight", "this evening", "tomorrow", "the day after tomorrow"."""
    word = speech.word(at)
    if word == "tomorrow":
        is_idea = speech.word(at - 1) in ABSTRACT_BEFORE_TOMORROW
        return None if is_idea else Found(1, speech.today + DAY, proof=Proof.NONE)
    if word == "today":
        is_compared = speech.word(at - 1) in SAME_AS
        return None if is_compared else Found(1, speech.today, proof=Proof.FUTURE)
    if word == "tonight":
        return Found(1, speech.today, part="night")
    if word == "this" and speech.word(at + 1) in DAY_PARTS:
        return _read_part_of_today(speech, speech.word(at + 1))
    place = speech.skip(at, "the")
    if tuple(speech.word(place + offset) for offset in range(3)) == ("day", "after", "tomorrow"):
        return Found(place + 3 - at, speech.today + 2 * DAY, proof=Proof.NONE)
    return None


def _read_part_of_today(speech: Speech, part: str) -> Found | None:
    ends = speech.today + timedelta(hours=DAY_PARTS[part][1])
    return Found(2, speech.today, proof=Proof.FUTURE, part=part) if speech.local < ends else None


def read_next(speech: Speech, at: int) -> Found | None:
    """Read "next Friday", "this weekend", "the coming week", "next May", "next week on Friday"."""
    place = speech.skip(at, "the")
    which = speech.word(place)
    if which in THIS and speech.word(place + 1) in COMING:
        place, which = place + 1, speech.word(place + 1)
    if which not in NEXT | COMING | THIS:
        return None
    named = _named_or_unit(speech, place + 1)
    if not named:
        return None
    span = _choose(speech, named.cycle, which)
    if not span:
        return None
    end = place + 1 + named.words
    proof = _proof(which, named.cycle.precision, has_article=place > at and which in NEXT)
    day = _weekday_in(speech, end) if named.cycle.precision == "week" else None
    if day:
        return Found(end + day[1] - at, span.start + day[0] * DAY, proof=_weaker(proof))
    if named.cycle.precision in {"day", "holiday"}:
        return Found(end - at, span.start, proof=proof)
    return from_span(end - at, span, speech.today, proof)


def _weaker(proof: Proof) -> Proof:
    return Proof.NOT_PAST if proof is Proof.FUTURE else proof


def _named_or_unit(speech: Speech, at: int) -> Named | None:
    word = speech.word(at)
    if word in UNIT_CYCLES:
        return Named(UNIT_CYCLES[word], 1, is_sure=True)
    if word in WEEKDAYS:
        return Named(calendar.weekday(WEEKDAYS[word]), 1, is_sure=True)
    name = feast_at(speech, at)
    if name:
        return Named(feast(name), len(name.split()), is_sure=True)
    named = read_name(speech, at)
    is_kind = named and named.is_sure and named.cycle.precision in {"month", "season"}
    return named if named and is_kind and speech.word(at + named.words) != "break" else None


def _proof(which: str, precision: str, has_article: bool) -> Proof:
    if which in THIS:
        return Proof.FUTURE if precision in _UNITS_THAT_PASS else Proof.NOT_PAST
    return Proof.NOT_PAST if has_article else Proof.NONE


def _choose(speech: Speech, cycle: Cycle, which: str) -> Span | None:
    """The next one of a week or month lies in the next week or month; this one in the running one, if not over."""
    running = cycle.at(cycle.number(speech.local))
    if which in NEXT and not cycle.is_yearly:
        return cycle.at(cycle.number(speech.local) + 1)
    if which in NEXT and cycle.precision == "year":
        return cycle.at(speech.today.year + 1)
    if which in THIS and running and running.end > speech.today:
        return running
    return cycle.next(speech.local)


def _weekday_in(speech: Speech, at: int) -> tuple[int, int] | None:
    """The weekday behind "next week" and the tokens to its end: "next week Friday", "next week on Friday"."""
    place = speech.skip(at, "on")
    day = WEEKDAYS.get(speech.word(place))
    is_clear = place > at or speech.word(place).endswith("day")
    return (day, place + 1 - at) if day is not None and is_clear else None


def read_in_week(speech: Speech, at: int) -> Found | None:
    """Read "Friday next week", "Monday of next week", "the weekend after next", "the week after next"."""
    first = speech.skip(at, "the")
    day = WEEKDAYS.get(speech.word(first))
    cycle = calendar.weekday(day) if day is not None else UNIT_CYCLES.get(speech.word(first))
    if not cycle:
        return None
    number = cycle.number(speech.local)
    if (speech.word(first + 1), speech.word(first + 2)) == ("after", "next"):
        return _from_cycle(first + 3 - at, cycle, number + 2, Proof.NONE)
    place = speech.skip(first + 1, "of", "in")
    which = speech.word(place)
    if day is None or which not in NEXT | THIS or speech.word(place + 1) != "week":
        return None
    is_next = which in NEXT
    return _from_cycle(place + 2 - at, cycle, number + is_next, Proof.NONE if is_next else Proof.NOT_PAST)


def _from_cycle(words: int, cycle: Cycle, number: int, proof: Proof) -> Found | None:
    span = cycle.at(number)
    return from_span(words, span, span.start, proof) if span else None
