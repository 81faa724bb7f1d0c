"""Summaries are written anew when what they tell has run out or begins to hold, and when they are switched on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memories.maintain.stale_summaries import apps_with_stale_summaries, begun, run_out
from memories.maintain.summaries import Rewriting
from memories.models import Memory, Passage, Summary, SummaryDue, Visibility
from memories.store import Candidate, writing
from memsite.tenancy.models import App, AppPolicy
from tests.conftest import Caller, make_app, make_caller
from tests.memories.providers.llm.servers import Says, Server
from tests.plans import plan_of
from tests.talking import at_time
from tests.upkeep import upkeep_summaries

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def app(db: None) -> App:
    return make_app("library", "knowledge")


def tell(app: App, content: str, **fields: Any) -> Memory:
    with writing(app, "agent:alice", NOON) as write:
        return write.create(Candidate(content=content, **{"category": "work", **fields}))


def sweep(moment: datetime) -> int:
    """As the sweep does: only where there is something to do. Answers how many texts changed."""
    with at_time(moment):
        waiting = apps_with_stale_summaries(moment) | set(SummaryDue.objects.values_list("app_id", flat=True))
        return upkeep_summaries() if waiting else 0


def text(app: App, category: str = "work", user_id: str = "") -> str:
    rows = Summary.objects.for_app(app).current().filter(category=category, user_id=user_id)
    return "".join(rows.values_list("content", flat=True))


def allow(app: App, **policy: Any) -> None:
    AppPolicy.objects.filter(app=app).update(**policy)


def test_what_has_run_out_is_told_no_more(app: App) -> None:
    tell(app, "Runs marathons")
    tell(app, "Is on leave", valid_until=NOON + DAY)
    sweep(NOON + HOUR)
    assert "Is on leave" in text(app)
    assert sweep(NOON + DAY - MINUTE) == 0
    assert sweep(NOON + DAY) == 1
    assert "Is on leave" not in text(app)
    assert "Runs marathons" in text(app)
    assert apps_with_stale_summaries(NOON + 2 * DAY) == set()


def test_where_all_has_run_out_there_is_no_summary(app: App) -> None:
    tell(app, "Is on leave", valid_until=NOON + DAY)
    sweep(NOON + HOUR)
    assert sweep(NOON + DAY) == 1
    assert text(app) == ""
    assert apps_with_stale_summaries(NOON + 2 * DAY) == set()


def test_what_begins_to_hold_is_told_from_then_on(app: App) -> None:
    tell(app, "Runs marathons")
    tell(app, "Works in Lisbon", valid_from=NOON + DAY)
    tell(app, "Sleeps badly", valid_from=NOON + 2 * DAY, category="health", user_id="rob")
    sweep(NOON + HOUR)
    assert "Lisbon" not in text(app)
    assert sweep(NOON + DAY) == 1
    assert "Lisbon" in text(app)
    assert sweep(NOON + 2 * DAY) == 1
    assert "Sleeps badly" in text(app, "health", "rob")
    assert apps_with_stale_summaries(NOON + 3 * DAY) == set()


def test_each_is_asked_for_once_also_where_the_text_stays_the_same(app: App, model: Server) -> None:
    """A model that leaves out what ran out, or tells it still, is not asked again every minute."""
    model.always(Says({"text": "Runs marathons."}))
    tell(app, "Runs marathons")
    tell(app, "Is on leave", valid_until=NOON + DAY)
    sweep(NOON + HOUR)
    requests = len(model.seen)
    assert sweep(NOON + DAY) == 0
    assert len(model.seen) == requests + 1
    for minutes in range(1, 4):
        sweep(NOON + DAY + minutes * MINUTE)
    assert len(model.seen) == requests + 1


def test_what_runs_out_while_it_is_written_of_is_not_missed(app: App) -> None:
    """The time of the facts counts, not that of the text."""
    tell(app, "Is on leave", valid_until=NOON + HOUR + MINUTE)
    sweep(NOON + HOUR)
    Summary.objects.update(created_at=NOON + 2 * HOUR)
    assert apps_with_stale_summaries(NOON + 2 * HOUR) == {app.pk}


@pytest.mark.parametrize(
    "fields", [{"visibility": Visibility.AGENT}, {"confidence": 0.1}, {"category": "health"}, {"user_id": "rob"}]
)
def test_what_a_summary_does_not_tell_does_not_matter_to_it(app: App, fields: dict[str, Any]) -> None:
    tell(app, "Runs marathons")
    tell(app, "Sleeps badly", **{"valid_until": NOON + DAY, **fields})
    sweep(NOON + HOUR)
    Summary.objects.exclude(category="work", user_id="").delete()
    assert apps_with_stale_summaries(NOON + DAY) == set()


def test_apps_do_not_wait_for_each_other(app: App, acme: App) -> None:
    other = make_app("museum", "knowledge")
    for item in (app, other, acme):
        tell(item, "Runs marathons")
    tell(other, "Is on leave", valid_until=NOON + DAY)
    tell(acme, "Is on leave", valid_until=NOON + DAY)
    sweep(NOON + HOUR)
    assert apps_with_stale_summaries(NOON + DAY) == {other.pk}


def test_summaries_of_before_this_are_as_old_as_their_text(app: App) -> None:
    tell(app, "Is on leave", valid_until=NOON + DAY)
    sweep(NOON + HOUR)
    Summary.objects.update(as_of=None)
    assert apps_with_stale_summaries(NOON + DAY) == {app.pk}


def test_switched_off_they_become_old_versions_and_switched_on_they_are_written_of_what_is_known(app: App) -> None:
    memory = tell(app, "Runs marathons")
    sweep(NOON + HOUR)
    allow(app, capture_summaries=False)
    assert sweep(NOON + 2 * HOUR) == 1
    assert text(app) == ""
    assert not Passage.objects.exists()
    with writing(App.objects.get(pk=app.pk), "agent:alice", NOON) as write:
        write.edit(Memory.objects.get(pk=memory.pk), {"content": "Runs no marathons any more"})
    tell(App.objects.get(pk=app.pk), "Sleeps badly", category="health")
    assert sweep(NOON + 3 * HOUR) == 0
    assert not SummaryDue.objects.exists()
    allow(app, capture_summaries=True)
    assert sweep(NOON + 4 * HOUR) == 2
    assert "Runs no marathons" in text(app)
    assert "Sleeps badly" in text(app, "health")
    assert Summary.objects.get(category="work", archived_at=None).version == 2
    assert apps_with_stale_summaries(NOON + 5 * HOUR) == set()


def test_an_app_of_which_nothing_is_to_be_told_has_nothing_to_be_written(app: App) -> None:
    tell(app, "Sleeps badly", visibility=Visibility.AGENT)
    tell(app, "Works in Lisbon", valid_from=NOON + DAY)
    SummaryDue.objects.all().delete()
    assert apps_with_stale_summaries(NOON) == set()


def test_switched_off_it_is_not_written_even_if_a_worker_is_at_it(app: App, model: Server, monkeypatch: Any) -> None:
    tell(app, "Runs marathons")
    switched: list[int] = []

    def switches_off(seen: Any) -> Says:
        switched.append(1)
        return Says({"text": "Runs marathons."})

    model.always(switches_off)
    store = Rewriting.store

    def slow(self: Any, *given: Any) -> Any:
        allow(app, capture_summaries=False)
        with at_time(NOON + HOUR):
            upkeep_summaries()
        return store(self, *given)

    monkeypatch.setattr(Rewriting, "store", slow)
    sweep(NOON + HOUR)
    assert switched
    assert not Summary.objects.exists()


def test_what_runs_out_is_found_by_an_index(app: App) -> None:
    with writing(app, "system", NOON) as write:
        for number in range(200):
            write.create(Candidate(content=f"Shelf {number} is empty"))
    assert "memory_runs_out" in plan_of(run_out(NOON))
    assert "memory_begins" in plan_of(run_out(NOON))
    assert "memory_begins" in plan_of(begun(NOON))


def test_the_page_of_a_category_follows(db: None) -> None:
    dora = make_caller(make_app("shelf", "knowledge"), "dora")
    with at_time(NOON):
        dora.remember("Is on leave", category="work", valid_until=(NOON + DAY).isoformat())
        dora.remember("Runs marathons", category="work")
    sweep(NOON + HOUR)
    assert "Is on leave" in page(dora)
    sweep(NOON + DAY)
    assert "Is on leave" not in page(dora)
    assert "Runs marathons" in page(dora)


def page(caller: Caller) -> str:
    return str(caller.get("categories/work.md").content.decode())
