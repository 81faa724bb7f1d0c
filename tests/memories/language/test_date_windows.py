"""Which times a text speaks of, told in tables: text → window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from unittest.mock import patch
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.dates import windows
from memories.language.dates.windows import MAX_WINDOWS, find_windows
from memories.language.dates.words import HOLIDAYS, TIME_WORDS
from tests.tables import each_row, each_row_of

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


@each_row_of("temporal")
def test_times_are_counted_from_now(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@each_row_of("temporal")
def test_dates_of_the_calendar_are_read(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@each_row_of("temporal")
def test_feasts_are_read(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@each_row("name", HOLIDAYS)
def test_every_feast_has_a_span(name: str) -> None:
    assert len(find_windows(f"at {name} 2024", NOW)) == 1


@each_row_of("temporal")
def test_a_window_may_be_open(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@each_row_of("temporal")
def test_ranges_have_two_ends(text: str, start: str, end: str) -> None:
    assert limits(text) == [(start, end)]


@each_row_of("temporal")
def test_without_a_year_the_most_recent_past_is_meant(text: str, start: str) -> None:
    assert [found for found, _ in limits(text)] == [start]


def test_both_orders_of_an_ambiguous_date_are_windows_of_one_span() -> None:
    windows = find_windows("on 05/07/2023", NOW)
    assert [written(window.start) for window in windows] == ["2023-05-07", "2023-07-05"]
    assert {window.span for window in windows} == {(0, 13)}


@each_row_of("temporal")
def test_other_words_are_no_times(text: str) -> None:
    assert limits(text) == []


@each_row(
    "text", ["What may happen in may?", "in may", "since may", "on 7 may", "In March on Monday", "the May release"]
)
def test_prepositions_and_capitals_make_months_of_verbs(text: str) -> None:
    assert any(window.precision in {"month", "day"} for window in find_windows(text, NOW))


@each_row(
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
    @each_row_of("temporal")
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


@settings(max_examples=200)
@given(st.lists(st.one_of(WORDS, WORDS.map(str.upper), WORDS.map(str.title), SPOKEN), max_size=6), MOMENTS)
def test_where_nothing_can_begin_a_time_there_is_none(words: list[str], now: datetime) -> None:
    text = " ".join(words)
    found = find_windows(text, now)
    with patch.object(windows, "_may_tell_a_time", return_value=True):
        assert find_windows(text, now) == found


EDGES = st.one_of(
    st.datetimes(max_value=datetime(2, 1, 1), timezones=st.sampled_from([BERLIN, UTC, ZoneInfo("Pacific/Kiritimati")])),
    st.datetimes(datetime(9998, 12, 1), timezones=st.sampled_from([BERLIN, UTC, ZoneInfo("Pacific/Pago_Pago")])),
)


@settings(max_examples=200)
@given(st.lists(WORDS, max_size=8).map(" ".join), EDGES)
def test_at_the_ends_of_the_calendar_no_window_falls_out_of_it(text: str, now: datetime) -> None:
    for window in find_windows(text, now):
        for limit in filter(None, (window.start, window.end)):
            assert (limit - timedelta(days=1)).astimezone(UTC) < (limit + timedelta(days=1)).astimezone(UTC)


@each_row("text", ["today", "tomorrow", "next week", "the day after tomorrow", "tonight"])
def test_a_day_that_falls_out_of_the_calendar_is_no_time(text: str) -> None:
    assert find_windows(text, datetime.max.replace(tzinfo=UTC)) == []


@each_row("text", ["today", "yesterday", "last week", "on Friday", "recently"])
def test_a_day_before_the_calendar_is_no_time(text: str) -> None:
    assert find_windows(text, datetime.min.replace(tzinfo=UTC)) == []


@each_row_of("temporal")
def test_hostile_lengths_are_read_through(piece: str) -> None:
    assert len(find_windows(piece * (12_000 // len(piece)), NOW)) <= MAX_WINDOWS + 1
