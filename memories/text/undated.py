"""Times that stay as they were said: names that sound like one, and days that come round.

"The Day After Tomorrow" is a film and "12 March Street" an address; rent "due on the 1st of every month" is due on no
one day. What is doubtful is taken for a date.
"""

from __future__ import annotations

import re

from memories.text.temporal.words import HOLIDAYS, MONTHS, PLAIN_WEEKDAYS, SEASONS, TIME_WORDS, WEEKDAYS

READ_BEFORE = 120
"""So many characters before a time tell what it is."""
_WORD = re.compile(r"[^\W\d_]+")
_ALWAYS_CAPITAL = (
    MONTHS.keys() | WEEKDAYS.keys() | SEASONS.keys() | {part for name in HOLIDAYS for part in name.split()}
)
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?:;\n])\W*$")
_OPENS_QUOTE = re.compile(r"(?:^|\s)[\"“'‘]$")
_WORK = r"(?:films?|movies?|songs?|books?|novels?|albums?|series|musical|magazine|podcast|band|track)"
_OF_WORK = re.compile(rf"\b(?:{_WORK}|watch\w*|read(?:s|ing)?|saw|seen|listen\w* to)\b[^.!?;]{{0,40}}$", re.IGNORECASE)
_IS_NAMED = re.compile(rf"\b(?:{_WORK}|(?:is|are|was|were) (?:called|named)|titled|entitled) $", re.IGNORECASE)
_STREET = re.compile(r" (?:Street|Road|Rd|Avenue|Ave|Lane|Drive|Square|Terrace|Gardens|Crescent|Boulevard)\b")
_NAME_GOES_ON = re.compile(r" (?!I\b|I['’])[A-Z][a-z]")

_DAY_OF_MONTH = r"(?:the )?\d{1,2}(?:st|nd|rd|th)"
_OF_PERIOD = re.compile(
    rf"(?:(?:, and| and| or|,) (?:on )?{_DAY_OF_MONTH})* (?:of the|(?:of|in) (?:every|each|any)) "
    r"(?:\w+ )?(?:month|quarter|year|week)\b",
    re.IGNORECASE,
)
_BARE_DAY = re.compile(rf"(?:on )?{_DAY_OF_MONTH}", re.IGNORECASE)
_MONTHLY = re.compile(r"\b(?:(?:every|each) (?:month|quarter)|monthly|usually)\b", re.IGNORECASE)
_DAY_OF_THE_MONTH = re.compile(r"(?:on |at )?.* (?:of|in) the month", re.IGNORECASE)
_DONE_REGULARLY = re.compile(
    r"(?<!\bto )(?<!\bwill )(?<!\bmust )(?<!\bshould )(?<!\bcan )"
    r"\b(?:sends?|pays?|bills?|invoices|submits?|files|receives?|meets?|reports|reviews|publish(?:es)?|rotates?|"
    r"reconciles?|orders|collects?|transfers?|settles?|gets? paid|(?:is|are) paid|go(?:es)? out)\b",
    re.IGNORECASE,
)
_DAY = rf"(?:on )?(?:{'|'.join(sorted(PLAIN_WEEKDAYS))})(?: (?:morning|afternoon|evening|night))?"
_BARE_WEEKDAY = re.compile(_DAY, re.IGNORECASE)
_COURSE = re.compile(r"\b(?:class|classes|lessons|practice|choir|stand-?up) (?:is|are) $", re.IGNORECASE)
_ONCE = re.compile(r"\b(?:first|next|last|final|trial)\b", re.IGNORECASE)
_OPENING_HOUR = re.compile(
    r"\b(?:bakery|shop|store|supermarket|pharmacy|gym|library|pool|bank|office|museum|caf[eé]|restaurant|market|clinic|"
    r"canteen|bar|pub|nursery|school)\b[^.!?;]* (?:(?:opens|closes) (?:at|from)|(?:is )?open (?:until|till|from|to)) "
    r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)? $",
    re.IGNORECASE,
)

_EXCEPTED = re.compile(
    r"\b(?:except(?:ing)?|excluding|(?:apart|aside)(?: from)?|other than|exception of|(?:days?|month) but)"
    r"(?: (?:for|on|in|at))?(?: the)? $",
    re.IGNORECASE,
)
_EVERY = re.compile(r"(?:every|each)\b", re.IGNORECASE)
_PARTS_OF_DAYS = re.compile(r" (?:mornings|afternoons|evenings|nights)\b", re.IGNORECASE)
_BREAK = re.compile(r" (?:break|holidays?|vacation|term|semester|sale|collection|edition|menu)\b", re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"\b(?:announced|promised|proposed|approved) (?!(?:on|in|that|to)\b)[\w%. -]{3,80} $", re.IGNORECASE
)
_WHAT_FOLLOWS = re.compile(r" (?:that|to)\b")
_FEAST_SEASON = re.compile(r" (?:season|party|dinner|market|play|concert|card|presents?|tree)\b", re.IGNORECASE)
"""Of a feast, "before the Christmas season": its year goes behind none of them."""
_IN_MONTH = re.compile(rf"in (?:{'|'.join(MONTHS)})", re.IGNORECASE)
_OF_EVERY_YEAR = re.compile(
    r"\b(?:schools?|school year|terms?|semesters?|academic year|fiscal year|financial year|tax year|(?<!this )seasons?|"
    r"summer holidays|harvest|hunting|monsoon|rainy season|university|lectures|classes|kindergarten|nursery)\b"
    r"(?: \w+){0,2} (?:starts?|begins?|ends?|opens?|closes?|runs?|(?:is|are)(?: usually| always)?) $",
    re.IGNORECASE,
)
"""Begins or ends in the same month of each year, if it is told in the present."""
_FROM_TODAY = re.compile(r"\b(?:last|next|this|past|coming|today|tonight|tomorrow|yesterday|ago)\b", re.IGNORECASE)


def stays_as_said(text: str, start: int, end: int) -> bool:
    """Whether the time from `start` to before `end` is no date to write out."""
    is_any_such = is_excepted(text, start) and not _FROM_TODAY.search(text[start:end])
    is_any_such = is_any_such or names_another(text, start, end)
    return is_any_such or is_name(text, start, end) or comes_round(text, start, end)


def names_another(text: str, start: int, end: int) -> bool:
    """Whether it is part of a name, "after the autumn break", or of what was announced, then or for then: "announced
    a road closure in August".
    """
    time, before = text[start:end], text[max(0, start - READ_BEFORE) : start]
    is_season = time.lower().split()[-1] in SEASONS and not _FROM_TODAY.search(time)
    is_doubtful = _IN_MONTH.fullmatch(time) and _ANNOUNCED.search(before) and not _WHAT_FOLLOWS.match(text[end:])
    is_feast = any(time.lower().endswith(name) for name in HOLIDAYS) and not _FROM_TODAY.search(time)
    is_part = (is_season and _BREAK.match(text[end:])) or (is_feast and _FEAST_SEASON.match(text[end:]))
    return bool(is_doubtful or is_part)


def is_excepted(text: str, start: int) -> bool:
    """Whether what stands before a time takes it out: "every day except for Friday" names no day."""
    return bool(_EXCEPTED.search(text[max(0, start - READ_BEFORE) : start]))


def is_name(text: str, start: int, end: int) -> bool:
    """ "The Day After Tomorrow", "the song Yesterday", "12 March Street"; "Tomorrow" may begin a sentence."""
    time, before, behind = text[start:end], text[max(0, start - READ_BEFORE) : start], text[end:]
    words = _WORD.findall(time)
    usual = [word.lower() in _ALWAYS_CAPITAL for word in words]
    if _STREET.match(behind):
        return any(usual)
    is_capital = time[:1].isupper() and not time.isupper() and any(word.lower() in TIME_WORDS for word in words)
    if not is_capital or _SENTENCE_BEGINS.search(before):
        return False
    if _IS_NAMED.search(before) or _NAME_GOES_ON.match(behind):
        return True
    is_title = all(word[0].isupper() for word in words) and not all(usual)
    return is_title and bool(_OF_WORK.search(before) or _OPENS_QUOTE.search(before))


def is_of_every_year(text: str, start: int, end: int) -> bool:
    """ "School starts in September", whichever."""
    before = text[max(0, start - READ_BEFORE) : start]
    return bool(_IN_MONTH.fullmatch(text[start:end]) and _OF_EVERY_YEAR.search(before))


def comes_round(text: str, start: int, end: int) -> bool:
    """ "The 1st of every month", "our yoga class is on Wednesday evening", "closes at 8 on Saturday", "school starts in
    September".
    """
    time, before, behind = text[start:end], text[max(0, start - READ_BEFORE) : start], text[end:]
    if _EVERY.match(time) or (_BARE_WEEKDAY.fullmatch(time) and _PARTS_OF_DAYS.match(behind)):
        return True
    if _OF_PERIOD.match(behind) or (_BARE_DAY.fullmatch(time) and _MONTHLY.search(before)):
        return True
    if is_of_every_year(text, start, end):
        return True
    if _DAY_OF_THE_MONTH.fullmatch(time) and _DONE_REGULARLY.search(before):
        return True
    is_course = _COURSE.search(before) and not _ONCE.search(before)
    return bool(_BARE_WEEKDAY.fullmatch(time) and (is_course or _OPENING_HOUR.search(before)))
