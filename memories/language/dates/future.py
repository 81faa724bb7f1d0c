"""What a text says will happen or should be remembered: "dentist on Friday at 3pm", "in two weeks", "every Monday".

Where `temporal` reads a time as past, here it is read as coming: "Friday" is the next one, "May 3" today's at the
earliest. What is told in the past tense, has a year that is over or only looks like a date is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from itertools import islice, takewhile

from memories.language.dates import calendar
from memories.language.dates.calendar import DAY, LAST, UNIT_CYCLES, Span, read_day, read_name
from memories.language.dates.clock import Clock, read_clock, read_day_part
from memories.language.dates.future_dates import (
    coming,
    read_amount,
    read_day_ahead,
    read_inner,
    read_named_date,
    read_simple,
)
from memories.language.dates.recurrence import as_birthday, is_dated, next_day, read_recurring
from memories.language.dates.speech import Found, Proof, Speech, from_span, read_speech
from memories.language.dates.tense import fits
from memories.language.dates.words import (
    ADVERBS,
    ANCHORS,
    ANNOUNCED,
    BOUNDARIES,
    INSTEAD,
    LEADS,
    LIMITS,
    MADE_FOR,
    MONTHS,
    MOVED,
    NOT,
    ORDINALS,
    PAST,
    PLAIN_MONTHS,
    PREPOSITIONS,
    STARTERS,
    THIRDS,
    THIRDS_WITH_OF,
    TOO,
    UNITS,
    WEEKDAYS,
    is_excepted,
)
from memories.language.wordlists import words

_DAYS_OF = {"day": 1, "week": 7}
_ENDS_OF_DAY = (
    ("eod",),
    ("the", "end", "of", "the", "day"),
    ("the", "end", "of", "day"),
    ("end", "of", "the", "day"),
    ("end", "of", "day"),
)


def _read_end_of_day(speech: Speech, index: int) -> Found | None:
    """Read "by EOD", "by the end of the day", "by end of day Friday"; "at the end of the day" is a saying."""
    for phrase in _ENDS_OF_DAY:
        place = index + len(phrase)
        if (
            speech.word(index - 1) in LIMITS
            and tuple(speech.word(index + offset) for offset in range(len(phrase))) == phrase
        ):
            day = read_simple(speech, place)
            return day.moved(len(phrase)) if day and not day.last else Found(len(phrase), speech.today)
    return None


def _read_beside(speech: Speech, index: int) -> Found | None:
    """Read "two days before Christmas", "the day after May 3", "the week before Easter"."""
    amount = read_amount(speech, index)
    unit = UNITS.get(speech.word(index + 1), "") if speech.word(index) == "the" else ""
    count, unit, used = (amount[1], amount[2], amount[3]) if amount else (1, unit, 2)
    side = speech.word(index + used)
    if unit not in {"day", "week", "month"} or side not in {"before", "after"}:
        return None
    inner = read_simple(speech, index + used + 1)
    if not inner or inner.last or inner.first == datetime.min:
        return None
    words = used + 1 + inner.words
    is_before = side == "before"
    if unit != "day" and not amount:
        first = calendar.shift(inner.first, unit, -1) if is_before else inner.first + DAY
        last = inner.first - DAY if is_before else calendar.shift(inner.first, unit, 1)
        return from_span(words, Span(first, last + DAY), speech.today)
    return Found(words, calendar.shift(inner.first, unit, -count if is_before else count))


def _read_around(speech: Speech, index: int) -> Found | None:
    """Read "the weekend of the 28th", "the week of May 3": the one in which that day is, or to which it is nearest."""
    place = speech.skip(index, "the")
    unit = speech.word(place)
    if unit not in {"week", "weekend"} or speech.word(place + 1) != "of":
        return None
    day = read_simple(speech, place + 2) or read_day_ahead(speech, place + 2)
    if not day or day.last or day.first == datetime.min:
        return None
    week = UNIT_CYCLES["week"]
    span = calendar.weekend_near(day.first) if unit == "weekend" else week.period(week.number(day.first))
    return from_span(place + 2 + day.words - index, span, speech.today) if span else None


def _read_part(speech: Speech, index: int) -> Found | None:
    """Read "the end of next week", "early May", "mid-June", "later this month", "the end of the year"."""
    first = speech.skip(index, "the")
    word = speech.word(first)
    if word == "later":
        # "later today", "later this week", "later in the year"
        place = speech.skip(index + 1, "in")
        if speech.word(place) == "today":
            return Found(place + 1 - index, speech.today)
        whole = _read_whole(speech, place)
        if not whole or not whole.last:
            return None
        return from_span(place + whole.words - index, Span(whole.first, whole.last + DAY), speech.today)
    if word not in THIRDS:
        return None
    place = speech.skip(first + 1, *(("of",) if word in THIRDS_WITH_OF else ("-", "in")))
    if word in THIRDS_WITH_OF and place == first + 1:
        return None
    inner = _read_whole(speech, place) or read_inner(speech, place)
    if not inner or not inner.last:
        return None
    # What is left of a running week or month does not tell where its end begins, but where it ends is sure.
    start = inner.begin or inner.first
    days, part = (inner.last - start).days + 1, THIRDS[word]
    # The end of a week is Friday to Sunday.
    first_day, end = ((0, 2), (2, 4), (4, 7))[part] if days == 7 else (days * part // 3, days * (part + 1) // 3)
    span = Span(start + first_day * DAY, start + max(end, first_day + 1) * DAY)
    is_vague = speech.word(place) == "the" and word not in THIRDS_WITH_OF
    return replace(
        from_span(place + inner.words - index, span, speech.today), proof=Proof.FUTURE if is_vague else inner.proof
    )


def _read_whole(speech: Speech, index: int) -> Found | None:
    """Read "the week", "the month", "this year": the running one."""
    unit = speech.word(index + 1)
    if speech.word(index) not in {"the", "this"} or unit not in {"week", "month", "year", "quarter"}:
        return None
    cycle = UNIT_CYCLES[unit]
    span = cycle.period(cycle.number(speech.local))
    return Found(2, span.start, span.end - DAY) if span else None


def _read_nth_part(speech: Speech, index: int) -> Found | None:
    """Read "the first week of June", "the last day of the month"; a first week is the first seven days."""
    place = speech.skip(index, "the")
    order, days = speech.word(place), _DAYS_OF.get(speech.word(place + 1))
    if not days or (order != "last" and order not in ORDINALS) or speech.word(place + 2) not in {"of", "in"}:
        return None
    whole = _read_whole(speech, place + 3) or read_inner(speech, place + 3)
    if not whole or not whole.last:
        return None
    number = ORDINALS.get(order, 0)
    start = (whole.begin or whole.first) + (number - 1) * days * DAY if number else whole.last - (days - 1) * DAY
    return from_span(place + 3 + whole.words - index, Span(start, start + days * DAY), speech.today)


_LINKS = frozenset({"-", "–", "—", "to", "through", "thru", "until", "till"})
_MOST_DAYS = 366
_GOING_ON = frozenset({"i", "we", "he", "she", "they", "and", "or", "so", "but", "because"})
"""Behind a day they begin something new; any other word may be what is counted: "the 3rd floor"."""


def _read_range(speech: Speech, index: int, is_between: bool) -> Found | None:
    """Return a range that begins here, behind its "from" or "between"."""
    links = frozenset({"and"}) if is_between else _LINKS
    return (
        _read_weekdays(speech, index, links)
        or _read_days_of_month(speech, index, links)
        or _read_days_behind_month(speech, index, links)
        or _read_bare_days(speech, index, links)
        or _read_two(speech, index, links)
    )


def _read_weekdays(speech: Speech, index: int, links: Set[str]) -> Found | None:
    """Read "Monday to Friday"."""
    first, last = WEEKDAYS.get(speech.word(index)), WEEKDAYS.get(speech.word(index + 2))
    if first is None or last is None or first == last or speech.word(index + 1) not in links:
        return None
    if speech.word(index + 3).isdecimal() or speech.word(index + 3) in MONTHS:
        return None
    span = calendar.weekday(first).next(speech.local)
    return Found(3, span.start, span.start + (last - first) % 7 * DAY) if span else None


def _read_days_of_month(speech: Speech, index: int, links: Set[str]) -> Found | None:
    """Read "3-5 May", "the 3rd to the 5th of May 2027"."""
    place = speech.skip(index, "the")
    day = read_day(speech, place)
    if not day or speech.word(place + 1) not in links or not read_day(speech, speech.skip(place + 2, "the")):
        return None
    last_at = place + 2
    last = read_named_date(speech, last_at)
    if not last:
        last_at = speech.skip(last_at, "the")
        last = read_named_date(speech, last_at)
    if not last or last.last or last.first.day <= day[0]:
        return None
    return replace(last, words=last_at + last.words - index, first=last.first.replace(day=day[0]), last=last.first)


def _read_days_behind_month(speech: Speech, index: int, links: Set[str]) -> Found | None:
    """Read "May 3-5", "May 3rd to 5th"."""
    if speech.word(index) not in MONTHS:
        return None
    result = read_named_date(speech, index)
    last = read_day(speech, index + 3)
    if not result or result.words != 2 or not last or speech.word(index + 2) not in links:
        return None
    if last[0] <= result.first.day or speech.word(index + 4) == ":":
        return None
    return replace(result, words=4, last=result.first.replace(day=last[0]))


def _read_bare_days(speech: Speech, index: int, links: Set[str]) -> Found | None:
    """Read "the 16th to the 20th", but not "the 2nd to the 3rd floor"."""
    place = speech.skip(index, "the")
    last_at = speech.skip(place + 2, "the")
    first, last = read_day(speech, place), read_day(speech, last_at)
    if not first or not last or not (first[1] and last[1]) or speech.word(place + 1) not in links:
        return None
    follower = speech.word(last_at + 1)
    if follower.isalpha() and follower not in PREPOSITIONS | _GOING_ON:
        return None
    end = coming(calendar.day_of_month(last[0]), speech.today)
    start = end and calendar.day_of_month(first[0]).latest(end.start - DAY)
    if not start or not end:
        return None
    return _until(Found(0, start.start), end.start, speech).moved(last_at + 1 - index)


def _until(first: Found, last: datetime, speech: Speech) -> Found:
    """From a day to a later one; what is running begins today."""
    return replace(first, first=max(first.first, speech.today), last=last, begin=first.first)


def _read_two(speech: Speech, index: int, links: Set[str]) -> Found | None:
    """Read "May 3 to June 5", "tomorrow until Friday", "June to August"."""
    first = read_simple(speech, index) or read_day_ahead(speech, index)
    if not first or speech.word(index + first.words) not in links:
        return None
    place = speech.skip(index + first.words + 1, "the")
    last = read_inner(speech, place)
    if (
        last
        and (last.end - first.first).days > _MOST_DAYS
        and MONTHS.keys() & {speech.word(index), speech.word(index + 1)}
    ):
        # "June 28 to July 5, 2027": the year is said once.
        first = replace(first, first=first.first.replace(year=last.end.year))
    if last and last.end <= first.first:
        named = read_name(speech, index)
        span = named.cycle.latest(last.end - DAY) if named and named.words == first.words else None
        first = replace(first, first=span.start) if span else first
    if not last or last.end <= first.first or (last.end - first.first).days > _MOST_DAYS:
        return None
    return _until(replace(first, words=place + last.words - index), last.end, speech)


MOST_OBJECT = 8
"""Words between a verb and what it is done for: "announced a rent increase of 4 percent for July"."""
_READERS = (_read_end_of_day, _read_beside, _read_around, _read_nth_part, _read_part, read_simple)
_LEADS_OF_VERBS = frozenset({"on", "in", "at", "over", "around", "through"})
"""In "come over tomorrow" they belong to the verb."""


def read_led(speech: Speech, index: int) -> Found | None:
    """Return a time and what leads it.

    "By", "until" and "before" give the day that is the limit, "after" the day behind it.

    What is led by "since" has begun: its day is `datetime.min`.
    """
    lead = speech.word(index) if speech.word(index) in LEADS and speech.word(index + 1) != "of" else ""
    if speech.word(index + 1) in ADVERBS and lead in _LEADS_OF_VERBS:
        return None
    place = index + 1 if lead else index
    if lead == "since":
        result = _read_time(speech, place)
        return Found(result.words + 1, datetime.min) if result else None
    between = speech.word(index) == "between"
    place += between
    is_capital = speech.is_capital(place) and not speech.is_capital(place + 1)
    is_month = speech.word(place) in PLAIN_MONTHS or (speech.word(place) in MONTHS and is_capital)
    if is_month and _is_ahead(speech, lead, index):
        named = read_inner(speech, place)
        return replace(named.moved(1), proof=Proof.NONE) if named else None
    result = _read_range(speech, place, is_between=between) or (None if between else _read_time(speech, place))
    return _limited(speech, lead, place, result).moved(place - index) if result else None


def _limited(speech: Speech, lead: str, place: int, result: Found) -> Found:
    if lead in LIMITS:
        is_end = "end" in (speech.word(place), speech.word(place + 1))
        return replace(result, first=result.end if is_end else result.first, last=None)
    if lead == "within":
        return replace(result, first=result.end, last=None)
    if lead == "after":
        return replace(result, first=result.end + DAY, last=None)
    is_for_day = lead == "for" and not result.last and result.proof is Proof.NOT_PAST
    if is_for_day and (speech.word(place) in WEEKDAYS or _is_ahead(speech, lead, place - 1)):
        # "Got tickets for Friday": what is done for a day is done before it.
        return replace(result, proof=Proof.NONE)
    return result


def _is_ahead(speech: Speech, lead: str, index: int) -> bool:
    """Tell whether the verb before it does something about what is to come: "announced a rent increase for July"."""
    verbs = {"for": MADE_FOR, "from": ANNOUNCED}.get(lead)
    if not verbs:
        return False
    for place in range(index - 1, max(-1, index - 1 - MOST_OBJECT), -1):
        word = speech.surface(place)
        if word in BOUNDARIES:
            return False
        if word in verbs or word in PAST or word.endswith("ed"):
            return word in verbs
    return False


def _read_time(speech: Speech, index: int) -> Found | None:
    return next(filter(None, (read(speech, index) for read in _READERS)), None)


_MOST_BETWEEN = 8
_MOST_BEFORE_ANCHOR = 6
_EARLY, _GETTING = words("alarm breakfast wake wakes waking woken"), words("be being get gets getting i'm")
_OTHER_TIMES = ADVERBS | MONTHS.keys() | WEEKDAYS.keys() | {",", "and", "then", "or"}


def _places_to_read(speech: Speech) -> Iterator[int]:
    """Yield where a time may begin: at a word that begins times, a few words before one that every time has."""
    last_anchor = -1
    anchors = [-1] * len(speech.tokens)
    for index in range(len(speech.tokens) - 1, -1, -1):
        word = speech.word(index)
        if word in ANCHORS or word[:1].isdecimal():
            last_anchor = index
        anchors[index] = last_anchor
    for index, anchor in enumerate(anchors):
        word, following = speech.word(index), speech.word(index + 1)
        is_led = word in LEADS and (following in STARTERS or following == "of" or following[:1].isdecimal())
        is_start = is_led or (word not in LEADS and (word in STARTERS or word[:1].isdecimal()))
        if is_start and index <= anchor <= index + _MOST_BEFORE_ANCHOR:
            yield index


def _read_moment(speech: Speech, index: int) -> Found | None:
    """Return the time that begins here, with its clock. Raises ValueError or OverflowError outside of the calendar."""
    early = read_clock(speech, index)
    if early:
        place = speech.skip(index + early.words, ",")
        result = read_recurring(speech, place) or read_led(speech, place)
        if result:
            return _complete(speech, place, result, early).moved(place - index)
    result = read_recurring(speech, index) or read_led(speech, index)
    return _complete(speech, index, result, None) if result else None


def _complete(speech: Speech, index: int, result: Found, early: Clock | None) -> Found:
    part, used = ("", 0) if result.last else read_day_part(speech, index + result.words)
    end = index + result.words + used
    part = part or result.part
    place = speech.skip(end, ",")
    clock = early or read_clock(speech, place)
    if clock and not early:
        end = place + clock.words
        if not part:
            part, used = read_day_part(speech, end)
            end += used
    result = replace(result, words=end - index, part=part)
    if not clock and not (result.last or result.clock):
        clock = _clock_beside(speech, index, end)
    if not clock:
        return result
    hour, first = clock.as_time(part or _part_told_by(speech, index)), result.first
    if part == "night" and hour == time() and not result.rule:
        first += DAY  # midnight tonight is the beginning of tomorrow
    if result.rule and first == speech.today and hour <= speech.local.time():
        day = next_day(result.rule, first.date(), first.date())
        first = datetime.combine(day, time()) if day else first
    return replace(result, clock=hour, first=first)


def _part_told_by(speech: Speech, index: int) -> str:
    """Return the part of the day that the clause before it tells: who gets up at 6 does so in the morning."""
    for place in range(index - 1, index - 1 - _MOST_BETWEEN, -1):
        word = speech.surface(place)
        if not word or word in BOUNDARIES:
            return ""
        if word in _EARLY or (word == "up" and speech.surface(place - 1) in _GETTING):
            return "morning"
    return ""


def _clock_beside(speech: Speech, first: int, end: int) -> Clock | None:
    """Return the clock time of the same clause, a few words away: "dinner on Friday with Ann at 7"."""
    for places in (range(end, end + _MOST_BETWEEN), range(first - 1, first - 1 - _MOST_BETWEEN, -1)):
        for index in places:
            word = speech.word(index)
            if not word or word in BOUNDARIES or word in _OTHER_TIMES:
                break
            clock = read_clock(speech, index) if word == "at" else None
            if clock:
                return clock
    return None


__all__ = ["MOST_COMING", "MOST_PLACES", "Coming", "find_coming", "next_day"]

MOST_COMING = 32
MOST_PLACES = 5000
REACH_OF_INSTEAD = 6


@dataclass(frozen=True, slots=True)
class Coming:
    """`text` is what was said from `start` to before `end`.

    `on` is the day, or the first of a span that ends with `until`; spans that are running begin today. For "by
    Friday" it is the limit. `clock` is its time in the time zone of now. `rule` is an RRULE (RFC 5545) whose first
    day is `on`.
    """

    start: int
    end: int
    text: str
    on: date
    clock: time | None = None
    until: date | None = None
    rule: str = ""


def find_coming(text: str, now: datetime, with_denied: bool = False) -> list[Coming]:
    """Return the coming times of a text in the order they are said, at most MOST_COMING.

    `with_denied` tells also which days are not meant: the Friday of "not this Friday but the 12th".
    Linear in the length of the text. Of a very long one, the first MOST_PLACES that look like a time are read.
    """
    speech = read_speech(text, now)
    comings: list[Coming] = []
    end = moved_to = 0
    for index in islice(_places_to_read(speech), MOST_PLACES):
        if index < end:
            continue
        result = _read(speech, index)
        if not result:
            continue
        left = _left_behind(speech, index)
        end = index + (result.words if result.last or not left else left)
        moved_to = index + left if left else moved_to
        if _is_taken_out(speech, index, text, with_denied) or (left and not result.last):
            continue
        if index <= moved_to and moved_to:
            # What something is moved to: the end of a span, whatever tense that is told in.
            result = replace(result, first=result.end, last=None, begin=None, proof=Proof.NONE)
        if _is_coming(speech, index + left, end, result):
            first, last = speech.tokens[index + left].start, speech.tokens[end - 1].end
            until = result.last.date() if result.last else None
            comings.append(Coming(first, last, text[first:last], result.first.date(), result.clock, until, result.rule))
        if len(comings) == MOST_COMING:
            break
    return comings


def _read(speech: Speech, index: int) -> Found | None:
    """None, too, for days outside of the calendar."""
    try:
        result = _read_moment(speech, index)
        result = result and (as_birthday(speech, index, index + result.words, result) or result)
    except (ValueError, OverflowError):
        return None
    return result if result and result.end <= LAST else None


def _is_taken_out(speech: Speech, index: int, text: str, with_denied: bool) -> bool:
    """Read "never later in the week", "except on Fridays"; and, not `with_denied`, "not this Friday but the 12th".

    "Never before Friday", "not before Friday" and "why not Friday?" name the day.
    """
    if speech.word(index) in LIMITS:
        return False
    before = speech.surface(index - 1)
    if speech.word(index - 1) == "never" or is_excepted(text, speech.tokens[index].start):
        return True
    behind = range(index + 1, index + REACH_OF_INSTEAD)
    is_denied = (before in NOT and speech.word(index - 2) != "why") or (
        before == "pas" and "mais" in map(speech.surface, behind)
    )
    is_denied |= any(speech.surface(place) in INSTEAD and speech.surface(place + 1) not in TOO for place in behind)
    return is_denied and not with_denied


def _left_behind(speech: Speech, index: int) -> int:
    """Return the tokens of a time that something is moved from; else 0.

    "moved it from Tuesday to Thursday" names Thursday.
    """
    if speech.word(index) != "from":
        return 0
    before = takewhile(lambda place: speech.surface(place) not in BOUNDARIES, range(index - 1, index - 10, -1))
    if not any(speech.surface(place) in MOVED for place in before):
        return 0
    to = next((place for place in range(index + 1, index + 6) if speech.surface(place) == "to"), index + 1)
    return to - index + (speech.surface(to) == "to")


def _is_coming(speech: Speech, first: int, end: int, result: Found) -> bool:
    if result.first < speech.today:
        return False
    is_today = result.first == speech.today and not (result.last or result.rule)
    if is_today and result.clock and result.clock < speech.local.time().replace(second=0, microsecond=0):
        return False
    if is_today and result.clock and result.proof is Proof.FUTURE:
        return fits(speech, first, end, Proof.NOT_PAST)
    # "My birthday was on May 3" tells of the past, and the day comes again.
    return (bool(result.rule) and is_dated(speech, first, end)) or fits(speech, first, end, result.proof)
