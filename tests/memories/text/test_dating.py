"""Dates that mean the same on any day, told in tables: what is said → what is written down."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.text.dating import make_dates_plain
from memories.text.rewrite.dates import make_dates_absolute

NOW = datetime(2026, 5, 4, 15, 30, tzinfo=UTC)
"""A Monday."""


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("User is flying to Rome tomorrow", "User is flying to Rome on 5 May 2026"),
        ("User moved to Lyon last year", "User moved to Lyon in 2025"),
        ("The outage started yesterday", "The outage started on 3 May 2026"),
        ("The release is due next week", "The release is due in the week of 11 May 2026"),
        ("Dinner was moved to tomorrow", "Dinner was moved to 5 May 2026"),
        ("User was born in 1990", "User was born in 1990"),
        ("User's birthday is March 14", "User's birthday is March 14"),
        ("Backups run every Friday", "Backups run every Friday"),
        ("Postgres listens on 5432", "Postgres listens on 5432"),
        ("The cause was last week's deploy", "The cause was last week's deploy"),
    ],
)
def test_relative_dates_are_written_out_and_others_left_alone(said: str, written: str) -> None:
    assert make_dates_plain(said, NOW).text == written


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("User has an exam on Friday", "User has an exam on Friday 8 May 2026"),
        ("User took an exam on Friday", "User took an exam on Friday 1 May 2026"),
        ("It isn't Wednesday, it's Thursday", "It isn't on Wednesday 6 May 2026, it's on Thursday 7 May 2026"),
        ("It's Thursday", "It's Thursday"),
        ("The gauge gets swapped Friday", "The gauge gets swapped on Friday 8 May 2026"),
        ("The 13th works for User", "13 May 2026 works for User"),
        ("User swapped Friday with Femi", "User swapped Friday 8 May 2026 with Femi"),
        ("User bought tickets for the 5th of April", "User bought tickets for 5 April 2027"),
        (
            "The team has a problem, invoices for October went out twice",
            "The team has a problem, invoices for October 2025 went out twice",
        ),
        ("The lease runs till June 15 so User has got time", "The lease runs till 15 June 2026 so User has got time"),
        ("It has to be live before the Christmas season", "It has to be live before the Christmas season"),
        ("User has a flight at six tomorrow morning", "User has a flight at six on the morning of 5 May 2026"),
        ("The lease ends on March 3", "The lease ends on 3 March 2027"),
        ("The lease ended on March 3", "The lease ended on 3 March 2026"),
        ("The branch is cut on Friday 8 November", "The branch is cut on Friday 8 November"),
        ("The team is moving to BigQuery in Q1", "The team is moving to BigQuery in Q1 2027"),
        ("Sales are up in Q1", "Sales are up in Q1 2026"),
        ("User needs a sitter for Easter", "User needs a sitter for Easter 2027"),
        ("User will be in Rome in April", "User will be in Rome in April 2027"),
        ("User is away in June and July", "User is away in June 2026 and July 2026"),
        ("User is away in June, July and October", "User is away in June 2026, July 2026 and October 2026"),
        ("User was away in June and July", "User was away in June 2025 and July 2025"),
        ("User quit smoking in March", "User quit smoking in March 2026"),
        ("I finally quit smoking in August", "I finally quit smoking in August 2025"),
        ("User read Dune in August", "User read Dune in August 2025"),
        ("The team cut the budget on Friday", "The team cut the budget on Friday 1 May 2026"),
        ("User wants to quit smoking in August", "User wants to quit smoking in August 2026"),
        ("User will quit in August", "User will quit in August 2026"),
        ("Cut the grass on Friday", "Cut the grass on Friday 8 May 2026"),
        ("Let me read it on Friday", "Let me read it on Friday 8 May 2026"),
        ("If I quit in August, rent gets tight", "If I quit in August 2026, rent gets tight"),
        ("User quits in August", "User quits in August 2026"),
        ("Samir starts school in August", "Samir starts school in August 2026"),
        ("Samir started school in August", "Samir started school in August 2025"),
        ("It was in August", "It was in August 2025"),
        ("Churn was 4.1 percent in December", "Churn was 4.1 percent in December 2025"),
        ("The pipelines go to Tekton in June", "The pipelines go to Tekton in June 2026"),
        ("The cert runs out on the 3rd", "The cert runs out on 3 June 2026"),
        ("The cert ran out on the 3rd", "The cert ran out on 3 May 2026"),
        ("Alerts go to Ann from Monday the 11th", "Alerts go to Ann from Monday 11 May 2026"),
        ("The baby is due at the beginning of June", "The baby is due at the beginning of June 2026"),
        ("The shop opens in Spain this autumn", "The shop opens in Spain in autumn 2026"),
        ("Ann has been ill since Friday", "Ann has been ill since Friday 1 May 2026"),
        ("User moved to Graz in August", "User moved to Graz in August 2025"),
        ("We moved the database to Hetzner in August", "We moved the database to Hetzner in August 2025"),
        ("We agreed with Ann in August that it stays", "We agreed with Ann in August 2025 that it stays"),
        ("They asked us on Friday to leave", "They asked us on Friday 1 May 2026 to leave"),
        ("We decided on Postgres in June", "We decided on Postgres in June 2025"),
        ("We agreed on a launch in June", "We agreed on a launch in June 2026"),
        ("We agreed with Ann to meet on Friday", "We agreed with Ann to meet on Friday 8 May 2026"),
        ("I told Ann that we leave in June", "I told Ann that we leave in June 2026"),
        ("The lease is signed in June", "The lease is signed in June 2026"),
        ("He told us on Friday", "He told us on Friday 1 May 2026"),
        ("The landlord told me on Friday", "The landlord told me on Friday 1 May 2026"),
        ("She heard him on Friday", "She heard him on Friday 1 May 2026"),
        ("They announced in August that it closes", "They announced in August 2025 that it closes"),
        ("In June we decided to stay", "in June 2025 we decided to stay"),
        ("The call is on the last Friday of next month at 9", "The call is on Friday 26 June 2026 at 9"),
        ("Assistant has changed it to Friday at 8", "Assistant has changed it to Friday 8 May 2026 at 8"),
        ("The move is scheduled for Friday", "The move is scheduled for Friday 8 May 2026"),
        ("The call is planned for Monday at 3pm", "The call is planned for Monday 11 May 2026 at 3pm"),
        ("The flight is booked for tomorrow", "The flight is booked for 5 May 2026"),
        ("The release is set for next month", "The release is set for June 2026"),
        ("They announced a rent increase for February", "They announced a rent increase for February 2027"),
        ("The company announced layoffs for March", "The company announced layoffs for March 2027"),
        ("They planned the offsite for April", "They planned the offsite for April 2027"),
        ("The board approved a raise of 3 percent for April", "The board approved a raise of 3 percent for April 2027"),
        ("The bank announced new fees from January", "The bank announced new fees from January 2027"),
        ("User bought tickets for March", "User bought tickets for March 2027"),
        ("User paid the rent for February", "User paid the rent for February 2026"),
        ("They planned it and paid the rent for February", "They planned it and paid the rent for February 2026"),
        ("See you at 9:30 on Friday", "See you at 9:30 on Friday 8 May 2026"),
        ("The box has had Go 1.24 since last week", "The box has had Go 1.24 since the week of 27 April 2026"),
    ],
)
def test_what_is_to_come_means_the_next_day_of_that_name(said: str, written: str) -> None:
    assert make_dates_plain(said, NOW).text == written


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("The launch is in {}", "Q1 2027"),
        ("The launch of the app is in {}", "Q1 2027"),
        ("The launch date is still in {}", "Q1 2027"),
        ("The release is in early {}", "Q1 2027"),
        ("The launch isn't in {}", "Q1 2027"),
        ("Our go-live is in {}", "Q1 2027"),
        ("The audits are in {}", "Q1 2027"),
        ("User's exam is in {}", "Q1 2027"),
        ("The deadline is now in {}", "Q1 2027"),
        ("The launch is in {}", "October 2027"),
        ("User's wedding is in {}", "October 2027"),
        ("The course starts in {}", "October 2027"),
        ("The project starts in {}", "Q1 2027"),
        ("The process starts in {}", "Q1 2027"),
        ("The contract ends in {}", "Q1 2027"),
        ("The shops open in {}", "Q1 2027"),
        ("We launch in {}", "Q1 2027"),
        ("We open the second shop in {}", "Q1 2027"),
        ("The team ships v2 in {}", "Q1 2027"),
        ("The launch is in {}", "Q4 2026"),
        ("The launch is in {}", "December 2026"),
        ("The launch is in {}", "March 2027"),
        ("The launch is planned for {}", "Q1 2027"),
        ("The launch will be in {}", "Q1 2027"),
        ("We are launching in {}", "Q1 2027"),
        ("The launch was in {}", "Q1 2026"),
        ("The launch went well in {}", "Q1 2026"),
        ("We launched in {}", "Q1 2026"),
        ("The exam was in {}", "October 2026"),
        ("Sales are up in {}", "Q1 2026"),
        ("We start to lose customers in {}", "Q1 2026"),
        ("Most incidents are in {}", "Q1 2026"),
        ("Errors at launch are high in {}", "Q1 2026"),
        ("Incidents after a release are rare in {}", "Q1 2026"),
        ("Numbers at year end are bad in {}", "Q1 2026"),
        ("We lose customers in {}", "Q1 2026"),
        ("We see more churn in {}", "Q1 2026"),
        ("We always launch in {}", "Q1 2026"),
        ("The figures for {} are wrong", "October 2026"),
        ("The invoices are in {}", "October 2026"),
    ],
)
def test_what_is_told_beforehand_is_to_come_though_it_is_said_in_the_present(said: str, time: str) -> None:
    assert make_dates_plain(said.format(time.split()[0]), LATE).text == said.format(time)


def test_an_occasion_at_a_feast_is_at_the_next() -> None:
    assert make_dates_plain("User's wedding is at Easter", LATE).text == "User's wedding is at Easter 2027"
    assert make_dates_plain("User is at home at Easter", LATE).text == "User is at home at Easter 2026"


@pytest.mark.parametrize(
    "said", ["User's birthday is in March", "The wedding is in spring", "Peak season is in summer"]
)
def test_what_comes_round_and_seasons_stay_without_a_year(said: str) -> None:
    assert make_dates_plain(said, LATE).text == said


def test_a_month_that_is_just_over_is_not_the_next_years() -> None:
    march = datetime(2026, 3, 3, tzinfo=UTC)
    assert make_dates_plain("The numbers for January are wrong", march).text == "The numbers for January 2026 are wrong"
    assert make_dates_plain("User will be in Rome in January", march).text == "User will be in Rome in January 2027"


@pytest.mark.parametrize("said", ["User usually swims on Friday", "User swims on Monday and Thursday"])
def test_a_weekday_that_is_any_such_day_gets_no_date(said: str) -> None:
    assert make_dates_plain(said, NOW).text == said


@pytest.mark.parametrize(
    "said",
    [
        "User's rent is due on the 1st of every month",
        "The club meets on the 15th and 30th of every month",
        "User pays rent every month on the 1st",
        "User is paid on the 25th of the month",
        "The team sends invoices on the last day of the month",
        "User's yoga class is on Wednesday evening",
        "The bakery closes at 8 on Saturday",
        "The pharmacy is open until 6:30 pm on Saturday",
        "The heat pump is serviced every October",
        "User wants no appointments on Wednesday afternoons",
    ],
)
def test_what_comes_round_gets_no_date(said: str) -> None:
    dated = make_dates_plain(said, NOW)
    assert (dated.text, dated.start) == (said, None)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "said",
    [
        "User's favourite film is The Day After Tomorrow",
        'User likes "The Day After Tomorrow"',
        "User loves the song Yesterday",
        "User watches Last Week Tonight",
        "User's dog is named Friday",
        "User's friend reads The Friday Times",
        "User lives at 12 March Street",
        "User moved to 4 May Avenue",
    ],
)
def test_names_are_no_dates(said: str) -> None:
    assert make_dates_plain(said, NOW).text == said


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("User will send the invoice on the last day of the month", "User will send the invoice on 31 May 2026"),
        ("User wants to pay on the last day of the month", "User wants to pay on 31 May 2026"),
        ("User's first yoga class is on Wednesday", "User's first yoga class is on Wednesday 6 May 2026"),
        ("User's yoga class is tomorrow", "User's yoga class is on 5 May 2026"),
        ("The concert starts at 8 on Saturday", "The concert starts at 8 on Saturday 9 May 2026"),
        ("User saw Saturday Night Fever on Friday", "User saw Saturday Night Fever on Friday 1 May 2026"),
        ("User watches a film tomorrow", "User watches a film on 5 May 2026"),
        ("Tomorrow Kim leaves", "on 5 May 2026 Kim leaves"),
        ("USER FLIES TOMORROW", "USER FLIES on 5 May 2026"),
        ("Ann moves to Oslo on 3 June", "Ann moves to Oslo on 3 June 2026"),
    ],
)
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


@pytest.mark.parametrize("said", ["The contract runs until 31 December 9999", "The lease ends on December 31, 9999"])
def test_a_date_without_an_end_stays_as_it_was_said(said: str) -> None:
    dated = make_dates_plain(said, NOW)
    assert (dated.text, dated.start, dated.end) == (said, None, None)


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Pago_Pago")])
@pytest.mark.parametrize(
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
