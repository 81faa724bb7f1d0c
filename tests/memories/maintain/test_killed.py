"""A simulated app whose worker is killed over and over comes to the state of one whose worker never was.

Both start from the same rows: the undisturbed run is undone by the database before the other begins.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from memories.language.relate import Verdict
from memories.maintain import aging, insights, merge
from memories.maintain.aging import archive_expired, promote_todays
from memories.maintain.insights import gather_insights
from memories.maintain.merge import merge_duplicates
from memories.models import LIVE, Memory, Revision, Status
from memories.providers.llm.provider import Noted, Written
from memories.providers.llm.rules import RulesProvider
from memories.retrieve.pipeline import indexes
from memories.store import writing
from memsite.jobs.job import Run, Unclaimed
from memsite.tenancy.models import App
from tests.memories.maintain.upkeep import DAY, EMBEDDER, NIGHT, RULES, Fragile, Killed, carry_on, state_of, tell
from tests.scale import scaled

pytestmark = pytest.mark.long

NOW = NIGHT + timedelta(minutes=1)
NAMES = ("gateway", "router", "cache")
SAID = (
    "The {} takes {} seconds to start",
    "The {} needs {} seconds to start",
    "The {} takes {} seconds to start up",
    "{} takes {} seconds to start",
    "The {} takes {} seconds to boot",
    "Restarts of the {} wake {} people",
)


class Shaky(RulesProvider):
    """The rules, on a machine that fails now and then while they think."""

    def __init__(self, luck: random.Random) -> None:
        super().__init__(RULES.bands)
        self.luck = luck

    def live(self) -> None:
        if self.luck.random() < 0.02:
            raise Killed

    def relate(self, *question: Any) -> list[Verdict]:
        self.live()
        return super().relate(*question)

    def insight(self, facts: Sequence[Noted], max_characters: int) -> Written:
        self.live()
        return super().insight(facts, max_characters)


def fill(app: App, luck: random.Random) -> None:
    """Some hundred memories, many of them said before; some are pinned, private, without a vector, or were restored."""
    for _ in range(120):
        name, seconds = luck.choice(NAMES), luck.choice((30, 30, 60, luck.randint(2, 99)))
        tell(
            app,
            luck.choice(SAID).format(name, seconds),
            NIGHT - luck.choice((0.1, 0.5, 3, 95, 95)) * DAY,
            embed=luck.random() < 0.9,
            category=luck.choice(("timing", "work", "hobbies")),
            subject=luck.choice((name, None)),
            user_id=luck.choice((None, "rob")),
            pinned=luck.random() < 0.1,
            confidence=luck.choice((0.5, 0.7, 0.9)),
            tags=luck.sample(("a", "b", "c"), luck.randint(0, 2)),
        )
    rows = list(Memory.objects.for_app(app))
    for memory in luck.sample(rows, 10):
        Memory.objects.filter(pk=memory.pk).update(access_count=luck.randint(1, 9), accessed_at=NIGHT - DAY)
    for loser, winner in zip(luck.sample(rows[:50], 3), luck.sample(rows[50:], 3), strict=True):
        with writing(app, "operator:olga", NIGHT - timedelta(hours=1)) as write:
            write.merge(winner, [loser])
            write.restore(loser)


def nights_and_weeks(app: App, run: Run, provider: Any, since: Any) -> None:
    """As one run would do it all."""
    merge_duplicates(app, NOW, run, provider, EMBEDDER)
    promote_todays(app, NOW, run)
    archive_expired(app, NOW, run)
    gather_insights(app, NOW, run, provider, EMBEDDER)


@pytest.mark.parametrize("seed", range(scaled(6, least=2)))
def test_it_makes_no_difference_how_often_a_worker_is_killed(
    acme: App, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    luck = random.Random(seed)
    for module, name, least in (
        (merge, "ROWS_AT_ONCE", 3), (merge, "MOST_UNITED", 4), (merge, "NEAREST", 2), (aging, "PROMOTE_BATCH", 5),
        (aging, "EXPIRE_BATCH", 4), (insights, "AT_ONCE", 6),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, least + luck.randint(0, 20))
    fill(acme, luck)
    pinned = state_of_pinned(acme)
    since = luck.choice((None, NIGHT - DAY))

    expected, counts = undisturbed(acme, since)
    run = Fragile(until=NIGHT, since=since, luck=luck, share=0.4)
    kills = carry_on(lambda run: nights_and_weeks(acme, run, Shaky(luck), since), run)

    assert kills > 5
    assert state_of(acme) == expected
    assert run.counts == counts
    assert counts["merged"] > 3
    assert counts["insights"] > 0
    assert state_of_pinned(acme) == pinned
    assert_each_is_traceable(acme)


def undisturbed(app: App, since: Any) -> tuple[dict[str, Any], Any]:
    run = Unclaimed(until=NIGHT, since=since)
    savepoint = transaction.savepoint()
    nights_and_weeks(app, run, RULES, since)
    state = state_of(app)
    transaction.savepoint_rollback(savepoint)
    indexes.by_key.clear()
    return state, run.counts


def state_of_pinned(app: App) -> list[dict[str, Any]]:
    rows = Memory.objects.for_app(app).filter(pinned=True).order_by("pk").values()
    return [{name: row[name] for name in row if name not in ("version", "change_number")} for row in rows]


def assert_each_is_traceable(app: App) -> None:
    """Whatever left says why, once, and into what; and comes back when somebody restores it."""
    for memory in Memory.objects.for_app(app).exclude(status__in=LIVE):
        [revision] = Revision.objects.filter(memory=memory, after__status=memory.status, created_at=NOW)
        if memory.status == Status.SUPERSEDED:
            [link] = memory.links_in.filter(kind="supersedes")
            assert revision.reason.endswith(f"merged into {link.from_memory.uid}")
        else:
            assert revision.reason.endswith("days without access")
        with writing(app, "operator:olga", NIGHT + DAY) as write:
            write.restore(memory)
        assert memory.status == Status.ACTIVE
