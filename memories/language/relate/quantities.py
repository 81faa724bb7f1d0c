"""Read numbers, measures and times, and compare them: "an hour and a half" equals "90 min"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from memories.language.relate import grammar
from memories.language.relate.grammar import DAY, INFINITY, UNITS

EXACT_TOLERANCE = 1e-12
"""Of addresses and versions the fourth part counts for 1e-9 of the first."""
ROUGH_TOLERANCE = 0.15
"""Share by which two values may differ when one of them is called approximate."""

_SPAN_KINDS = frozenset({"clock", "weekday", "date"})
"""Kinds whose values are stretches of a calendar: they agree when they overlap."""

UNITLESS = "number"
MINUTES_PER_DAY = 24 * 60


@dataclass(frozen=True)
class Quantity:
    """A value in its kind's base unit. `low`..`high` is what the words cover, `named` what they say."""

    kind: str
    named: float
    low: float
    high: float
    text: str
    is_rough: bool = False


class Agreement(Enum):
    """How two quantities of one kind stand to each other."""

    EQUAL = "equal"
    COMPATIBLE = "compatible"
    CONFLICT = "conflict"


def point(kind: str, value: float, text: str, *, is_rough: bool = False) -> Quantity:
    """Return the quantity that is one value."""
    return Quantity(kind, value, value, value, text, is_rough)


def span(kind: str, low: float, high: float, text: str) -> Quantity:
    """Return the quantity that covers a stretch."""
    return Quantity(kind, low, low, high, text)


def compare(left: Quantity, right: Quantity) -> Agreement:
    """Compare two quantities of one kind."""
    if left.kind in _SPAN_KINDS:
        # Compare stretches; "the afternoon" is rough and agrees with any time in it, "after 14:00" is not.
        if not _overlap(left, right):
            return Agreement.CONFLICT
        if (left.low, left.high) == (right.low, right.high) or left.is_rough or right.is_rough:
            return Agreement.EQUAL
        both_stretch = left.low != left.high and right.low != right.high
        return Agreement.CONFLICT if both_stretch else Agreement.COMPATIBLE
    tolerance = ROUGH_TOLERANCE if (left.is_rough or right.is_rough) else EXACT_TOLERANCE
    if abs(left.named - right.named) <= tolerance * max(abs(left.named), abs(right.named)):
        return Agreement.EQUAL
    left_open, right_open = left.low != left.high, right.low != right.high
    if left_open != right_open and _overlap(left, right):
        return Agreement.COMPATIBLE
    return Agreement.CONFLICT


def are_comparable(left: Quantity, right: Quantity) -> bool:
    """Tell whether two quantities measure the same thing; a bare number may be any count or label."""
    if left.kind == right.kind:
        return True
    bare = UNITLESS in (left.kind, right.kind)
    return bare and all(kind == UNITLESS or ":" in kind or kind == "status" for kind in (left.kind, right.kind))


def _overlap(left: Quantity, right: Quantity) -> bool:
    """Tell whether two stretches meet; clock times also meet across midnight."""
    shifts = (-MINUTES_PER_DAY, 0, MINUTES_PER_DAY) if left.kind == "clock" else (0,)
    return any(left.low <= right.high + shift and right.low + shift <= left.high for shift in shifts)


Found = tuple[int, Quantity]
"""How many words were read, and what they mean."""


def word_at(words: Sequence[str], index: int) -> str:
    return words[index] if 0 <= index < len(words) else ""


_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")


def read_number(words: Sequence[str], start: int) -> tuple[int, float] | None:
    """Return (words read, value) of a number in digits or words."""
    word = word_at(words, start)
    value, used = None, 1
    if word.isascii() and _DIGITS.fullmatch(word):
        # "1,000" is a thousand, "1,5" is 1.5; neither a version nor a clock time is a number.
        digits = (word.replace(",", "") if _THOUSANDS.fullmatch(word) else word).replace(",", ".")
        value = float(digits) if digits.count(".") <= 1 and len(digits) <= 18 else None
    if value is None:
        value = grammar.NUMBER_WORDS.get(word, grammar.TENS.get(word))
        if word in grammar.TENS:
            skip = 2 if word_at(words, start + 1) == "-" else 1
            unit = grammar.NUMBER_WORDS.get(word_at(words, start + skip), 0.0)
            value, used = grammar.TENS[word] + unit, used + skip if unit else used
    if value is None and word in ("a", "an") and word_at(words, start + 1) in grammar.MULTIPLIERS:
        value = 1.0
    if value is None:
        return None
    multiplier = grammar.MULTIPLIERS.get(word_at(words, start + used))
    return (used + 1, value * multiplier) if multiplier else (used, value)


def version_value(text: str) -> float | None:
    """Order versions as numbers: "3.12" → 3.012, so that 3.12 and 3.2 differ as versions do."""
    parts = text.split(".")
    if not text.isascii() or not 1 <= len(parts) <= 4 or not all(p.isdigit() and len(p) < 10 for p in parts):
        return None
    return sum(int(part) * 1000.0**-place for place, part in enumerate(parts))


def read_measure(words: Sequence[str], start: int) -> Found | None:
    """Read "60s", "~ 40 min", "an hour and a half", "$5", "5 to 10 minutes"."""
    skipped = 1 if word_at(words, start) in grammar.APPROXIMATIONS else 0
    begin, measure = start + skipped, None
    sign, number = word_at(words, begin), read_number(words, begin + 1)
    if sign in _CURRENCIES and number:
        measure = number[0] + 1, point(UNITS[sign][0], number[1], f"{sign}{number[1]:g}")
    for read in (_read_part_of_unit, _read_range, _read_number_with_unit):
        measure = measure or read(words, begin)
    return (measure[0] + skipped, replace(measure[1], is_rough=bool(skipped))) if measure else None


_UNIT_SHARES: dict[tuple[str, ...], float] = {
    ("half", "a"): 0.5,
    ("half", "an"): 0.5,
    ("a", "quarter", "of", "an"): 0.25,
    ("quarter", "of", "an"): 0.25,
    ("three", "quarters", "of", "an"): 0.75,
    ("a",): 1.0,
    ("an",): 1.0,
    ("a", "couple", "of"): 2.0,
    ("a", "pair", "of"): 2.0,
    ("half",): 0.5,
    ("a", "half"): 0.5,
}
_SHARES_LONGEST_FIRST = sorted(_UNIT_SHARES, key=len, reverse=True)
_SHARE_BEGINNINGS = frozenset(phrase[0] for phrase in _UNIT_SHARES)
_CURRENCIES = frozenset("€$£")
BEGINNINGS = frozenset().union(
    grammar.NUMBER_WORDS,
    grammar.TENS,
    _SHARE_BEGINNINGS,
    _CURRENCIES,
    grammar.APPROXIMATIONS,
    (phrase[0] for phrase in grammar.BOUNDS),
)
"""Words with which a measure may begin, beside digits."""


def _read_part_of_unit(words: Sequence[str], start: int) -> Found | None:
    """Read a unit without a number: "a minute", "half an hour"."""
    if word_at(words, start) not in _SHARE_BEGINNINGS:
        return None
    for phrase in _SHARES_LONGEST_FIRST:
        end = start + len(phrase)
        unit = UNITS.get(word_at(words, end))
        if tuple(words[start:end]) != phrase or not unit or len(words[end]) == 1:
            continue
        if len(phrase) > 1 or start == 0 or words[start - 1] in grammar.BEFORE_A_UNIT_ALONE:
            return _extend(words, start, end + 1, unit, _UNIT_SHARES[phrase] * unit[1])
    return None


def _read_range(words: Sequence[str], start: int) -> Found | None:
    """Read "5-10 minutes", "5 to 10 minutes"."""
    first = read_number(words, start)
    if first is None or word_at(words, start + first[0]) not in ("-", "to"):
        return None
    middle = start + first[0] + 1
    second = read_number(words, middle)
    unit = UNITS.get(word_at(words, middle + second[0])) if second else None
    if second is None or unit is None or first[1] >= second[1]:
        return None
    end = middle + second[0] + 1
    low, high = first[1] * unit[1], second[1] * unit[1]
    return end - start, Quantity(unit[0], (low + high) / 2, low, high, " ".join(words[start:end]))


def _read_number_with_unit(words: Sequence[str], start: int) -> Found | None:
    number = read_number(words, start)
    if number is None:
        return None
    end = start + number[0]
    if word_at(words, end) == "-":  # "a 30-minute break"
        end += 1
    unit = ("percentage", 1.0) if list(words[end : end + 2]) == ["per", "cent"] else UNITS.get(word_at(words, end))
    if unit is None:
        return None
    return _extend(words, start, end + 1, unit, number[1] * unit[1])


def _extend(words: Sequence[str], start: int, end: int, unit: tuple[str, float], value: float) -> Found:
    """Add "and a half" and smaller units of time ("1 hour 30 minutes") to a measure."""
    kind, factor = unit
    if list(words[end : end + 3]) == ["and", "a", "half"]:
        return end + 3 - start, point(kind, value + factor / 2, " ".join(words[start : end + 3]))
    joint = end + 1 if word_at(words, end) == "and" else end
    rest = read_number(words, joint) if kind == "duration" else None
    small = UNITS.get(word_at(words, joint + rest[0])) if rest else None
    if rest and small and small[0] == kind and small[1] < factor:
        end, value = joint + rest[0] + 1, value + rest[1] * small[1]
    return end - start, point(kind, value, " ".join(words[start:end]))


def read_bounded(words: Sequence[str], start: int) -> Found | None:
    """Read "up to 5 minutes", "at least 2 GB"."""
    for length in (3, 2, 1):
        side = grammar.BOUNDS.get(tuple(words[start : start + length]))
        measure = read_measure(words, start + length) if side else None
        if measure is None:
            continue
        used, quantity = measure
        if side == "max":
            return used + length, replace(quantity, low=-INFINITY, text=f"up to {quantity.text}")
        return used + length, replace(quantity, high=INFINITY, text=f"at least {quantity.text}")
    return None


_OPEN_BEFORE = frozenset({"before", "until", "till", "by"})
_OPEN_AFTER = frozenset({"after", "since", "past"})
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_BEGINNINGS = BEGINNINGS.union(
    grammar.MONTHS,
    (phrase[0] for phrase in grammar.DAYS_OF_MONTH),
    grammar.WEEKDAYS,
    grammar.PARTS_OF_DAY,
    grammar.ADJECTIVES_OF_PERIOD,
    ("every", "each"),
    _TIMES,
    _OPEN_BEFORE,
    _OPEN_AFTER,
)


def may_begin_quantity(word: str) -> bool:
    return word in _BEGINNINGS or word[0].isdigit()


def find_quantity(words: Sequence[str], start: int) -> Found | None:
    """Read the quantity that begins at `start`, if one does. `words` are lower case."""
    if quantity := _read_date(words, start) or _read_day_of_month(words, start):
        return quantity
    if days := grammar.WEEKDAYS.get(word_at(words, start)):
        return 1, span("weekday", *days, words[start])
    for read in (_read_period, _read_clock, read_bounded, read_measure):
        if quantity := read(words, start):
            return quantity
    return None


def _read_period(words: Sequence[str], start: int) -> Found | None:
    """Read "weekly", "every 5 minutes", "every other day", "twice a week", "3 times per hour"."""
    word = word_at(words, start)
    if word in grammar.ADJECTIVES_OF_PERIOD:
        return 1, point("period", grammar.ADJECTIVES_OF_PERIOD[word], word)
    if word in ("every", "each"):
        skipped = 2 if word_at(words, start + 1) in ("other", "second") else 1
        factor = float(skipped)
        unit_word = word_at(words, start + skipped)
        if unit_word in grammar.PARTS_OF_DAY and unit_word not in UNITS:
            return skipped, point("period", factor * DAY, f"every {unit_word}")
        unit = UNITS.get(unit_word)
        if unit and unit[0] == "duration" and len(unit_word) > 1:
            return skipped + 1, point("period", factor * unit[1], f"every {unit_word}")
        measure = read_measure(words, start + 1)
        if measure is None or measure[1].kind != "duration":
            return None
        return measure[0] + 1, replace(measure[1], kind="period", text=f"every {measure[1].text}")
    return _read_times_per(words, start)


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
        return end + 2 - start, point("period", unit[1] / number[1], " ".join(words[start : end + 2]))
    return None


_CLOCK = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?")


def _read_clock(words: Sequence[str], start: int) -> Found | None:
    """Read "02:00", "2 pm", "noon", "in the evening", and any of them behind "before" or "after"."""
    opener = word_at(words, start)
    if opener in _OPEN_BEFORE or opener in _OPEN_AFTER:
        meal = word_at(words, start + 1)
        if clock := _read_time_of_day(words, start + 1):
            used, time = clock
        elif meal in grammar.MEALS:
            used, time = 1, span("clock", *grammar.MEALS[meal], meal)
        else:
            return None
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
    end = start + used + 1 + last[0]
    return end - start, span("clock", low, high if high > low else high + MINUTES_PER_DAY, " ".join(words[start:end]))


def _read_time_of_day(words: Sequence[str], start: int) -> Found | None:
    word = word_at(words, start)
    if word in grammar.PARTS_OF_DAY:
        low, high = grammar.PARTS_OF_DAY[word]
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
    return used, span("clock", minutes, minutes, " ".join(words[start : start + used]))


_ISO_DATE = re.compile(r"\d{4}-(\d{2})-(\d{2})")
_DAY_FIRST_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.\d{4}")


def _read_date(words: Sequence[str], start: int) -> Found | None:
    """Read "November 1", "1st of November", "2024-11-01", "1.11.2024", "in August"; the year is dropped."""
    word = word_at(words, start)
    if match := _ISO_DATE.fullmatch(word):
        return 1, _date(int(match[1]), int(match[2]), word)
    if match := _DAY_FIRST_DATE.fullmatch(word):
        return 1, _date(int(match[2]), int(match[1]), word)
    if word in grammar.MONTHS:
        return _read_month_first(words, start)
    day = _read_day(words, start)
    if day is None:
        return None
    follows = (word_at(words, start + day[0] + more) for more in (0, 1))
    if word_at(words, start + 1) in grammar.ORDINAL_ENDINGS and grammar.MONTHS.keys().isdisjoint(follows):
        return 2, point("day of month", day[1], "".join(words[start : start + 2]))
    end = start + day[0] + (1 if word_at(words, start + day[0]) == "of" else 0)
    month = grammar.MONTHS.get(word_at(words, end))
    return (end + 1 - start, _date(month, day[1], " ".join(words[start : end + 1]))) if month else None


def _read_day_of_month(words: Sequence[str], start: int) -> Found | None:
    """Read "the first of every month" and "the last day of the month", the month itself excepted."""
    for phrase, day in grammar.DAYS_OF_MONTH.items():
        end = start + len(phrase)
        if tuple(words[start:end]) == phrase and words[end + 1 : end + 2] == ["month"]:
            return len(phrase), point("day of month", day, " ".join(words[start : end + 2]))
    return None


def _date(month: int, day: int, text: str) -> Quantity:
    return point("date", month * 100.0 + day, text)


def _read_month_first(words: Sequence[str], start: int) -> Found | None:
    month = grammar.MONTHS[words[start]]
    begin = start + (2 if word_at(words, start + 1) == "the" else 1)
    day = _read_day(words, begin)
    if day is not None:
        end = begin + day[0]
        return end - start, _date(month, day[1], " ".join(words[start:end]))
    before = word_at(words, start - 1)
    if words[start] in grammar.MONTHS_THAT_ARE_WORDS and before not in ("in", "of", "by", "since"):
        return None
    return 1, span("date", month * 100.0, month * 100.0 + 31, words[start])


def _read_day(words: Sequence[str], start: int) -> tuple[int, int] | None:
    word = word_at(words, start)
    if not (word.isascii() and word.isdigit() and len(word) <= 2 and 1 <= int(word) <= 31):
        return None
    return (2 if word_at(words, start + 1) in grammar.ORDINAL_ENDINGS else 1), int(word)
