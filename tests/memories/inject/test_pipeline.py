"""What an agent was shown is noted, and what was forgotten meanwhile is in nobody's way."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from memories.inject import pipeline
from memories.inject.pipeline import Injected, note_injected
from memories.models import Injection, Memory
from memories.services import MemoryAgent
from memories.store import writing
from sessions.models import AgentSession
from tests.conftest import Caller
from tests.other_connection import leave, wait_as_long_as_it_takes, wait_for_the_lock


def tell(caller: Caller, *texts: str) -> tuple[AgentSession, Injected]:
    """A session that is about to be told these."""
    session = AgentSession.objects.get(uid=caller.start_session()["id"])
    for text in texts:
        caller.remember(text, dedupe=False)
    memories = list(Memory.objects.order_by("pk"))
    return session, Injected("", 0, memories, len(memories), block="turn", lines=texts)


def noted() -> list[str]:
    return list(Injection.objects.order_by("pk").values_list("line", flat=True))


def forget(caller: Caller, memory: Memory) -> None:
    with writing(caller.app, "test", timezone.now()) as write:
        write.forget([memory])


def test_what_was_forgotten_since_it_was_read_is_not_noted(alice: Caller) -> None:
    session, injected = tell(alice, "Whales sing", "Fish are mute")
    forget(alice, injected.memories[0])
    note_injected(session, injected, None, timezone.now())
    assert noted() == ["Fish are mute"]


@pytest.mark.parametrize("endpoint", ["sessions", "context"])
def test_who_is_told_of_it_in_that_moment_is_answered(
    alice: Caller, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was there when it was chosen."""
    alice.remember("Whales sing")
    session = alice.start_session() if endpoint == "context" else {}
    note = pipeline.note_injected

    def note_late(*arguments: Any) -> None:
        for memory in Memory.objects.all():
            forget(alice, memory)
        note(*arguments)

    monkeypatch.setattr("memories.services.recall.note_injected", note_late)
    monkeypatch.setattr("memories.services.sessions.note_injected", note_late)
    body = {"query": "do whales sing?", "session_id": session["id"]} if session else {}
    answer = alice.post(endpoint, body)
    assert answer.status_code in (200, 201), answer.content
    assert not Injection.objects.filter(session__in=AgentSession.objects.order_by("-pk")[:1]).exists()


def is_answered_without_its_session(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    session = alice.start_session()
    alice.remember("Whales sing")
    note = pipeline.note_injected

    def note_late(*arguments: Any) -> None:
        assert alice.delete(f"sessions/{session['id']}").status_code == 200
        note(*arguments)

    monkeypatch.setattr("memories.services.recall.note_injected", note_late)
    answer = alice.post("context", {"query": "do whales sing?", "session_id": session["id"]})
    assert answer.status_code == 200, answer.content
    assert "Whales sing" in answer.json()["text"]
    assert not Injection.objects.exists()


@pytest.mark.sqlite("it looks at references at once")
def test_who_is_told_in_a_session_that_somebody_deletes_in_that_moment_is_answered(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_answered_without_its_session(alice, monkeypatch)


@pytest.mark.postgres("it looks at references at the end of a transaction")
@pytest.mark.django_db(transaction=True)
def test_and_where_that_shows_when_all_is_written(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    is_answered_without_its_session(alice, monkeypatch)


def test_what_else_cannot_be_noted_is_an_error(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise IntegrityError("no such thing")

    session, injected = tell(alice, "Whales sing")
    monkeypatch.setattr(pipeline, "note_remaining", refuse)
    with pytest.raises(IntegrityError, match="no such thing"):
        note_injected(session, injected, None, timezone.now())


@contextmanager
def another_thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool
        finally:
            pool.submit(leave).result()


@pytest.mark.postgres("two may write at a time")
@pytest.mark.django_db(transaction=True)
def test_who_forgets_waits_for_who_is_just_noting_it(alice: Caller) -> None:
    session, injected = tell(alice, "Whales sing")
    with another_thread() as other:
        other.submit(wait_as_long_as_it_takes).result()
        with transaction.atomic():
            note_injected(session, injected, None, timezone.now())
            forgetting = other.submit(forget, alice, injected.memories[0])
            wait_for_the_lock()
        forgetting.result()
    assert (noted(), Memory.objects.count()) == ([], 0)


def test_what_changes_while_two_are_linked_is_superseded_as_it_is_now(alice: Caller) -> None:
    item, other = (Memory.objects.get(uid=alice.remember(text, dedupe=False)["id"]) for text in ("Whales", "Fish"))
    alice.patch(f"memories/{other.uid}", {"importance": 5})
    MemoryAgent(alice.app, alice.agent, "test").link(item, other, "supersedes")
    other.refresh_from_db()
    assert (other.status, other.importance) == ("superseded", 5)
    assert [row["number"] for row in alice.get(f"memories/{other.uid}/history").json()["results"]] == [1, 2, 3]
