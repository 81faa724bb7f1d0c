"""Days that lie ahead: "May 3", "tomorrow", "next Friday", "Christmas", "in three days", "the first Monday of June"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import takewhile

from memories.language.dates import calendar
from memories.language.dates.calendar import (
    DAY,
    SMALL_UNITS,
    UNIT_CYCLES,
    Cycle,
    Named,
    Span,
    holiday_at,
    read_bare_year,
    read_day,
    read_name,
    read_numeric,
    read_year,
)
from memories.language.dates.clock import read_clock
from memories.language.dates.speech import Found, Proof, Speech, from_span
from memories.language.dates.tense import is_told_beforehand
from memories.language.dates.windows import ABOUT, read_count
from memories.language.dates.words import (
    ABSTRACT_BEFORE_TOMORROW,
    BOUNDARIES,
    COMING,
    DAY_PARTS,
    DETERMINERS,
    FEASTS,
    LEADS,
    LIMITS,
    MONTHS,
    MOVED,
    NEXT,
    NO_DAY_BEHIND,
    NOT_A_DATE_BEHIND,
    NOT_A_HOLIDAY_BEFORE,
    ORDINALS,
    OWNERS,
    PASSED,
    PLAIN_WEEKDAYS,
    PREPOSITIONS,
    SAME_AS,
    SUBJECTS,
    THIS,
    UNITS,
    WEEKDAYS,
)

_LEADS_OF_MONTHS = LIMITS | {"in", "for", "from", "after", "starting", "beginning", "around", "during", "early", "late"}
_LEADS_OF_SHORT_DATES = LIMITS | {"on", "for", "due"}
_CLOCK_OF_ISO = re.compile(r"t([01][0-9]|2[0-3]):([0-5][0-9])")
_MOST_MONTHS = 60
MOST_AHEAD = 300 * DAY
"""Who names a month without its year, and tells of no plan, means none that is nearer behind."""
_OVER = Span(datetime.min, datetime.min + DAY)
"""For a date that is not to be read, nor its pieces."""
_OPEN = BOUNDARIES | {"", ",", "is", "it's", "'s", "was", "now", "actually"}
_CLOSED = BOUNDARIES | {"", ",", "at", "then", "and", "works", "suits"}
_TODAY_IS = frozenset({"it's", "its", "today's"})


def coming(cycle: Cycle, today: datetime) -> Span | None:
    """Return the running period of a cycle, else the next; of a weekday always the next."""
    running = cycle.latest(today) if cycle.number is not calendar.week_number or cycle.precision != "day" else None
    return running if running and running.end > today else cycle.next(today)


def read_named_date(speech: Speech, index: int) -> Found | None:
    """Read "May 3", "the 3rd of May 2027", "Friday", "in May", "on the 15th", "the 15th of next month"."""
    named = _named_at(speech, index)
    if not named or not _is_meant(speech, index, named):
        return None
    year = read_year(speech, index + named.words) if named.cycle.is_yearly else None
    if year:
        span = named.cycle.period(year[0])
        proof = Proof.NONE if span and span.start > speech.today else Proof.NOT_PAST
        return from_span(named.words + year[1], span, speech.today, proof) if span else None
    inside = _read_inside(speech, index + named.words, named.cycle)
    if inside:
        return inside.moved(named.words)
    # "Sat at 5" would be the verb without the clock.
    is_day = (
        speech.word(index) in WEEKDAYS and speech.is_capital(index) and read_clock(speech, speech.skip(index + 1, ","))
    )
    is_sure = named.is_sure or is_day or _is_alone(speech, index, named)
    span = coming(named.cycle, speech.today) if is_sure else None
    if not span:
        return None
    # "Sales are up in Q3", and in March "the figures for January are wrong", tell of what was last called so.
    precision = named.cycle.precision
    is_just_over = precision == "month" and span.start - speech.today > MOST_AHEAD
    is_last = (is_just_over or precision == "quarter") and not is_told_beforehand(speech, index)
    return from_span(named.words, span, speech.today, Proof.NO_HABIT if is_last else Proof.NOT_PAST)


def read_day_ahead(speech: Speech, index: int) -> Found | None:
    """Read "the 28th", "May 3" where nothing but a day can stand."""
    named = _named_at(speech, index)
    span = coming(named.cycle, speech.today) if named and named.cycle.precision == "day" else None
    return from_span(named.words, span, speech.today) if named and span else None


def _named_at(speech: Speech, index: int) -> Named | None:
    """Read a name; behind "the" only a date or "the weekend": "the May 3 release" is none, "the 3rd of May" is."""
    named = read_name(speech, index)
    if named or speech.word(index) != "the":
        return named
    named = read_name(speech, index + 1)
    is_date = named and named.cycle.precision == "day" and named.words > 1
    return replace(named, words=named.words + 1) if named and is_date else None


def _is_meant(speech: Speech, index: int, named: Named) -> bool:
    precision = named.cycle.precision
    if precision in {"month", "quarter"}:
        first = index  # of the months that are named one behind the other: "for June and July"
        while speech.word(first - 1) in {"and", "or", ","} and speech.word(first - 2) in MONTHS:
            first -= 2
        return speech.before(first) in _LEADS_OF_MONTHS or read_year(speech, index + 1) is not None
    if precision in {"season", "half", "holiday", "weekend"}:
        return False
    before = speech.word(index - 1)
    if named.words > 1:
        return before not in OWNERS | NOT_A_DATE_BEHIND
    if speech.word(index) not in WEEKDAYS:
        return True
    # Not "Man Friday", "your Friday", "a Friday", "the Friday call", nor "It's Friday!".
    if before in NO_DAY_BEHIND | PASSED | (OWNERS - {"her"}) | {"a"}:
        return False
    if before in DETERMINERS and speech.word(index + 1).isalpha():
        return False
    # Of "it isn't Wednesday, it's Tuesday" and "it's Tuesday, not Wednesday" one day sets the other right.
    near = (speech.word(place) for place in (index - 4, index - 3, index - 2, index + 2, index + 3))
    is_set_right = any(word in WEEKDAYS and word != speech.word(index) for word in near)
    is_today = speech.today.weekday() == WEEKDAYS[speech.word(index)]
    return (speech.surface(index - 1) not in _TODAY_IS or is_set_right) and not (is_today and before == "is")


def _read_inside(speech: Speech, index: int, cycle: Cycle) -> Found | None:
    """Read "of next month", "of this month" behind "the 15th"; words are counted from `index`."""
    place = speech.skip(index, "of")
    which, unit = speech.word(place), speech.word(place + 1)
    if cycle.number is not calendar.month_number or which not in {"this", "next", "the"} or unit != "month":
        return None
    span = cycle.period(cycle.number(speech.local) + (which == "next"))
    if which == "the" and span and span.start < speech.today:
        span = cycle.next(speech.local)
    return Found(place + 2 - index, span.start if span else datetime.min)


def _is_alone(speech: Speech, index: int, named: Named) -> bool:
    """Read "the 18th" as a whole answer, "it's the 18th", "moved it, now the 18th", "moved it to the 18th"."""
    is_day = speech.word(index) == "the" and named.cycle.number is calendar.month_number
    before, behind = speech.surface(index - 1), speech.word(index + named.words)
    if before == "to":
        verbs = takewhile(
            lambda place: speech.surface(place) not in BOUNDARIES, range(index - 2, max(-1, index - 9), -1)
        )
        is_moved = any(speech.surface(place) in MOVED for place in verbs)
        return is_day and is_moved and (behind in _CLOSED or behind in {"instead", "of", "because", "so", "for"})
    is_ours = before in {"it's", "is"} and behind in {"we", "i"}
    return is_day and before in _OPEN and (behind in _CLOSED or is_ours)


def read_the_weekend(speech: Speech, index: int) -> Found | None:
    """Read "for the weekend"; without a preposition before it, it tells of any, and before "of" of another."""
    is_said = (speech.word(index), speech.word(index + 1)) == ("the", "weekend") and speech.word(index - 1) in LEADS
    is_said = is_said and speech.word(index + 2) != "of"
    span = coming(UNIT_CYCLES["weekend"], speech.today) if is_said else None
    return from_span(2, span, speech.today) if span else None


def read_weekday_with_day(speech: Speech, index: int) -> Found | None:
    """Read "Friday the 13th", "Friday, 13th": the next day that is both."""
    if speech.word(index) not in WEEKDAYS:
        return None
    place = speech.skip(speech.skip(index + 1, ","), "the")
    number = re.fullmatch(r"([0-9]{1,2})(?:st|nd|rd|th)", speech.word(place))
    if not number or not 1 <= int(number[1]) <= 31 or speech.word(place + 1) in {"floor", "of"}:
        return None
    cycle, month = calendar.day_of_month(int(number[1])), calendar.month_number(speech.today)
    spans = (cycle.period(later) for later in range(month, month + _MOST_MONTHS))
    days = (span.start for span in spans if span and span.start.weekday() == WEEKDAYS[speech.word(index)])
    first = next((day for day in days if day >= speech.today), None)
    return Found(place + 1 - index, first) if first else None


def read_numeric_date(speech: Speech, index: int) -> Found | None:
    """Read "2027-05-03", "2027-05-03T10:30", "03.05.2027", "13/05/2027".

    With slashes a date that can be read both ways is left out, unless both are the same day. Dots put the day first.
    """
    is_dotted = speech.word(index + 1) == "." and speech.is_glued(index + 1) and speech.is_glued(index + 2)
    is_file = is_dotted and speech.word(index + 2).isalnum()
    if speech.word(index - 1) in NOT_A_DATE_BEHIND or is_file or speech.word(index + 1) == "version":
        return None
    read = read_numeric(speech, index)
    if not read:
        # Read "by 25/12", "on 12/25": one of the numbers must be above 12.
        numbers = [speech.word(index), speech.word(index + 2)]
        is_glued = speech.word(index + 1) == "/" and speech.is_glued(index + 1) and speech.is_glued(index + 2)
        is_led = speech.word(index - 1) in _LEADS_OF_SHORT_DATES
        is_longer = speech.word(index + 3) in {"/", "-"} and speech.is_glued(index + 3)
        if not is_glued or not is_led or is_longer or not all(re.fullmatch("[0-9]{1,2}", number) for number in numbers):
            return None
        month, day = sorted(int(number) for number in numbers)
        if not 1 <= month <= 12 < day <= 31 or numbers == ["24", "7"]:
            return None
        span = coming(calendar.day_of_year(month, day), speech.today)
        return Found(3, span.start) if span else None
    is_clear = not read.other
    proof = Proof.NONE if is_clear and read.span.start > speech.today else Proof.NOT_PAST
    result = from_span(1, read.span if is_clear else _OVER, speech.today, proof)
    clock = _CLOCK_OF_ISO.search(speech.word(index))
    return replace(result, clock=time(int(clock[1]), int(clock[2]))) if clock else result


def read_bare_year_ahead(speech: Speech, index: int, is_expected: bool = False) -> Found | None:
    """Read "in 2028"; the running year only where something is said to come in it."""
    read = read_bare_year(speech, index, is_expected)
    if not read:
        return None
    proof = Proof.NONE if read.span.start > speech.today else Proof.FUTURE
    return from_span(1, read.span, speech.today, proof)


_LEADS_OF_FEASTS = (LEADS | {"this"}) - {"during", "over", "throughout", "in"}


def read_feast(speech: Speech, index: int) -> Found | None:
    """Read "Christmas", "New Year's Eve", "Easter" behind a preposition, with or without a year."""
    name = holiday_at(speech, index)
    words = len(name.split())
    year = read_year(speech, index + words) if name else None
    is_led = year or speech.word(index - 1) in _LEADS_OF_FEASTS
    if not name or not is_led or speech.word(index + words) in NOT_A_HOLIDAY_BEFORE:
        return None
    cycle = feast(name)
    span = cycle.period(year[0]) if year else coming(cycle, speech.today)
    proof = Proof.NOT_PAST if year or is_told_beforehand(speech, index) else Proof.NO_HABIT
    return Found(words + (year[1] if year else 0), span.start, proof=proof) if span else None


def feast(name: str) -> Cycle:
    """Return the day people mean by a feast: of Christmas the 25th."""
    return calendar.holiday(FEASTS.get(name, name))


_UNITS_THAT_PASS = frozenset({"week", "month", "quarter", "year", "decade"})


def read_near_day(speech: Speech, index: int) -> Found | None:
    """Read "today", "tonight", "this evening", "tomorrow", "the day after tomorrow"."""
    word = speech.word(index)
    if word == "tomorrow":
        is_idea = speech.word(index - 1) in ABSTRACT_BEFORE_TOMORROW
        return None if is_idea else Found(1, speech.today + DAY, proof=Proof.NONE)
    if word == "today":
        is_compared = speech.word(index - 1) in SAME_AS
        return None if is_compared else Found(1, speech.today, proof=Proof.FUTURE)
    if word == "tonight":
        return Found(1, speech.today, part="night")
    if word == "this" and speech.word(index + 1) in DAY_PARTS:
        part = speech.word(index + 1)
        ends = speech.today + timedelta(hours=DAY_PARTS[part][1])
        return Found(2, speech.today, proof=Proof.FUTURE, part=part) if speech.local < ends else None
    place = speech.skip(index, "the")
    if tuple(speech.word(place + offset) for offset in range(3)) == ("day", "after", "tomorrow"):
        return Found(place + 3 - index, speech.today + 2 * DAY, proof=Proof.NONE)
    return None


def read_next(speech: Speech, index: int) -> Found | None:
    """Read "next Friday", "this weekend", "the coming week", "next May", "next week on Friday"."""
    place = speech.skip(index, "the")
    which = speech.word(place)
    if which in THIS and speech.word(place + 1) in COMING:
        place, which = place + 1, speech.word(place + 1)
    if which not in NEXT | COMING | THIS:
        return None
    named = _named_or_unit(speech, place + 1)
    span = _choose(speech, named.cycle, which) if named else None
    if not named or not span:
        return None
    end, precision = place + 1 + named.words, named.cycle.precision
    if which in THIS:
        proof = Proof.FUTURE if precision in _UNITS_THAT_PASS else Proof.NOT_PAST
    else:
        proof = Proof.NOT_PAST if place > index and which in NEXT else Proof.NONE
    if precision == "week":
        day_at = speech.skip(end, "on")
        day = WEEKDAYS.get(speech.word(day_at))
        if day is not None and (day_at > end or speech.word(day_at).endswith("day")):
            proof = Proof.NOT_PAST if proof is Proof.FUTURE else proof
            return Found(day_at + 1 - index, span.start + day * DAY, proof=proof)
    if precision in {"day", "holiday"}:
        return Found(end - index, span.start, proof=proof)
    return from_span(end - index, span, speech.today, proof)


def _named_or_unit(speech: Speech, index: int) -> Named | None:
    word = speech.word(index)
    if word in UNIT_CYCLES:
        return Named(UNIT_CYCLES[word], 1, is_sure=True)
    if word in WEEKDAYS:
        return Named(calendar.weekday(WEEKDAYS[word]), 1, is_sure=True)
    name = holiday_at(speech, index)
    if name:
        return Named(feast(name), len(name.split()), is_sure=True)
    named = read_name(speech, index)
    is_kind = named and named.is_sure and named.cycle.precision in {"month", "season"}
    return named if named and is_kind and speech.word(index + named.words) != "break" else None


def _choose(speech: Speech, cycle: Cycle, which: str) -> Span | None:
    """Find a period: the next one of a week or month lies in the next one; this one in the running one, if not over."""
    running = cycle.period(cycle.number(speech.local))
    if which in NEXT and not cycle.is_yearly:
        return cycle.period(cycle.number(speech.local) + 1)
    if which in NEXT and cycle.precision == "year":
        return cycle.period(speech.today.year + 1)
    if which in THIS and running and running.end > speech.today:
        return running
    return cycle.next(speech.local)


def read_in_week(speech: Speech, index: int) -> Found | None:
    """Read "Friday next week", "Monday of next week", "the weekend after next", "the week after next"."""
    first = speech.skip(index, "the")
    day = WEEKDAYS.get(speech.word(first))
    cycle = calendar.weekday(day) if day is not None else UNIT_CYCLES.get(speech.word(first))
    if not cycle:
        return None
    number = cycle.number(speech.local)
    if (speech.word(first + 1), speech.word(first + 2)) == ("after", "next"):
        end, number, proof = first + 3, number + 2, Proof.NONE
    else:
        place = speech.skip(first + 1, "of", "in")
        which = speech.word(place)
        if day is None or which not in NEXT | THIS or speech.word(place + 1) != "week":
            return None
        is_next = which in NEXT
        end, number, proof = place + 2, number + is_next, Proof.NONE if is_next else Proof.NOT_PAST
    span = cycle.period(number)
    return from_span(end - index, span, span.start, proof) if span else None


def read_nth_weekday(speech: Speech, index: int) -> Found | None:
    """Read "the first Monday of June", "the last Friday of next month", "the second weekend in June"."""
    nth = nth_weekday_at(speech, index, or_weekend=True)
    if not nth:
        return None
    number, day, used = nth
    more = DAY if speech.word(index + used - 1) == "weekend" else None
    place = speech.skip(index + used, "of", "in")
    months = _months_from(speech, place)
    if place == index + used or not months:
        return None
    for month in months[0]:
        result = _nth_day(month, number, day)
        if result and result >= speech.today:
            return Found(place + months[1] - index, result, result + more if more else None)
    return None


def nth_weekday_at(speech: Speech, index: int, or_weekend: bool = False) -> tuple[int, int, int] | None:
    """Return which one (-1 the last), which weekday, and the tokens of "the first Monday".

    With `or_weekend` it is a Saturday for "the first weekend", too.
    """
    place = speech.skip(index, "the")
    number = -1 if speech.word(place) == "last" else ORDINALS.get(speech.word(place), 0)
    name = "saturday" if or_weekend and speech.word(place + 1) == "weekend" else speech.word(place + 1)
    is_weekday = name in PLAIN_WEEKDAYS and -1 <= number <= 5 and number != 0
    return (number, WEEKDAYS[name], place + 2 - index) if is_weekday else None


def _months_from(speech: Speech, index: int) -> tuple[list[datetime], int] | None:
    """Return the months that may be meant, soonest first, and the tokens.

    "June", "June 2027", "next month", "the month".
    """
    which, cycle = speech.word(index), UNIT_CYCLES["month"]
    number = cycle.number(speech.local)
    if which in {"this", "next", "the"} and speech.word(index + 1) == "month":
        numbers = {"this": [number], "next": [number + 1], "the": [number, number + 1]}[which]
        return [span.start for span in map(cycle.period, numbers) if span], 2
    named = read_name(speech, index)
    if not named or named.cycle.precision != "month":
        return None
    year = read_year(speech, index + named.words)
    years = [year[0]] if year else [speech.today.year, speech.today.year + 1]
    starts = [span.start for span in map(named.cycle.period, years) if span]
    return starts, named.words + (year[1] if year else 0)


def _nth_day(month: datetime, number: int, weekday: int) -> datetime | None:
    """None for a fifth Monday where there are four."""
    if number > 0:
        day = month + ((weekday - month.weekday()) % 7 + 7 * (number - 1)) * DAY
        return day if day.month == month.month else None
    last = calendar.shift(month, "month", 1) - DAY
    return last - (last.weekday() - weekday) % 7 * DAY


_OF_EACH = frozenset({"a", "an", "per", "of", "each"})
"""Behind an amount: "put in 8 hours a day"."""
_CLAUSE_OPENERS = SUBJECTS | PREPOSITIONS | frozenset({"and", "or", "but", "so", "my", "our", "the"})
_WEEKS = {"week": 1, "fortnight": 2}


def read_counted(speech: Speech, index: int) -> Found | None:
    """Read "in 3 days", "within a week", "in the next two weeks", "3 days from now", "a week from Friday".

    The days of "in two or three weeks" make a span. "In an hour" sets the clock.
    """
    if speech.word(speech.skip(index, "the")) in NEXT | COMING:
        # "the next 3 days", "the coming two weeks": from today on.
        place = speech.skip(index, "the") + 1
        counted = read_amount(speech, place)
        if not counted or counted[2] in SMALL_UNITS:
            return None
        last = calendar.shift(speech.today, counted[2], counted[1])
        is_led = speech.word(index - 1) in {"in", "over", "for", "within", "during"}
        return Found(place + counted[3] - index, speech.today, last, Proof.NOT_PAST if is_led else Proof.FUTURE)
    first = speech.skip(index, *ABOUT)
    counted = read_amount(speech, first)
    if not counted:
        return None
    _, high, unit, used = counted
    end = first + used
    if speech.word(end) == "from":
        base = speech.today if speech.word(end + 1) == "now" else _read_day_to_count_from(speech, end + 1)
        if base:
            return _count_from(speech, base, counted, end + 2 - index, Proof.NONE)
    lead = speech.word(index - 1)
    if lead not in {"in", "within"}:
        return None
    if speech.word(end) in _OF_EACH or (lead == "within" and unit in SMALL_UNITS):
        return None
    is_vague = high == 1 and unit in {"minute", "day", "year"}
    proof = Proof.FUTURE if is_vague else Proof.NO_HABIT if lead == "within" else Proof.NOT_PAST
    return _count_from(speech, speech.today, counted, end - index, proof)


def read_weeks_on(speech: Speech, index: int) -> Found | None:
    """Read "Friday week", "tomorrow fortnight", "a week today", "two weeks tomorrow"."""
    weeks = _WEEKS.get(speech.word(index + 1), 0)
    base = _read_day_to_count_from(speech, index) if weeks else None
    if base and not (speech.word(index + 2).isalnum() and speech.word(index + 2) not in _CLAUSE_OPENERS):
        return Found(2, base + weeks * 7 * DAY)
    counted = read_amount(speech, index)
    if not counted or counted[2] not in {"week", "fortnight"} or counted[0] != counted[1]:
        return None
    base = _read_day_to_count_from(speech, index + counted[3])
    if not base or speech.word(index + counted[3]) in WEEKDAYS:
        return None
    return Found(counted[3] + 1, calendar.shift(base, counted[2], counted[0]), proof=Proof.NONE)


def _read_day_to_count_from(speech: Speech, index: int) -> datetime | None:
    word = speech.word(index)
    if word in WEEKDAYS:
        span = calendar.weekday(WEEKDAYS[word]).next(speech.local)
        return span.start if span else None
    return {"today": speech.today, "tomorrow": speech.today + DAY}.get(word)


def read_amount(speech: Speech, index: int) -> tuple[int, int, str, int] | None:
    """Return the least and the most, the unit, and the tokens they take."""
    count = read_count(speech, index)
    unit = UNITS.get(speech.word(index + count[2]), "") if count else ""
    if not count or not unit:
        return None
    end = index + count[2] + 1
    if speech.word(end) in {"'", "’"}:
        end += 1
    end = speech.skip(end, "time")
    return count[0], count[1], unit, end - index


def _count_from(speech: Speech, day: datetime, counted: tuple[int, int, str, int], words: int, proof: Proof) -> Found:
    """Raise ValueError or OverflowError outside of the calendar."""
    low, high, unit, _ = counted
    if unit in SMALL_UNITS:
        moment = calendar.move_clock(speech.now, SMALL_UNITS[unit] * low)
        midnight = datetime.combine(moment.date(), time())
        return Found(words, midnight, proof=proof, clock=moment.time().replace(second=0, microsecond=0))
    first, last = calendar.shift(day, unit, low), calendar.shift(day, unit, high)
    return Found(words, first, last if last > first else None, proof)


_READERS = (
    read_weeks_on,
    read_near_day,
    read_in_week,
    read_next,
    read_counted,
    read_nth_weekday,
    read_numeric_date,
    read_feast,
    read_the_weekend,
    read_weekday_with_day,
    read_named_date,
    read_bare_year_ahead,
)


def read_simple(speech: Speech, index: int) -> Found | None:
    return next(filter(None, (read(speech, index) for read in _READERS)), None)


def read_inner(speech: Speech, index: int) -> Found | None:
    """Return the end of a range or a whole of which a part is named; a month needs no preposition there."""
    is_dated = read_day(speech, index + 1) or read_year(speech, index + 1)
    if speech.word(index) not in MONTHS or is_dated:
        return read_simple(speech, index) or read_bare_year_ahead(speech, index, is_expected=True)
    span = coming(calendar.month_of_year(MONTHS[speech.word(index)]), speech.today)
    return from_span(1, span, speech.today) if span else None
