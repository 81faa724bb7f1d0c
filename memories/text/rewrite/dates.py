"""Say relative dates as dates: "yesterday" → "on 3 May 2026".

The date takes the place of the relative word, written out, with the month as a word. What is stored was said on other
days, so its own "yesterday" is another one and must not be found by ours. "3 May 2026" shares its words with "May 3,
2026" in the full-text index, where "2026-05-03" is cut into numbers, and an embedding model knows months by name.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memories.text.temporal import TimeWindow, find_windows
from memories.text.temporal.words import DAY_PARTS, DETERMINERS, MONTH_NAMES, MONTHS, PLAIN_WEEKDAYS, WEEKDAYS

WEEKDAY_NAMES = tuple(name.capitalize() for name in WEEKDAYS if name in PLAIN_WEEKDAYS)
DAY = timedelta(days=1)
INSTANT = timedelta(microseconds=1)
_YEAR = re.compile(r"\b\d{4}\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2}\b|\b\d0s\b|['’]\d\d|\b\w+ties\b")
_OPERATOR = re.compile(
    r"(?:(?:ever )?since|starting|after|following|before|prior to|until|till|by|up to|as of)\b", re.I
)
_BEGINS_BEFORE = ("after", "following")
_ENDS_BEFORE = ("until", "till", "by", "up to", "as of")
_RELATIVE_WHOLE = re.compile(
    r"\b(?:earlier |later )?(?:last|this|next|previous|current|coming|the) (year|month|quarter)\b", re.I
)
_DEMONSTRATIVE = re.compile(r"\b(?:earlier |later )?(?:last|this|next|previous|past|current|coming|upcoming) ", re.I)


def make_dates_absolute(text: str, now: datetime) -> tuple[str, list[tuple[str, str]]]:
    """The text with its relative dates replaced, and what became what, in order."""
    pieces: list[str] = []
    changes: list[tuple[str, str]] = []
    end = 0
    for window in find_windows(text, now):
        written = absolute(window) if window.span[0] >= end else window.text
        if written != window.text:
            pieces += [text[end : window.span[0]], written]
            changes.append((window.text, written))
            end = window.span[1]
    return "".join([*pieces, text[end:]]), changes


def absolute(window: TimeWindow) -> str:
    """A window in words that mean the same on any day; its own text if that does already or is vague."""
    anchor = _anchor(window)
    if anchor is None or window.precision == "recent" or _YEAR.search(window.text):
        return window.text
    operator = _OPERATOR.match(window.text)
    written = _written(window, anchor, window.text[operator.end() :].strip() if operator else window.text)
    if operator:
        return f"{operator.group()} {re.sub('^(on|in|around) ', '', written)}"
    return written


def _anchor(window: TimeWindow) -> datetime | None:
    """A moment inside of the period that is named; "after May" and "before June" name what lies outside."""
    text = window.text.lower()
    if window.start and window.end:
        around = window.precision in {"week", "month", "year"} and _is_counted(text)
        return window.start + (window.end - window.start) / 2 if around else window.start
    if window.start:
        return window.start - DAY if text.startswith(_BEGINS_BEFORE) else window.start
    if window.end:
        return window.end - DAY if text.startswith(_ENDS_BEFORE) else window.end
    return None


def _is_counted(text: str) -> bool:
    return text.endswith((" ago", " back", " from now"))


def _written(window: TimeWindow, anchor: datetime, text: str) -> str:
    low = text.lower().split()
    date = f"{anchor.day} {_month(anchor)} {anchor.year}"
    if window.precision == "day":
        weekday = f"{WEEKDAY_NAMES[anchor.weekday()]} " if PLAIN_WEEKDAYS.intersection(low) else ""
        return f"on {weekday}{date}"
    if window.precision == "part of day":
        part = next((word for word in (*low, "night") if word in DAY_PARTS), "night")
        return f"on the {part} of {date}"
    simple = {
        "hour": f"on {date}",
        "minute": f"on {date}",
        "week": f"around {date}" if _is_counted(text.lower()) else f"in the week of {date}",
        "weekend": f"on the weekend of {date}",
        "month": f"{'around' if _is_counted(text.lower()) else 'in'} {_month(anchor)} {anchor.year}",
        "year": f"{'around' if _is_counted(text.lower()) else 'in'} {anchor.year}",
    }
    is_modifier = window.precision == "month" and low[0] in DETERMINERS and not _is_counted(text.lower())
    if window.precision in simple and not is_modifier:
        return simple[window.precision]
    return _with_year(window, anchor, text)


def _with_year(window: TimeWindow, anchor: datetime, text: str) -> str:
    """Names of feasts, seasons and ranges keep their words and get the year."""
    # "New Year" is the one that begins, "New Year's Eve" the day before: the last day of either tells.
    is_feast = window.precision == "holiday" and window.end is not None
    year = (window.end - INSTANT).year if is_feast and window.end else anchor.year
    wholes = {"year": f"{year}", "month": f"{_month(anchor)} {year}", "quarter": f"Q{(anchor.month + 2) // 3} {year}"}
    written = _RELATIVE_WHOLE.sub(lambda match: wholes[match[1].lower()], text)
    if written != text:
        return written
    if window.precision == "range" and window.start and window.end and not _names_month(text):
        last = window.end - INSTANT
        return f"from {anchor.day} {_month(anchor)} {anchor.year} to {last.day} {_month(last)} {last.year}"
    return f"{_DEMONSTRATIVE.sub('', text)} {year}"


def _month(moment: datetime) -> str:
    """Its name in English, whatever the locale."""
    return MONTH_NAMES[moment.month - 1]


def _names_month(text: str) -> bool:
    return any(word in MONTHS for word in re.findall(r"\w+", text.lower()))
