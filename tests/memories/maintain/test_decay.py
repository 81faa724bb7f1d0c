"""Decay at a session's start, which waits for little, and at night, which does all of it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from memories.maintain import decay
from memories.maintain.decay import decay_app, decay_few
from memories.maintain.run import Unclaimed
from memories.models import Memory
from memsite.tenancy.models import App
from tests.conftest import make_app, make_caller
from tests.memories.maintain.upkeep import DAY, NIGHT, fresh, history, tell
from tests.talking import after, contents, hear

LATER = NIGHT + 44 * DAY
"""A fortnight after the month in which nothing is lost: 0.2 of what is confident."""


def told(app: App, count: int) -> list[Memory]:
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
    monkeypatch.setattr(decay, "DECAY_BATCH", 3)
    memories = told(acme, 3)
    decay_few(acme, LATER)
    assert confidences(memories) == [0.7, 0.7, 0.7]
    memories += told(acme, 1)
    decay_few(acme, LATER + 7 * DAY)
    assert confidences(memories) == [0.7, 0.7, 0.7, 0.9]
    assert night(acme, LATER + 7 * DAY).counts == {"decayed": 4, "deactivated": 0}
    assert confidences(memories) == [0.6] * 4


def test_what_is_pinned_or_confirmed_is_no_part_of_it(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decay, "DECAY_BATCH", 1)
    stale, pinned, confirmed = told(acme, 3)
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
    (memory,) = told(acme, 1)
    before = changes(acme)
    decay_few(acme, LATER)
    assert night(acme, LATER).counts == {}
    assert (changes(acme), history(memory)) == (before, ["created"])


def test_the_next_session_writes_only_what_was_lost_since(acme: App) -> None:
    (memory,) = told(acme, 1)
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
