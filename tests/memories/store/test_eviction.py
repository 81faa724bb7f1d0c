"""An app holds as many memories as it may, never more; what makes room can be had back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from threading import Thread
from typing import Any

import numpy as np
import pytest
from django.db import connection

from memories.models import Action, Link, LinkKind, Memory, Revision, Status, Vector, Visibility
from memories.models.memory import MAX_PRIORITY, as_noted
from memories.providers.llm.provider import Choice
from memories.store import Candidate, LimitReached, NothingToUndo, Suggestion, Writer, shrink, writing
from memsite.tenancy.models import App, AppPolicy
from tests.plans import plan_of

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = "amber birch cedar delta ember fjord grove heath inlet jetty knoll larch mound north olive pines quartz ridge"


def later(days: float) -> datetime:
    return START + timedelta(days=days)


def candidate(number: int, **fields: Any) -> Candidate:
    """Texts that have nothing in common."""
    words = Random(number).sample(WORDS.split(), 5)
    return Candidate(content=f"{' '.join(words)} #{number}", **fields)


def make(app: App, *numbers: int, moment: datetime = START, **fields: Any) -> list[Memory]:
    with writing(app, "agent:alice", moment) as write:
        return [write.create(candidate(number, **fields)) for number in numbers]


def live(app: App) -> list[Memory]:
    """Also checks that the app knows how many they are."""
    rows = list(Memory.objects.for_app(app).live().order_by("pk"))
    assert App.objects.get(pk=app.pk).memory_count == len(rows)
    return rows


def contents(app: App) -> set[int]:
    return {int(memory.content.rsplit("#")[1]) for memory in live(app)}


def allow(app: App, limit: int) -> None:
    AppPolicy.objects.filter(app=app).update(memory_limit=limit)


def last(memory: Memory) -> Revision:
    return Revision.objects.filter(memory=memory).latest("number")


def test_the_least_worthy_makes_capacity_and_says_why(acme: App) -> None:
    allow(acme, 3)
    make(acme, 1, 2, importance=4)
    (least,) = make(acme, 3, importance=2)
    make(acme, 4, importance=1)
    assert contents(acme) == {1, 2, 4}
    least.refresh_from_db()
    assert (least.status, last(least).action) == (Status.ARCHIVED, Action.ARCHIVED)
    assert (last(least).actor, last(least).reason[:24]) == ("agent:alice", "makes room: worth least ")


def test_among_equals_the_oldest_goes(acme: App) -> None:
    allow(acme, 3)
    for day in range(6):
        make(acme, day, moment=later(day))
    assert contents(acme) == {3, 4, 5}


def test_pinned_memories_never_make_capacity(acme: App) -> None:
    allow(acme, 4)
    make(acme, 1, 2, 3, importance=1, pinned=True)
    make(acme, 4, 5, 6, 7, importance=5)
    assert contents(acme) == {1, 2, 3, 7}


def test_of_two_that_say_the_same_one_stands_for_both(acme: App) -> None:
    allow(acme, 3)
    with writing(acme, "agent:alice", START) as write:
        sure = write.create(Candidate(content="Jellyfin listens on port 8096", subject="jellyfin", confidence=0.9))
        unsure = write.create(
            Candidate(content="Jellyfin listens on port 8096.", subject="jellyfin", importance=2, tags=["net"])
        )
    make(acme, 1, importance=1)
    make(acme, 2, moment=later(1))
    sure.refresh_from_db()
    unsure.refresh_from_db()
    assert (sure.status, unsure.status) == (Status.ACTIVE, Status.SUPERSEDED)
    assert (sure.confidence, sure.tags, sure.anchored_at) == (0.9, ["net"], START)
    assert last(unsure).reason.startswith("makes room: says the same")
    assert Link.objects.filter(from_memory=sure, to_memory=unsure, kind=LinkKind.SUPERSEDES).exists()
    assert len(live(acme)) == 3


@pytest.mark.parametrize(
    "other",
    [{"user_id": "ann"}, {"visibility": Visibility.AGENT}, {"valid_until": later(9)}, {"category": "timing"}],
    ids=lambda fields: next(iter(fields)),
)
def test_a_memory_never_stands_for_one_that_others_read_or_that_holds_longer(acme: App, other: dict[str, Any]) -> None:
    allow(acme, 2)
    with writing(acme, "agent:alice", START) as write:
        retained = write.create(Candidate(content="Jellyfin listens on port 8096", importance=4))
        write.create(Candidate(content="Jellyfin listens on port 8096.", **other))
    make(acme, 1)
    assert not Link.objects.exists()
    assert len(live(acme)) == 2
    assert retained in live(acme)


@pytest.mark.parametrize("batch", [1, 7, 150])
def test_the_limit_holds_whatever_is_written_at_once(acme: App, batch: int) -> None:
    allow(acme, 10)
    make(acme, *range(4))
    created = make(acme, *range(100, 100 + batch), moment=later(1))
    assert len(live(acme)) == min(10, 4 + batch)
    # Whoever wrote them sees which of them stayed.
    assert {memory.pk: memory.status for memory in created} == dict(
        Memory.objects.filter(pk__in=[memory.pk for memory in created]).values_list("pk", "status")
    )


def test_what_is_written_now_goes_last(acme: App) -> None:
    allow(acme, 10)
    make(acme, *range(10), importance=5, confidence=0.9)
    make(acme, *range(10, 14), importance=1, confidence=0.4)
    assert contents(acme) >= {10, 11, 12, 13}
    make(acme, *range(20, 32), importance=1)
    assert len(contents(acme)) == 10
    assert min(contents(acme)) >= 20


def test_many_that_go_cost_as_many_queries_as_one(acme: App, django_assert_num_queries: Callable[[int], Any]) -> None:
    make(acme, *range(60))
    for limit in (59, 10):
        allow(acme, limit)
        # Over the limit? Savepoint, lock, numbers, those that may go, archived, told of, noted, counted, end of it.
        with django_assert_num_queries(9):
            shrink(acme, "system:room", later(1))
        assert len(live(acme)) == limit


def test_a_write_that_changes_no_count_costs_no_statement_for_it(
    acme: App, django_assert_num_queries: Callable[[int], Any]
) -> None:
    make(acme, 1)
    # The savepoint of the test's transaction, the lock, the numbers, and the end of the savepoint.
    with django_assert_num_queries(3), writing(acme, "agent:alice", START):
        pass


def test_the_shortlist_comes_from_its_index(acme: App) -> None:
    plan = plan_of(Memory.objects.for_app(acme).exclude(change_number=7).least_worthy()[:50])
    assert "memory_least" in plan
    assert "TEMP B-TREE" not in plan
    # PostgreSQL sorts those that are equal in all of these by id.
    assert "Sort" not in plan or "Presorted Key: importance, confidence, confirmed_at" in plan


def test_a_write_is_refused_when_all_others_are_pinned(acme: App) -> None:
    allow(acme, 3)
    make(acme, 1, 2, 3, pinned=True)
    for pinned in (False, True):
        with pytest.raises(LimitReached, match="may hold 3 memories"):
            make(acme, 4, pinned=pinned)
    assert contents(acme) == {1, 2, 3}
    assert Revision.objects.count() == 3


def make_one_more_important(write: Writer, memory: Memory) -> None:
    write.edit(memory, {"importance": 5})
    write.create(candidate(4))


def test_a_refused_write_leaves_nothing_of_itself(acme: App) -> None:
    allow(acme, 3)
    first, *_ = make(acme, 1, 2, 3, pinned=True)
    before = App.objects.get(pk=acme.pk).change_number
    with pytest.raises(LimitReached), writing(acme, "agent:alice", later(1)) as write:
        make_one_more_important(write, first)
    first.refresh_from_db()
    assert (first.importance, first.version) == (3, 1)
    assert App.objects.get(pk=acme.pk).change_number == before


def test_what_fits_beside_the_pinned_ones_is_kept(acme: App) -> None:
    allow(acme, 3)
    make(acme, 1, 2, pinned=True)
    make(acme, 3)
    make(acme, *range(10, 30))
    assert contents(acme) >= {1, 2}
    assert len(live(acme)) == 3


def test_restoring_into_a_full_app_makes_capacity_in_turn(acme: App) -> None:
    allow(acme, 3)
    first, *_ = make(acme, 1, importance=1)
    make(acme, 2, 3, importance=2)
    make(acme, 4, importance=3)
    first.refresh_from_db()
    assert first.status == Status.ARCHIVED
    with writing(acme, "operator:olga", later(1)) as write:
        write.restore(first)
    assert 1 in contents(acme)
    assert len(live(acme)) == 3


def test_undo_takes_the_making_of_capacity_back_and_the_limit_holds(acme: App) -> None:
    allow(acme, 3)
    first, *_ = make(acme, 1, 2, 3)
    make(acme, 4, importance=5, moment=later(1))
    first.refresh_from_db()
    with writing(acme, "operator:olga", later(2)) as write:
        write.undo(first)
    assert first.status == Status.ACTIVE
    assert contents(acme) >= {1, 4}
    assert len(live(acme)) == 3


def suggest(app: App, memory: Memory, **choice: Any) -> Suggestion:
    return Suggestion.of(Choice(memory.pk, "a model says so", **choice), list(Memory.objects.for_app(app)))


def test_a_suggested_memory_goes_first(acme: App) -> None:
    allow(acme, 3)
    make(acme, 1, 2, importance=1)
    (chosen,) = make(acme, 3, importance=5)
    suggestion = suggest(acme, chosen, made_by="some-model")
    with writing(acme, "agent:alice", later(1), [suggestion]) as write:
        write.create(candidate(4))
    assert contents(acme) == {1, 2, 4}
    assert last(chosen).reason == "makes room: a model says so (some-model)"


def test_a_suggestion_is_not_followed_while_there_is_capacity(acme: App) -> None:
    allow(acme, 3)
    (chosen,) = make(acme, 1)
    with writing(acme, "agent:alice", later(1), [suggest(acme, chosen)]) as write:
        write.create(candidate(2))
    assert contents(acme) == {1, 2}


@pytest.mark.parametrize("change", [{"importance": 4}, {"pinned": True}, {"status": Status.ARCHIVED}])
def test_a_suggestion_about_a_memory_that_has_changed_is_ignored(acme: App, change: dict[str, Any]) -> None:
    allow(acme, 3)
    (chosen,) = make(acme, 1, importance=5)
    make(acme, 2, 3, importance=1)
    suggestion = suggest(acme, chosen)
    with writing(acme, "operator:olga", later(1)) as write:
        write.edit(chosen, change)
    with writing(acme, "agent:alice", later(2), [suggestion]) as write:
        write.create(candidate(4, importance=2))
        write.create(candidate(5, importance=2))
    assert "a model" not in last(chosen).reason
    assert len(live(acme)) == 3


def test_nonsense_is_not_followed(acme: App, charlie: Any) -> None:
    allow(acme, 3)
    item, two, three = make(acme, 1, 2, 3, importance=1)
    (pinned,) = make(acme, 9, pinned=True)
    item.refresh_from_db()
    gone = next(memory for memory in (item, two, three) if memory not in live(acme))
    first, second = (memory for memory in (item, two, three) if memory != gone)
    (foreign,) = make(charlie.app, 8)
    nonsense = [
        suggest(acme, foreign),
        suggest(acme, gone),
        suggest(acme, pinned),
        suggest(acme, first, into=first.pk, content="itself"),
        suggest(acme, first, into=pinned.pk, content="rewrites a pinned one"),
        suggest(acme, first, into=gone.pk, content="lives on in an archived one"),
        suggest(acme, first, into=foreign.pk, content="lives on in another app"),
        suggest(acme, first, into=second.pk),
        suggest(acme, first, into=second.pk, content="x" * 2_001),
        suggest(acme, first, into=10**6, content="unknown"),
    ]
    with writing(acme, "agent:alice", later(1), nonsense) as write:
        write.create(candidate(4))
    assert not Revision.objects.filter(reason__contains="a model").exists()
    assert not Link.objects.exists()
    assert len(live(acme)) == 3


@pytest.fixture
def folded(acme: App) -> tuple[Memory, Memory]:
    """The second stands for both, as a model has put it."""
    allow(acme, 3)
    goes, stays, _ = make(acme, 1, 2, 3, vector=np.ones(4, "<f4"), vector_model="hash")
    suggestion = suggest(acme, goes, into=stays.pk, content="Both at once")
    with writing(acme, "agent:alice", later(1), [suggestion]) as write:
        write.create(candidate(4))
    goes.refresh_from_db()
    stays.refresh_from_db()
    return goes, stays


def test_a_suggested_text_stands_for_both(acme: App, folded: tuple[Memory, Memory]) -> None:
    goes, stays = folded
    assert (goes.status, stays.status, stays.content) == (Status.SUPERSEDED, Status.ACTIVE, "Both at once")
    assert (stays.confirmed_at, stays.confidence) == (START, 0.7), "nobody has confirmed it"
    assert Link.objects.filter(from_memory=stays, to_memory=goes, kind=LinkKind.SUPERSEDES).exists()
    assert not Vector.objects.filter(memory=stays).exists(), "the old text's vector is gone, and the sweep makes one"
    assert Vector.objects.filter(memory=goes).exists()
    assert len(live(acme)) == 3


def test_undoing_it_sets_both_free_and_another_makes_capacity(acme: App, folded: tuple[Memory, Memory]) -> None:
    goes, stays = folded
    with writing(acme, "operator:olga", later(2)) as write:
        write.undo(stays)
    goes.refresh_from_db()
    assert (goes.status, stays.status, stays.content) == (Status.ACTIVE, Status.ACTIVE, candidate(2).content)
    assert not Link.objects.filter(kind=LinkKind.SUPERSEDES).exists()
    assert contents(acme) >= {1, 2}
    assert len(live(acme)) == 3


def test_the_more_certain_of_both_says_how_sure_and_since_when(acme: App) -> None:
    (weak,) = make(acme, 1, confidence=0.5)
    (sure,) = make(acme, 2, moment=later(20), confidence=0.8, importance=5)
    with writing(acme, "agent:alice", later(40)) as write:
        write.unite(weak, [(sure, "")], content="Both")
    assert (weak.confidence, weak.confidence_base, weak.anchored_at) == (0.8, 0.8, later(20))
    assert (weak.importance, weak.confirmed_at) == (5, later(20))


def test_a_lowered_limit_loses_nothing_at_once_but_the_app_grows_no_more(acme: App) -> None:
    make(acme, *range(20))
    allow(acme, 5)
    make(acme, 30, moment=later(1))
    assert len(live(acme)) == 20
    assert 30 in contents(acme)


def test_an_app_shrinks_to_its_lowered_limit_step_by_step(acme: App) -> None:
    make(acme, *range(20))
    make(acme, 50, 51, importance=1, pinned=True)
    assert shrink(acme, "system:room", later(1), batch=8) == 0
    allow(acme, 5)
    steps = [shrink(acme, "system:room", later(1), batch=8) for _ in range(4)]
    assert steps == [8, 8, 1, 0]
    assert contents(acme) >= {50, 51}
    assert len(live(acme)) == 5


def test_an_app_shrinks_no_further_than_its_pinned_ones(acme: App) -> None:
    make(acme, *range(6), pinned=True)
    make(acme, *range(6, 9))
    allow(acme, 2)
    assert [shrink(acme, "system:room", later(1)) for _ in range(2)] == [3, 0]
    assert contents(acme) == set(range(6))


def test_apps_do_not_count_or_lose_for_each_other(acme: App, charlie: Any) -> None:
    allow(acme, 2)
    make(charlie.app, *range(5))
    make(acme, *range(5))
    assert (len(live(acme)), len(live(charlie.app))) == (2, 5)


def test_forgetting_one_twice_counts_once(acme: App) -> None:
    first, *_ = make(acme, 1, 2)
    for _ in range(2):
        with writing(acme, "agent:alice", later(1)) as write:
            write.forget([first])
        assert contents(acme) == {2}


def pick(rng: Random, app: App, **where: Any) -> list[Memory]:
    rows = list(Memory.objects.for_app(app).filter(**where).order_by("pk"))
    return rng.sample(rows, min(len(rows), rng.randint(1, 3)))


def undo_if_possible(write: Writer, memory: Memory) -> None:
    try:
        write.undo(memory)
    except NothingToUndo:
        return


def create_some(write: Writer, rng: Random, number: int) -> None:
    for step in range(rng.choice([1, 1, 4])):
        fields = {"pinned": rng.random() < 0.1, "confidence": rng.random(), "importance": rng.randint(1, 5)}
        write.create(candidate(number * 10 + step, **fields))


def do_something(write: Writer, rng: Random, number: int) -> None:
    """One of everything that can be done to memories, most often a creation."""
    rows = pick(rng, write.app) + pick(rng, write.app, status="active")
    if not rows or rng.random() < 0.3:
        return create_some(write, rng, number)
    item = rows[0]
    others = list({row.pk: row for row in rows if row != item}.values())
    alone: list[Callable[[], object]] = [
        lambda: write.archive(item),
        lambda: write.restore(item),
        lambda: undo_if_possible(write, item),
        lambda: write.forget([item]),
        lambda: write.decay([item]),
        lambda: write.judge_uses([(item, rng.random() < 0.5, 0.1, "")]),
        lambda: write.edit(item, {"pinned": not item.pinned, "confidence": rng.random()}),
    ]
    together: list[Callable[[], object]] = [
        lambda: write.merge(item, others),
        lambda: write.supersede(item, by=others[0]),
        lambda: write.contradict(item, others[0], "said otherwise"),
    ]
    rng.choice(alone + together if others else alone)()
    return None


@pytest.mark.parametrize("seed", range(2))
def test_the_count_is_exact_and_in_bounds_after_everything_that_can_be_done(acme: App, seed: int) -> None:
    rng = Random(seed)
    allow(acme, 12)
    refused = 0
    for number in range(50):
        before = live(acme)
        try:
            with writing(acme, "operator:olga", later(number)) as write:
                do_something(write, rng, number)
        except LimitReached:
            refused += 1
            assert live(acme) == before
        assert len(live(acme)) <= 12
    assert refused < 25


def test_the_revisions_of_one_memory_are_numbered_without_gaps(acme: App) -> None:
    allow(acme, 4)
    rng = Random(9)
    for number in range(40):
        with writing(acme, "operator:olga", later(number)) as write:
            do_something(write, rng, number)
    for memory in Memory.objects.for_app(acme):
        numbers = list(Revision.objects.filter(memory=memory).order_by("number").values_list("number", flat=True))
        assert numbers == list(range(1, memory.version + 1))


def test_the_limit_holds_for_writers_at_the_same_time(shared_database: App) -> None:
    seen, left = list[int](), list[Memory]()

    def write_some(first: int) -> None:
        for number in range(first, first + 5):
            app = App.objects.get(pk=shared_database.pk)
            make(app, number, number + 1000)
            # The rows alone: what the app says of them is read at another moment, when others may have written.
            seen.append(Memory.objects.for_app(shared_database).live().count())
        connection.close()

    threads = [Thread(target=write_some, args=(100 * number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = Thread(target=lambda: left.extend(live(shared_database)))
    last.start()
    last.join()
    assert len(seen) == 40
    assert max(seen) == len(left) == 10


def test_use_moves_the_priority_and_leaves_the_rest(acme: App) -> None:
    used, ignored = make(acme, 1, 2)
    with writing(acme, "system:use", later(1)) as write:
        write.judge_uses([(used, True, 0.1, "said again"), (ignored, False, 0.05, "not mentioned")])
    used.refresh_from_db()
    ignored.refresh_from_db()
    assert (used.priority, ignored.priority) == (1.1, 0.95)
    assert (used.updated_at, used.confirmed_at, used.version) == (START, START, 2)
    assert (last(used).action, last(used).reason, last(used).before) == (Action.USED, "said again", {"priority": 1.0})
    assert (last(ignored).action, last(ignored).actor) == (Action.IGNORED, "system:use")


def test_undo_takes_back_what_somebody_decided_and_not_that_it_was_used(acme: App) -> None:
    (memory,) = make(acme, 1)
    with writing(acme, "operator:olga", later(1)) as write:
        write.edit(memory, {"importance": 5})
        write.judge_uses([(memory, True, 0.1, "")])
    with writing(acme, "operator:olga", later(2)) as write:
        write.undo(memory)
    memory.refresh_from_db()
    assert (memory.importance, memory.priority) == (3, 1.1)


def test_priority_stays_in_its_bounds(acme: App) -> None:
    up, down = make(acme, 1, 2)
    with writing(acme, "system:use", later(1)) as write:
        write.judge_uses([(up, True, 0.7, "")] * 3 + [(down, False, 0.7, "")] * 3)
    up.refresh_from_db()
    down.refresh_from_db()
    assert (up.priority, down.priority) == (MAX_PRIORITY, 0.0)
    assert (up.version, down.version) == (3, 3), "the third changed nothing"


def test_a_memory_judged_twice_at_once_is_judged_in_turn(acme: App) -> None:
    (memory,) = make(acme, 1)
    again = Memory.objects.get(pk=memory.pk)
    with writing(acme, "system:use", later(1)) as write:
        write.judge_uses([(memory, True, 0.1, "first"), (again, True, 0.1, "then")])
    memory.refresh_from_db()
    assert (memory.priority, memory.version) == (1.2, 3)


def test_judging_many_costs_as_many_queries_as_judging_one(
    acme: App, django_assert_num_queries: Callable[[int], Any]
) -> None:
    memories = make(acme, *range(50))
    for judged in (memories[:1], memories):
        with writing(acme, "system:use", later(1)) as write, django_assert_num_queries(2):
            write.judge_uses([(memory, True, 0.1, "") for memory in judged])


def test_who_worded_a_memory_is_kept(acme: App) -> None:
    (memory,) = make(acme, 1, made_by="some-model")
    memory.refresh_from_db()
    assert memory.made_by == "some-model"


def test_a_text_that_somebody_rewrites_is_theirs_and_undone_it_is_not(acme: App) -> None:
    (memory,) = make(acme, 1, made_by="some-model")
    with writing(acme, "operator:olga", later(1)) as write:
        write.edit(memory, {"importance": 5})
        assert memory.made_by == "some-model"
        write.edit(memory, {"content": "In my own words"})
    memory.refresh_from_db()
    assert memory.made_by is None
    assert last(memory).before["made_by"] == "some-model"
    with writing(acme, "operator:olga", later(2)) as write:
        write.undo(memory)
    memory.refresh_from_db()
    assert memory.made_by == "some-model"


def test_a_provider_sees_what_it_needs_to_choose(acme: App) -> None:
    (memory,) = make(acme, 1, subject="jellyfin", importance=4, pinned=True)
    seen = as_noted(memory)
    assert (seen.number, seen.content, seen.subject) == (memory.pk, memory.content, "jellyfin")
    assert (seen.importance, seen.pinned, seen.said_at) == (4, True, START)
