"""Which times a text speaks of, told in tables: text → window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.text import temporal
from memories.text.temporal import MAX_WINDOWS, find_windows
from memories.text.temporal.words import HOLIDAYS, TIME_WORDS

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 4, 15, 30, tzinfo=BERLIN)
"""A Monday."""
OPEN = "…"


def written(moment: datetime | None) -> str:
    if moment is None:
        return OPEN
    return f"{moment:%Y-%m-%d %H:%M}".removesuffix(" 00:00")


def limits(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    return [(written(window.start), written(window.end)) for window in find_windows(text, now)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("today", "2026-05-04", "2026-05-05"),
        ("yesterday", "2026-05-03", "2026-05-04"),
        ("yesterday's deploy", "2026-05-03", "2026-05-04"),
        ("the day before yesterday", "2026-05-02", "2026-05-03"),
        ("tomorrow", "2026-05-05", "2026-05-06"),
        ("last night", "2026-05-03 18:00", "2026-05-04 06:00"),
        ("this morning", "2026-05-04 05:00", "2026-05-04 12:00"),
        ("yesterday evening", "2026-05-03 18:00", "2026-05-04"),
        ("last week", "2026-04-27", "2026-05-04"),
        ("the week before last", "2026-04-20", "2026-04-27"),
        ("last month", "2026-04-01", "2026-05-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("earlier this year", "2026-01-01", "2027-01-01"),
        ("next week", "2026-05-11", "2026-05-18"),
        ("last weekend", "2026-05-02", "2026-05-04"),
        ("over the weekend", "2026-05-02", "2026-05-04"),
        ("3 hours ago", "2026-05-04 12:00", "2026-05-04 13:00"),
        ("3 days ago", "2026-05-01", "2026-05-02"),
        ("two weeks ago", "2026-04-17", "2026-04-24"),
        ("a fortnight ago", "2026-04-17", "2026-04-24"),
        ("two or three weeks ago", "2026-04-10", "2026-04-24"),
        ("a couple of months ago", "2026-02-17", "2026-03-20"),
        ("the past week", "2026-04-27", "2026-05-04 15:30"),
        ("in the last 3 days", "2026-05-01", "2026-05-04 15:30"),
        ("the last few months", "2025-12-04", "2026-05-04 15:30"),
        ("recently", "2026-04-04 15:30", "2026-05-04 15:30"),
        ("lately", "2026-04-04 15:30", "2026-05-04 15:30"),
    ],
)
def test_times_are_counted_from_now(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2023-05-07", "2023-05-07", "2023-05-08"),
        ("2023-05-07T10:30:00Z", "2023-05-07", "2023-05-08"),
        ("2023-05", "2023-05-01", "2023-06-01"),
        ("07.05.2023", "2023-05-07", "2023-05-08"),
        ("25/07/2023", "2023-07-25", "2023-07-26"),
        ("on 7 May 2023", "2023-05-07", "2023-05-08"),
        ("the 7th of May, 2023", "2023-05-07", "2023-05-08"),
        ("May 7, 2023", "2023-05-07", "2023-05-08"),
        ("Sept. 5, 2023", "2023-09-05", "2023-09-06"),
        ("Sunday, 5 May 2024", "2024-05-05", "2024-05-06"),
        ("May 7th", "2025-05-07", "2025-05-08"),
        ("on the 7th", "2026-04-07", "2026-04-08"),
        ("the evening of 7 July 2023", "2023-07-07 18:00", "2023-07-08"),
        ("in May 2023", "2023-05-01", "2023-06-01"),
        ("may 2023", "2023-05-01", "2023-06-01"),
        ("May of '23", "2023-05-01", "2023-06-01"),
        ("in 2022", "2022-01-01", "2023-01-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("the '90s", "1990-01-01", "2000-01-01"),
        ("in the nineties", "1990-01-01", "2000-01-01"),
        ("the 1900s", "1900-01-01", "2000-01-01"),
        ("Q3 2024", "2024-07-01", "2024-10-01"),
        ("the third quarter of last year", "2025-07-01", "2025-10-01"),
        ("first half of 2023", "2023-01-01", "2023-07-01"),
        ("H2 2023", "2023-07-01", "2024-01-01"),
        ("early 2023", "2023-01-01", "2023-05-02"),
        ("mid-May", "2026-05-11", "2026-05-21"),
        ("at the end of last month", "2026-04-21", "2026-05-01"),
        ("the first week of June 2023", "2023-06-01", "2023-06-08"),
        ("the last two weeks of August 2023", "2023-08-18", "2023-09-01"),
        ("the week of 7 May 2023", "2023-05-01", "2023-05-08"),
        ("the weekend of 7 May 2023", "2023-05-06", "2023-05-08"),
        ("the week before August 3, 2023", "2023-07-27", "2023-08-03"),
        ("the Sunday before October 25, 2023", "2023-10-22", "2023-10-23"),
        ("two days after Christmas 2022", "2022-12-28", "2022-12-29"),
        ("over the summer of 2023", "2023-06-01", "2023-09-01"),
        ("the winter of 2023", "2023-12-01", "2024-03-01"),
        ("last spring", "2025-03-01", "2025-06-01"),
        ("Friday last week", "2026-05-01", "2026-05-02"),
        ("Black Friday last year", "2025-11-28", "2025-11-29"),
    ],
)
def test_dates_of_the_calendar_are_read(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Christmas 2021", "2021-12-24", "2021-12-27"),
        ("last Christmas", "2025-12-24", "2025-12-27"),
        ("New Year 2023", "2022-12-31", "2023-01-02"),
        ("New Year's Eve 2022", "2022-12-31", "2023-01-01"),
        ("Halloween 2022", "2022-10-31", "2022-11-01"),
        ("Thanksgiving 2023", "2023-11-23", "2023-11-24"),
        ("Thanksgiving 2018", "2018-11-22", "2018-11-23"),
        ("Easter 2024", "2024-03-29", "2024-04-02"),
        ("Easter Sunday 2025", "2025-04-20", "2025-04-21"),
        ("Valentine's Day 2024", "2024-02-14", "2024-02-15"),
    ],
)
def test_feasts_are_read(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@pytest.mark.parametrize("name", HOLIDAYS)
def test_every_feast_has_a_span(name: str) -> None:
    assert len(find_windows(f"at {name} 2024", NOW)) == 1


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("since March", "2026-03-01", OPEN),
        ("ever since last week", "2026-04-27", OPEN),
        ("since the beginning of the year", "2026-01-01", OPEN),
        ("after Christmas 2022", "2022-12-27", OPEN),
        ("before June 2022", OPEN, "2022-06-01"),
        ("prior to 2020", OPEN, "2020-01-01"),
        ("until yesterday", OPEN, "2026-05-04"),
        ("by June 2022", OPEN, "2022-07-01"),
        ("as of May 2023", OPEN, "2023-06-01"),
    ],
)
def test_a_window_may_be_open(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("between 3 and 5 May", "2026-05-03", "2026-05-06"),
        ("from the 3rd to the 5th of May 2023", "2023-05-03", "2023-05-06"),
        ("May 3-5, 2023", "2023-05-03", "2023-05-06"),
        ("3–5 May 2023", "2023-05-03", "2023-05-06"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-16"),
        ("from March to June 2023", "2023-03-01", "2023-07-01"),
        ("May-July 2023", "2023-05-01", "2023-08-01"),
        ("between November and February", "2025-11-01", "2026-03-01"),
        ("from 2020 to 2022", "2020-01-01", "2023-01-01"),
        ("2020-2022", "2020-01-01", "2023-01-01"),
        ("between last Monday and yesterday", "2026-04-27", "2026-05-04"),
    ],
)
def test_ranges_have_two_ends(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("on Friday", "2026-05-01"),
        ("last Friday", "2026-05-01"),
        ("on Monday", "2026-04-27"),
        ("next Friday", "2026-05-08"),
        ("this Friday", "2026-05-08"),
        ("in April", "2026-04-01"),
        ("in May", "2026-05-01"),
        ("last May", "2025-05-01"),
        ("in June", "2025-06-01"),
        ("next May", "2027-05-01"),
        ("on 4 May", "2026-05-04"),
        ("on 5 May", "2025-05-05"),
        ("on 29 February", "2024-02-29"),
    ],
)
def test_without_a_year_the_most_recent_past_is_meant(text: str, start: str) -> None:
    assert [found for found, _ in limits(text)] == [start]


def test_both_orders_of_an_ambiguous_date_are_windows_of_one_span() -> None:
    windows = find_windows("on 05/07/2023", NOW)
    assert [written(window.start) for window in windows] == ["2023-05-07", "2023-07-05"]
    assert {window.span for window in windows} == {(0, 13)}


@pytest.mark.parametrize(
    "text",
    [
        "may I ask you something", "you may go", "that may be", "this may take a second", "all 7 may fail",
        "may 7 people come", "March on!", "they march on Washington", "May said no", "April said so", "June's birthday",
        "from June, my sister", "the sun is out", "he sat down", "We went", "a second opinion", "an august body",
        "in Spring Boot", "prices fall 3 times", "every Friday", "and on Fridays?", "Monday to Friday",
        "our Friday call", "port 2022", "in 2000 requests", "a 60s timeout", "in her twenties", "the 7th floor",
        "version 2023.1", "since then", "for a week", "a long week", "the easter egg", "10:30", "3/4", "1.2.3",
        "May 32", "2023-02-29", "2023-13-01", "99999999 years ago", "last commit", "in may_day.py",
        "/srv/2023-05-07/today", "see march.txt", "https://x.org/2023-05-07", "bob@may.com", "192.168.10.2023", "",
        "31 December 9999",
    ],
)  # fmt: skip
def test_other_words_are_no_times(text: str) -> None:
    assert limits(text) == []


@pytest.mark.parametrize(
    "text", ["What may happen in may?", "in may", "since may", "on 7 may", "In March on Monday", "the May release"]
)
def test_prepositions_and_capitals_make_months_of_verbs(text: str) -> None:
    assert any(window.precision in {"month", "day"} for window in find_windows(text, NOW))


@pytest.mark.parametrize(
    ("text", "said", "precision"),
    [
        ("What did we say in May 2023 about it?", "in May 2023", "month"),
        ("Where was I last Friday?", "last Friday", "day"),
        ("The week before 7 May 2023 was hard", "The week before 7 May 2023", "week"),
        ("Who came over tomorrow?", "tomorrow", "day"),
        ("yesterday's log", "yesterday", "day"),
        ("It broke since last night.", "since last night", "part of day"),
    ],
)
def test_the_span_is_the_words_that_say_it(text: str, said: str, precision: str) -> None:
    (window,) = find_windows(text, NOW)
    assert (window.text, text[slice(*window.span)], window.precision) == (said, said, precision)


def test_several_times_come_in_order() -> None:
    text = "In Paris in June 2024, again in July 2024, and yesterday"
    assert [window.text for window in find_windows(text, NOW)] == ["in June 2024", "in July 2024", "yesterday"]


class TestEdgesOfTheCalendar:
    @pytest.mark.parametrize(
        ("now", "text", "start", "end"),
        [
            ("2024-03-01", "yesterday", "2024-02-29", "2024-03-01"),
            ("2023-03-31", "last month", "2023-02-01", "2023-03-01"),
            ("2023-03-31", "a month ago", "2023-02-13", "2023-03-16"),
            ("2024-02-29", "a year ago", "2022-08-30", "2023-08-30"),
            ("2024-01-01", "yesterday", "2023-12-31", "2024-01-01"),
            ("2024-01-01", "last week", "2023-12-25", "2024-01-01"),
            ("2025-01-02", "this week", "2024-12-30", "2025-01-06"),
            ("2025-01-02", "last month", "2024-12-01", "2025-01-01"),
            ("2025-01-02", "last quarter", "2024-10-01", "2025-01-01"),
            ("2025-01-02", "this winter", "2024-12-01", "2025-03-01"),
            ("2025-01-02", "in December", "2024-12-01", "2025-01-01"),
            ("2024-02-10", "on 29 February", "2020-02-29", "2020-03-01"),
            ("1904-02-28", "on 29 February", "1896-02-29", "1896-03-01"),
            ("2026-05-08", "on Friday", "2026-05-01", "2026-05-02"),
            ("2026-05-10", "last weekend", "2026-05-02", "2026-05-04"),
            ("2026-05-10", "over the weekend", "2026-05-09", "2026-05-11"),
        ],
    )
    def test_leap_days_month_ends_and_new_years(self, now: str, text: str, start: str, end: str) -> None:
        assert limits(text, datetime.fromisoformat(now).replace(hour=12, tzinfo=BERLIN)) == [(start, end)]

    def test_days_are_days_of_the_zone_of_now(self) -> None:
        (window,) = find_windows("yesterday", datetime(2026, 3, 30, 0, 30, tzinfo=BERLIN))
        assert window.start is not None
        assert window.end is not None
        assert window.end.astimezone(UTC) - window.start.astimezone(UTC) == timedelta(hours=23)

    def test_hours_are_counted_across_the_change_of_the_clock(self) -> None:
        now = datetime(2026, 3, 29, 4, 0, tzinfo=BERLIN)
        (window,) = find_windows("3 hours ago", now)
        assert window.start is not None
        assert now.astimezone(UTC) - window.start.astimezone(UTC) == timedelta(hours=3.5)

    def test_now_may_have_no_zone(self) -> None:
        (window,) = find_windows("yesterday", datetime(2026, 5, 4, 15))
        assert window.start == datetime(2026, 5, 3)


PRECISIONS = {
    "minute", "hour", "part of day", "day", "weekend", "holiday", "week", "month", "quarter", "season", "half", "year",
    "decade", "range", "part", "recent",
}  # fmt: skip
GLUE = frozenset({"since", "before", "after", "between", "and", "from", "to", "of", "on", "in", "by", "ago", "month"})
MARKS = ["-", ",", ".", "'s", "7", "2023", "99", "31", "05/07/2023"]
WORDS = st.sampled_from([*sorted(TIME_WORDS | GLUE), *MARKS])
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.sampled_from([BERLIN, UTC]))


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join)), MOMENTS)
def test_any_text_gives_ordered_windows_inside_of_it(text: str, now: datetime) -> None:
    windows = find_windows(text, now)
    assert len(windows) <= MAX_WINDOWS + 1
    for window in windows:
        assert 0 <= window.span[0] < window.span[1] <= len(text)
        assert window.text == text[slice(*window.span)]
        assert window.start or window.end
        assert window.precision in PRECISIONS
        if window.start and window.end:
            assert window.start.astimezone(UTC) < window.end.astimezone(UTC)
    assert all(one.span[1] <= other.span[0] or one.span == other.span for one, other in pairwise(windows))


SPOKEN = st.text("aB12 '’.,-İſ_", max_size=12)


@settings(max_examples=1000)
@given(st.lists(st.one_of(WORDS, WORDS.map(str.upper), WORDS.map(str.title), SPOKEN), max_size=6), MOMENTS)
def test_where_nothing_can_begin_a_time_there_is_none(words: list[str], now: datetime) -> None:
    text = " ".join(words)
    found = find_windows(text, now)
    with patch.object(temporal, "_may_tell_a_time", return_value=True):
        assert find_windows(text, now) == found


EDGES = st.one_of(
    st.datetimes(max_value=datetime(2, 1, 1), timezones=st.sampled_from([BERLIN, UTC, ZoneInfo("Pacific/Kiritimati")])),
    st.datetimes(datetime(9998, 12, 1), timezones=st.sampled_from([BERLIN, UTC, ZoneInfo("Pacific/Pago_Pago")])),
)


@settings(max_examples=1000)
@given(st.lists(WORDS, max_size=8).map(" ".join), EDGES)
def test_at_the_ends_of_the_calendar_no_window_falls_out_of_it(text: str, now: datetime) -> None:
    for window in find_windows(text, now):
        for limit in filter(None, (window.start, window.end)):
            assert (limit - timedelta(days=1)).astimezone(UTC) < (limit + timedelta(days=1)).astimezone(UTC)


@pytest.mark.parametrize("text", ["today", "tomorrow", "next week", "the day after tomorrow", "tonight"])
def test_a_day_that_falls_out_of_the_calendar_is_no_time(text: str) -> None:
    assert find_windows(text, datetime.max.replace(tzinfo=UTC)) == []


@pytest.mark.parametrize("text", ["today", "yesterday", "last week", "on Friday", "recently"])
def test_a_day_before_the_calendar_is_no_time(text: str) -> None:
    assert find_windows(text, datetime.min.replace(tzinfo=UTC)) == []


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "-",
        "1",
        "'",
        "may ",
        "the ",
        "last ",
        "1-",
        "2023-",
        "a.",
        "/",
        "7 to ",
        "the end of ",
        "from ",
        "早",
        "\n",
    ],
)
def test_hostile_lengths_are_read_through(piece: str) -> None:
    assert len(find_windows(piece * (60_000 // len(piece)), NOW)) <= MAX_WINDOWS + 1
