"""Nightly: today's memories gain a tenth of priority, once."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from memories.maintain import promote
from memories.maintain.promote import promote_todays
from memories.maintain.run import Unclaimed
from memories.models import Status
from memories.store import writing
from memsite.tenancy.models import App
from tests.memories.maintain.upkeep import DAY, NIGHT, Fragile, carry_on, fresh, history, last, tell

SECOND = timedelta(seconds=1)


def test_what_was_made_since_the_last_run_counts_more(acme: App) -> None:
    times = [NIGHT - DAY, NIGHT - DAY + SECOND, NIGHT, NIGHT + SECOND]
    rows = [tell(acme, f"Fact {at}", at, embed=False) for at in times]
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
    monkeypatch.setattr(promote, "PROMOTE_BATCH", 2)
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
