"""Which coming times a text speaks of, told in tables: text → days, clock, rule."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from memories.text.future import MOST_COMING, Coming, find_coming, next_day
from memories.text.future.words import STARTERS

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
    clock = f" {coming.at:%H:%M}" if coming.at else ""
    return f"{coming.on}{f'..{coming.until}' if coming.until else ''}{clock}{f' {coming.rule}' if coming.rule else ''}"


def days(text: str, now: datetime = NOW) -> list[str]:
    return [written(coming) for coming in find_coming(text, now)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("tomorrow", "2026-05-05"),
        ("the day after tomorrow", "2026-05-06"),
        ("tonight", "2026-05-04"),
        ("I must finish it today", "2026-05-04"),
        ("Friday", "2026-05-08"),
        ("on Friday", "2026-05-08"),
        ("on Monday", "2026-05-11"),
        ("this Friday", "2026-05-08"),
        ("next Friday", "2026-05-15"),
        ("next Fri", "2026-05-15"),
        ("the coming Friday", "2026-05-08"),
        ("Friday next week", "2026-05-15"),
        ("see you thurs", "2026-05-07"),
        ("the lease runs till June 15 so we've got three weeks", "2026-06-15"),
        ("he moved the test up to the 18th", "2026-05-18"),
        ("the 13th works but only in the afternoon", "2026-05-13"),
        ("it's the 25th we get the keys", "2026-05-25"),
        ("I'm away from the 25th until June 2nd", "2026-05-25..2026-06-02"),
        ("it isn't Wednesday, it's Thursday", "2026-05-07"),
        ("it's moved, not this Thursday but the 12th", "2026-05-12"),
        ("I swapped Friday with Femi", "2026-05-08"),
        ("the room is taken until Friday", "2026-05-08"),
        ("rent is paid on Friday", "2026-05-08"),
        ("I bought tickets for the 5th of June", "2026-06-05"),
        ("next week Friday", "2026-05-15"),
        ("Monday of next week", "2026-05-11"),
        ("next week", "2026-05-11..2026-05-17"),
        ("the week after next", "2026-05-18..2026-05-24"),
        ("this weekend", "2026-05-09..2026-05-10"),
        ("next weekend", "2026-05-16..2026-05-17"),
        ("plans for the weekend", "2026-05-09..2026-05-10"),
        ("visits on the weekend of the 23rd", "2026-05-23..2026-05-24"),
        ("the weekend of May 18", "2026-05-16..2026-05-17"),
        ("the week of the 13th", "2026-05-11..2026-05-17"),
        ("next month", "2026-06-01..2026-06-30"),
        ("next quarter", "2026-07-01..2026-09-30"),
        ("next year", "2027-01-01..2027-12-31"),
        ("in 3 days", "2026-05-07"),
        ("in two weeks", "2026-05-18"),
        ("in a fortnight", "2026-05-18"),
        ("in 6 months", "2026-11-04"),
        ("in two or three weeks", "2026-05-18..2026-05-25"),
        ("in a couple of days", "2026-05-06"),
        ("in an hour", "2026-05-04 16:30"),
        ("in 45 minutes", "2026-05-04 16:15"),
        ("two weeks from now", "2026-05-18"),
        ("a week from Friday", "2026-05-15"),
        ("within 3 days", "2026-05-07"),
        ("for the next 3 days", "2026-05-04..2026-05-07"),
    ],
)
def test_times_are_counted_from_today(text: str, day: str) -> None:
    assert days(text) == [day]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("May 3", "2027-05-03"),
        ("on May 4", "2026-05-04"),
        ("May 5th", "2026-05-05"),
        ("3 May 2027", "2027-05-03"),
        ("May 3, 2027", "2027-05-03"),
        ("the 3rd of June", "2026-06-03"),
        ("Monday, May 11", "2026-05-11"),
        ("Fri 8 May 2026", "2026-05-08"),
        ("2027-05-03", "2027-05-03"),
        ("2027-05-03T10:30", "2027-05-03 10:30"),
        ("13/05/2027", "2027-05-13"),
        ("05/13/2027", "2027-05-13"),
        ("05/05/2027", "2027-05-05"),
        ("3.6.2027", "2027-06-03"),
        ("by 25/12", "2026-12-25"),
        ("on the 15th", "2026-05-15"),
        ("on the 3rd", "2026-06-03"),
        ("the 15th of next month", "2026-06-15"),
        ("Friday the 13th", "2026-11-13"),
        ("in June", "2026-06-01..2026-06-30"),
        ("in May", "2026-05-04..2026-05-31"),
        ("in April", "2027-04-01..2027-04-30"),
        ("May 2027", "2027-05-01..2027-05-31"),
        ("in 2028", "2028-01-01..2028-12-31"),
        ("the first Monday of June", "2026-06-01"),
        ("on the last Friday of the month", "2026-05-29"),
        ("the first week of June", "2026-06-01..2026-06-07"),
        ("mid-June", "2026-06-11..2026-06-20"),
        ("at the end of May", "2026-05-21..2026-05-31"),
        ("end of next week", "2026-05-15..2026-05-17"),
        ("later this month", "2026-05-04..2026-05-31"),
        ("for Christmas", "2026-12-25"),
        ("on New Year's Eve", "2026-12-31"),
        ("on Thanksgiving", "2026-11-26"),
        ("by Easter", "2027-03-28"),
        ("two days before Christmas", "2026-12-23"),
        ("the day after Christmas", "2026-12-26"),
        ("the week before Easter", "2027-03-21..2027-03-27"),
        ("June 3–10", "2026-06-03..2026-06-10"),
        ("from the 3rd to the 5th of June", "2026-06-03..2026-06-05"),
        ("between May 10 and May 12", "2026-05-10..2026-05-12"),
        ("June 28 to July 5, 2027", "2027-06-28..2027-07-05"),
        ("Monday to Friday", "2026-05-11..2026-05-15"),
        ("from the 16th to the 20th", "2026-05-16..2026-05-20"),
        ("the 18th, it's a Saturday", "2026-05-18"),
        ("it's the 18th", "2026-05-18"),
        ("a week today", "2026-05-11"),
        ("two weeks tomorrow", "2026-05-19"),
        ("Friday week", "2026-05-15"),
        ("Monday fortnight", "2026-05-25"),
    ],
)
def test_dates_of_the_calendar_are_the_coming_ones(text: str, day: str) -> None:
    assert days(text) == [day]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("by Friday", "2026-05-08"),
        ("until March 3", "2027-03-03"),
        ("before the end of the month", "2026-05-31"),
        ("by the end of the year", "2026-12-31"),
        ("by the end of the day", "2026-05-04"),
        ("by EOD Friday", "2026-05-08"),
        ("before next week", "2026-05-11"),
        ("after Friday", "2026-05-09"),
        ("starting Monday", "2026-05-11"),
    ],
)
def test_a_limit_is_the_day_itself(text: str, day: str) -> None:
    assert days(text) == [day]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("at 3pm tomorrow", "2026-05-05 15:00"),
        ("tomorrow, 10am", "2026-05-05 10:00"),
        ("tomorrow at nine", "2026-05-05 09:00"),
        ("tomorrow at 9:30", "2026-05-05 09:30"),
        ("tomorrow at 5", "2026-05-05 17:00"),
        ("tomorrow at 05:10", "2026-05-05 05:10"),
        ("I get up at 6 every day", "2026-05-05 06:00 FREQ=DAILY"),
        ("Wake me tomorrow at 5", "2026-05-05 05:00"),
        ("I have to be up tomorrow at 5", "2026-05-05 05:00"),
        ("Pick Lea up tomorrow at 5", "2026-05-05 17:00"),
        ("Breakfast with Ann is over. Tennis tomorrow at 5", "2026-05-05 17:00"),
        ("tomorrow at 3 p.m.", "2026-05-05 15:00"),
        ("tomorrow from 3 to 5pm", "2026-05-05 15:00"),
        ("tomorrow 11-1pm", "2026-05-05 11:00"),
        ("at noon on Tuesday", "2026-05-05 12:00"),
        ("Monday morning", "2026-05-11"),
        ("Tuesday 9 o'clock in the evening", "2026-05-05 21:00"),
        ("tonight at 8", "2026-05-04 20:00"),
        ("tonight at midnight", "2026-05-05 00:00"),
        ("tonight at 11", "2026-05-04 23:00"),
        ("every night at 2", "2026-05-05 02:00 FREQ=DAILY"),
        ("tomorrow at 3 at night", "2026-05-05 03:00"),
        ("tomorrow at 3 in the afternoon", "2026-05-05 15:00"),
        ("today at 5pm", "2026-05-04 17:00"),
        ("Meet Sat at 5?", "2026-05-09 17:00"),
        ("Dinner on Friday, 8 May at 7:30 pm", "2026-05-08 19:30"),
        ("meet at 3pm in the park tomorrow", "2026-05-05 15:00"),
        ("Friday with Bob at 7pm", "2026-05-08 19:00"),
    ],
)
def test_a_clock_time_goes_with_its_day(text: str, day: str) -> None:
    assert days(text) == [day]


@pytest.mark.parametrize("text", ["We ship on Mondays, never later in the week"])
def test_a_day_that_is_never_is_not_coming(text: str) -> None:
    assert [one for one in days(text) if "MO" not in one] == []


@pytest.mark.parametrize(
    "text", ["Any day except on Wednesdays", "never on Mondays", "except for Friday", "apart from Friday"]
)
def test_what_is_excepted_is_not_coming(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("every Monday", "2026-05-04 FREQ=WEEKLY;BYDAY=MO"),
        ("every Tuesday and Thursday at 18:30", "2026-05-05 18:30 FREQ=WEEKLY;BYDAY=TU,TH"),
        ("every Mon, Wed and Fri", "2026-05-04 FREQ=WEEKLY;BYDAY=MO,WE,FR"),
        ("on Fridays", "2026-05-08 FREQ=WEEKLY;BYDAY=FR"),
        ("Mondays and Thursdays", "2026-05-04 FREQ=WEEKLY;BYDAY=MO,TH"),
        ("Mondays to Fridays", "2026-05-04 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("every weekday", "2026-05-04 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("on weekends", "2026-05-09 FREQ=WEEKLY;BYDAY=SA,SU"),
        ("every other Tuesday", "2026-05-05 FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("every two weeks", "2026-05-11 FREQ=WEEKLY;INTERVAL=2"),
        ("every 2 weeks on Friday", "2026-05-08 FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
        ("every 3 days", "2026-05-04 FREQ=DAILY;INTERVAL=3"),
        ("every day", "2026-05-04 FREQ=DAILY"),
        ("daily at 9", "2026-05-05 09:00 FREQ=DAILY"),
        ("daily at 8pm", "2026-05-04 20:00 FREQ=DAILY"),
        ("every morning at 8", "2026-05-05 08:00 FREQ=DAILY"),
        ("standup is at 9 every weekday", "2026-05-05 09:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("monthly", "2026-06-01 FREQ=MONTHLY"),
        ("We review it quarterly.", "2026-07-01 FREQ=MONTHLY;INTERVAL=3"),
        ("each month on the 1st", "2026-06-01 FREQ=MONTHLY;BYMONTHDAY=1"),
        ("on the 15th of every month", "2026-05-15 FREQ=MONTHLY;BYMONTHDAY=15"),
        ("the last day of every month", "2026-05-31 FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("first Monday of every month", "2026-05-04 FREQ=MONTHLY;BYDAY=1MO"),
        ("every second Tuesday of the month", "2026-05-12 FREQ=MONTHLY;BYDAY=2TU"),
        ("every year on May 3", "2027-05-03 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"),
        ("every May 9", "2026-05-09 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=9"),
        ("every Christmas", "2026-12-25 FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25"),
        ("every February 29", "2028-02-29 FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"),
        ("Anna's birthday is May 3", "2027-05-03 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"),
        ("May 9 is Anna's birthday", "2026-05-09 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=9"),
        ("my birthday was on May 3", "2027-05-03 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"),
        ("My birthday is tomorrow", "2026-05-05 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=5"),
        ("Anna was born on May 6, 1990", "2026-05-06 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=6"),
        ("Their anniversary is on June 12", "2026-06-12 FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=12"),
    ],
)
def test_what_comes_round_has_a_rule(text: str, day: str) -> None:
    assert days(text) == [day]


def test_a_birthday_party_comes_once() -> None:
    assert days("Kate's birthday party is on Saturday") == ["2026-05-09"]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("morgen", "2026-05-05"),
        ("übermorgen", "2026-05-06"),
        ("morgen früh um 8", "2026-05-05 08:00"),
        ("heute um 18 Uhr", "2026-05-04 18:00"),
        ("Wir treffen uns am Freitag", "2026-05-08"),
        ("nächsten Freitag", "2026-05-15"),
        ("nächste Woche", "2026-05-11..2026-05-17"),
        ("in 3 Tagen", "2026-05-07"),
        ("in einer Woche", "2026-05-11"),
        ("am 12. Mai um 9:30 Uhr", "2026-05-12 09:30"),
        ("bis Freitag", "2026-05-08"),
        ("am Wochenende fahren wir weg", "2026-05-09..2026-05-10"),
        ("jeden Montag", "2026-05-04 FREQ=WEEKLY;BYDAY=MO"),
        ("jeden zweiten Dienstag", "2026-05-05 FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("freitags", "2026-05-08 FREQ=WEEKLY;BYDAY=FR"),
        ("Anna hat am 3. Juni Geburtstag", "2026-06-03 FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=3"),
        ("mañana a las 10", "2026-05-05 10:00"),
        ("pasado mañana", "2026-05-06"),
        ("nos vemos el viernes", "2026-05-08"),
        ("el viernes que viene a las 3 de la tarde", "2026-05-15 15:00"),
        ("próxima semana", "2026-05-11..2026-05-17"),
        ("llegaré el próximo mes", "2026-06-01..2026-06-30"),
        ("dentro de dos días", "2026-05-06"),
        ("3 de mayo de 2027", "2027-05-03"),
        ("en junio", "2026-06-01..2026-06-30"),
        ("cada lunes", "2026-05-04 FREQ=WEEKLY;BYDAY=MO"),
        ("los viernes", "2026-05-08 FREQ=WEEKLY;BYDAY=FR"),
        ("demain à 9h30", "2026-05-05 09:30"),
        ("après-demain", "2026-05-06"),
        ("ce soir", "2026-05-04"),
        ("vendredi à midi", "2026-05-08 12:00"),
        ("vendredi prochain", "2026-05-15"),
        ("la semaine prochaine", "2026-05-11..2026-05-17"),
        ("dans trois jours", "2026-05-07"),
        ("le vendredi 5 juin à 15h", "2026-06-05 15:00"),
        ("chaque lundi", "2026-05-04 FREQ=WEEKLY;BYDAY=MO"),
        ("tous les lundis", "2026-05-04 FREQ=WEEKLY;BYDAY=MO"),
        ("tous les jours à 8h", "2026-05-05 08:00 FREQ=DAILY"),
    ],
)
def test_german_spanish_and_french_are_read(text: str, day: str) -> None:
    assert days(text) == [day]


@pytest.mark.parametrize(
    "text",
    [
        "last Friday", "on Friday I went home", "we met on Friday", "I saw her Friday", "since Monday", "May 3, 2019",
        "June 12 2020", "it was due yesterday", "Did you see her on Friday?", "I've finished it on Friday",
        "We got married on May 20", "I will tell you what happened Friday", "How was your Friday?",
        "The party on Friday was fun", "I've not seen her in 3 years", "the next week was hard", "a week ago",
        "I was born in May", "I went there every Monday", "What did you do over the weekend?", "for Christmas 2020",
        "They must have met on Friday", "China Town is usually busy on New Year's Eve",
        "They have fish for Christmas", "I usually swim on Friday",
        "We moved in August", "I moved to Graz in August", "She moved out on Friday", "They decided in March",
        "Ich habe sie am Freitag getroffen", "am Montag war ich krank", "el viernes fui al cine",
        "compré pan el lunes", "j'ai vu Anna vendredi", "je suis allé au cinéma lundi",
    ],
)  # fmt: skip
def test_the_past_is_not_coming(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I see her Friday", "meeting Friday", "let's talk Friday", "I'll be there Friday", "He is arriving Friday",
        "The shop is closed on Friday", "I was told that the game is Friday", "Can we meet on Friday?",
        "I had a call with Tom and he will visit Friday", "It was moved to Friday", "I got tickets for Friday",
        "We agreed on Friday", "They moved it to Friday",
        "I met Tom. Friday works.", "Great seeing you, see you Friday!", "Deadline: Friday",
    ],
)  # fmt: skip
def test_a_clause_of_the_present_or_future_makes_a_day_coming(text: str) -> None:
    assert days(text) == ["2026-05-08"]


@pytest.mark.parametrize(
    "text",
    [
        "We are here", "Sun is out", "he sat down", "March on!", "you may go", "She may 5 times", "may 7 people come",
        "April said so", "Ask June", "August is nice", "wait a second", "the second one", "1.2.2024 version",
        "version 5.3", "version 2027-01-01", "10/10 would recommend", "24/7", "on 24/7", "1/2", "port 2026",
        "It costs $2027", "Man Friday", "Black Friday", "Happy Friday!", "Thank God it's Friday",
        "Have a lovely Sunday!", "our Friday call", "daily standup notes file", "the daily standup",
        "quarterly report", "some weekends", "February 30", "May 32", "2027-02-30", "05/03/2027", "05/03/27",
        "backup-2027-01-01.tar.gz", "2027-05-03.log", "see /srv/2027-01-01/x", "https://x.org/2027-01-01",
        "deadline=Friday", "run `cron every Monday` now", "```\nevery Monday\n```", "bob@friday.com", "every time",
        "every now and then", "the next step", "at the end of the day", "How are you today?", "a better tomorrow",
        "the 7th floor", "8 hours a day", "this morning", "Guten Morgen!", "le 7e étage", "明日会いましょう", "", " ",
    ],
)  # fmt: skip
def test_other_words_are_no_times(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
    @pytest.mark.parametrize(
        ("rule", "first", "after", "expected"),
        [
            ("FREQ=WEEKLY;BYDAY=MO", "2026-05-04", "2026-05-04", "2026-05-11"),
            ("FREQ=WEEKLY;BYDAY=MO", "2026-05-04", "2026-05-03", "2026-05-04"),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "2026-05-05", "2026-05-05", "2026-05-19"),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "2026-05-05", "2036-05-05", "2036-05-06"),
            ("FREQ=WEEKLY;BYDAY=MO,TH", "2026-05-04", "2026-05-04", "2026-05-07"),
            ("FREQ=DAILY;INTERVAL=3", "2026-05-04", "2026-05-08", "2026-05-10"),
            ("FREQ=MONTHLY;BYMONTHDAY=31", "2026-05-31", "2026-05-31", "2026-07-31"),
            ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", "2026-01-31", "2026-02-28"),
            ("FREQ=MONTHLY;BYDAY=1MO", "2026-05-04", "2026-05-04", "2026-06-01"),
            ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2028-02-29", "2028-02-29", "2032-02-29"),
            ("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3", "2027-05-03", "2027-05-03", "2028-05-03"),
        ],
    )
    def test_it_is_the_next_one_behind_a_day(self, rule: str, first: str, after: str, expected: str) -> None:
        day = next_day(rule, date.fromisoformat(first), date.fromisoformat(after))
        assert day == date.fromisoformat(expected)

    @pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "piece", ["a", "-", "1", "may ", "the ", "2027-", "/", "7 to ", "at 3 ", "every ", "in 3 days a ", "早", "\n", "`"]
)
def test_hostile_lengths_are_read_through(piece: str) -> None:
    assert len(find_coming(piece * (5_000 // len(piece)), NOW)) <= MOST_COMING


@pytest.mark.parametrize("text", ["\x00 Friday", "\ud800 Friday", "\u202eFriday\u202c Friday", "🎉 Friday 🎉"])
def test_odd_characters_do_not_hide_a_day(text: str) -> None:
    assert "2026-05-08" in days(text)
