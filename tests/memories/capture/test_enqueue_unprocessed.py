"""Nightly: what nobody queued for learning is queued."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memories.capture import extraction_queue
from memories.capture.extraction_queue import enqueue_unprocessed
from memories.models import Extraction
from memsite.jobs.job import Unclaimed
from sessions.models import AgentSession, Resource
from tests.conftest import Caller
from tests.memories.maintain.upkeep import Fragile, carry_on
from tests.talking import at_time, contents, row_of, tell
from tests.upkeep import upkeep_learn_due

NIGHT = datetime(2027, 3, 2, 2, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def session(alice: Caller) -> AgentSession:
    return row_of(alice.app, alice.start_session())


def record(session: AgentSession | None, text: str, when: datetime = NIGHT - DAY / 2, **fields: Any) -> Resource:
    fields = {"role": "user", "content_at": when, "created_at": when, **fields}
    app = session.app if session else fields.pop("app")
    return Resource.objects.create(app=app, session=session, raw_content=text, **fields)


def night(session: AgentSession, **run: Any) -> Unclaimed:
    ran = Unclaimed(until=NIGHT, **run)
    enqueue_unprocessed(session.app, NIGHT, ran)
    return ran


def test_a_missed_text_is_queued_once_and_learnt(alice: Caller, session: AgentSession) -> None:
    text = record(session, "We moved the office to Lisbon last year.")
    assert night(session).counts == {"queued": 1}
    assert night(session).counts == {}
    assert Extraction.objects.get().resource == text
    with at_time(NIGHT):
        upkeep_learn_due()
    assert len(contents(alice.app)) == 1


def test_what_is_queued_already_stays(alice: Caller, session: AgentSession) -> None:
    tell(alice, {"id": str(session.uid)}, "We moved the office to Lisbon last year.")
    assert night(session, since=datetime(2020, 1, 1, tzinfo=UTC)).counts == {}
    assert Extraction.objects.count() == 1


@pytest.mark.parametrize(
    "fields", [{"role": "tool"}, {"role": "system"}, {"when": NIGHT - 3 * DAY}, {"when": NIGHT + DAY}], ids=str
)
def test_only_what_was_spoken_in_that_time(session: AgentSession, fields: dict[str, Any]) -> None:
    record(session, "We moved the office to Lisbon last year.", **fields)
    assert night(session).counts == {}


def test_a_text_without_a_session_or_of_markers_alone_is_no_work(alice: Caller, session: AgentSession) -> None:
    record(None, "Of no session", app=alice.app)
    record(session, "[MEMORY:timing:dns] Takes 5s", role="assistant")
    assert night(session).counts == {"queued": 0}
    assert not Extraction.objects.exists()


def test_days_without_a_run_are_made_up_for(session: AgentSession) -> None:
    record(session, "We moved the office to Lisbon last year.", NIGHT - 3 * DAY)
    assert night(session, since=NIGHT - 4 * DAY).counts == {"queued": 1}


def test_an_app_that_learns_no_facts_gets_no_work(session: AgentSession) -> None:
    session.app.policy.capture_facts = False
    record(session, "We moved the office to Lisbon last year.")
    assert night(session).counts == {}


def test_killed_and_gone_on_with(session: AgentSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction_queue, "BATCH", 2)
    for number in range(9):
        record(session, f"We hired {number + 2} people in Lisbon.")
    run = Fragile(until=NIGHT, luck=random.Random(2), share=0.5)
    assert carry_on(lambda run: enqueue_unprocessed(session.app, NIGHT, run), run) > 1
    assert (run.counts, Extraction.objects.count()) == ({"queued": 9}, 9)
