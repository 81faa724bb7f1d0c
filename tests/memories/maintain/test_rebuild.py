"""Weekly: every summary from scratch, one after the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memories.maintain.stale_summaries import rebuild_summaries
from memories.models import Summary, SummaryDue
from memories.providers.llm.provider import LLMUnavailable, Noted, Written
from memories.providers.llm.rules import summaries as rules
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.conftest import make_app
from tests.memories.maintain.upkeep import EMBEDDER, Fragile, Killed, carry_on, tell

SUNDAY = datetime(2027, 3, 7, 1, tzinfo=UTC)


class Author:
    """Writes by the rules, and another text each time it is asked if `moody`."""

    name = "author"

    def __init__(self, moody: bool = False, before: Callable[[], object] = lambda: None) -> None:
        self.moody, self.before = moody, before
        self.requests: list[tuple[str, str]] = []

    def summarise(self, category: str, facts: Sequence[Noted], previous: str, max_characters: int) -> Written:
        self.requests.append((category, previous))
        self.before()
        written = rules.summarise(category, facts, previous, max_characters)
        return Written(f"{written.text}\n\n*{len(self.requests)}*\n") if self.moody else written


def week(app: App, author: Any = None, run: Unclaimed | None = None) -> Unclaimed:
    run = run or Unclaimed(until=SUNDAY)
    rebuild_summaries(app, SUNDAY, run, author or Author(), EMBEDDER)
    return run


@pytest.fixture
def app(db: None) -> App:
    app = make_app("library", "knowledge")
    tell(app, "Standup is at nine", category="work", subject=None)
    tell(app, "Sleeps badly", category="health", subject=None, user_id="rob")
    tell(app, "Not for all", category="secret", subject=None, visibility="agent")
    return app


def test_every_summary_is_written_without_a_look_at_the_one_before(app: App) -> None:
    week(app)
    Summary.objects.create(app=app, category="gone", content="# Gone", made_by="rules")
    author = Author(moody=True)
    run = week(app, author)
    assert sorted(author.requests) == [("health", ""), ("work", "")]
    assert run.counts == {"rebuilt": 3, "changed": 3}
    assert set(Summary.objects.current().values_list("category", "version")) == {("work", 2), ("health", 2)}
    assert not SummaryDue.objects.exists()


def test_the_same_text_is_no_new_version(app: App) -> None:
    week(app)
    assert week(app).counts == {"rebuilt": 2, "changed": 0}
    assert Summary.objects.count() == 2


def test_an_app_that_keeps_no_summaries_gets_none(acme: App) -> None:
    tell(acme, "Standup is at nine")
    assert week(acme).counts == {}
    assert not SummaryDue.objects.exists()


def test_a_model_that_is_away_leaves_it_due(app: App) -> None:
    def away() -> None:
        raise LLMUnavailable("away")

    assert week(app, Author(before=away)).counts == {}
    assert SummaryDue.objects.filter(lease_until=None).count() == 2


def test_what_another_worker_is_at_is_left_to_it(app: App) -> None:
    SummaryDue.objects.filter(category="work").update(lease_until=SUNDAY + timedelta(minutes=5))
    assert week(app).counts == {"rebuilt": 1, "changed": 1}
    assert SummaryDue.objects.get().category == "work"


@pytest.mark.parametrize("seed", range(2))
def test_killed_and_gone_on_with_each_has_one_new_version(app: App, seed: int) -> None:
    for number in range(6):
        tell(app, "Standup is at nine", category=f"team-{number}", subject=None)
    luck = random.Random(seed)

    def die() -> None:
        if luck.random() < 0.3:
            raise Killed

    run = Fragile(until=SUNDAY, luck=luck)
    author: Any = Author(moody=True, before=die)
    assert carry_on(lambda run: rebuild_summaries(app, SUNDAY, run, author, EMBEDDER), run) > 1
    assert set(Summary.objects.values_list("version", flat=True)) == {1}
    assert (run.counts, Summary.objects.count()) == ({"rebuilt": 8, "changed": 8}, 8)
    assert not SummaryDue.objects.exists()


def test_the_cursor_tells_nobodys_name(app: App) -> None:
    assert "rob" not in str(week(app).cursor)
