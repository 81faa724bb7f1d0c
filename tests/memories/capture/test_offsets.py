"""The day on which something was said is that of the clock there: the offset in `at` tells it."""

from __future__ import annotations

from datetime import UTC, datetime

import time_machine

from memories.models import FutureTrigger, Memory
from memsite.tenancy.models import AppPolicy
from sessions.models import Resource
from tests.conftest import Caller
from tests.tables import each_row
from tests.upkeep import upkeep_learn_due

LATE = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
CLOCKS = [
    # `at`, the app's time zone, the day after
    ("2026-03-01T23:30:00-08:00", "UTC", "2026-03-02"),
    ("2026-03-01T23:30:00-08:00", "Europe/Vienna", "2026-03-02"),
    ("2026-03-02T01:15:00+05:45", "UTC", "2026-03-03"),
    # What says no more than when it was, is of the app's day.
    ("2026-03-01T23:30:00Z", "Europe/Vienna", "2026-03-03"),
    ("2026-03-01T23:30:00+00:00", "Europe/Vienna", "2026-03-03"),
    ("2026-03-01T23:30:00Z", "UTC", "2026-03-02"),
]


def in_zone(caller: Caller, zone: str) -> None:
    AppPolicy.objects.filter(app=caller.app).update(time_zone=zone)


def tell(caller: Caller, content: str, at: str) -> None:
    session = caller.start_session()
    messages = [{"role": "user", "content": content, "at": at}]
    answer = caller.post(f"sessions/{session['id']}/messages", {"messages": messages})
    assert answer.status_code == 202, answer.content


@each_row("at, zone, day", CLOCKS, rolled_back=True)
@time_machine.travel(LATE, tick=False)
def test_tomorrow_counts_from_the_day_that_it_was_there(alice: Caller, at: str, zone: str, day: str) -> None:
    in_zone(alice, zone)
    tell(alice, "I have a dentist appointment tomorrow at 3pm.", at)
    upkeep_learn_due()
    (trigger,) = FutureTrigger.objects.for_app(alice.app)
    (memory,) = Memory.objects.for_app(alice.app)
    (resource,) = Resource.objects.for_app(alice.app)
    assert str(trigger.trigger_date) == day
    written = datetime.fromisoformat(day)
    assert f"on {written.day} {written:%B %Y}" in memory.content
    assert resource.content_at == datetime.fromisoformat(at)


@each_row("at, zone, day", CLOCKS, rolled_back=True)
@time_machine.travel(LATE, tick=False)
def test_so_it_does_where_it_is_only_tried(alice: Caller, at: str, zone: str, day: str) -> None:
    in_zone(alice, zone)
    messages = [{"role": "user", "content": "I have a dentist appointment tomorrow at 3pm.", "at": at}]
    answer = alice.post("extractions/preview", {"messages": messages}).json()
    written = datetime.fromisoformat(day)
    (fact,) = answer["facts"]
    assert f"on {written.day} {written:%B %Y}" in fact["content"]
