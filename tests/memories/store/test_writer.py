"""The only writer: what it does to memories, and that all of it can be read back and taken back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.models import Action, Link, LinkKind, Memory, Revision, Status
from memories.store import Candidate, NothingToUndo, writing
from memories.store.revisions import confidence_at, settle, state_at
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy
from sessions.models import Event

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def later(days: float) -> datetime:
    return START + timedelta(days=days)


def make(app: App, content: str = "Takes 60s to start", moment: datetime = START, **fields: object) -> Memory:
    with writing(app, "agent:alice", moment) as write:
        return write.create(Candidate(content=content, **fields))  # type: ignore[arg-type]


def actions(memory: Memory) -> list[str]:
    return list(Revision.objects.filter(memory=memory).order_by("number").values_list("action", flat=True))


@pytest.fixture
def memory(acme: App) -> Memory:
    return make(acme)


def test_every_change_is_one_revision_with_actor_and_reason(acme: App, memory: Memory) -> None:
    with writing(acme, "operator:olga", later(1)) as write:
        write.reinforce(memory, 0.1, "said again")
    last = Revision.objects.filter(memory=memory).latest("number")
    assert (last.number, last.action, last.actor, last.reason) == (2, "reinforced", "operator:olga", "said again")
    assert (last.before["confidence"], last.after["confidence"]) == (0.7, 0.8)
    assert "content" not in last.after


def test_an_edit_that_changes_nothing_leaves_no_revision(acme: App, memory: Memory) -> None:
    with writing(acme, "operator:olga", later(1)) as write:
        write.edit(memory, {"importance": memory.importance})
    assert actions(memory) == ["created"]


def test_as_of_gives_what_was_true_then_with_the_decay_of_then(acme: App, memory: Memory) -> None:
    with writing(acme, "operator:olga", later(10)) as write:
        write.edit(memory, {"content": "Takes 90s to start"})
    assert state_at(memory, START - timedelta(seconds=1)) is None
    assert state_at(memory, later(5))["content"] == "Takes 60s to start"  # type: ignore[index]
    then = state_at(memory, later(10 + 44))
    assert then is not None
    assert (then["content"], then["confidence"]) == ("Takes 90s to start", 0.5)


def test_a_contradiction_lowers_and_links_and_confirms_nothing(acme: App, memory: Memory) -> None:
    other = make(acme, "Takes 90s to start", later(40))
    with writing(acme, "agent:alice", later(44)) as write:
        write.contradict(memory, by=other, reason="other number")
    assert memory.confidence == pytest.approx(0.3)
    assert memory.confirmed_at == START
    assert confidence_at(memory, later(51), acme.policy) == pytest.approx(0.2)
    assert Link.objects.filter(from_memory=other, to_memory=memory, kind=LinkKind.CONTRADICTS).exists()


def test_what_is_exempt_from_decay_from_a_confidence_on_does_not_gain_by_a_contradiction(
    acme: App, memory: Memory
) -> None:
    acme.policy.decay_exempt_from = 0.9
    acme.policy.save()
    other = make(acme, "Takes 90s to start", later(140))
    with writing(acme, "agent:alice", later(140)) as write:
        write.contradict(memory, by=other, reason="other number")
    assert memory.confidence == 0.0
    assert confidence_at(memory, later(141), acme.policy) == 0.0


def test_undo_takes_back_any_change_and_undoing_it_does_it_again(acme: App, memory: Memory) -> None:
    with writing(acme, "operator:olga", later(1)) as write:
        write.edit(memory, {"content": "Takes 90s to start", "importance": 5})
    for expected in ("Takes 60s to start", "Takes 90s to start"):
        with writing(acme, "operator:olga", later(2)) as write:
            write.undo(memory)
        memory.refresh_from_db()
        assert memory.content == expected
    assert actions(memory) == ["created", "edited", "undone", "undone"]


def test_a_creation_cannot_be_undone(acme: App, memory: Memory) -> None:
    with pytest.raises(NothingToUndo), writing(acme, "operator:olga", later(1)) as write:
        write.undo(memory)


@pytest.fixture
def merged(acme: App, memory: Memory) -> tuple[Memory, Memory]:
    loser = make(acme, "Startup takes a minute", confidence=0.9, importance=5, tags=["boot"])
    with writing(acme, "operator:olga", later(1)) as write:
        write.merge(memory, [loser], "the same")
    memory.refresh_from_db()
    loser.refresh_from_db()
    return memory, loser


def test_a_merge_keeps_the_best_of_both(merged: tuple[Memory, Memory]) -> None:
    winner, loser = merged
    assert (winner.confidence, winner.importance, winner.tags) == (0.9, 5, ["boot"])
    assert loser.status == Status.SUPERSEDED
    assert Link.objects.filter(from_memory=winner, to_memory=loser, kind=LinkKind.SUPERSEDES).exists()


def test_a_merge_counts_decay(acme: App, memory: Memory) -> None:
    loser = make(acme, "Startup takes a minute", confidence=0.6)
    with writing(acme, "operator:olga", later(100)) as write:
        write.merge(memory, [loser])
    assert memory.confidence == 0.0
    assert memory.status == Status.INACTIVE


def test_a_merge_with_a_more_certain_one_makes_an_inactive_one_active(acme: App) -> None:
    weak = make(acme, confidence=0.1)
    strong = make(acme, "Startup takes a minute", confidence=0.9)
    assert weak.status == Status.INACTIVE
    with writing(acme, "operator:olga", START) as write:
        write.merge(weak, [strong])
    assert (weak.status, weak.confidence) == (Status.ACTIVE, 0.9)


@pytest.mark.parametrize("is_cold", [False, True])
def test_what_another_stands_for_may_be_edited_and_stays_behind_it(
    acme: App, merged: tuple[Memory, Memory], is_cold: bool
) -> None:
    """Only who brings it back to life, or puts it away otherwise, parts the two."""
    winner, loser = merged
    with writing(acme, "operator:olga", later(2)) as write:
        if is_cold:
            write.freeze([loser], "nobody asks for it")
        write.edit(loser, {"subject": "jellyfin"})
    assert loser.is_superseded
    assert Link.objects.filter(from_memory=winner, to_memory=loser, kind=LinkKind.SUPERSEDES).exists()
    with writing(acme, "operator:olga", later(3)) as write:
        write.restore(loser)
    assert not loser.is_superseded
    assert not Link.objects.filter(kind=LinkKind.SUPERSEDES).exists()


def test_undoing_a_merge_sets_both_sides_free(acme: App, merged: tuple[Memory, Memory]) -> None:
    winner, loser = merged
    with writing(acme, "operator:olga", later(2)) as write:
        write.undo(winner)
    loser.refresh_from_db()
    assert (winner.confidence, winner.tags, loser.status) == (0.7, [], Status.ACTIVE)
    assert not Link.objects.filter(kind=LinkKind.SUPERSEDES).exists()
    assert actions(loser)[-1] == Action.UNDONE


def stands_for(winner: Memory, loser: Memory) -> bool:
    return Link.objects.filter(from_memory=winner, to_memory=loser, kind=LinkKind.SUPERSEDES).exists()


@pytest.mark.parametrize("let_go", ["restore", "undo"])
def test_undoing_that_a_merged_one_was_set_free_puts_it_behind_the_other_again(
    acme: App, merged: tuple[Memory, Memory], let_go: str
) -> None:
    winner, loser = merged
    for step, is_free in enumerate((True, False, True, False), 2):
        with writing(acme, "operator:olga", later(step)) as write:
            getattr(write, let_go if step == 2 else "undo")(loser)
        loser.refresh_from_db()
        assert (loser.status == Status.ACTIVE, stands_for(winner, loser)) == (is_free, not is_free)
    freed = loser.revisions.order_by("-number")[1]
    assert freed.before["superseded_by"] == {str(winner.uid): later(1).isoformat()}


def test_what_was_put_behind_another_again_is_deleted_with_that(acme: App, merged: tuple[Memory, Memory]) -> None:
    winner, loser = merged
    with writing(acme, "operator:olga", later(2)) as write:
        write.restore(loser)
    with writing(acme, "operator:olga", later(3)) as write:
        write.undo(loser)
    with writing(acme, "operator:olga", later(4)) as write:
        write.forget([winner])
    assert not Memory.objects.for_app(acme).exists()


@pytest.mark.parametrize("is_gone", [True, False])
def test_behind_what_is_gone_or_stands_behind_it_itself_nothing_is_put(
    acme: App, merged: tuple[Memory, Memory], is_gone: bool
) -> None:
    winner, loser = merged
    with writing(acme, "operator:olga", later(2)) as write:
        write.restore(loser)
    with writing(acme, "operator:olga", later(3)) as write:
        write.forget([winner]) if is_gone else write.supersede(winner, by=loser)
    with pytest.raises(NothingToUndo, match="does not any more"), writing(acme, "operator:olga", later(4)) as write:
        write.undo(loser)
    loser.refresh_from_db()
    assert loser.status == Status.ACTIVE


def test_a_superseded_one_that_comes_out_of_the_archive_by_undoing_is_as_superseded_as_before(
    acme: App, merged: tuple[Memory, Memory]
) -> None:
    winner, loser = merged
    with writing(acme, "operator:olga", later(2)) as write:
        write.freeze([loser], "nobody asks for it")
    with writing(acme, "operator:olga", later(3)) as write:
        write.undo(loser)
    assert loser.status == Status.SUPERSEDED
    assert stands_for(winner, loser)


def test_archive_and_restore(acme: App, memory: Memory) -> None:
    with writing(acme, "operator:olga", later(1)) as write:
        write.archive(memory)
    assert memory.status == Status.ARCHIVED
    with writing(acme, "operator:olga", later(2)) as write:
        write.restore(memory)
    assert memory.status == Status.ACTIVE
    assert actions(memory) == ["created", "archived", "restored"]


def test_what_is_restored_is_sure_enough_to_be_active(acme: App) -> None:
    weak = make(acme, confidence=0.1)
    with writing(acme, "operator:olga", START) as write:
        write.restore(weak)
    assert (weak.status, weak.confidence) == (Status.ACTIVE, 0.3)


def test_forgetting_leaves_no_row_about_it(acme: App, memory: Memory) -> None:
    with writing(acme, "agent:alice", later(1)) as write:
        write.announce(memory)
        write.reinforce(memory, 0.1, "")
        assert write.forget([memory]) == 1
    for model in (Memory, Revision, Event, Link):
        assert not model.objects.exists()


def test_pinned_memories_and_exempt_ones_do_not_decay(acme: App) -> None:
    pinned = make(acme, pinned=True)
    assert confidence_at(pinned, later(1000), acme.policy) == 0.7
    acme.policy.decay_exempt_from = 0.9
    assert confidence_at(make(acme, confidence=0.95), later(1000), acme.policy) == 0.95
    assert confidence_at(make(acme, confidence=0.85), later(1000), acme.policy) == 0.0


def test_a_failed_transaction_changes_nothing(acme: App, memory: Memory) -> None:
    before = App.objects.get(pk=acme.pk).change_number

    def fail() -> None:
        with writing(acme, "agent:alice", later(1)) as write:
            write.reinforce(memory, 0.1, "")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    memory.refresh_from_db()
    assert (memory.confidence, App.objects.get(pk=acme.pk).change_number) == (0.7, before)


FIRST = datetime(2027, 1, 1, tzinfo=UTC)
SHARES = st.floats(0, 1)
SPANS = st.timedeltas(timedelta(0), timedelta(days=2000))
POLICIES = st.builds(
    AppPolicy,
    stale_after_days=st.integers(0, 400),
    decay_per_week=SHARES,
    decay_exempt_from=st.none() | SHARES,
)


def known(base: float, pinned: bool = False) -> Memory:
    return Memory(confidence=base, confidence_base=base, anchored_at=FIRST, pinned=pinned)


@given(SHARES, SPANS, SPANS, POLICIES)
def test_it_never_rises_by_itself_and_stays_within_0_and_1(
    base: float, first: timedelta, second: timedelta, policy: AppPolicy
) -> None:
    memory = known(base)
    sooner, later = sorted((first, second))
    before, after = (confidence_at(memory, FIRST + span, policy) for span in (sooner, later))
    assert 0 <= after <= before <= 1


@given(SHARES, SPANS, POLICIES)
def test_within_its_grace_nothing_is_lost(base: float, span: timedelta, policy: AppPolicy) -> None:
    inside = min(span, timedelta(days=policy.stale_after_days))
    assert confidence_at(known(base), FIRST + inside, policy) == pytest.approx(base, abs=1e-12)


@given(SHARES, st.lists(SPANS, max_size=6), SPANS, POLICIES)
def test_setting_it_to_what_it_is_changes_nothing_of_what_comes(
    base: float, spans: list[timedelta], last: timedelta, policy: AppPolicy
) -> None:
    """Once or seven times: no grace anew, and nothing decays twice."""
    once, often = known(base), known(base)
    moments = sorted([*spans, last])
    # From where what is written is exempt, it stays.
    policy.decay_exempt_from = None
    for span in moments:
        settle(often, confidence_at(often, FIRST + span, policy), FIRST + span, policy)
    for further in (timedelta(0), timedelta(days=3), timedelta(days=300)):
        index = FIRST + moments[-1] + further
        assert confidence_at(often, index, policy) == pytest.approx(confidence_at(once, index, policy), abs=1e-9)


@given(SHARES, SPANS, POLICIES)
def test_what_is_pinned_stays_as_it_is(base: float, span: timedelta, policy: AppPolicy) -> None:
    assert confidence_at(known(base, pinned=True), FIRST + span, policy) == pytest.approx(base, abs=1e-12)
