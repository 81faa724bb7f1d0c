"""Read a question: the words to look up, the subjects and days that are named, and which memories are of other days."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

from django.db.models import QuerySet

from memories.language.dates.windows import TimeWindow, find_windows
from memories.language.dates.words import NOT_A_PAST_FORM, PAST, PRESENT
from memories.language.scripts import is_unspaced, parts_in
from memories.language.wordlists import PERSONS
from memories.models import Memory
from memories.retrieve.scoped_view import ScopedView
from memsite.db.prepared import Prepared, padded
from memsite.tenancy.models import App
from memsite.timestamps import in_own_zone, in_zone

MAX_WORDS = 24
# A subject's name says little about any one memory when it is that of many: of this share and this number of them.
BROAD_SHARE, BROAD_COUNT = 0.05, 20
# A misspelt name shares this much of its trigrams with the name.
ALIKE = 0.4
YEARS_BACK = 9
MOST_DAYS = 400
MAX_TIME_CHARACTERS = 2_000
INSTANT = timedelta(microseconds=1)
Span = tuple[int, int]
"""The first and the last day, as ordinals."""
EXACT = frozenset({"day", "part of day", "weekend", "week", "month", "holiday", "range"})
"""Precisions of times whose days are meant to the day."""
COUNTED = (" ago", " back", " from now")
MONTHS = "january february march april may june july august september october november december".split()
# Words that say nothing about what is asked for: grammar, and the usual wording of questions.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few for from further had has have having he her here hers
    him his how i if in into is it its just me more most my no nor not now of off on once only or other our out
    over own please same she should so some such than that the their them then there these they this those through
    to too under until up us very was we were what when where which while who whom why will with would you your
    kind kinds type types sort sorts many much long often ever likely might according based mention mentioned
    mentions say says said tell told describe describes described one thing things way ways certain particular
    specific""".split()
)
NUMERIC_DAY = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b|\b(\d{4})-(\d{2})-(\d{2})\b")
MONTH_DAY = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?("
    + "|".join(month if month == "may" else f"{month[:3]}(?:{month[3:]})?" for month in MONTHS)
    + r")\b(?:,? (\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,? ?(\d{4}))?"
)
MONTH_OF_MAY = re.compile(r"\b(in|of|since|until|last|this|next) may\b")
ASKS_WHEN = re.compile(r"\b(when|what (date|day|month|year|time)|which (month|year|day)|how long|date)\b")
OF_ASKER = re.compile(r"\b(i|me|my|mine|myself|the user|user)\b")
OF_ANSWERS = re.compile(
    r"\b(?:did|have|had|were) you\b|\byou(?:['’]ve|['’]d| have| had)? (?:just |already |also )?"
    r"(?:told|said|suggested|recommended|gave|given|explained|mentioned|proposed|showed|shown|provided|advised|listed"
    r"|wrote|described)\b|\byour (?:suggestion|advice|answer|recommendation|explanation|response|proposal)"
    r"|\bassistant\b|\bsummar(?:y|i[sz]e)\b"
)
ASKS_NAME = re.compile(r"\W*(who|where|which|what \w* ?which)\b|.*\bname\b", re.DOTALL)
ASKS_PERSON = re.compile(r"\b(?:who|whom|whose|which (?:person|colleague|friend|doctor|teacher|relative))\b")
ASKS_PLACE = re.compile(
    r"\bwhere\b|\b(?:what|which) (?:city|town|place|street|country|room|folder|address|office|branch)\b"
)
ASKS_NUMBER = re.compile(
    r"\bhow (?:much|many|big|large|far|tall|high|heavy|fast|wide)\b|\b(?:what|which) (?:size|number|amount|price|limit"
    r"|percentage|share|budget|port|version|sum)\b|\bcosts?\b|\bprice"
)
TOKEN = re.compile(r"(?<![\w.-])\w+(?:[-_./:@#+]+\w+)*", re.ASCII)
# "QX88007", "INC-2041", "10.0.0.5" and "8443" are identifiers, as are "db_main" and "notes.txt"; "60s", "3rd" and "1.5"
# are amounts.
AMOUNT = re.compile(r"\d{1,3}|(?:19|20)\d\d|\d+[.:]\d+|\d+(?:[.:]\d+)?[a-z]{1,3}", re.IGNORECASE)
JOINT = re.compile(r"\w{2}[_.@]\w{2}|^[a-z]{2,}[A-Z]")
QUOTED = re.compile(
    r"\"([^\"\n]{2,80})\"|[“„]([^“”\n]{2,80})[“”]|`([^`\n]{2,80})`|(?<!\w)['‘]([^'’\n]{2,80})['’](?!\w)"
)
NAME = re.compile(r"(?:(?<=[^\W_] )|(?<=[,;(] )|^(?=\w+['’]s\b))[A-ZÀ-ÖØ-Þ][\w-]+(?: [A-ZÀ-ÖØ-Þ][\w-]+){0,3}")
MOST_TERMS = 8
LOOKED_AT = 200
"""Of so many of the best it is asked of which day they are."""
WORD = re.compile(r"[\w'’]+")
Row = tuple[int, str, datetime | None, datetime, datetime | None, int | None]


@dataclass(frozen=True, slots=True)
class Question:
    """Hold what was read from a question. `bare` is the text without the names of broad subjects: it is embedded.

    `words` are the telling words of `bare`; `every_word` has those names too. `days` are spans of ordinals, and
    `days_weigh` how much they say, up to 1. `of_asker`: it asks about whoever asks, or the user, and names nobody else.
    `of_answers`: it asks what the assistant said.
    `exact_days` are those spans of `days` that are meant to the day, as "yesterday" and "7 November" are; () where
    today is one of them, or others are meant. `exact` are the identifiers and quoted phrases that it names, and `named`
    the names of people, places and things.
    """

    text: str
    bare: str
    words: list[str]
    every_word: list[str]
    subjects: list[int]
    days: list[tuple[int, int]]
    wants_time: bool
    wants_name: bool
    days_weigh: float = 1.0
    of_asker: bool = False
    of_answers: bool = False
    exact_days: Sequence[Span] = ()
    exact: Sequence[str] = ()
    named: Sequence[str] = ()
    wants_person: bool = False
    wants_place: bool = False
    wants_number: bool = False


@lru_cache(16)
def times_in(text: str, now: datetime) -> Sequence[TimeWindow]:
    """Return the times that a question names. They are read once for what is seen and how it is ranked."""
    return find_windows(text[:MAX_TIME_CHARACTERS], now)


def read_question(text: str, scoped: ScopedView, now: datetime) -> Question:
    """Read a question. `now` is the asker's, for "last week"."""
    folded = text.lower()
    every_part, terms = parts_in(text), text[:MAX_TIME_CHARACTERS]
    telling = [word for word in every_part if word not in STOP_WORDS and (len(word) > 1 or is_unspaced(word))]
    named = {word: codes for word in telling if (codes := subjects_called(word, scoped))}
    least = max(BROAD_COUNT, BROAD_SHARE * scoped.size)
    broad = [word for word, codes in named.items() if any(scoped.subject_counts[code] >= least for code in codes)]
    bare = text
    if broad:
        pattern = rf"\b({'|'.join(map(re.escape, broad))})(['’`]s)?\b"
        bare = re.sub(r"\s+", " ", re.sub(pattern, "", text, flags=re.IGNORECASE)).strip()
    windows = times_in(terms, now)
    words = [word for word in telling if word not in broad]
    # Spans of ordinals: open ones ("since October"), and the days that are named, or else relative to now.
    spans, days = open_days(windows, scoped), [window.span for window in windows]
    taken = [window for window in windows if spans and is_open(window)]
    others = [window for window in windows if window not in taken]
    left = text
    for start, end in (window.span for window in taken):
        left = left[:start] + " " * (end - start) + left[end:]
    return Question(
        text=text,
        bare=bare if words else text,  # a name alone is all there is to embed
        words=words[:MAX_WORDS],
        every_word=(telling or every_part)[:MAX_WORDS],
        subjects=list(dict.fromkeys(code for codes in named.values() for code in codes)),
        days=spans + (named_days(left.casefold(), scoped) or told_days(others)),
        wants_time=bool(ASKS_WHEN.search(folded)),
        wants_name=bool(ASKS_NAME.match(folded)),
        of_asker=not named and PERSONS.isdisjoint(telling) and bool(OF_ASKER.search(folded)),
        of_answers=bool(OF_ANSWERS.search(folded)),
        exact_days=exact_days(text, windows, scoped, now),
        exact=exact_terms(terms, days),
        named=names_of(terms, days),
        wants_person=bool(ASKS_PERSON.search(folded)),
        wants_place=bool(ASKS_PLACE.search(folded)),
        wants_number=bool(ASKS_NUMBER.search(folded)),
    )


def exact_terms(text: str, days: Sequence[tuple[int, int]]) -> list[str]:
    """Return the identifiers and the quoted phrases in a text, in small letters. `days` are where it names times."""
    terms = [match[0] for match in TOKEN.finditer(text) if is_identifier(match[0]) and not is_within(match, days)]
    terms += [next(filter(None, match.groups())) for match in QUOTED.finditer(text)]
    return [term for term in dict.fromkeys(map(str.lower, terms)) if WORD.search(term)][:MOST_TERMS]


def is_identifier(token: str) -> bool:
    if any(map(str.isdigit, token)):
        return AMOUNT.fullmatch(token) is None
    return JOINT.search(token) is not None


def names_of(text: str, days: Sequence[tuple[int, int]]) -> list[str]:
    """Return the names in a text, in small letters: what is written with a capital, though no sentence begins there."""
    names = (match[0].lower() for match in NAME.finditer(text) if not is_within(match, days))
    return [name for name in dict.fromkeys(names) if name not in STOP_WORDS][:MOST_TERMS]


def is_within(match: re.Match[str], spans: Sequence[tuple[int, int]]) -> bool:
    return any(match.start() < end and start < match.end() for start, end in spans)


def subjects_called(word: str, scoped: ScopedView) -> list[int]:
    """Return the codes of the subjects with this word in their name, spelled so or much alike.

    Sorted by their names, as codes are given in any order.
    """
    subjects = scoped.view.subjects
    codes = scoped.subjects_by(word)
    if not codes:
        alike = (part for part in subjects.words_by_letter.get(word[0], ()) if is_alike(word, part))
        codes = list({code for part in alike for code in scoped.subjects_by(part)})
    return sorted(codes, key=subjects.names.__getitem__)


def is_alike(word: str, name: str) -> bool:
    """Tell whether two names are spelled alike: "Muhammad" and "Muhhamed"."""
    if min(len(word), len(name)) < 5 or word[0] != name[0]:
        return False
    first, other = ({text[index : index + 3] for index in range(len(text) - 2)} for text in (f" {word} ", f" {name} "))
    return len(first & other) >= ALIKE * len(first | other)


def exact_days(text: str, windows: Sequence[TimeWindow], scoped: ScopedView, now: datetime) -> list[Span]:
    """Return the spans that are meant to the day: none of today, of which a question may ask anything."""
    for window in windows:
        is_whole = bool(window.start and window.end)
        if window.precision not in EXACT or not is_whole or window.text.lower().endswith(COUNTED):
            return []
    spans = told_days(windows) + named_days(text.casefold(), scoped)
    today = now.toordinal()
    return [] if any(first <= today <= last for first, last in spans) else spans


def is_open(window: TimeWindow) -> bool:
    return (window.start is None) != (window.end is None)


def open_days(windows: Sequence[TimeWindow], scoped: ScopedView) -> list[tuple[int, int]]:
    """Return the days since and before what is named, as far as there are memories; one span where they overlap.

    What begins after all memories means another year, as far as it means any.
    """
    if not any(map(is_open, windows)) or scoped.days_told is None:
        return []
    first, last = scoped.days_told
    starts = [window.start.toordinal() for window in windows if window.start and not window.end]
    ends = [(window.end - INSTANT).toordinal() for window in windows if window.end and not window.start]
    if any(start > last for start in starts):
        return []
    if starts and ends and max(starts) <= min(ends):
        return [(max(starts), min(ends))]
    return [*((start, last) for start in starts), *((min(first, end), end) for end in ends)]


def named_days(folded: str, scoped: ScopedView) -> list[tuple[int, int]]:
    """Return spans of ordinals: a day, or a month. A month without a year means that of any year there is."""
    spans = []
    for day, month, year, year2, month2, day2 in NUMERIC_DAY.findall(folded):
        spans += day_span(int(year or year2), int(month or month2), int(day or day2))
    for match in MONTH_DAY.finditer(folded):
        before, month, after, year = match.groups()
        day = before or after
        if month == "may" and not (day or year or MONTH_OF_MAY.search(folded)):
            continue
        number = 1 + [name[:3] for name in MONTHS].index(month[:3])
        years = range(int(year), int(year) + 1) if year else range(0)
        if not year and scoped.days_told:
            oldest, newest = (date.fromordinal(known).year for known in scoped.days_told)
            years = range(max(oldest, newest - YEARS_BACK), newest + 1)
        for each in years:
            spans += day_span(each, number, int(day) if day else None)
    return spans


def told_days(windows: Sequence[TimeWindow]) -> list[tuple[int, int]]:
    """Return spans of the times relative to now ("last week", "three days ago"); very long ones say too little."""
    spans = []
    for window in windows:
        if window.start and window.end:
            start, end = window.start.toordinal(), (window.end - INSTANT).toordinal()
            spans += [(start, max(start, end))] if end - start <= MOST_DAYS else []
    return spans


def day_span(year: int, month: int, day: int | None) -> list[tuple[int, int]]:
    try:
        first = date(year, month, day or 1)
    except ValueError:
        return []
    last = first if day else first.replace(day=monthrange(year, month)[1])
    return [(first.toordinal(), last.toordinal())]


def of_other_days(app: App, pks: Sequence[int], spans: Sequence[Span], now: datetime) -> set[int]:
    """Return those of these memories that are not of the days asked for. One query, if any days are.

    A memory that names times is of these. Another one is of the day on which it was said, or from which it holds, if it
    tells of what happened and the days asked for are over: what is so in general holds on any day. `now` is the
    asker's, in whose time zone the days are.
    """
    if not spans or not pks:
        return set()
    is_over = all(last < now.toordinal() for _, last in spans)
    rows = times_of(app, *padded(pks[:LOOKED_AT]))
    return {row[0] for row in rows if not is_about_days(row, spans, now.tzinfo, is_over=is_over)}


def is_about_days(row: Row, spans: Sequence[Span], zone: tzinfo | None, *, is_over: bool) -> bool:
    _, content, valid_from, created_at, said_at, offset = row
    moment = in_own_zone(said_at or created_at, offset, zone or UTC)
    windows = [window for window in find_windows(content, moment) if window.precision != "recent"]
    for window in windows:
        first = window.start.toordinal() if window.start else date.min.toordinal()
        last = (window.end - INSTANT).toordinal() if window.end else date.max.toordinal()
        if any(start <= max(first, last) and first <= end for start, end in spans):
            return True
    if windows:
        return False
    if not is_over or not tells_of_past(content):
        return True
    day = (in_zone(valid_from, zone) if valid_from and zone else moment).toordinal()
    return any(first <= day <= last for first, last in spans)


def tells_of_past(text: str) -> bool:
    """Tell whether the first known verb is in the past: "Met Ana for lunch", not "Is called Bruno"."""
    for place, word in enumerate(WORD.findall(text.lower())):
        if word in PAST or (len(word) > 3 and word.endswith("ed") and word not in NOT_A_PAST_FORM):
            return True
        # "User prefers", "Needs": of the third person, as statements begin.
        if word in PRESENT or (place < 2 and word.endswith("s") and not word.endswith("ss")):
            return False
    return False


@Prepared
def times_of(app: App, *pks: int) -> QuerySet[Memory, Row]:
    rows = Memory.objects.for_app(app).filter(pk__in=pks).order_by()
    return rows.values_list("pk", "content", "valid_from", "created_at", "resource__content_at", "resource__utc_offset")
