"""Which coming times a text speaks of, told in tables: text → days, clock, rule."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from memories.language.dates.future import MOST_COMING, Coming, find_coming, next_day
from memories.language.dates.words import STARTERS
from tests.tables import each_row, each_row_of

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 4, 15, 30, tzinfo=BERLIN)
"""A Monday."""
FRIDAY = datetime(2026, 5, 8, 9, 0, tzinfo=BERLIN)
SATURDAY = datetime(2026, 5, 9, 9, 0, tzinfo=BERLIN)
SUNDAY = datetime(2026, 5, 10, 9, 0, tzinfo=BERLIN)
NEW_YEARS_EVE = datetime(2026, 12, 31, 23, 30, tzinfo=BERLIN)


def at_noon(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(hour=12, tzinfo=BERLIN)


def written(coming: Coming) -> str:
    """ "2026-05-08 15:00", "2026-05-11..2026-05-17", "2026-05-08 FREQ=…"."""
    clock = f" {coming.clock:%H:%M}" if coming.clock else ""
    return f"{coming.on}{f'..{coming.until}' if coming.until else ''}{clock}{f' {coming.rule}' if coming.rule else ''}"


def days(text: str, now: datetime = NOW) -> list[str]:
    return [written(coming) for coming in find_coming(text, now)]


@each_row_of("future")
def test_times_are_counted_from_today(text: str, day: str) -> None:
    assert days(text) == [day]


@each_row_of("future")
def test_dates_of_the_calendar_are_the_coming_ones(text: str, day: str) -> None:
    assert days(text) == [day]


@each_row(
    ("text", "day"),
    [
        ("the fair is on from May 1 until May 9", "2026-05-04..2026-05-09"),
        ("I'm off from 30 April to 6 May", "2026-05-04..2026-05-06"),
        ("the sale runs Apr 28 - May 8", "2026-05-04..2026-05-08"),
        ("she's away from the 1st to the 6th", "2026-05-04..2026-05-06"),
        ("the fair is on from May 6 until May 9", "2026-05-06..2026-05-09"),
    ],
)
def test_what_is_running_goes_on_until_its_end(text: str, day: str) -> None:
    assert days(text) == [day]


@each_row(
    "text",
    [
        "the fair was on from May 1 until May 9",
        "from the 2nd to the 3rd floor",
        "the 3rd floor",
        "he swam 4.5 km in May",
    ],
)
def test_neither_past_stretches_nor_floors_are_to_come(text: str) -> None:
    assert days(text) == []


@each_row_of("future")
def test_a_limit_is_the_day_itself(text: str, day: str) -> None:
    assert days(text) == [day]


@each_row_of("future")
def test_a_clock_time_goes_with_its_day(text: str, day: str) -> None:
    assert days(text) == [day]


@each_row("text", ["We ship on Mondays, never later in the week"])
def test_a_day_that_is_never_is_not_coming(text: str) -> None:
    assert [one for one in days(text) if "MO" not in one] == []


@each_row("text", ["Any day except on Wednesdays", "never on Mondays", "except for Friday", "apart from Friday"])
def test_what_is_excepted_is_not_coming(text: str) -> None:
    assert days(text) == []


@each_row(
    ("text", "day"),
    [
        ("The dentist moved me from Tuesday to Thursday at 8", "2026-05-07 08:00"),
        ("Dinner got pushed from Friday to Saturday", "2026-05-09"),
        ("The exam was rescheduled from 3 June to 10 June", "2026-06-10"),
        ("Can you move the call from Friday at 3 to Monday at 4?", "2026-05-11 16:00"),
        ("I'll be away from Tuesday to Thursday", "2026-05-05..2026-05-07"),
    ],
)
def test_what_is_moved_comes_on_its_new_day(text: str, day: str) -> None:
    assert days(text) == [day]


@each_row(
    ("text", "day"),
    [
        ("a trip on the second weekend in December", "2026-12-12..2026-12-13"),
        ("the last weekend of May", "2026-05-30..2026-05-31"),
        ("the first weekend of next month", "2026-06-06..2026-06-07"),
    ],
)
def test_weekends_of_a_month_are_counted(text: str, day: str) -> None:
    assert days(text) == [day]


def test_a_limit_that_is_denied_names_its_day() -> None:
    assert days("never before Friday") == ["2026-05-08"]


@each_row(
    "text",
    [
        "Wir fliegen nicht am Freitag, sondern am Samstag",
        "On ne part pas vendredi mais samedi",
        "No salimos el viernes sino el sábado",
    ],
)
def test_in_other_languages_a_day_is_denied_where_another_comes_instead(text: str) -> None:
    assert days(text) == ["2026-05-09"]


def test_not_only_on_a_day_names_it() -> None:
    assert days("Wir üben nicht nur am Freitag, sondern auch am Samstag") == ["2026-05-08", "2026-05-09"]


def test_an_hour_of_today_that_has_passed_is_not_coming() -> None:
    assert days("today at 3pm") == []


def test_each_day_takes_the_clock_time_beside_it() -> None:
    assert days("Friday dinner and Saturday lunch at 1pm") == ["2026-05-08", "2026-05-09 13:00"]


@each_row_of("future")
def test_what_comes_round_has_a_rule(text: str, day: str) -> None:
    assert days(text) == [day]


def test_a_birthday_party_comes_once() -> None:
    assert days("Kate's birthday party is on Saturday") == ["2026-05-09"]


@each_row_of("future")
def test_german_spanish_and_french_are_read(text: str, day: str) -> None:
    assert days(text) == [day]


@each_row_of("future")
def test_the_past_is_not_coming(text: str) -> None:
    assert days(text) == []


@each_row_of("future")
def test_a_clause_of_the_present_or_future_makes_a_day_coming(text: str) -> None:
    assert days(text) == ["2026-05-08"]


@each_row_of("future")
def test_other_words_are_no_times(text: str) -> None:
    assert days(text) == []


@each_row(
    ("now", "text", "day"),
    [
        (FRIDAY, "on Friday", "2026-05-15"),
        (FRIDAY, "this Friday", "2026-05-08"),
        (FRIDAY, "next Friday", "2026-05-15"),
        (FRIDAY, "every Friday", "2026-05-08 FREQ=WEEKLY;BYDAY=FR"),
        (FRIDAY, "every Friday at 8am", "2026-05-15 08:00 FREQ=WEEKLY;BYDAY=FR"),
        (SATURDAY, "this weekend", "2026-05-09..2026-05-10"),
        (SATURDAY, "next weekend", "2026-05-16..2026-05-17"),
        (SUNDAY, "next Monday", "2026-05-11"),
        (SUNDAY, "next week", "2026-05-11..2026-05-17"),
        (SUNDAY, "this Friday", "2026-05-15"),
        (NEW_YEARS_EVE, "tomorrow", "2027-01-01"),
        (NEW_YEARS_EVE, "in January", "2027-01-01..2027-01-31"),
        (NEW_YEARS_EVE, "in December", "2026-12-31"),
        (NEW_YEARS_EVE, "next month", "2027-01-01..2027-01-31"),
        (NEW_YEARS_EVE, "next year", "2027-01-01..2027-12-31"),
        (NEW_YEARS_EVE, "in an hour", "2027-01-01 00:30"),
        (NEW_YEARS_EVE, "on New Year's Eve", "2026-12-31"),
        (at_noon("2026-01-31"), "in a month", "2026-02-28"),
        (at_noon("2026-01-31"), "next month", "2026-02-01..2026-02-28"),
        (at_noon("2026-01-31"), "on the 30th", "2026-03-30"),
        (at_noon("2026-02-01"), "on the 31st", "2026-03-31"),
        (at_noon("2026-02-28"), "February 29", "2028-02-29"),
        (at_noon("2028-02-28"), "tomorrow", "2028-02-29"),
        (at_noon("2028-02-29"), "February 29", "2028-02-29"),
        (at_noon("2028-02-29"), "in a week", "2028-03-07"),
        (at_noon("2026-03-28"), "tomorrow at 2:30am", "2026-03-29 02:30"),
    ],
)
def test_fridays_month_ends_leap_days_and_new_years(now: datetime, text: str, day: str) -> None:
    assert days(text, now) == [day]


def test_days_are_days_of_the_zone_of_now() -> None:
    moment = datetime(2026, 5, 4, 23, 30, tzinfo=UTC)
    assert days("tomorrow", moment) == ["2026-05-05"]
    assert days("tomorrow", moment.astimezone(BERLIN)) == ["2026-05-06"]


def test_hours_are_counted_across_the_change_of_the_clock() -> None:
    assert days("in 2 hours", datetime(2026, 3, 29, 1, 0, tzinfo=BERLIN)) == ["2026-03-29 04:00"]


def test_now_may_have_no_zone() -> None:
    assert days("tomorrow at 9", datetime(2026, 5, 4, 15)) == ["2026-05-05 09:00"]


def test_the_calendar_ends() -> None:
    assert days("tomorrow, next week, in 3 days, every Monday", datetime(9999, 12, 31, tzinfo=UTC)) == []


@each_row(
    ("text", "said"),
    [
        ("Remind me on Friday at 3pm to call", "on Friday at 3pm"),
        ("Who comes over tomorrow?", "tomorrow"),
        ("tomorrow's test", "tomorrow"),
        ("The rent is due on the 1st of every month.", "on the 1st of every month"),
        ("We need it by the end of next week!", "by the end of next week"),
        ("Das Treffen ist am 12. Mai um 9:30 Uhr.", "am 12. Mai um 9:30 Uhr"),
        ("La reunión es el viernes que viene.", "el viernes que viene"),
    ],
)
def test_the_span_is_the_words_that_say_it(text: str, said: str) -> None:
    (coming,) = find_coming(text, NOW)
    assert (coming.text, text[coming.start : coming.end]) == (said, said)


def test_several_times_come_in_the_order_they_are_said() -> None:
    text = "Dentist on June 12, call Anna tomorrow, and the gym every Monday"
    assert days(text) == ["2026-06-12", "2026-05-05", "2026-05-04 FREQ=WEEKLY;BYDAY=MO"]


class TestNextDay:
    @each_row_of("future")
    def test_it_is_the_next_one_behind_a_day(self, rule: str, first: str, after: str, expected: str) -> None:
        day = next_day(rule, date.fromisoformat(first), date.fromisoformat(after))
        assert day == date.fromisoformat(expected)

    @each_row(
        "rule", ["", "nonsense", "FREQ=SECONDLY", "FREQ=DAILY;INTERVAL=0", "FREQ=WEEKLY;BYDAY=XX", "FREQ=WEEKLY\nX"]
    )
    def test_what_is_no_rule_has_no_next_day(self, rule: str) -> None:
        assert next_day(rule, date(2026, 5, 4), date(2026, 5, 4)) is None

    def test_a_rule_may_end_with_the_calendar(self) -> None:
        assert next_day("FREQ=DAILY", date(2026, 5, 4), date(9999, 12, 31)) is None

    @given(
        st.sampled_from(["FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "FREQ=WEEKLY;INTERVAL=5"]),
        st.dates(date(2020, 1, 1), date(2021, 1, 1)),
        st.integers(0, 500),
    )
    def test_long_ago_is_counted_like_yesterday(self, rule: str, first: date, later: int) -> None:
        after = first + timedelta(days=later)
        start = datetime.combine(first, time())
        expected = rrulestr(rule, dtstart=start).after(datetime.combine(after, time()))
        assert expected is not None
        assert next_day(rule, first, after) == expected.date()


MARKS = ["-", ",", ".", "'s", "7", "2027", "99", "31", "05/07/2027", "3pm", ":", "\n", "was", "will", "and", "to", "of"]
FOREIGN = ["morgen", "nächsten", "Freitag", "mañana", "viernes", "que", "viene", "lundi", "prochain", "le", "am", "3."]
WORDS = st.sampled_from([*sorted(STARTERS), *MARKS, *FOREIGN, "birthday", "May", "March", "Sun"])
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.sampled_from([BERLIN, UTC]))


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=25).map(" ".join)), MOMENTS)
def test_any_text_gives_days_from_today_on_and_spans_inside_of_it(text: str, now: datetime) -> None:
    comings = find_coming(text, now)
    assert comings == find_coming(text, now)
    assert len(comings) <= MOST_COMING
    for coming in comings:
        assert 0 <= coming.start < coming.end <= len(text)
        assert coming.text == text[coming.start : coming.end]
        assert coming.on >= now.date()
        assert coming.until is None or coming.until > coming.on
        assert not coming.rule or next_day(coming.rule, coming.on, coming.on - timedelta(days=1)) == coming.on
    assert all(one.end <= other.start for one, other in pairwise(comings))


@each_row_of("future")
def test_hostile_lengths_are_read_through(piece: str) -> None:
    assert len(find_coming(piece * (5_000 // len(piece)), NOW)) <= MOST_COMING


@each_row("text", ["\x00 Friday", "\ud800 Friday", "\u202eFriday\u202c Friday", "🎉 Friday 🎉"])
def test_odd_characters_do_not_hide_a_day(text: str) -> None:
    assert "2026-05-08" in days(text)
