"""How a time is written so that it means the same on any day: "on Friday 8 May 2026", "in the week of 11 May 2026"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memories.text.temporal import TimeWindow
from memories.text.temporal.words import DAY_PARTS, MONTH_NAMES, MONTHS, PLAIN_WEEKDAYS, WEEKDAYS

DAY = timedelta(days=1)
INSTANT = timedelta(microseconds=1)
PRECISIONS = frozenset(
    {"day", "part of day", "week", "weekend", "month", "year", "hour", "minute", "holiday", "quarter", "range",
     "season", "part"}
)  # fmt: skip
"""Those of `temporal` that can be written out."""
_WEEKDAY_NAMES = tuple(name.capitalize() for name in WEEKDAYS if name in PLAIN_WEEKDAYS)
_HAS_YEAR = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2}\b|\b\d0s\b|['’]\d\d|\b\w+ties\b")
_LEAD = re.compile(
    r"(?:(?:ever )?since|starting|after|following|before|prior to|until|till|by|up to|as of|from)\b ?",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:last|this|next|previous|current|coming|the) (year|month|quarter)\b", re.IGNORECASE)
_DEMONSTRATIVE = re.compile(r"^(?:(?:in|over|during) )?(?:this|next|last|coming|the) ", re.IGNORECASE)
_COUNTED = (" ago", " back", " from now")


def write_date(window: TimeWindow) -> str:
    """The time in words; what was said where that is plain already or cannot be said better."""
    if (window.start is None and window.end is None) or _HAS_YEAR.search(window.text):
        return window.text
    lead = _LEAD.match(window.text)
    bare = window.text[lead.end() :] if lead else window.text
    written = _phrase(window, _moment(window), bare)
    if not written or not lead:
        return written or window.text
    return f"{lead.group().strip()} {re.sub('^(?:on|in|around) ', '', written)}"


def write_days(window: TimeWindow) -> str:
    """ "from the 16th to the 20th" → "from 16 to 20 March 2026", "Sep 30 to Oct 9" → "Sep 30 to Oct 9 2026"."""
    if not window.end or _HAS_YEAR.search(window.text):
        return window.text
    last = window.end - DAY
    found = re.findall(r"[a-z]+|\d+", window.text.lower())
    numbers = [int(word) for word in found if word.isdecimal()]
    if MONTHS.keys() & set(found) or len(numbers) != 2 or numbers[1] != last.day:
        return f"{window.text} {last.year}" if numbers and MONTHS.keys() & set(found) else window.text
    month = f"{MONTH_NAMES[last.month - 1]} {last.year}"
    if numbers[0] > numbers[1]:
        before = last.replace(day=1) - DAY
        return f"from {numbers[0]} {MONTH_NAMES[before.month - 1]} to {numbers[1]} {month}"
    return f"from {numbers[0]} to {numbers[1]} {month}"


def _moment(window: TimeWindow) -> datetime:
    low = window.text.lower()
    if window.start and window.end:
        is_counted = low.endswith(_COUNTED) and window.precision in {"week", "month", "year"}
        return window.start + (window.end - window.start) / 2 if is_counted else window.start
    if window.start:
        return window.start - DAY if low.startswith(("after", "following")) else window.start
    assert window.end is not None
    return window.end if low.startswith(("before", "prior")) else window.end - DAY


def _names_other_weekday(words: set[str], moment: datetime) -> bool:
    """Whether "Friday 8 May" is no Friday in the year we took it for."""
    said = {WEEKDAYS[word] for word in words if word in WEEKDAYS}
    return bool(said) and moment.weekday() not in said


def _phrase(window: TimeWindow, moment: datetime, bare: str) -> str:
    """What to write for a time; "" to leave it as it is."""
    low = bare.lower()
    found = set(re.findall(r"[a-z]+", low))
    month = MONTH_NAMES[moment.month - 1]
    date = f"{moment.day} {month} {moment.year}"
    about = "around" if low.endswith(_COUNTED) else ""
    if window.precision == "day":
        return _phrase_of_day(low, found, moment, date)
    if window.precision == "month" and low.split()[0] in {"the", "a", "our", "my"}:
        return ""
    if window.precision in {"range", "part"}:
        is_named = re.search(r"\d", bare) or (window.precision == "part" and MONTHS.keys() & found)
        return f"{bare} {moment.year}" if is_named and not _WHOLE.search(bare) else ""
    part = next((word for word in DAY_PARTS if word in found), "night")
    named = _DEMONSTRATIVE.sub("", bare)
    simple = {
        "part of day": f"on the {part} of {date}",
        "hour": f"on {date}",
        "minute": f"on {date}",
        "week": f"{about} {date}" if about else f"in the week of {date}",
        "weekend": f"on the weekend of {date}",
        "month": f"{about or 'in'} {month} {moment.year}",
        "year": f"{about or 'in'} {moment.year}",
        "quarter": f"in Q{(moment.month + 2) // 3} {moment.year}",
        "season": f"in {named} {moment.year}",
    }
    # "New Year" is the one that begins, "New Year's Eve" the day before: the last day of either tells.
    last = window.end - INSTANT if window.end else moment
    return simple.get(window.precision, f"{named} {last.year}")


def _phrase_of_day(low: str, found: set[str], moment: datetime, date: str) -> str:
    if re.search(r"\d", low) and _names_other_weekday(found, moment):
        return ""
    named = f"{_WEEKDAY_NAMES[moment.weekday()]} " if PLAIN_WEEKDAYS & found else ""
    return f"on {named}{date}"
