"""What an agent did to memories of others is undone, whichever field it was, and nothing that others did since."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.api.serializers.memories import MemoryChanges
from memories.models import Bridge, Link, LinkKind, Memory, Revision
from memories.services import MemoryAgent
from memories.store import writing
from memories.store.rollback import FIELDS
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, link, set_policy, store
from tests.tables import each_row
from tests.talking import hear
from tests.trust.test_rollback import operator_of, roll_back

CHANGES: dict[str, Any] = {
    "content": "Whales fly", "category": "work", "subject": "whales", "importance": 5, "confidence": 0.2,
    "tags": ["lies"], "pinned": True, "status": "archived", "user_id": "u1", "visibility": "shared",
    "valid_from": "2020-01-01T00:00:00Z", "valid_until": "2090-01-01T00:00:00Z", "metadata": {"x": 1},
}  # fmt: skip


def fresh(memory: Memory) -> Memory:
    return Memory.objects.get(pk=memory.pk)


def tell(caller: Caller, memory: Memory, **query: Any) -> dict[str, Any]:
    return dict(caller.get(f"memories/{memory.uid}", **query).json())


def told_of(name: str, displayed: dict[str, Any]) -> Any:
    return pytest.approx(displayed[name], abs=0.001) if name == "confidence" else displayed[name]


class TestEachField:
    @each_row("name", MemoryChanges().fields, rolled_back=True)
    def test_is_undone_with_its_agent(self, alice: Caller, bob: Caller, name: str) -> None:
        memory = store(alice, "Whales sing")
        was = tell(alice, memory)
        change(bob, memory, **{name: CHANGES[name]})
        assert tell(alice, memory)[name] != was[name]
        roll_back(alice, "agent", "bob")
        assert tell(alice, memory)[name] == told_of(name, was)
        last = Revision.objects.filter(memory=memory).latest("number")
        assert (last.action, last.actor, last.reason) == ("undone", "operator:olga", "agent bob was taken back")

    @each_row("name", MemoryChanges().fields, rolled_back=True)
    def test_is_undone_by_itself_and_known_of_then(self, alice: Caller, bob: Caller, name: str) -> None:
        memory = store(alice, "Whales sing")
        was, then = tell(alice, memory), timezone.now()
        change(bob, memory, **{name: CHANGES[name]})
        [row] = Revision.objects.filter(memory=memory, actor="agent:bob")
        assert name in row.before
        assert name in row.after
        assert tell(alice, memory, as_of=then.isoformat())[name] == told_of(name, was)
        operator_of(alice).undo_each([memory.pk])
        assert tell(alice, memory)[name] == told_of(name, was)


class TestWhoseChangeStands:
    def test_many_changes_go_back_to_the_first(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing", tags=["sea"])
        for number in range(3):
            change(bob, memory, content=f"Whales fly {number}", tags=[f"t{number}"])
        roll_back(alice, "agent", "bob")
        now = fresh(memory)
        assert (now.content, now.tags, now.origin) == ("Whales sing", ["sea"], memory.origin)
        assert Revision.objects.filter(memory=memory, action="undone").count() == 1

    def test_however_they_are_split_into_batches(
        self, alice: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("memories.store.rollback.BATCH", 1)
        memory = store(alice, "Whales sing", tags=["sea"])
        change(bob, memory, tags=["a"], confidence=0.4)
        change(bob, memory, tags=["b"], confidence=0.9)
        change(bob, memory, tags=["sea"])
        assert roll_back(alice, "agent", "bob").counts == {"undone": 3}
        assert fresh(memory).tags == ["sea"]
        assert fresh(memory).confidence == pytest.approx(0.7, abs=0.001)

    def test_what_somebody_else_has_set_since_stays_even_if_it_is_the_same(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing", tags=["sea"])
        change(bob, memory, tags=["song"], importance=5)
        change(alice, memory, tags=["none"])
        change(alice, memory, tags=["song"])
        roll_back(alice, "agent", "bob")
        assert (fresh(memory).tags, fresh(memory).importance) == (["song"], 3)

    def test_what_was_taken_back_already_is_not_in_the_way(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing", tags=["sea"])
        change(bob, memory, tags=["a"])
        change(bob, memory, tags=["b"])
        operator_of(alice).undo_each([memory.pk])
        assert fresh(memory).tags == ["a"]
        roll_back(alice, "agent", "bob")
        assert fresh(memory).tags == ["a"], "an operator has set it so"

    def test_only_what_it_did_since_then(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        change(bob, memory, tags=["song"])
        since = timezone.now()
        change(bob, memory, tags=["lies"], importance=5)
        roll_back(alice, "agent", "bob", since=since)
        assert (fresh(memory).tags, fresh(memory).importance) == (["song"], 3)

    def test_what_was_taken_back_from_then_on_is_taken_back_from_before_too(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing", tags=["sea"])
        change(bob, memory, tags=["a"])
        since = timezone.now()
        change(bob, memory, tags=["b"], confidence=0.4)
        roll_back(alice, "agent", "bob", since=since, reason="lies")
        assert fresh(memory).tags == ["a"]
        for reason in ("and before", ""):
            roll_back(alice, "agent", "bob", reason=reason)
            assert fresh(memory).tags == ["sea"]
            assert fresh(memory).confidence == pytest.approx(0.7, abs=0.001), "once"

    def test_validity_stays_where_it_would_run_backwards(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing", valid_until="2030-01-01T00:00:00Z")
        change(bob, memory, valid_until=None, tags=["lies"])
        change(alice, memory, valid_from="2040-01-01T00:00:00Z")
        roll_back(alice, "agent", "bob")
        now = fresh(memory)
        assert (now.valid_until, now.tags) == (None, [])

    def test_a_review_of_words_that_go_does_not_speak_for_those_that_come_back(
        self, alice: Caller, bob: Caller
    ) -> None:
        memory, other = store(alice, "Whales sing", origin="web"), store(alice, "Ships sail", origin="web")
        operator_of(alice).review_each([other.pk])
        was = fresh(other).reviewed_at
        change(bob, memory, content="Whales fly")
        change(bob, other, content="Ships fly")
        assert fresh(other).trust_level == "unreviewed"
        operator_of(alice).review_each([memory.pk])
        roll_back(alice, "agent", "bob")
        assert (fresh(memory).content, fresh(memory).trust_level) == ("Whales sing", "unreviewed")
        assert (fresh(other).content, fresh(other).reviewed_at) == ("Ships sail", was)

    def test_words_of_another_since_are_trusted_no_more_for_it(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        operator_of(alice).edit(fresh(memory), {"content": "Whales hum"})
        change(bob, memory, content="Whales fly", tags=["lies"])
        change(alice, memory, content="Whales fly low")
        roll_back(alice, "agent", "bob")
        now = fresh(memory)
        assert (now.content, now.origin, now.tags) == ("Whales fly low", "assistant", [])

    def test_nobody_has_confirmed_it_by_that(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        bob.remember("Whales sing")
        assert fresh(memory).confirmed_at > memory.confirmed_at
        roll_back(alice, "agent", "bob")
        assert fresh(memory).confirmed_at == memory.confirmed_at

    def test_a_bridge_of_the_agent_is_the_agents(self, alice: Caller, bob: Caller) -> None:
        Bridge.objects.create(app=alice.app, name="team-chat", agent=bob.agent)
        for number, what in enumerate((("bridge", "team-chat"), ("agent", "bob"))):
            memory = store(alice, f"Whales sing {number} songs")
            hear(bob, "Hello there.", environment={"client": "chat", "bridge": "team-chat"})
            bridge = MemoryAgent(alice.app, bob.agent, "bridge:team-chat")
            bridge.edit(fresh(memory), {"tags": ["lies"]})
            roll_back(alice, *what)
            assert fresh(memory).tags == []


class TestSetAside:
    def test_what_it_brought_back_goes_again(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        change(alice, memory, status="archived")
        change(bob, memory, status="active")
        roll_back(alice, "agent", "bob")
        assert fresh(memory).status == "archived"

    def test_what_somebody_has_archived_since_stays(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        change(bob, memory, status="archived")
        operator_of(alice).restore_each([memory.pk])
        operator_of(alice).archive_each([memory.pk])
        roll_back(alice, "agent", "bob")
        assert fresh(memory).status == "archived"

    def test_in_a_full_app_nothing_has_to_go_for_it(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        change(bob, memory, status="archived", tags=["lies"])
        pinned = store(alice, "Ships sail", pinned=True)
        set_policy(alice, memory_limit=1)
        assert roll_back(alice, "agent", "bob").status == "done"
        assert (fresh(memory).status, fresh(memory).tags) == ("archived", [])
        assert fresh(pinned).status == "active"

    def test_what_made_capacity_for_it_comes_back(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        set_policy(alice, memory_limit=1)
        flood = store(bob, "Ships sail", importance=5)
        assert fresh(memory).status == "archived"
        roll_back(alice, "agent", "bob")
        assert (fresh(memory).status, fresh(flood).status) == ("active", "withdrawn")
        alice.app.refresh_from_db()
        assert alice.app.memory_count == 1

    def test_what_it_said_another_stands_for_stands_again(self, alice: Caller, bob: Caller) -> None:
        memory, other = store(alice, "Whales sing"), store(alice, "Ships sail")
        link(bob, other, memory, "supersedes")
        assert fresh(memory).status == "superseded"
        roll_back(alice, "agent", "bob")
        assert fresh(memory).status == "active"
        assert not Link.objects.exists()

    def test_what_it_set_free_stays_free(self, alice: Caller, bob: Caller) -> None:
        memory, other = store(alice, "Whales sing"), store(alice, "Ships sail")
        link(alice, other, memory, "supersedes")
        change(bob, memory, status="active", tags=["lies"])
        roll_back(alice, "agent", "bob")
        assert (fresh(memory).status, fresh(memory).tags) == ("active", [])

    def test_what_it_changed_before_the_cold_archive_is_undone_there(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        change(bob, memory, content="Whales fly", tags=["lies"])
        with writing(alice.app, "system:cold", timezone.now()) as write:
            write.freeze([fresh(memory)], "long ago")
        roll_back(alice, "agent", "bob")
        now = fresh(memory)
        assert (now.status, now.text, now.tags) == ("cold", "Whales sing", [])


class TestOthers:
    def test_what_it_contradicted_by_saying_anothers_again_is_as_sure_as_before(
        self, alice: Caller, bob: Caller
    ) -> None:
        memory, other = store(alice, "Whales sing"), store(alice, "Whales never sing")
        with writing(alice.app, "agent:bob", timezone.now()) as write:
            write.contradict(fresh(memory), by=other, reason="the contrary")
        roll_back(alice, "agent", "bob")
        assert fresh(memory).confidence == pytest.approx(0.7, abs=0.001)
        assert not Link.objects.exists()

    def test_one_that_it_contradicted_and_superseded_is_what_it_was(self, alice: Caller, bob: Caller) -> None:
        memory, new = store(alice, "Whales sing"), store(bob, "Ships sail")
        with writing(alice.app, "agent:bob", timezone.now()) as write:
            write.contradict(fresh(memory), by=new, reason="the contrary")
        link(bob, new, memory, "supersedes")
        roll_back(alice, "agent", "bob")
        assert (fresh(memory).status, fresh(new).status) == ("active", "withdrawn")
        assert fresh(memory).confidence == pytest.approx(0.7, abs=0.001)
        assert not Link.objects.filter(kind=LinkKind.CONTRADICTS).exists()

    def test_what_one_gained_in_a_merge_goes(self, alice: Caller) -> None:
        into, loser = store(alice, "Whales sing", tags=["sea"]), store(alice, "Whales sing loud", origin="web")
        change(alice, loser, tags=["lies"], importance=5)
        with writing(alice.app, "system:merge", timezone.now()) as write:
            write.unite(fresh(into), [(fresh(loser), "the same")])
        assert (fresh(into).tags, fresh(into).importance) == (["sea", "lies"], 5)
        roll_back(alice, "origin", "web")
        assert (fresh(into).tags, fresh(into).importance) == (["sea"], 3)

    def test_what_is_about_to_be_purged_is_passed_over(self, alice: Caller, bob: Caller) -> None:
        memory = store(alice, "Whales sing")
        change(bob, memory, tags=["lies"])
        Memory.objects.filter(pk=memory.pk).update(purged_at=timezone.now() - timedelta(minutes=1))
        assert roll_back(alice, "agent", "bob").status == "done"

    def test_every_field_that_is_recorded_is_looked_at(self) -> None:
        assert {name for name in MemoryChanges().fields if name != "confidence"} <= set(FIELDS)
