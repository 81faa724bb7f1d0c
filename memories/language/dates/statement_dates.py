"""Say the dates of a statement so that they mean the same on any day: "tomorrow" → "on 5 May 2026".

What is said in the past tense means the last Friday or August, anything else the next; `future` tells which it is.
Where the clause tells the contrary of what was taken, the time is the same one a period on, or it stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta, tzinfo
from itertools import pairwise

from dateutil.relativedelta import relativedelta

from memories.language.dates.calendar import DAY, INSTANT
from memories.language.dates.future import Coming, find_coming
from memories.language.dates.recurrence import yearly_on
from memories.language.dates.speech import Speech, language_of, read_speech
from memories.language.dates.tense import Tense, is_told_beforehand, tense_around
from memories.language.dates.windows import TimeWindow, find_windows
from memories.language.dates.words import (
    DAY_PARTS,
    MONTH_NAMES,
    MONTHS,
    NUMBERS,
    PLAIN_WEEKDAYS,
    SEASONS,
    WEEKDAYS,
    is_excepted,
    stays_as_said,
    tokenize,
)
from memories.language.wordlists import phrases

PRECISIONS = frozenset(
    phrases("day, part of day, week, weekend, month, year, hour, minute, holiday, quarter, range, season, part")
)
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
_AHEAD = re.compile(rf"in (?:about )?(?:\d+|an?|{'|'.join(NUMBERS)}) (?P<unit>month|year)s?", re.IGNORECASE)
_DAY_OR_YEAR = re.compile(r"\bQ[1-4]\b|\d(?:st|nd|rd|th)\b|\d[./-]\d|\d\d\d")
"""What tells of a range that it is one of days: "sunday 7 to 12" is none."""
_WITHIN = re.compile(r"\bwithin (?:the next )?$|\b(?:instead of|rather than) (?:on )?$", re.IGNORECASE)
"""Behind it stands how long something may take, or a day that something is not on."""


def write_date(window: TimeWindow) -> str:
    """Return the time in words; what was said where that is plain already or cannot be said better."""
    if (window.start is None and window.end is None) or _HAS_YEAR.search(window.text):
        return window.text
    lead = _LEAD.match(window.text)
    bare = window.text[lead.end() :] if lead else window.text
    written = _phrase(window, _moment(window), bare)
    if not written or not lead:
        return written or window.text
    return f"{lead.group().strip()} {re.sub('^(?:on|in|around) ', '', written)}"


def write_days(window: TimeWindow) -> str:
    """Write what ranges of days leave out: "from the 16th to the 20th" → "from 16 to 20 March 2026"."""
    if not window.end or _HAS_YEAR.search(window.text):
        return window.text
    last = window.end - DAY
    tokens = re.findall(r"[a-z]+|\d+", window.text.lower())
    numbers = [int(word) for word in tokens if word.isdecimal()]
    if MONTHS.keys() & set(tokens) or len(numbers) != 2 or numbers[1] != last.day:
        return f"{window.text} {last.year}" if numbers and MONTHS.keys() & set(tokens) else window.text
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


def _phrase(window: TimeWindow, moment: datetime, bare: str) -> str:
    """Return what to write for a time; "" to leave it as it is."""
    low = bare.lower()
    tokens = set(re.findall(r"[a-z]+", low))
    month = MONTH_NAMES[moment.month - 1]
    date = f"{moment.day} {month} {moment.year}"
    about = "around" if low.endswith(_COUNTED) or (window.precision == "month" and _AHEAD.fullmatch(low)) else ""
    if window.precision == "day":
        weekdays = {WEEKDAYS[word] for word in tokens & WEEKDAYS.keys()}
        if weekdays and moment.weekday() not in weekdays and re.search(r"\d", low):
            return ""  # "Friday 8 May" is no Friday in the year we took it for
        return f"on {f'{_WEEKDAY_NAMES[moment.weekday()]} ' if PLAIN_WEEKDAYS & tokens else ''}{date}"
    if " weeks of " in low or (window.precision == "month" and low.split()[0] in {"the", "a", "our", "my"}):
        return ""
    if window.precision in {"range", "part"}:
        is_named = MONTHS.keys() & tokens or _DAY_OR_YEAR.search(bare)
        return f"{bare} {moment.year}" if is_named and not _WHOLE.search(bare) else ""
    part = next((word for word in DAY_PARTS if word in tokens), "night")
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


_BORN = re.compile(r"\b(?:born|every year|each year|yearly|annually)\b", re.IGNORECASE)
_YEARLY = re.compile(r"\b(?:birthday|anniversary)\b", re.IGNORECASE)
"""What comes again: its day is written, its year is not."""
_NAMES_MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
_YEAR = re.compile(r" \d{4}$")
_HABIT = re.compile(r"\b(?:usually|always|never|often|normally|sometimes|mostly|every|each|any)\b", re.IGNORECASE)
_WEEKDAY = rf"(?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})"
_IN_ROW = re.compile(
    rf"\b{_WEEKDAY}(?:,| and| or| .*\bor\b.*|) (?:on )?{_WEEKDAY}\b|(?:mon|tues|wednes|thurs|fri|satur|sun)days\b",
    re.IGNORECASE,
)
_LED = re.compile(
    r"\b(?:on|since|until|till|by|before|after|from|for|starting|as of|on .*, not) (?:the )?$", re.IGNORECASE
)
_BARE_LEAD = re.compile("^(?:on|in|around) ")
_LEADING = re.compile(
    r"\b(?:on|to|from|of|by|until|till|since|before|after|than|for|between|past|not|through|with|the|every|and|"
    r"(?<!gets )(?<!got )(?<!is )(?<!was )(?<!be )(?:swapped|traded))\s$",
    re.IGNORECASE,
)
_IS_SUBJECT = re.compile(r" (?:works|suits)\b", re.IGNORECASE)
_IT_IS = re.compile(r"\b(?:it's|it is|its|isn't) $", re.IGNORECASE)
_PART = re.compile(r"\b(?:anfang|mitte|ende)\b", re.IGNORECASE)
"""Of a month: on which day that ends, nobody has said."""
_FOR = "for "
"""What something is scheduled for it is not scheduled on: the word stays."""
_CLOCK_BEHIND = re.compile(r",? at .*$|,? (?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?)?|noon|midnight)$", re.IGNORECASE)
_CLOCK_BEFORE = re.compile(
    r".*(?:\d|\b(?:noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)", re.IGNORECASE
)
_NOUN_FOLLOWS = re.compile(r" (?!(?:at|in|on|the|and|or|to|with|for|from|by|because|so|but|after|before)\b)[a-z]")


@dataclass(frozen=True, slots=True)
class Dated:
    """`start` and `end` are those of the only time that was named; None without one, or with several."""

    text: str
    start: datetime | None = None
    end: datetime | None = None
    is_to_come: bool = False


@dataclass(frozen=True, slots=True)
class _Mention:
    """A time with its place in the text, and what is to come where that is meant."""

    window: TimeWindow
    coming: Coming | None = None

    @property
    def start(self) -> int:
        return self.window.span[0]

    @property
    def end(self) -> int:
        return self.window.span[1]


def make_dates_plain(text: str, now: datetime) -> Dated:
    """Return the statement with relative dates written out; one in another language as it is. Linear in its length."""
    if language_of(tokenize(text)) != "en":
        comings = [coming for coming in find_coming(text, now) if not coming.rule]
        if len(comings) != 1 or _PART.search(comings[0].text):
            return Dated(text)
        first, last = _midnights(comings[0], now.tzinfo)
        return Dated(text, first, last + DAY, is_to_come=True)
    if _BORN.search(text):
        return Dated(text)
    is_yearly = bool(_YEARLY.search(text))
    pieces: list[str] = []
    mentions: list[_Mention] = []
    end = 0
    for mention in _times(text, now):
        if mention.start < end or stays_as_said(text, mention.start, mention.end):
            continue
        if mention.window.text.lower().startswith("within ") or _WITHIN.search(text[: mention.start]):
            continue
        mentions += [] if is_excepted(text, mention.start) else [mention]
        is_range = mention.coming and mention.coming.until and mention.window.precision == "range"
        written = write_days(mention.window) if is_range else write_date(mention.window)
        if is_yearly:
            written = mention.window.text if _NAMES_MONTH.search(mention.window.text) else _YEAR.sub("", written)
        if written == mention.window.text or _is_attribute(text, mention):
            continue
        before = text[end : mention.start]
        is_row = before == ", " and mention.window.precision == "month"
        is_led = is_row or _LEADING.search(before) or _IS_SUBJECT.match(text[mention.end :])
        pieces += [before, _BARE_LEAD.sub("", written) if is_led else written]
        end = mention.end
    plain = "".join([*pieces, text[end:]])
    if len(mentions) != 1:
        return Dated(plain)
    only = mentions[0].window
    is_whole = bool(only.start) or only.precision == "day"
    return Dated(plain, only.start, only.end, bool(only.end and only.end > now and is_whole))


_NAMED_MONTH = re.compile(
    rf"\b(?P<before>\d{{1,2}}(?:st|nd|rd|th)?(?: of)?) (?P<month>{'|'.join(MONTH_NAMES)})\b|"
    rf"\b(?P<first>{'|'.join(MONTH_NAMES)}) \d{{1,2}}\b",
    re.IGNORECASE,
)
_DAY_ALONE = re.compile(
    r"\b[Tt]he (?P<day>\d{1,2})(?:st|nd|rd|th)(?=$|[,.;:!]| (?:at|in the|between|after|before|or|and|around|with|works|"
    r"is|by|from|until|not|to|instead|please)\b)"
)


def name_month(text: str, talk: str) -> str:
    """Return the text with the month that was named last in what was said before it: "the 15th" of a flight in May."""
    named = list(_NAMED_MONTH.finditer(talk)) if _DAY_ALONE.search(text) and not _NAMES_MONTH.search(text) else []
    if not named:
        return text
    month = (named[-1]["month"] or named[-1]["first"]).capitalize()
    return _DAY_ALONE.sub(lambda day: f"{day['day']} {month}", text)


def _times(text: str, now: datetime) -> Iterator[_Mention]:
    """Yield the times in order.

    One that is over when it is read as past, and to come when read as coming, is to come.
    """
    comings = [
        coming
        for coming in find_coming(text, now, with_denied=True)
        if coming.rule in {"", yearly_on(coming.on.month, coming.on.day)} and not text.startswith(" ago", coming.end)
    ]
    mentions: list[_Mention] = []
    for window in find_windows(text, now):
        if window.precision not in PRECISIONS or not (window.start or window.end):
            continue
        coming = next((other for other in comings if other.start < window.span[1] and window.span[0] < other.end), None)
        is_placed = coming and not _YEAR_BEHIND.search(window.text)
        mentions.append(_Mention(_placed(text, window, coming), coming) if coming and is_placed else _Mention(window))
    alone = [
        coming
        for coming in comings
        if not any(coming.start < other.end and other.start < coming.end for other in mentions)
    ]
    mentions += [_Mention(_window_of(text, coming, now), coming) for coming in alone]
    speech = read_speech(text, now)
    placed = filter(None, (_as_told(speech, text, mention, now) for mention in mentions))
    times = sorted(placed, key=lambda mention: mention.start)
    named = [day for day in times if _NAMES_MONTH.search(day.window.text) and not _IS_DATED.search(day.window.text)]
    is_mixed = any(_moment(first.window).year > _moment(second.window).year for first, second in pairwise(named))
    return (mention for mention in times if not (is_mixed and mention in named))


_IS_DATED = re.compile(
    r"\d{4}|\d[./-]\d|\b(?:last|this|next|past|previous|coming|ago|back|today|tonight|tomorrow|yesterday|now|just)\b",
    re.IGNORECASE,
)
"""In a time, it tells by itself whether that is over."""
_YEAR_BEHIND = re.compile(rf" (?:(?:of )?(last|this|next) year|({'|'.join(NUMBERS)}|\d) years? ago)\b", re.IGNORECASE)
_IN_A_WHILE = re.compile(r"(?:with)?in .*[ \d](?:s|secs?|seconds?|mins?|minutes?|hrs?|hours?)$", re.IGNORECASE)
"""How long something takes, or a moment of this day: "ready in 15 min"."""
_EVERY = re.compile(r"\b(?:every|each|any|first|second|third|fourth|\d[a-z]{2}|last|other|alternate) $", re.IGNORECASE)
_SINCE = re.compile(
    r"\b(?:since(?: (?!i\b|we\b|is\b|are\b|has\b|it\b|they\b|you\b)\w+){0,8}|as in|"
    r"(?:since|from|than|at|the) (?:\w+ )?last (?!of\b|year\b|month\b|week\b|time\b|day\b)\w+(?: \w+)? (?:in|on)|"
    r"(?:receipt|invoice|letter|e?mail|message|photo|report|result|figures|reading|quote) from) $",
    re.IGNORECASE,
)
"""What was since, or at the last test, is over."""
_HAS_GOT = re.compile(
    r"\b(?:got|have|has|booked|reserved)\b(?: \w+){0,3} (?:slot|appointment|table|tickets?|place|seats?|room|exam|test|"
    r"interview|date|flights?)\b(?: \w+){0,4},? (?:on |for )?$",
    re.IGNORECASE,
)
"""What somebody has got for a day, that day is to come: "got a slot at the passport office, 9 January"."""
_WILL_BE = re.compile(
    r"(?<!\bwas )(?<!\bwere )(?<!supposed to )(?<!meant to )(?<!due to )(?<!going to )(?<!about to )"
    r"\b(?:(?:run|start|end|expire|close|open|begin|leave|arrive|come|go|finish|stop|renew|land)"
    r"s?|gets \w+ed|flies|fly|finishes|goes|moving|leaving|starting|ending|flying|arriving|coming|closing|opening)\b"
    r"(?: (?!and\b|but\b)\w+){0,2} (?:on|in|at|over|from)? ?$",
    re.IGNORECASE,
)
"""What goes by a timetable, or is arranged: "runs out in June", "moving on the 3rd of May"."""
_IS_MONTHLY = re.compile(
    r"\b(?:salary|wages?|pension|rent|rates?|bills?|invoices?|payday|payments?|allowance|instal?lments?)\b.*"
    r"\b(?:comes?|goes|gets?|is due|are due|is paid|arrives?)\b.*$",
    re.IGNORECASE,
)
BEFORE_CHARACTERS = 200
"""Of what is said before a time tell whether it is over: in a long text each time looks no farther."""
_TO_COME = frozenset({Tense.PLANNED, Tense.FUTURE})
_YEARS = frozenset({"month", "day", "range", "season", "holiday"})
_SOON, _NEARLY_A_YEAR = timedelta(45), timedelta(305)
_IS_LONG = re.compile(r"\w+[^\w,]+\w+[^\w,]+\w+[^\w,]+\w[^,]*$")
_SENTENCE = re.compile(r"[.!?;](?:\s|$)|\n")
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
_NAMED_BEHIND = re.compile(rf",? \((?:on )?(?:the )?(?:\d|{_WEEKDAY}\b)", re.IGNORECASE)
_OTHER_MONTH = re.compile(rf"{_NAMES_MONTH.pattern}|(?:every|each) month", re.IGNORECASE)
_UNTIL = re.compile(r"(?:until|till|by)\b", re.IGNORECASE)
_IN_GENERAL = re.compile(r"\bonly \w+ \||\| here\b", re.IGNORECASE)


def _as_told(speech: Speech, text: str, mention: _Mention, now: datetime) -> _Mention | None:
    """Return the time in the year or week that its clause tells; None where it is better left as it was said."""
    window = mention.window
    before = text[max(0, mention.start - BEFORE_CHARACTERS) : mention.start]
    if _IN_A_WHILE.match(window.text) or (_EVERY.search(before) and not window.text.lower().startswith("since")):
        return None
    year = _YEAR_BEHIND.match(text[mention.end :])
    if named := year or (_YEAR_BEHIND.search(window.text) if window.precision == "month" else None):
        ago = named[2] and -(int(named[2]) if named[2].isdecimal() else NUMBERS[named[2].lower()])
        years = (ago or {"last": -1, "this": 0, "next": 1}[named[1].lower()]) + now.year - _moment(window).year
        return _Mention(replace(_moved(window, years), span=(mention.start, mention.end + (year.end() if year else 0))))
    context = _read_context(speech, text, mention, before, now)
    if window.text.lower().endswith((" of the month", " in the month")) and context.tense not in _TO_COME:
        return None
    if _IS_DATED.search(window.text):
        return mention
    is_named_behind = window.text[:3].lower() == "in " and _NAMED_BEHIND.match(text[mention.end :])
    if is_named_behind or (window.text.lower().startswith("on the ") and _IS_MONTHLY.search(before)):
        return None
    if _SINCE.search(f"{before}{window.text.split()[0]} "):
        return _Mention(_moved(window, -1)) if window.start and window.start > now else mention
    words = set(re.findall(r"[a-z]+", window.text.lower()))
    is_relative = window.precision == "holiday" or (MONTHS.keys() | {"week", "weeks"}) & words
    if WEEKDAYS.keys() & words and not is_relative:
        is_one = not _is_any_weekday(context)
    elif window.precision in {"day", "range"} and _ORDINAL.search(window.text) and not is_relative:
        is_one = _is_that_day(context)
    else:
        return _in_its_year(context)
    if is_one and context.is_over and context.tense in _TO_COME:
        return _Mention(_moved(window, 1))
    return mention if is_one and (not context.is_over or (context.is_past and not _UNTIL.match(window.text))) else None


@dataclass(frozen=True, slots=True)
class _Context:
    """A time, and what its sentence tells; `is_past` behind its last comma: not "ordered it, arriving Friday"."""

    mention: _Mention
    now: datetime
    before: str
    behind: str
    sentence: str
    tense: Tense | None
    is_over: bool
    is_clear: bool
    is_past: bool


def _read_context(speech: Speech, text: str, mention: _Mention, before: str, now: datetime) -> _Context:
    first = sum(token.end <= mention.start for token in speech.tokens)
    end = sum(token.start < mention.end for token in speech.tokens)
    behind = _SENTENCE.split(text[mention.end : mention.end + BEFORE_CHARACTERS])[0]
    is_ahead = _HAS_GOT.search(before) or _WILL_BE.search(before)
    tense = Tense.FUTURE if is_ahead else tense_around(speech, first, end)
    before = _SENTENCE.split(before)[-1]
    is_over = _moment(mention.window) < now.replace(hour=0, minute=0, second=0, microsecond=0)
    is_clear = tense in _TO_COME | {Tense.PAST, Tense.PLAIN} or (not is_over and is_told_beforehand(speech, first))
    comma = max((place + 1 for place in range(first) if speech.word(place) == ","), default=0)
    is_past = tense_around(replace(speech, tokens=speech.tokens[comma:]), first - comma, end - comma) is Tense.PAST
    sentence = f"{before}{mention.window.text}{behind}"
    return _Context(mention, now, before, behind, sentence, tense, is_over, is_clear, is_past)


def _is_any_weekday(context: _Context) -> bool:
    """Tell whether a weekday is any such day, one to choose, or a word without a verb: "no, friday"."""
    window, coming = context.mention.window, context.mention.coming
    day = _ORDINAL.search(context.behind[:12])
    is_other = window.start and (window.start - context.now > _SOON or (day and int(day[1]) != window.start.day))
    if is_other or _IN_ROW.search(context.sentence) or (not coming and _HABIT.search(context.before)):
        return True
    is_led = _LED.search(context.before + re.split(_WEEKDAY, window.text, maxsplit=1, flags=re.IGNORECASE)[0])
    is_beside = coming and (coming.clock or _IT_IS.search(context.before))
    is_long = coming and context.tense is None and _IS_LONG.search(context.before)
    return not (is_led or is_beside or is_long or context.is_clear)


def _is_that_day(context: _Context) -> bool:
    """Tell whether a day of no named month can be but one."""
    window = context.mention.window
    start = _moment(window)
    days = 2 if window.precision == "range" and window.text.lower().startswith("from") else 1
    if len(_ORDINAL.findall(context.sentence)) != days or _OTHER_MONTH.search(context.sentence):
        return False
    near = re.findall(r"[a-z]+", f"{context.before[-16:]} {context.behind[:16]}".lower())
    weekdays = {WEEKDAYS[word] for word in near if word in PLAIN_WEEKDAYS}
    is_this_month = bool(context.mention.coming) and (start.year, start.month) == (context.now.year, context.now.month)
    return start.weekday() in (weekdays or {start.weekday()}) and (context.is_clear or is_this_month)


def _in_its_year(context: _Context) -> _Mention | None:
    window = context.mention.window
    is_ahead = context.tense in _TO_COME or (_UNTIL.match(window.text) and not context.is_past)
    if context.is_over and not context.mention.coming and is_ahead and window.precision in _YEARS:
        return _Mention(_moved(window, 1))
    if window.precision == "month" and context.tense is not Tense.PAST:
        return None if _IN_GENERAL.search(f"{context.before}|{context.behind}") else context.mention
    is_far = window.precision == "day" and window.start and window.start - context.now > _NEARLY_A_YEAR
    if is_far and context.tense is None:
        return None if re.search(r"\w{3}", context.before) or _LEAD.match(window.text) else _Mention(_moved(window, -1))
    return context.mention


def _moved(window: TimeWindow, years: int) -> TimeWindow:
    """Return the window so many years later; a day of no named month ("the 4th") so many months, a weekday weeks.

    Where the calendar ends it stays where it is.
    """
    words = set(re.findall(r"[a-z]+", window.text.lower()))
    is_named = window.precision != "day" or MONTHS.keys() & words
    is_weekday = WEEKDAYS.keys() & words and not MONTHS.keys() & words
    step = (
        relativedelta(weeks=years)
        if is_weekday
        else relativedelta(years=years if is_named else 0, months=0 if is_named else years)
    )
    try:
        return replace(window, start=window.start and window.start + step, end=window.end and window.end + step)
    except (ValueError, OverflowError):
        return window


def _placed(text: str, window: TimeWindow, coming: Coming) -> TimeWindow:
    """Return the window where the coming time is, and over all that was said of it but the clock."""
    zone = (window.start or window.end or datetime.min).tzinfo
    first, last = _midnights(coming, zone)
    is_running = bool(window.start and window.end and window.start <= first < window.end)
    if not is_running:
        start = first if window.start else None
        end = (first if window.text.lower().startswith(("before", "prior")) else last + DAY) if window.end else None
        window = replace(window, start=start, end=end)
    start_at, end_at = _without_clock(coming)
    is_clock = coming.clock is not None and _CLOCK_BEFORE.match(text[start_at : window.span[0]])
    span = (window.span[0] if is_clock else min(start_at, window.span[0]), max(end_at, window.span[1]))
    if coming.until and window.precision == "day":
        window = replace(window, precision="range")  # "from the 25th · until 2 June"
    return replace(window, span=span, text=text[slice(*span)])


def _window_of(text: str, coming: Coming, now: datetime) -> TimeWindow:
    first, last = _midnights(coming, now.tzinfo)
    span = _without_clock(coming)
    phrase = text[slice(*span)]
    ahead = _AHEAD.fullmatch(phrase)
    precision = ahead["unit"].lower() if ahead else "range" if coming.until else "day"
    return TimeWindow(first, last + DAY, span, phrase, "month" if phrase.lower() in MONTHS else precision)


def _without_clock(coming: Coming) -> tuple[int, int]:
    """Return where a day is said that the clock stands behind."""
    behind = _CLOCK_BEHIND.search(coming.text) if coming.clock else None
    start = coming.start + (len(_FOR) if coming.text.lower().startswith(_FOR) else 0)
    return start, coming.start + behind.start() if behind else coming.end


def _midnights(coming: Coming, zone: tzinfo | None) -> tuple[datetime, datetime]:
    """Return those that the first and the last day begin with."""
    return datetime.combine(coming.on, time(), zone), datetime.combine(coming.until or coming.on, time(), zone)


def _is_attribute(text: str, mention: _Mention) -> bool:
    """Tell whether a time only describes the noun behind it: "last week's deploy", "our Monday dinner"."""
    following = text[mention.end : mention.end + 12]
    if text[: mention.start].endswith((" a ", " an ")):
        return True
    if following.startswith(("'s", "’s")):
        return True
    *leads, last = mention.window.text.lower().split()
    is_noun = (last in PLAIN_WEEKDAYS and not leads) or (last in SEASONS and leads[-1:] in ([], ["the"]))
    return is_noun and bool(_NOUN_FOLLOWS.match(following))
