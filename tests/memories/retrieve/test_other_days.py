"""A question about a day is not answered with what happened on other days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from time_machine import travel

from memories.models import Memory
from memories.retrieve.question import tells_of_past
from memsite.tenancy.policy import Ranking
from sessions.models import Resource
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, search, set_policy, store
from tests.memories.retrieve.test_summaries import summarise
from tests.tables import each_row

NOW = datetime(2026, 11, 8, 12, tzinfo=UTC)
YESTERDAY, BEFORE, EARLIER = (NOW - timedelta(days=days) for days in (1, 2, 5))


def on(caller: Caller, day: datetime, text: str, **fields: Any) -> Memory:
    with travel(day, tick=False):
        return store(caller, text, **fields)


@pytest.fixture
def lunches(alice: Caller) -> None:
    on(alice, YESTERDAY, "Met Ana for lunch")
    on(alice, BEFORE, "Met Karin for lunch")
    on(alice, EARLIER, "Went out for lunch with Paul")
    on(alice, NOW, "Met Ben for lunch")


def found_by(caller: Caller, text: str, **options: Any) -> list[str]:
    return contents(search(caller, text, NOW, **options))


QUESTIONS = ["Whom did I meet for lunch yesterday?", "lunch on 7 November", "Whom did I meet for lunch on 2026-11-07?"]


@each_row("ranking, question", [(value, text) for value in Ranking.values for text in QUESTIONS], rolled_back=True)
def test_what_happened_on_other_days_is_no_answer(alice: Caller, lunches: None, ranking: str, question: str) -> None:
    set_policy(alice, ranking=ranking)
    assert found_by(alice, question) == ["Met Ana for lunch"]


def test_nothing_of_that_day_is_nothing(alice: Caller, lunches: None) -> None:
    assert found_by(alice, "Whom did I meet for lunch on 1 November?") == []


def test_what_was_stored_long_after_may_tell_of_that_day(alice: Caller, lunches: None) -> None:
    assert "Met Ana for lunch" in found_by(alice, "Whom did I meet for lunch in August?")


def test_without_a_day_all_are_found(alice: Caller, lunches: None) -> None:
    assert len(found_by(alice, "Whom did I meet for lunch?")) == 4
    assert len(found_by(alice, "Whom did I meet for lunch since 2 November?")) == 4


def test_of_a_week_all_its_days_are_found(alice: Caller) -> None:
    with travel(NOW, tick=False):
        on(alice, NOW - timedelta(days=7), "Met Ana for lunch")
        on(alice, NOW - timedelta(days=20), "Met Karin for lunch")
    assert found_by(alice, "Whom did I meet for lunch last week?") == ["Met Ana for lunch"]


def test_a_day_that_the_text_names_counts_and_not_the_one_on_which_it_was_said(alice: Caller) -> None:
    for day in (1, 7, 10):
        on(alice, NOW, f"The nightly backup on {day} November took {day} minutes")
    assert found_by(alice, "How long did the nightly backup on 7 November take?") == [
        "The nightly backup on 7 November took 7 minutes"
    ]


@pytest.mark.parametrize("question", ["When is the dentist on 9 December?", "dentist tomorrow"])
def test_what_is_to_come_on_another_day_is_no_answer(alice: Caller, question: str) -> None:
    on(alice, EARLIER, "Dentist on 10 December 2026")
    assert found_by(alice, question) == []
    assert found_by(alice, "Is the dentist on 10 December?") == ["Dentist on 10 December 2026"]


def test_what_is_so_in_general_holds_on_any_day(alice: Caller) -> None:
    on(alice, EARLIER, "The manager is called Karin")
    on(alice, EARLIER, "Has worked with the manager since 2 March 2025")
    assert len(found_by(alice, "Who was the manager yesterday?")) == 2


def test_of_today_anything_may_be_asked(alice: Caller) -> None:
    on(alice, EARLIER, "Cooked risotto for dinner")
    assert found_by(alice, "What about risotto for dinner today?") == ["Cooked risotto for dinner"]


def test_a_day_is_that_of_the_apps_time_zone(alice: Caller) -> None:
    set_policy(alice, time_zone="Asia/Tokyo")
    on(alice, datetime(2026, 11, 6, 20, tzinfo=UTC), "Met Ana for lunch")
    assert found_by(alice, "Whom did I meet for lunch on 7 November?") == ["Met Ana for lunch"]
    assert found_by(alice, "Whom did I meet for lunch on 6 November?") == []


def test_what_was_said_on_the_day_counts_however_late_it_was_sent(alice: Caller) -> None:
    session = alice.start_session()["id"]
    for index, name in ((YESTERDAY, "Ana"), (BEFORE, "Karin")):
        message = {"role": "user", "content": f"I met {name} for lunch.", "at": index.isoformat()}
        alice.post(f"sessions/{session}/messages", {"messages": [message]})
        memory = on(alice, NOW, f"Met {name} for lunch")
        Memory.objects.filter(pk=memory.pk).update(resource=Resource.objects.get(raw_content__contains=name))
    assert found_by(alice, "Whom did I meet for lunch yesterday?") == ["Met Ana for lunch"]


def test_summaries_answer_with_nothing_of_another_day(alice: Caller, lunches: None) -> None:
    set_policy(alice, capture_summaries=True, tiered=True)
    other = Memory.objects.get(content="Met Karin for lunch")
    summarise(alice, "general", (other.content, other))
    assert found_by(alice, "Whom did I meet for lunch yesterday?", mode="tiered") == ["Met Ana for lunch"]


@each_row("ranking", [*Ranking.values, "vector", "fulltext"], rolled_back=True)
def test_emoji_alone_find_what_they_stand_in_and_nothing_else(alice: Caller, ranking: str) -> None:
    if ranking in Ranking.values:
        set_policy(alice, ranking=ranking)
    mode = "auto" if ranking in Ranking.values else ranking
    store(alice, "Signs letters with 🦊")
    store(alice, "The sea is cold")
    assert found_by(alice, "🎉🎉", mode=mode) == found_by(alice, "?!", mode=mode) == []
    assert found_by(alice, "🦊", mode=mode) == ([] if mode == "vector" else ["Signs letters with 🦊"])
    assert "The sea is cold" in found_by(alice, "🎉 Is the sea cold?", mode=mode)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Met Ana for lunch", True),
        ("User visited Rome with Paul", True),
        ("I went home early", True),
        ("Is called Bruno", False),
        ("User's dog is named Bruno", False),
        ("Prefers salted butter", False),
        ("Needs a red bed", False),
        ("Lunch with Ana", False),
    ],
)
def test_what_tells_of_the_past(text: str, is_told: bool) -> None:
    assert tells_of_past(text) == is_told


def test_the_day_is_that_of_the_clock_where_it_was_said(alice: Caller) -> None:
    index = datetime(2026, 11, 8, 4, 30, tzinfo=UTC)
    resource = Resource.objects.create(
        app=alice.app, role="user", raw_content="…", content_at=index, utc_offset=-8 * 60, created_at=index
    )
    memory = on(alice, NOW, "Met Ana for lunch")
    Memory.objects.filter(pk=memory.pk).update(resource=resource)
    assert found_by(alice, "lunch on 7 November") == ["Met Ana for lunch"]
    assert contents(search(alice, "lunch on 8 November", NOW + timedelta(days=1))) == []
