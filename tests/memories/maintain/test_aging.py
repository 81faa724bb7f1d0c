"""What time does to memories: decay, expiry, and promotion of what is new."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from time_machine import travel

from memories.ledger.days import midnight
from memories.maintain import aging
from memories.maintain.aging import archive_expired, decay_app, decay_few, promote_todays
from memories.models import FutureTrigger, Memory, Preload, Status, TriggerStatus
from memories.store import writing
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app, make_caller
from tests.memories.maintain.upkeep import DAY, NIGHT, Fragile, carry_on, fresh, history, last, statuses, tell
from tests.talking import after, contents, hear

LATER = NIGHT + 44 * DAY
"""A fortnight after the month in which nothing is lost: 0.2 of what is confident."""


def store_many(app: App, count: int) -> list[Memory]:
    return [tell(app, f"Takes {number} seconds", NIGHT, embed=False, confidence=0.9) for number in range(count)]


def confidences(memories: list[Memory]) -> list[float]:
    return [fresh(memory).confidence for memory in memories]


def night(app: App, now: datetime) -> Unclaimed:
    run = Unclaimed(until=now)
    decay_app(app, now, run)
    return run


def changes(app: App) -> int:
    return App.objects.get(pk=app.pk).change_number


def test_a_session_waits_for_one_batch_at_most(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aging, "DECAY_BATCH", 3)
    memories = store_many(acme, 3)
    decay_few(acme, LATER)
    assert confidences(memories) == [0.7, 0.7, 0.7]
    memories += store_many(acme, 1)
    decay_few(acme, LATER + 7 * DAY)
    assert confidences(memories) == [0.7, 0.7, 0.7, 0.9]
    assert night(acme, LATER + 7 * DAY).counts == {"decayed": 4, "deactivated": 0}
    assert confidences(memories) == [0.6] * 4


def test_what_is_pinned_or_confirmed_is_no_part_of_it(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aging, "DECAY_BATCH", 1)
    stale, pinned, confirmed = store_many(acme, 3)
    Memory.objects.filter(pk=pinned.pk).update(pinned=True)
    Memory.objects.filter(pk=confirmed.pk).update(anchored_at=LATER)
    decay_few(acme, LATER)
    assert confidences([stale, pinned, confirmed]) == [0.7, 0.9, 0.9]


def test_what_holds_from_a_later_day_on_decays_from_that_day(acme: App) -> None:
    """It would be forgotten before it begins."""
    begins = NIGHT + 400 * DAY
    memory = tell(acme, "The office is in Milan", NIGHT, embed=False, confidence=0.7, valid_from=begins)
    for days in (44, 200, 399, 430):
        decay_few(acme, NIGHT + days * DAY)
        assert night(acme, NIGHT + days * DAY).counts == {}
    night(acme, begins + 44 * DAY)
    assert (fresh(memory).confidence, fresh(memory).status) == (0.5, "active")


def test_nothing_is_written_where_nothing_is_lost(acme: App) -> None:
    """An index reads anew whatever was written."""
    acme.policy.decay_exempt_from = 0.9
    (memory,) = store_many(acme, 1)
    before = changes(acme)
    decay_few(acme, LATER)
    assert night(acme, LATER).counts == {}
    assert (changes(acme), history(memory)) == (before, ["created"])


def test_the_next_session_writes_only_what_was_lost_since(acme: App) -> None:
    (memory,) = store_many(acme, 1)
    decay_few(acme, LATER)
    before = changes(acme)
    decay_few(acme, LATER + timedelta(minutes=9))
    assert (changes(acme), fresh(memory).confidence) == (before, 0.7)
    decay_few(acme, LATER + timedelta(minutes=11))
    assert changes(acme) > before
    assert fresh(memory).confidence == pytest.approx(0.7 - 0.1 * 11 / (7 * 24 * 60))
    # Once a day it leaves a revision.
    assert history(memory) == ["created", "decayed"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("preset", "is_kept"), [("assistant", True), ("knowledge", True), ("standard", False), ("ops", False)]
)
def test_what_people_say_plainly_stays_until_the_contrary_is_said(preset: str, is_kept: bool) -> None:
    caller = make_caller(make_app("people", preset, capture_facts=True), "ada")
    hear(caller, "I'm allergic to penicillin.", "I drink coffee.")
    hear(caller, "I stopped drinking coffee.")
    with after(days=150):
        night(caller.app, timezone.now())
        known = set(contents(caller.app))
    assert "User drinks coffee" not in known
    assert known == ({"User is allergic to penicillin", "User stopped drinking coffee"} if is_kept else set())


SUNDAY = datetime(2027, 3, 7, 1, tzinfo=UTC)
NOON = datetime(2027, 1, 1, 12, tzinfo=UTC)


def week(app: App, now: datetime = SUNDAY) -> Unclaimed:
    run = Unclaimed(until=now)
    archive_expired(app, now, run)
    return run


def known(app: App, when: datetime, category: str = "work", **fields: Any) -> Memory:
    return tell(app, f"Known since {when}", when, embed=False, category=category, subject=None, **fields)


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
    real = aging.writing

    def slow(*args: Any) -> Any:
        Memory.objects.filter(pk=row.pk).update(accessed_at=NOON + 90 * DAY)
        return real(*args)

    monkeypatch.setattr(aging, "writing", slow)
    assert week(acme, NOON + 90 * DAY).counts == {"archived": 0}
    assert statuses(row) == [Status.ACTIVE]


def test_killed_and_gone_on_with_each_goes_once(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aging, "EXPIRE_BATCH", 3)
    rows = [known(acme, NOON + timedelta(minutes=number)) for number in range(10)]
    run = Fragile(until=SUNDAY, luck=random.Random(2), share=0.6)
    assert carry_on(lambda run: archive_expired(acme, NIGHT + 90 * DAY, run), run) > 1
    assert {tuple(history(row)) for row in rows} == {("created", "archived")}
    assert run.counts == {"archived": 10}


SECOND = timedelta(seconds=1)


def test_what_was_made_since_the_last_run_counts_more(acme: App) -> None:
    times = [NIGHT - DAY, NIGHT - DAY + SECOND, NIGHT, NIGHT + SECOND]
    rows = [tell(acme, f"Fact {index}", index, embed=False) for index in times]
    run = Unclaimed(until=NIGHT, since=NIGHT - DAY)
    promote_todays(acme, NIGHT + SECOND, run)
    assert [fresh(row).priority for row in rows] == [1.0, 1.1, 1.1, 1.0]
    assert run.counts == {"promoted": 2}
    assert (last(rows[1]).action, last(rows[1]).reason, last(rows[1]).before) == (
        "promoted", "new that day", {"priority": 1.0},
    )  # fmt: skip
    assert fresh(rows[1]).updated_at == rows[1].updated_at


def test_the_first_run_of_a_new_app_is_for_the_day_before_it(acme: App) -> None:
    acme.created_at = NIGHT - 0.1 * DAY
    rows = [tell(acme, f"Fact {days}", NIGHT - days * DAY, embed=False) for days in (0.5, 1.5)]
    promote_todays(acme, NIGHT, Unclaimed(until=NIGHT))
    assert [fresh(row).priority for row in rows] == [1.1, 1.0]


def test_the_first_run_makes_up_for_nights_that_were_missed_since_the_app_was_made(acme: App) -> None:
    """A server that was off in its first nights; what was restored into a new app is older than the app."""
    acme.created_at = NIGHT - 3 * DAY
    rows = [tell(acme, f"Fact {days}", NIGHT - days * DAY, embed=False) for days in (0.5, 1.5, 2.5, 3.5)]
    first = Unclaimed(until=NIGHT)
    promote_todays(acme, NIGHT, first)
    promote_todays(acme, NIGHT + DAY, Unclaimed(until=NIGHT + DAY, since=first.until))
    assert [fresh(row).priority for row in rows] == [1.1, 1.1, 1.1, 1.0]


def test_three_days_without_a_run_are_made_up_for(acme: App) -> None:
    rows = [tell(acme, f"Fact {days}", NIGHT - days * DAY, embed=False) for days in (0.5, 1.5, 2.5, 3.5)]
    promote_todays(acme, NIGHT, Unclaimed(until=NIGHT, since=NIGHT - 3 * DAY))
    assert [fresh(row).priority for row in rows] == [1.1, 1.1, 1.1, 1.0]


def test_pinned_and_put_away_ones_stay_as_they_are(acme: App) -> None:
    rows = [tell(acme, f"Fact {number}", embed=False, pinned=number == 0) for number in range(2)]
    with writing(acme, "operator:olga", NIGHT - SECOND) as write:
        write.archive(rows[1])
    promote_todays(acme, NIGHT, Unclaimed(until=NIGHT))
    assert [(fresh(row).priority, history(row)[-1]) for row in rows] == [(1.0, "created"), (1.0, "archived")]


def test_two_is_the_most(acme: App) -> None:
    row = tell(acme, "Fact", embed=False)
    with writing(acme, "system:feedback", NIGHT - SECOND) as write:
        write.judge_uses([(row, True, 0.95, "")])
    promote_todays(acme, NIGHT, Unclaimed(until=NIGHT))
    assert fresh(row).priority == 2.0


def test_once_however_often_its_worker_is_killed(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aging, "PROMOTE_BATCH", 2)
    rows = [tell(acme, f"Fact {number}", embed=False) for number in range(9)]
    run = Fragile(until=NIGHT, luck=random.Random(3), share=0.6)
    assert carry_on(lambda run: promote_todays(acme, NIGHT, run), run) > 3
    promote_todays(acme, NIGHT, run)
    assert [fresh(row).priority for row in rows] == [1.1] * 9
    assert run.counts == {"promoted": 9}


def test_to_be_new_is_nothing_to_take_back(acme: App) -> None:
    """Undo takes back what somebody decided."""
    row = tell(acme, "Fact", embed=False)
    with writing(acme, "operator:olga", NIGHT - SECOND) as write:
        write.archive(row)
        write.restore(row)
    promote_todays(acme, NIGHT, Unclaimed(until=NIGHT))
    with writing(acme, "operator:olga", NIGHT) as write:
        write.undo(fresh(row))
    assert (fresh(row).status, fresh(row).priority) == (Status.ARCHIVED, 1.1)
