"""Times so many days or months away: "in three days", "within a week", "a week from Friday", "the next 3 days".

And as they say in Ireland and Britain: "two weeks today", "Friday week".
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memories.text.future.found import Found, Proof, Speech
from memories.text.future.words import COMING, NEXT, SUBJECTS
from memories.text.temporal import calendar
from memories.text.temporal.calendar import DAY
from memories.text.temporal.phrases import ABOUT, read_count
from memories.text.temporal.words import PREPOSITIONS, UNITS, WEEKDAYS

_OF_EACH = frozenset({"a", "an", "per", "of", "each"})
"""Behind an amount: "put in 8 hours a day"."""
_CLAUSE_OPENERS = SUBJECTS | PREPOSITIONS | frozenset({"and", "or", "but", "so", "my", "our", "the"})
_WEEKS = {"week": 1, "fortnight": 2}
_SMALL_UNITS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}


def read_counted(speech: Speech, at: int) -> Found | None:
    """Read "in 3 days", "within a week", "in the next two weeks", "3 days from now", "a week from Friday".

    The days of "in two or three weeks" make a span. "In an hour" sets the clock.
    """
    if speech.word(speech.skip(at, "the")) in NEXT | COMING:
        return _read_stretch(speech, at)
    first = speech.skip(at, *ABOUT)
    counted = read_amount(speech, first)
    if not counted:
        return None
    low, high, unit, used = counted
    end = first + used
    base = _read_base(speech, end)
    if base:
        return _moved(speech, base[0], low, high, unit, end + base[1] - at, Proof.NONE)
    lead = speech.word(at - 1)
    if lead not in {"in", "within"}:
        return None
    if speech.word(end) in _OF_EACH or (lead == "within" and unit in _SMALL_UNITS):
        return None
    is_vague = high == 1 and unit in {"minute", "day", "year"}
    proof = Proof.FUTURE if is_vague else Proof.NO_HABIT if lead == "within" else Proof.NOT_PAST
    return _moved(speech, speech.now, low, high, unit, end - at, proof)


def read_weeks_on(speech: Speech, at: int) -> Found | None:
    """Read "Friday week", "tomorrow fortnight", "a week today", "two weeks tomorrow"."""
    weeks = _WEEKS.get(speech.word(at + 1), 0)
    base = _read_day_to_count_from(speech, at) if weeks else None
    if base and not (speech.word(at + 2).isalnum() and speech.word(at + 2) not in _CLAUSE_OPENERS):
        return Found(2, base + weeks * 7 * DAY)
    counted = read_amount(speech, at)
    if not counted or counted[2] not in {"week", "fortnight"} or counted[0] != counted[1]:
        return None
    base = _read_day_to_count_from(speech, at + counted[3])
    if not base or speech.word(at + counted[3]) in WEEKDAYS:
        return None
    return Found(counted[3] + 1, calendar.shift(base, counted[2], counted[0]), proof=Proof.NONE)


def _read_day_to_count_from(speech: Speech, at: int) -> datetime | None:
    word = speech.word(at)
    if word in WEEKDAYS:
        span = calendar.weekday(WEEKDAYS[word]).next(speech.local)
        return span.start if span else None
    return {"today": speech.today, "tomorrow": speech.today + DAY}.get(word)


def read_amount(speech: Speech, at: int) -> tuple[int, int, str, int] | None:
    """The least and the most, the unit, and the tokens they take."""
    count = read_count(speech, at)
    unit = UNITS.get(speech.word(at + count[2]), "") if count else ""
    if not count or not unit:
        return None
    end = at + count[2] + 1
    if speech.word(end) in {"'", "’"}:
        end += 1
    end = speech.skip(end, "time")
    return count[0], count[1], unit, end - at


def _read_base(speech: Speech, at: int) -> tuple[datetime, int] | None:
    """Where "from now", "from tomorrow", "from Friday" count from, and its tokens."""
    if speech.word(at) != "from":
        return None
    word = speech.word(at + 1)
    if word in {"now", "today"}:
        return speech.now, 2
    if word == "tomorrow":
        return speech.today + DAY, 2
    if word in WEEKDAYS:
        span = calendar.weekday(WEEKDAYS[word]).next(speech.local)
        return (span.start, 2) if span else None
    return None


def _moved(speech: Speech, base: datetime, low: int, high: int, unit: str, words: int, proof: Proof) -> Found:
    """Raises ValueError or OverflowError outside of the calendar."""
    if unit in _SMALL_UNITS:
        moment = _later(speech.now, _SMALL_UNITS[unit] * low)
        return Found(words, _midnight(moment), proof=proof, at=moment.time().replace(second=0, microsecond=0))
    day = _midnight(base)
    first, last = calendar.shift(day, unit, low), calendar.shift(day, unit, high)
    return Found(words, first, last if last > first else None, proof)


def _later(now: datetime, delta: timedelta) -> datetime:
    """Hours pass in real time, also where the clocks change."""
    return now + delta if now.tzinfo is None else (now.astimezone(UTC) + delta).astimezone(now.tzinfo)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0, tzinfo=None)


def _read_stretch(speech: Speech, at: int) -> Found | None:
    """Read "the next 3 days", "the coming two weeks": from today on."""
    place = speech.skip(at, "the") + 1
    counted = read_amount(speech, place)
    if not counted or counted[2] in _SMALL_UNITS:
        return None
    last = calendar.shift(speech.today, counted[2], counted[1])
    is_led = speech.word(at - 1) in {"in", "over", "for", "within", "during"}
    return Found(place + counted[3] - at, speech.today, last, Proof.NOT_PAST if is_led else Proof.FUTURE)
