"""Weekly: to the archive by category, right to the day, and back from there."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from time_machine import travel

from memories.ledger.days import midnight
from memories.maintain import expire
from memories.maintain.expire import archive_expired
from memories.maintain.run import Unclaimed
from memories.models import FutureTrigger, Memory, Preload, Status, TriggerStatus
from memories.store import writing
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.memories.maintain.upkeep import DAY, NIGHT, Fragile, carry_on, fresh, history, last, statuses, tell

SUNDAY = datetime(2027, 3, 7, 1, tzinfo=UTC)
NOON = datetime(2027, 1, 1, 12, tzinfo=UTC)


def week(app: App, now: datetime = SUNDAY) -> Unclaimed:
    run = Unclaimed(until=now)
    archive_expired(app, now, run)
    return run


def known(app: App, at: datetime, category: str = "work", **fields: Any) -> Memory:
    return tell(app, f"Known since {at}", at, embed=False, category=category, subject=None, **fields)


@pytest.mark.parametrize(
    ("category", "days"), [("work", 90), ("preferences", 180), ("health", 365), ("hobbies", 60), ("relationships", 180)]
)
def test_each_category_has_its_days(acme: App, category: str, days: int) -> None:
    row = known(acme, NOON, category)
    assert week(acme, NOON + days * DAY - timedelta(hours=13)).counts == {}
    assert week(acme, NOON + days * DAY - timedelta(hours=11)).counts == {"archived": 1}
    assert (last(row).action, last(row).actor) == ("archived", "system:expire")
    assert last(row).reason == f"{category}: {days} days without access"


def test_other_categories_have_no_end(acme: App) -> None:
    row = known(acme, NOON, "timing")
    assert week(acme, NOON + 9999 * DAY).counts == {}
    acme.policy.ttl_days = {"timing": 2}
    week(acme, NOON + 2 * DAY)
    assert statuses(row) == [Status.ARCHIVED]


@pytest.mark.parametrize("name", ["accessed_at", "confirmed_at"])
def test_access_and_confirmation_count(acme: App, name: str) -> None:
    row = known(acme, NOON)
    Memory.objects.filter(pk=row.pk).update(**{name: NOON + 30 * DAY})
    assert week(acme, NOON + 119 * DAY).counts == {}
    assert week(acme, NOON + 120 * DAY).counts == {"archived": 1}


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Marquesas", "Australia/Lord_Howe", "America/New_York"])
def test_a_day_is_the_apps_day(acme: App, zone: str) -> None:
    acme.policy.time_zone = ZoneInfo(zone)
    late = datetime(2027, 1, 1, 23, 59, tzinfo=ZoneInfo(zone))
    row = known(acme, late.astimezone(UTC))
    ends = datetime(2027, 4, 1, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    assert week(acme, ends - timedelta(seconds=1)).counts == {}
    assert week(acme, ends).counts == {"archived": 1}
    assert statuses(row) == [Status.ARCHIVED]


def test_a_day_that_was_skipped_has_no_beginning_of_its_own(acme: App) -> None:
    """Samoa went from the 29th to the 31st of December 2011."""
    acme.policy.time_zone = ZoneInfo("Pacific/Apia")
    begins = datetime(2011, 12, 30, 10, tzinfo=UTC)
    assert midnight(acme, date(2011, 12, 30)) == midnight(acme, date(2011, 12, 31)) == begins


def test_pinned_ones_never_go(acme: App) -> None:
    row = known(acme, NOON, pinned=True)
    assert week(acme, NOON + 999 * DAY).counts == {}
    assert (statuses(row), history(row)) == ([Status.ACTIVE], ["created"])


def test_what_has_not_begun_to_hold_stays_and_has_its_days_from_then(acme: App) -> None:
    row = known(acme, NOON)
    begins = NOON + 200 * DAY
    Memory.objects.filter(pk=row.pk).update(valid_from=begins)
    assert week(acme, begins - DAY).counts == {}
    assert week(acme, begins + 89 * DAY).counts == {}
    assert week(acme, begins + 90 * DAY).counts == {"archived": 1}


def test_what_a_trigger_will_bring_up_stays_until_that_is_over(acme: App) -> None:
    row = known(acme, NOON)
    trigger = FutureTrigger.objects.create(
        app=acme, trigger_date=date(2099, 1, 1), text="in 2099", message="Whales sing"
    )
    Preload.objects.create(app=acme, trigger=trigger, memory=row)
    assert week(acme, NOON + 90 * DAY).counts == {}
    FutureTrigger.objects.update(status=TriggerStatus.DONE)
    assert week(acme, NOON + 90 * DAY).counts == {"archived": 1}


def test_what_decay_has_made_inactive_goes_too(acme: App) -> None:
    row = known(acme, NOON)
    with writing(acme, "system:decay", NOON + 80 * DAY) as write:
        write.decay([row])
    assert statuses(row) == [Status.INACTIVE]
    week(acme, NOON + 90 * DAY)
    assert statuses(row) == [Status.ARCHIVED]


def test_what_is_restored_starts_anew(alice: Caller) -> None:
    """By PATCH, by an operator's restore or undo: whoever brings it back has looked at it."""
    rows = [known(alice.app, NOON) for _ in range(3)]
    back = NOON + 91 * DAY
    week(alice.app, NOON + 90 * DAY)
    with travel(back, tick=False):
        answer = alice.patch(f"memories/{rows[0].uid}", {"status": "active", "confidence": 0.7})
        assert answer.status_code == 200
        with writing(alice.app, "operator:olga", back) as write:
            write.restore(fresh(rows[1]))
            write.undo(fresh(rows[2]))
    assert statuses(*rows) == [Status.ACTIVE] * 3
    assert week(alice.app, back + 89 * DAY).counts == {}
    assert week(alice.app, back + 90 * DAY).counts == {"archived": 3}


def test_whoever_looks_one_up_in_time_keeps_it(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    row = known(acme, NOON)
    real = expire.writing

    def slow(*args: Any) -> Any:
        Memory.objects.filter(pk=row.pk).update(accessed_at=NOON + 90 * DAY)
        return real(*args)

    monkeypatch.setattr(expire, "writing", slow)
    assert week(acme, NOON + 90 * DAY).counts == {"archived": 0}
    assert statuses(row) == [Status.ACTIVE]


def test_killed_and_gone_on_with_each_goes_once(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expire, "EXPIRE_BATCH", 3)
    rows = [known(acme, NOON + timedelta(minutes=number)) for number in range(10)]
    run = Fragile(until=SUNDAY, luck=random.Random(2), share=0.6)
    assert carry_on(lambda run: archive_expired(acme, NIGHT + 90 * DAY, run), run) > 1
    assert {tuple(history(row)) for row in rows} == {("created", "archived")}
    assert run.counts == {"archived": 10}
