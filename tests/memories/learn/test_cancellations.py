"""What was to come and is taken back: by a user's words, or with the memory that it brings up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.test.utils import override_settings

from memories.learn.cancellations import find_replaced, without_days_of
from memories.learn.triggers import note_coming
from memories.models import FutureTrigger, Preload, TriggerStatus
from memories.store import Candidate, writing
from memsite.tenancy.models import Agent, App
from sessions.models import AgentSession, Resource, Role
from tests.tables import each_row

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)  # a Monday


@pytest.fixture
def learned() -> Iterator[None]:
    with override_settings(MEMSITE=replace(settings.MEMSITE, relations="learned")):
        yield


@pytest.fixture
def session(acme: App) -> AgentSession:
    agent = Agent.objects.create(app=acme, name="ada")
    return AgentSession.objects.create(app=acme, agent=agent, user_id="ulla")


def say(session: AgentSession, text: str, moment: datetime = NOW) -> None:
    resource = Resource.objects.create(
        app=session.app, session=session, role=Role.USER, raw_content=text, content_at=moment
    )
    note_coming(session, [resource], moment)


def waiting(app: App) -> list[str]:
    return [row.message for row in FutureTrigger.objects.for_app(app).filter(status=TriggerStatus.WAITING)]


def test_what_is_cancelled_in_other_words_waits_no_longer(acme: App, session: AgentSession, learned: None) -> None:
    say(session, "I have the eye doctor on 14 December at 10:40.")
    say(session, "The plumber comes on Friday at 9.")
    say(session, "The eye doctor's practice called, they had to call it off.", NOW + timedelta(days=1))
    assert waiting(acme) == ["The plumber comes on Friday at 9."]


def test_a_question_and_what_is_told_besides_take_nothing_back(acme: App, session: AgentSession, learned: None) -> None:
    say(session, "I have the eye doctor on 14 December at 10:40.")
    say(session, "Is there parking near the eye doctor? I bought new glasses.", NOW + timedelta(days=1))
    assert len(waiting(acme)) == 1


def test_what_shares_no_word_and_changes_nothing_is_not_judged() -> None:
    assert find_replaced({1: "The plumber comes on Friday"}, "It rains again.") == {}


@each_row(
    ("rule", "sentence", "left"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,WE,FR", "I'm dropping the Wednesday swim", "FREQ=WEEKLY;BYDAY=MO,FR"),
        ("FREQ=WEEKLY;BYDAY=TU,FR", "From now on only on Fridays", "FREQ=WEEKLY;BYDAY=FR"),
        ("FREQ=WEEKLY;BYDAY=TU,FR", "The cleaner has quit", ""),
        ("FREQ=WEEKLY;BYDAY=TU", "No more Tuesdays", ""),
        ("", "No more Tuesdays", ""),
    ],
)
def test_of_several_weekdays_one_is_given_up(rule: str, sentence: str, left: str) -> None:
    assert without_days_of(rule, sentence) == left


def test_a_superseded_memory_takes_its_trigger_along_and_brings_it_back(acme: App, session: AgentSession) -> None:
    say(session, "The eye doctor is on 14 December.")
    trigger = FutureTrigger.objects.for_app(acme).get()
    with writing(acme, "agent:ada", NOW) as write:
        old, new = write.create_all([Candidate(content=f"Eye doctor on {day} December") for day in (14, 21)])
    Preload.objects.create(app=acme, trigger=trigger, memory=old)
    with writing(acme, "agent:ada", NOW + timedelta(hours=1)) as write:
        write.supersede(old, by=new)
    trigger.refresh_from_db()
    assert (trigger.status, old.valid_until) == (TriggerStatus.CANCELLED, NOW + timedelta(hours=1))
    with writing(acme, "operator:olga", NOW + timedelta(hours=2)) as write:
        write.undo(old)
    trigger.refresh_from_db()
    assert (trigger.status, trigger.reason, old.valid_until) == (TriggerStatus.WAITING, None, None)


def test_a_trigger_that_brings_up_another_memory_waits_on(acme: App, session: AgentSession) -> None:
    say(session, "The eye doctor is on 14 December.")
    trigger = FutureTrigger.objects.for_app(acme).get()
    with writing(acme, "agent:ada", NOW) as write:
        old, new = write.create_all([Candidate(content=text) for text in ("Eye doctor then", "Bring the old glasses")])
    Preload.objects.bulk_create(Preload(app=acme, trigger=trigger, memory=item) for item in (old, new))
    with writing(acme, "agent:ada", NOW + timedelta(hours=1)) as write:
        write.supersede(old, by=new)
    assert len(waiting(acme)) == 1
