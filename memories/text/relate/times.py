"""Read when and how often: "02:00", "before noon", "Fridays", "1 November", "every 5 minutes", "twice a week"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from . import measures
from .amounts import BEGINNINGS, Found, joined, read_bounded, read_measure, read_number, word_at
from .measures import DAY, UNITS
from .quantities import MINUTES_PER_DAY, Quantity, point, span

_OPEN_BEFORE = frozenset({"before", "until", "till", "by"})
_OPEN_AFTER = frozenset({"after", "since", "past"})
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_BEGINNINGS = BEGINNINGS.union(
    measures.MONTHS, (phrase[0] for phrase in measures.DAYS_OF_MONTH), measures.WEEKDAYS, measures.PARTS_OF_DAY,
    measures.ADJECTIVES_OF_PERIOD, ("every", "each"), _TIMES, _OPEN_BEFORE, _OPEN_AFTER,
)  # fmt: skip


def may_begin_quantity(word: str) -> bool:
    return word in _BEGINNINGS or word[0].isdigit()


def find_quantity(words: Sequence[str], start: int) -> Found | None:
    """Read the quantity that begins at `start`, if one does. `words` are lower case."""
    for read in (_read_date, _read_day_of_month, _read_weekday, _read_period, _read_clock, read_bounded, read_measure):
        found = read(words, start)
        if found is not None:
            return found
    return None


def _read_period(words: Sequence[str], start: int) -> Found | None:
    """Read "weekly", "every 5 minutes", "every other day", "twice a week", "3 times per hour"."""
    word = word_at(words, start)
    if word in measures.ADJECTIVES_OF_PERIOD:
        return 1, point("period", measures.ADJECTIVES_OF_PERIOD[word], word)
    if word in ("every", "each"):
        return _read_every(words, start)
    return _read_times_per(words, start)


def _read_every(words: Sequence[str], start: int) -> Found | None:
    skipped = 2 if word_at(words, start + 1) in ("other", "second") else 1
    factor = float(skipped)
    unit_word = word_at(words, start + skipped)
    if unit_word in measures.PARTS_OF_DAY and unit_word not in UNITS:
        return skipped, point("period", factor * DAY, f"every {unit_word}")
    unit = UNITS.get(unit_word)
    if unit and unit[0] == "duration" and len(unit_word) > 1:
        return skipped + 1, point("period", factor * unit[1], f"every {unit_word}")
    measure = read_measure(words, start + 1)
    if measure is None or measure[1].kind != "duration":
        return None
    return measure[0] + 1, replace(measure[1], kind="period", text=f"every {measure[1].text}")


def _read_times_per(words: Sequence[str], start: int) -> Found | None:
    simple = _TIMES.get(word_at(words, start))
    number = (1, simple) if simple else read_number(words, start)
    if number is None:
        return None
    end = start + number[0]
    if not simple:
        if word_at(words, end) not in ("times", "time", "x"):
            return None
        end += 1
    unit = UNITS.get(word_at(words, end + 1))
    if word_at(words, end) in ("a", "an", "per", "each", "every") and unit and unit[0] == "duration" and number[1]:
        return end + 2 - start, point("period", unit[1] / number[1], joined(words, start, end + 2))
    return None


_CLOCK = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?")


def _read_clock(words: Sequence[str], start: int) -> Found | None:
    """Read "02:00", "2 pm", "noon", "in the evening", and any of them behind "before" or "after"."""
    opener = word_at(words, start)
    if opener in _OPEN_BEFORE or opener in _OPEN_AFTER:
        found = _read_time_of_day(words, start + 1) or _read_meal(words, start + 1)
        if found is None:
            return None
        used, time = found
        day_end = float(MINUTES_PER_DAY)
        limits = (0.0, time.low - 1) if opener in _OPEN_BEFORE else (time.low, day_end - 1)
        return used + 1, span("clock", *limits, f"{opener} {time.text}")
    return _read_clock_range(words, start) or _read_time_of_day(words, start)


def _read_clock_range(words: Sequence[str], start: int) -> Found | None:
    """Read "03:00 to 05:00", "9 to 17:00", "between 3 and 5 am"."""
    bare = (1, float(words[start])) if words[start].isascii() and words[start].isdigit() else None
    first = _read_time_of_day(words, start)
    used = first[0] if first else 1
    joint = word_at(words, start + used)
    joins = joint in ("to", "-", "until", "till") or (joint == "and" and word_at(words, start - 1) == "between")
    last = _read_time_of_day(words, start + used + 1) if joins and (first or bare) else None
    if last is None or last[1].is_rough:
        return None
    high = last[1].high
    low = first[1].low if first else bare[1] * 60 if bare else 0.0
    if first is None and high >= 720 and low + 720 < high:
        low += 720  # "2 to 4 pm"
    end = start + used + 1 + last[0]
    return end - start, span("clock", low, high if high > low else high + MINUTES_PER_DAY, joined(words, start, end))


def _read_time_of_day(words: Sequence[str], start: int) -> Found | None:
    word = word_at(words, start)
    if word in measures.PARTS_OF_DAY:
        low, high = measures.PARTS_OF_DAY[word]
        return 1, replace(span("clock", low, high, word), is_rough=low != high)
    match = _CLOCK.fullmatch(word) if word.isascii() else None
    hour = float(word) if word.isascii() and word.isdigit() and len(word) <= 2 else None
    after = word_at(words, start + 1)
    if match:
        minutes, used = float(match[1]) * 60 + float(match[2]), 1
    elif hour is not None and hour <= 24 and after in ("am", "pm", "a.m", "p.m", "uhr"):
        minutes, used = hour * 60, 1
    else:
        return None
    if after in ("am", "pm", "a.m", "p.m", "uhr", "h"):
        minutes, used = minutes % 720 + (720 if after[0] == "p" else 0) if after[0] in "ap" else minutes, 2
    return used, span("clock", minutes, minutes, joined(words, start, start + used))


def _read_meal(words: Sequence[str], start: int) -> Found | None:
    word = word_at(words, start)
    return (1, span("clock", *measures.MEALS[word], word)) if word in measures.MEALS else None


def _read_weekday(words: Sequence[str], start: int) -> Found | None:
    days = measures.WEEKDAYS.get(word_at(words, start))
    return (1, span("weekday", *days, words[start])) if days else None


_ISO_DATE = re.compile(r"\d{4}-(\d{2})-(\d{2})")
_DAY_FIRST_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.\d{4}")


def _read_date(words: Sequence[str], start: int) -> Found | None:
    """Read "November 1", "1st of November", "2024-11-01", "1.11.2024", "in August"; the year is dropped."""
    word = word_at(words, start)
    if match := _ISO_DATE.fullmatch(word):
        return 1, _date(int(match[1]), int(match[2]), word)
    if match := _DAY_FIRST_DATE.fullmatch(word):
        return 1, _date(int(match[2]), int(match[1]), word)
    if word in measures.MONTHS:
        return _read_month_first(words, start)
    day = _read_day(words, start)
    if day is None:
        return None
    if word_at(words, start + 1) in measures.ORDINAL_ENDINGS and not _month_follows(words, start + day[0]):
        return 2, point("day of month", day[1], _ordinal(words, start))
    end = start + day[0] + (1 if word_at(words, start + day[0]) == "of" else 0)
    month = measures.MONTHS.get(word_at(words, end))
    return (end + 1 - start, _date(month, day[1], joined(words, start, end + 1))) if month else None


def _month_follows(words: Sequence[str], at: int) -> bool:
    return any(word_at(words, place) in measures.MONTHS for place in (at, at + 1))


def _ordinal(words: Sequence[str], start: int) -> str:
    return "".join(words[start : start + 2])


def _read_day_of_month(words: Sequence[str], start: int) -> Found | None:
    """Read "the first of every month" and "the last day of the month", the month itself excepted."""
    for phrase, day in measures.DAYS_OF_MONTH.items():
        end = start + len(phrase)
        if tuple(words[start:end]) == phrase and words[end + 1 : end + 2] == ["month"]:
            return len(phrase), point("day of month", day, joined(words, start, end + 2))
    return None


def _date(month: int, day: int, text: str) -> Quantity:
    return point("date", month * 100.0 + day, text)


def _read_month_first(words: Sequence[str], start: int) -> Found | None:
    month = measures.MONTHS[words[start]]
    begin = start + (2 if word_at(words, start + 1) == "the" else 1)
    day = _read_day(words, begin)
    if day is not None:
        end = begin + day[0]
        return end - start, _date(month, day[1], joined(words, start, end))
    if words[start] in measures.MONTHS_THAT_ARE_WORDS and word_at(words, start - 1) not in (
        "in",
        "of",
        "by",
        "since",
    ):
        return None
    return 1, span("date", month * 100.0, month * 100.0 + 31, words[start])


def _read_day(words: Sequence[str], start: int) -> tuple[int, int] | None:
    word = word_at(words, start)
    if not (word.isascii() and word.isdigit() and len(word) <= 2 and 1 <= int(word) <= 31):
        return None
    return (2 if word_at(words, start + 1) in measures.ORDINAL_ENDINGS else 1), int(word)
