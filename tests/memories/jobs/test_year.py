"""A year of an app, day by day, on a frozen clock: every job once per period, and every figure as it must be.

A third of a year but for `TEST_SCALE=1 make test-long`: the shorter times to live and all of the decay are in it.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from time_machine import travel

from memories.jobs import JOBS
from memories.models import Memory, Revision, Status
from memories.tasks import upkeep_due, upkeep_work
from memsite.jobs.models import JobRun, JobSchedule, RunStatus
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.scale import SCALE

pytestmark = pytest.mark.long

BEGIN = datetime(2027, 1, 1, 12, tzinfo=UTC)  # a Friday
DAYS = 365 if SCALE == 1 else 122
SUNDAY = 6
OF_APP = [name for name, job in JOBS.items() if job.is_heavy and not job.of_site]
PLACES = ("Lisbon", "Oslo", "Kyoto", "Quito", "Tunis", "Perth")
ANIMALS = (
    "Otters", "Herons", "Badgers", "Swans", "Foxes", "Owls", "Beavers", "Deer", "Hares", "Storks", "Bats", "Eels",
)  # fmt: skip
THINGS = ("harbour", "library", "market", "station", "museum", "garden", "bakery")


def day(number: int) -> datetime:
    return BEGIN + timedelta(days=number)


@pytest.fixture
def year(alice: Caller) -> Counter[str]:
    """Without backups: none can be made inside a transaction, which a test is. And all runs are left to be counted.

    Forty-four memories on the first day and one more each month; answers how often each job was set going."""
    App.objects.update(created_at=BEGIN)
    upkeep_due()  # each job has its row by now
    JobSchedule.objects.filter(job__in=("backup", "housekeeping")).update(enabled=False)
    JobRun.objects.all().delete()
    with travel(BEGIN, tick=False):
        for place in PLACES:
            for number, thing in enumerate(THINGS):
                category = ("work", "hobbies", "notes")[number % 3]
                alice.remember(f"The {thing} of {place} opens at {6 + number}", category=category, subject=place)
        alice.remember("The lighthouse key hangs in the hall", category="work", pinned=True, confidence=0.9)
        alice.remember("User likes tea in the morning", category="preferences", confidence=1.0)
    for number in range(1, DAYS + 1):
        with travel(day(number), tick=False):
            if number % 30 == 0:
                alice.remember(f"{ANIMALS[number // 30 - 1]} were seen near the river", category="seen")
            upkeep_due()
            # As often as beat, heartbeats and impatient people may come, where it tempts all that is daily, and more.
            if day(number).weekday() == SUNDAY or day(number).day == 1:
                upkeep_due()
            upkeep_work()
    return Counter(JobRun.objects.filter(job__in=OF_APP).values_list("job", flat=True))


def test_a_year_of_upkeep(year: Counter[str], alice: Caller) -> None:
    days = [day(number) for number in range(1, DAYS + 1)]
    weeks, months = sum(day.weekday() == SUNDAY for day in days), sum(day.day == 1 for day in days)
    daily = dict.fromkeys(("triggers", "decay", "nightly"), DAYS)
    assert year == {**daily, "weekly": weeks, "monthly": months}
    runs = JobRun.objects.filter(job__in=OF_APP)
    assert set(runs.values_list("status", "attempts")) == {(RunStatus.DONE, 1)}
    assert len(set(runs.values_list("job", "period"))) == runs.count()

    check_what_was_pinned()
    check_times_to_live()
    check_decay()
    check_everything_can_be_traced_and_restored(alice)


def check_what_was_pinned() -> None:
    pinned = Memory.objects.get(pinned=True)
    assert (pinned.status, pinned.confidence, pinned.version) == (Status.ACTIVE, 0.9, 1)
    assert [row.action for row in Revision.objects.filter(memory=pinned)] == ["created"]


def check_times_to_live() -> None:
    """Archived by the first weekly run (Sundays at 01:00) for which so many days without access have passed."""
    for category, days in (("work", 90), ("hobbies", 60), ("preferences", 180)):
        if days > DAYS:
            continue
        rows = Memory.objects.filter(category=category, pinned=False).exclude(kind="insight")
        # Half a year after that they go to the cold archive.
        assert set(rows.values_list("status", flat=True)) <= {Status.ARCHIVED, Status.COLD}, category
        index = {row.created_at for row in Revision.objects.filter(memory__in=rows, action="archived")}
        over = BEGIN.date() + timedelta(days=days)
        sunday = over + timedelta(days=(6 - over.weekday()) % 7)
        assert {moment.date() for moment in index} == {sunday}, category
    assert not Memory.objects.filter(category="notes", status=Status.ARCHIVED).exists(), "it has no time to live"


def check_decay() -> None:
    """Thirty days of grace, then a tenth a week, to nine places, however many runs; what falls below 0.3 is let be."""
    rows = Memory.objects.filter(category="seen")
    assert rows.count() == DAYS // 30
    fall_days = 29  # 0.7 - 0.1 * 29 / 7 is the first below 0.3
    for row in rows:
        days = min(fall_days, max(0, (day(DAYS) - row.created_at).days - 30))
        assert row.confidence == pytest.approx(0.7 - 0.1 * days / 7, abs=1e-9)
        assert (row.status == Status.ACTIVE) == (days < fall_days)


def check_everything_can_be_traced_and_restored(alice: Caller) -> None:
    gone = Memory.objects.exclude(status__in=(Status.ACTIVE, Status.INACTIVE))
    assert gone.count() >= 30
    for memory in gone:
        history = alice.get(f"memories/{memory.uid}/history", limit=200).json()["results"]
        output = [
            entry["reason"] for entry in history if entry["action"] in ("archived", "superseded", "merged", "frozen")
        ]
        assert output[-1], history
    with travel(day(DAYS), tick=False):
        answer = alice.patch(f"memories/{gone[0].uid}", {"status": "active", "confidence": 0.8})
    assert (answer.status_code, answer.json()["status"]) == (200, "active")
