"""Dates that mean the same on any day, told in tables: what is said → what is written down."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.dates.statement_dates import make_dates_plain, name_month
from memories.language.rewrite import make_dates_absolute
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 5, 4, 15, 30, tzinfo=UTC)
"""A Monday."""


@each_row_of("dating")
def test_relative_dates_are_written_out_and_others_left_alone(said: str, written: str) -> None:
    assert make_dates_plain(said, NOW).text == written


@each_row_of("dating")
def test_what_is_to_come_means_the_next_day_of_that_name(said: str, written: str) -> None:
    assert make_dates_plain(said, NOW).text == written


@each_row(
    "said",
    [
        "The city announced a road closure in August",
        "The vendor announced end of support for 4.1 in March",
        "They promised a new lift in June",
        "Judo moves to Fridays after the autumn break",
        "The shop is closed over the summer holidays",
    ],
)
def test_what_may_have_been_said_then_or_be_for_then_gets_no_year_nor_does_a_name(said: str) -> None:
    assert make_dates_plain(said, NOW).text == said


@each_row(
    ("said", "written"),
    [
        ("User only now noticed that their passport runs out in March", "… in March 2027"),
        ("User got a slot at the passport office, 9 January 7:45", "… on 9 January 2027 7:45"),
        ("She has taken the flat, moving on the 3rd of March", "… on 3 March 2027"),
        ("User's brother is going to fit rails over Easter", "… over Easter 2027"),
        ("The pump comes in the new year", "… new year 2027"),
        ("User got them in February last year, in Market Street", "… in February 2025, in Market Street"),
        ("The addition is 2.00 since the last test in June", "… in June 2025"),
        ("The timer is disabled since the upgrade on the 9th", "… on 9 April 2026"),
        ("Dinner has to be ready in 15 min", "…"),
        ("User's salary comes on the 25th", "…"),
        ("The days that suit User are tue thu sun", "…"),
        ("The hay fever starts every February", "…"),
    ],
)
def test_a_time_is_the_one_that_its_clause_tells_or_stays_as_it_was_said(said: str, written: str) -> None:
    output = make_dates_plain(said, NOW).text
    assert output.endswith(written[1:]) if written[1:] else output == said


def test_where_the_calendar_ends_a_time_stays() -> None:
    last = datetime(9999, 12, 20, tzinfo=UTC)
    assert make_dates_plain("User's passport runs out in March", last).text.startswith("User's passport runs out in")


@each_row(
    ("said", "written"),
    [
        ("User is away from the 16th to the 20th", "User is away from 16 to 20 May 2026"),
        ("User is away from the 28th to the 2nd", "User is away from 28 April to 2 May 2026"),
        ("User is away from April 30 until May 9", "User is away from April 30 until May 9 2026"),
        ("User was away from April 1 until April 9", "User was away from April 1 until April 9 2026"),
        ("The clinic calls two weeks today", "The clinic calls on 18 May 2026"),
        ("They fly Friday week", "They fly on Friday 15 May 2026"),
    ],
)
def test_days_are_written_from_the_first_to_the_last(said: str, written: str) -> None:
    now = NOW.replace(day=1) if "28th" in said else NOW
    assert make_dates_plain(said, now).text == written


LATE = datetime(2026, 11, 20, 12, tzinfo=UTC)


TALK = datetime(2026, 11, 16, 10, tzinfo=UTC)
"""A Monday."""


@each_row_of("dating")
def test_a_day_that_may_be_another_stays_as_it_was_said(said: str) -> None:
    assert make_dates_plain(said, TALK).text == said


@each_row_of("dating")
def test_a_day_that_is_sure_gets_its_month_and_year(said: str, written: str) -> None:
    assert make_dates_plain(said, TALK).text == written


@each_row_of("dating")
def test_what_is_told_beforehand_is_to_come_though_it_is_said_in_the_present(said: str, time: str) -> None:
    assert make_dates_plain(said.format(time.split()[0]), LATE).text == said.format(time)


def test_an_occasion_at_a_feast_is_at_the_next() -> None:
    assert make_dates_plain("User's wedding is at Easter", LATE).text == "User's wedding is at Easter 2027"
    assert make_dates_plain("User is at home at Easter", LATE).text == "User is at home at Easter 2026"


@each_row("said", ["User's birthday is in March", "The wedding is in spring", "Peak season is in summer"])
def test_what_comes_round_and_seasons_stay_without_a_year(said: str) -> None:
    assert make_dates_plain(said, LATE).text == said


@each_row(
    "said",
    ["School starts in September", "User's semester begins in October", "The fiscal year ends in June"],
)
def test_what_begins_or_ends_in_the_same_month_of_each_year_gets_no_year(said: str) -> None:
    assert (make_dates_plain(said, LATE).text, make_dates_plain(said, LATE).start) == (said, None)


@each_row("said", ["User starts at Kinova in {}", "I start at Kinova in {}", "User's new job starts in {}"])
def test_what_somebody_starts_is_in_the_coming_month(said: str) -> None:
    november = datetime(2026, 11, 18, tzinfo=UTC)
    assert make_dates_plain(said.format("February"), november).text == said.format("February 2027")


def test_new_years_eve_is_of_the_year_that_it_ends() -> None:
    january = datetime(2027, 1, 2, 10, tzinfo=UTC)
    for feast, year in (("New Year's Eve", 2026), ("New Year's Day", 2027), ("New Year", 2027), ("Christmas", 2026)):
        said = f"We went to the opera on {feast}"
        assert make_dates_plain(said, january).text == f"{said} {year}"
        assert make_dates_absolute(f"What did we do on {feast}?", january)[0] == f"What did we do on {feast} {year}?"


def test_a_month_that_is_just_over_is_not_the_next_years() -> None:
    march = datetime(2026, 3, 3, tzinfo=UTC)
    assert make_dates_plain("The numbers for January are wrong", march).text == "The numbers for January 2026 are wrong"
    assert make_dates_plain("User will be in Rome in January", march).text == "User will be in Rome in January 2027"


@each_row(
    ("said", "written"),
    [
        ("Her birthday is the 10th", "Her birthday is 10 May"),
        ("The return is on the 15th, not earlier", "The return is on 15 May, not earlier"),
        ("The office is on the 4th floor", "The office is on the 4th floor"),
        ("User lands on the 2nd of June", "User lands on the 2nd of June"),
    ],
)
def test_a_day_alone_is_of_the_month_that_was_named_last(said: str, written: str) -> None:
    assert name_month(said, "The flight in April?\nNo, on 6 May, back on 13 May.") == written
    assert name_month(said, "No month here") == said


@each_row(
    "said",
    [
        "User sends it within 30 days",
        "User's free day is Tuesday instead of Friday",
        "The shop is open tue to sat 6:30 to 14, sunday 7 to 12",
    ],
)
def test_how_long_it_may_take_and_what_it_is_not_gets_no_date(said: str) -> None:
    assert make_dates_plain(said, NOW).text == said


@each_row("said", ["User usually swims on Friday", "User swims on Monday and Thursday"])
def test_a_weekday_that_is_any_such_day_gets_no_date(said: str) -> None:
    assert make_dates_plain(said, NOW).text == said


@each_row_of("dating")
def test_what_comes_round_gets_no_date(said: str) -> None:
    dated = make_dates_plain(said, NOW)
    assert (dated.text, dated.start) == (said, None)


@each_row(
    "said",
    [
        "User is free every day except for Friday",
        "The gym was open daily, except on Friday",
        "All days but Friday work",
        "User works apart from Friday",
        "The shop is closed every month except in August",
    ],
)
def test_an_exception_names_no_day(said: str) -> None:
    dated = make_dates_plain(said, NOW)
    assert (dated.text, dated.start) == (said, None)


def test_an_exception_that_is_counted_from_today_is_written_out() -> None:
    dated = make_dates_plain("User is free all week except for tomorrow", NOW)
    assert (dated.text, dated.start) == ("User is free all week except for 5 May 2026", None)


@each_row_of("dating")
def test_names_are_no_dates(said: str) -> None:
    assert make_dates_plain(said, NOW).text == said


@each_row_of("dating")
def test_what_happens_once_still_gets_its_date(said: str, written: str) -> None:
    assert make_dates_plain(said, NOW).text == written


def test_the_only_time_of_a_statement_is_told() -> None:
    dated = make_dates_plain("User is on leave until 10 June 2026", NOW)
    assert dated.end == datetime(2026, 6, 11, tzinfo=UTC)
    assert make_dates_plain("User is away from today or tomorrow", NOW).start is None


@settings(max_examples=200)
@given(st.text(max_size=200))
def test_any_text_is_answered(text: str) -> None:
    make_dates_plain(text, NOW)


@each_row("said", ["The contract runs until 31 December 9999", "The lease ends on December 31, 9999"])
def test_a_date_without_an_end_stays_as_it_was_said(said: str) -> None:
    dated = make_dates_plain(said, NOW)
    assert (dated.text, dated.start, dated.end) == (said, None, None)


@each_row("zone", [UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Pago_Pago")])
@each_row(
    "said",
    [
        "It is due tomorrow", "We met recently", "From December 30-31 it is closed", "It began two hours ago",
        "Two weeks after yesterday morning", "It was open until yesterday morning", "On leave until next week",
    ],
)  # fmt: skip
def test_at_the_ends_of_the_calendar_any_statement_is_answered(said: str, zone: tzinfo) -> None:
    for days in range(12):
        for now in (datetime.min + timedelta(days), datetime.max - timedelta(days)):
            make_dates_plain(said, now.replace(tzinfo=zone))
            make_dates_absolute(said, now.replace(tzinfo=zone))
