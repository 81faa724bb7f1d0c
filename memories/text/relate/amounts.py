"""Read numbers and measures: "twenty-five", "60s", "an hour and a half", "$5", "up to 5 to 10 minutes"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from . import measures
from .measures import UNITS
from .quantities import Quantity, bounded, point

Found = tuple[int, Quantity]
"""How many words were read, and what they mean."""


def word_at(words: Sequence[str], index: int) -> str:
    return words[index] if 0 <= index < len(words) else ""


def joined(words: Sequence[str], start: int, end: int) -> str:
    return " ".join(words[start:end])


_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")


def _digits_value(word: str) -> float | None:
    """Return 1000 for "1,000", 1.5 for "1.5" and "1,5"; None for versions, clock times and words."""
    if not word.isascii() or not _DIGITS.fullmatch(word):
        return None
    if _THOUSANDS.fullmatch(word):
        word = word.replace(",", "")
    word = word.replace(",", ".")
    return float(word) if word.count(".") <= 1 and len(word) <= 18 else None


def read_number(words: Sequence[str], start: int) -> tuple[int, float] | None:
    """Return (words read, value) of a number in digits or words."""
    word = word_at(words, start)
    value = _digits_value(word)
    used = 1
    if value is None:
        value = measures.NUMBER_WORDS.get(word, measures.TENS.get(word))
        if word in measures.TENS:
            skip = 2 if word_at(words, start + 1) == "-" else 1
            unit = measures.NUMBER_WORDS.get(word_at(words, start + skip), 0.0)
            value, used = measures.TENS[word] + unit, used + skip if unit else used
    if value is None and word in ("a", "an") and word_at(words, start + 1) in measures.MULTIPLIERS:
        value = 1.0
    if value is None:
        return None
    multiplier = measures.MULTIPLIERS.get(word_at(words, start + used))
    return (used + 1, value * multiplier) if multiplier else (used, value)


def version_value(text: str) -> float | None:
    """Order versions as numbers: "3.12" → 3.012, so that 3.12 and 3.2 differ as versions do."""
    parts = text.split(".")
    if not text.isascii() or not 1 <= len(parts) <= 4 or not all(p.isdigit() and len(p) < 10 for p in parts):
        return None
    return sum(int(part) * 1000.0**-place for place, part in enumerate(parts))


def read_measure(words: Sequence[str], start: int) -> Found | None:
    """Read "60s", "~ 40 min", "an hour and a half", "$5", "5 to 10 minutes"."""
    skipped = 1 if word_at(words, start) in measures.APPROXIMATIONS else 0
    found = _read_amount(words, start + skipped)
    if found is None:
        return None
    used, quantity = found
    return used + skipped, replace(quantity, is_rough=bool(skipped))


def _read_amount(words: Sequence[str], start: int) -> Found | None:
    for read in (_read_part_of_unit, _read_currency, _read_range, _read_number_with_unit):
        found = read(words, start)
        if found is not None:
            return found
    return None


_UNIT_SHARES: dict[tuple[str, ...], float] = {
    ("half", "a"): 0.5, ("half", "an"): 0.5, ("a", "quarter", "of", "an"): 0.25, ("quarter", "of", "an"): 0.25,
    ("three", "quarters", "of", "an"): 0.75, ("a",): 1.0, ("an",): 1.0, ("a", "couple", "of"): 2.0,
    ("a", "pair", "of"): 2.0, ("half",): 0.5, ("a", "half"): 0.5,
}  # fmt: skip
_SHARES_LONGEST_FIRST = sorted(_UNIT_SHARES, key=len, reverse=True)
_SHARE_BEGINNINGS = frozenset(phrase[0] for phrase in _UNIT_SHARES)
_CURRENCIES = frozenset("€$£")
BEGINNINGS = frozenset().union(
    measures.NUMBER_WORDS, measures.TENS, _SHARE_BEGINNINGS, _CURRENCIES, measures.APPROXIMATIONS,
    (phrase[0] for phrase in measures.BOUNDS),
)  # fmt: skip
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
        if len(phrase) > 1 or start == 0 or words[start - 1] in measures.BEFORE_A_UNIT_ALONE:
            return _extend(words, start, end + 1, unit, _UNIT_SHARES[phrase] * unit[1])
    return None


def _read_currency(words: Sequence[str], start: int) -> Found | None:
    if word_at(words, start) not in _CURRENCIES:
        return None
    number = read_number(words, start + 1)
    kind = UNITS[words[start]][0]
    return (number[0] + 1, point(kind, number[1], f"{words[start]}{number[1]:g}")) if number else None


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
    return end - start, Quantity(unit[0], (low + high) / 2, low, high, joined(words, start, end))


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
        return end + 3 - start, point(kind, value + factor / 2, joined(words, start, end + 3))
    joint = end + 1 if word_at(words, end) == "and" else end
    rest = read_number(words, joint) if kind == "duration" else None
    small = UNITS.get(word_at(words, joint + rest[0])) if rest else None
    if rest and small and small[0] == kind and small[1] < factor:
        end, value = joint + rest[0] + 1, value + rest[1] * small[1]
    return end - start, point(kind, value, joined(words, start, end))


def read_bounded(words: Sequence[str], start: int) -> Found | None:
    """Read "up to 5 minutes", "at least 2 GB"."""
    for length in (3, 2, 1):
        side = measures.BOUNDS.get(tuple(words[start : start + length]))
        found = read_measure(words, start + length) if side else None
        if found is not None:
            return found[0] + length, bounded(found[1], str(side))
    return None
