"""Say the dates of a statement so that they mean the same on any day: "tomorrow" → "on 5 May 2026".

A statement about what is to come ("I fly on Friday") means the next Friday, one about what was means the last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.text.temporal import TimeWindow, find_windows
from memories.text.temporal.calendar import shift
from memories.text.temporal.words import DAY_PARTS, MONTH_NAMES, PLAIN_WEEKDAYS, WEEKDAYS

DAY = timedelta(days=1)
_WEEKDAY_NAMES = tuple(name.capitalize() for name in WEEKDAYS if name in PLAIN_WEEKDAYS)
_TO_COME = re.compile(
    r"\b(?:will|'ll|shall|going to|(?:am|is|are|'m|'s|'re) (?:\w+ ){0,2}?\w+ing|due|deadline|starts?|begins?|"
    r"ends?|expires?|flies|fly|leaves?|turns?|until|by|must|has to|have to|needs? to|appointment|meeting|exam|"
    r"flight|wedding|plans? to|want(?:s)? to|booked|scheduled|registered|signed up|arrives?|returns?|"
    r"launch(?:es)?|is|are|have|has)\b",
    re.IGNORECASE,
)
_ARRANGED = re.compile(
    r"\b(?:tickets?|flights?|reservation|booked|signed up|registered|enrolled|scheduled) ", re.IGNORECASE
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|went|came|got|met|saw|bought|sold|started|moved|left|died|took|gave|ran|drove|flew|"
    r"wrote|spoke|ate|drank|slept|paid|sent|told|said|lost|won|broke|fell|began|became|brought|caught|chose|found|"
    r"felt|held|kept|knew|made|quit|sat|taught|thought|(?!need|bed|red|shed|scheduled|booked|registered|signed|"
    r"married|based|allowed|called|limited|required|planned|deployed to|expected|used|named|supposed)\w{2,}ed)\b",
    re.IGNORECASE,
)
_YEARLY = re.compile(r"\b(?:birthday|anniversary|born|every year|each year|yearly|annually)\b", re.IGNORECASE)
_BARE_LEAD = re.compile("^(?:on|in|around) ")
_LEADING = re.compile(
    r"\b(?:on|to|from|of|by|until|till|since|before|after|than|for|between|past|not|through|with|the|every)\s$",
    re.IGNORECASE,
)
_NOUN_FOLLOWS = re.compile(r" (?!(?:at|in|on|the|and|or|to|with|for|from|by|because|so|but|after|before)\b)[a-z]")
_OPEN_YEAR = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2}\b|\b(?:last|this|next|previous|past|current|coming|ago|back|"
    r"yesterday|today|tomorrow|tonight|now|week|weekend|decade)\b|['’]\d\d|\b\d0s\b",
    re.IGNORECASE,
)
_HAS_YEAR = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2}\b|\b\d0s\b|['’]\d\d|\b\w+ties\b")
_LEAD = re.compile(
    r"(?:(?:ever )?since|starting|after|following|before|prior to|until|till|by|up to|as of|from)\b ?",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:last|this|next|previous|current|coming|the) (year|month|quarter)\b", re.IGNORECASE)
_DEMONSTRATIVE = re.compile(r"^(?:this|next|last|coming) ", re.IGNORECASE)
_COUNTED = (" ago", " back", " from now")
_PRECISIONS = frozenset(
    {"day", "part of day", "week", "weekend", "month", "year", "hour", "minute", "holiday", "quarter", "range"}
)


@dataclass(frozen=True, slots=True)
class Dated:
    """`start` and `end` are those of the only time that was named; None without one, or with several."""

    text: str
    start: datetime | None = None
    end: datetime | None = None
    is_to_come: bool = False


def make_dates_plain(text: str, now: datetime) -> Dated:
    """The statement with relative dates written out. Linear in its length."""
    is_to_come = bool(_ARRANGED.search(text) or (_TO_COME.search(text) and not _PAST.search(text)))
    if _YEARLY.search(text):
        return Dated(text)
    pieces: list[str] = []
    windows: list[TimeWindow] = []
    end = 0
    for window in find_windows(text, now):
        if window.span[0] < end or window.precision not in _PRECISIONS:
            continue
        placed = _later(window, now) if is_to_come else window
        windows.append(placed)
        written = _written(placed)
        if written != window.text and not _is_attribute(text, window):
            before = text[end : window.span[0]]
            pieces += [before, _BARE_LEAD.sub("", written) if _LEADING.search(before) else written]
            end = window.span[1]
    said = "".join([*pieces, text[end:]])
    if len(windows) != 1:
        return Dated(said)
    only = windows[0]
    return Dated(said, only.start, only.end, bool(only.start and only.end and only.end > now))


def _is_attribute(text: str, window: TimeWindow) -> bool:
    """Whether a time only describes the noun behind it: "last week's deploy", "our Monday dinner"."""
    following = text[window.span[1] : window.span[1] + 12]
    if following.startswith(("'s", "’s")):
        return True
    return window.text.lower() in PLAIN_WEEKDAYS and bool(_NOUN_FOLLOWS.match(following))


def _later(window: TimeWindow, now: datetime) -> TimeWindow:
    """A time without a year or a direction that has passed already, moved to the next time it comes round."""
    if not window.start or not window.end or _OPEN_YEAR.search(window.text) or window.end > now:
        return window
    is_weekday = bool(PLAIN_WEEKDAYS.intersection(re.findall(r"[a-z]+", window.text.lower()))) and not re.search(
        r"\d", window.text
    )
    try:
        unit, count = ("day", 7) if is_weekday else ("year", 1)
        start, end = shift(window.start, unit, count), shift(window.end, unit, count)
    except (ValueError, OverflowError):
        return window
    if is_weekday and start.date() == now.date():
        start, end = start + 7 * DAY, end + 7 * DAY
    return TimeWindow(start, end, window.span, window.text, window.precision)


def _written(window: TimeWindow) -> str:
    if (window.start is None and window.end is None) or _HAS_YEAR.search(window.text):
        return window.text
    lead = _LEAD.match(window.text)
    bare = window.text[lead.end() :] if lead else window.text
    moment = _moment(window)
    written = _phrase(window, moment, bare)
    if not written or not lead:
        return written or window.text
    return f"{lead.group().strip()} {re.sub('^(?:on|in|around) ', '', written)}"


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
    if window.precision == "range":
        return f"{bare} {moment.year}" if not _WHOLE.search(bare) and re.search(r"\d", bare) else ""
    part = next((word for word in DAY_PARTS if word in found), "night")
    simple = {
        "part of day": f"on the {part} of {date}",
        "hour": f"on {date}",
        "minute": f"on {date}",
        "week": f"{about} {date}" if about else f"in the week of {date}",
        "weekend": f"on the weekend of {date}",
        "month": f"{about or 'in'} {month} {moment.year}",
        "year": f"{about or 'in'} {moment.year}",
        "quarter": f"in Q{(moment.month + 2) // 3} {moment.year}",
    }
    feast = f"{_DEMONSTRATIVE.sub('', bare)} {(moment + DAY).year}"
    return simple.get(window.precision, feast)


def _phrase_of_day(low: str, found: set[str], moment: datetime, date: str) -> str:
    if re.search(r"\d", low) and _names_other_weekday(found, moment):
        return ""
    named = f"{_WEEKDAY_NAMES[moment.weekday()]} " if PLAIN_WEEKDAYS & found else ""
    return f"on {named}{date}"
