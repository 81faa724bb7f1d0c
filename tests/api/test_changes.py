"""The feed of changes: each memory as it is by now, from where one stopped; as a list, waited for, or as a stream."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from memories.api.views import webhooks
from memories.services import MemoryAgent
from memsite.tenancy.models import ApiKey
from tests.api.checks import assert_problem
from tests.conftest import Caller


def feed(caller: Caller, since: int) -> tuple[list[tuple[str, str]], int]:
    answer = caller.get("memories/changes", since=since).json()
    return [(row["type"], row["memory_id"]) for row in answer["results"]], answer["last"]


def test_a_mirror_goes_on_from_where_it_was(alice: Caller) -> None:
    start = alice.get("memories/changes").json()["last"]
    item, two = (alice.remember(text)["id"] for text in ("Whales sing", "Bears sleep"))
    answer, last = feed(alice, start)
    assert answer == [("memory.changed", item), ("memory.changed", two)]
    assert feed(alice, last) == ([], last)
    alice.patch(f"memories/{item}", {"importance": 5})
    alice.delete(f"memories/{two}")
    assert feed(alice, last)[0] == [("memory.changed", item), ("memory.deleted", two)]
    displayed = alice.get("memories/changes", since=start).json()["results"][0]["memory"]
    assert (displayed["content"], displayed["importance"]) == ("Whales sing", 5)


def test_what_is_a_colleagues_alone_is_not_told_not_even_when_it_goes(alice: Caller, bob: Caller) -> None:
    start = alice.get("memories/changes").json()["last"]
    secret = bob.remember("Only Bob knows", visibility="agent")["id"]
    assert feed(alice, start)[0] == []
    bob.delete(f"memories/{secret}")
    assert feed(alice, start)[0] == []
    assert feed(bob, start)[0] == [("memory.deleted", secret)]


def test_what_is_taken_back_is_told_to_those_who_could_see_it(alice: Caller, bob: Caller) -> None:
    start = alice.get("memories/changes").json()["last"]
    plan = bob.remember("We move to Porto")["id"]
    answer, seen = feed(alice, start)
    assert answer == [("memory.changed", plan)]
    bob.patch(f"memories/{plan}", {"visibility": "agent"})
    assert feed(alice, seen)[0] == [("memory.deleted", plan)]
    assert "Porto" not in alice.get("memories/changes", since=start).content.decode()
    assert feed(bob, seen)[0] == [("memory.changed", plan)]
    bob.patch(f"memories/{plan}", {"importance": 5})
    assert feed(alice, seen)[0] == [("memory.deleted", plan)], "who was away meanwhile hears of it, too"
    bob.delete(f"memories/{plan}")
    assert feed(alice, seen)[0] == [("memory.deleted", plan)]


def test_what_is_given_back_is_told_again(alice: Caller, bob: Caller) -> None:
    plan = bob.remember("We move to Porto")["id"]
    bob.patch(f"memories/{plan}", {"visibility": "agent"})
    last = alice.get("memories/changes").json()["last"]
    bob.patch(f"memories/{plan}", {"visibility": "app"})
    assert feed(alice, last)[0] == [("memory.changed", plan)]


def test_what_its_source_took_along_is_told_as_deleted_and_again_when_it_is_back(alice: Caller, bob: Caller) -> None:
    poison, secret = bob.remember("Whales fly")["id"], bob.remember("Only Bob knows", visibility="agent")["id"]
    start = alice.get("memories/changes").json()["last"]
    olga = MemoryAgent(alice.app, None, "operator:olga")
    olga.roll_back("agent", bob.agent.name)
    answer, seen = feed(alice, start)
    assert answer == [("memory.deleted", poison)]
    assert {uid for _, uid in feed(bob, start)[0]} == {poison, secret}
    olga.restore_each(olga.memories().filter(uid=poison).values_list("pk", flat=True))
    assert feed(alice, seen)[0] == [("memory.changed", poison)]


def test_another_app_is_not_told_of(alice: Caller, charlie: Caller) -> None:
    start = alice.get("memories/changes").json()["last"]
    charlie.delete(f"memories/{charlie.remember('Of globex')['id']}")
    charlie.remember("Of globex, too")
    assert feed(alice, start) == ([], start)


@pytest.mark.parametrize("wait", [None, 1])
def test_a_mirror_that_is_ahead_is_told_to_begin_anew(alice: Caller, wait: int | None) -> None:
    last = alice.get("memories/changes").json()["last"]
    more = {"wait": wait} if wait else {}
    assert alice.get("memories/changes", since=last, **more).status_code == 200
    body = assert_problem(alice.get("memories/changes", since=last + 1, **more), 410)
    assert (body["code"], "full read" in body["detail"]) == ("since_gone", True)
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last + 1)}
    assert_problem(alice.client.get("/api/v1/memories/changes", headers=headers), 410)


@pytest.mark.parametrize("query", [{"since": "x"}, {"since": "-1"}, {"wait": "26"}, {"since": "9" * 30}, {"spy": "1"}])
def test_what_cannot_be_asked_is_refused(query: dict[str, Any], alice: Caller) -> None:
    assert_problem(alice.get("memories/changes", **query), 400)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that end at once, with signs of life: by a clock that goes on only while one waits."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(webhooks, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    monkeypatch.setattr(webhooks, "STREAM_SECONDS", 0.2)
    monkeypatch.setattr(webhooks, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(webhooks, "LOOK_EVERY_SECONDS", 0.02)


def test_a_stream_tells_and_can_be_gone_on_with(alice: Caller, quick: None) -> None:
    start = alice.get("memories/changes").json()["last"]
    memory = alice.remember("Whales sing")["id"]
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(start)}
    answer = alice.client.get("/api/v1/memories/changes", headers=headers)
    assert answer["Content-Type"] == "text/event-stream"
    text = b"".join(answer.streaming_content).decode()
    first, event, place, *rest = text.split("\n\n")
    assert first == f"retry: 1000\nid: {start}"
    kind, data = event.split("\n")
    assert (kind, json.loads(data.removeprefix("data: "))["memory_id"]) == ("event: memory.changed", memory)
    assert int(place.removeprefix("id: ")) > start
    assert ": still here" in rest


def test_a_stream_ends_with_its_key(alice: Caller) -> None:
    key = ApiKey.objects.get(agent=alice.agent)
    webhooks.listeners.take()
    events = webhooks.Events(MemoryAgent(alice.app, alice.agent, "agent:alice"), 0, key)
    ApiKey.objects.filter(pk=key.pk).update(revoked_at=timezone.now())
    assert len(list(events)) == 1


def test_only_some_may_listen_at_a_time_and_places_come_back(alice: Caller, quick: None) -> None:
    headers = {"Accept": "text/event-stream"}
    answers = [alice.client.get("/api/v1/memories/changes", headers=headers) for _ in range(4)]
    assert {answer.status_code for answer in answers} == {200}
    refused = alice.client.get("/api/v1/memories/changes", headers=headers)
    assert_problem(refused, 503)
    assert refused["Retry-After"] == "1"
    assert alice.get("memories/changes").status_code == 200
    for answer in answers:
        answer.close()
    assert alice.get("memories/changes", wait=1).status_code == 200
