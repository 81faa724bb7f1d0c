"""`Idempotency-Key`: a request may be repeated and happens once, at every operation that changes something."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import OperationalError, connection
from django.db.models import Model, QuerySet
from django.test.utils import CaptureQueriesContext
from django.urls import resolve
from rest_framework.test import APIClient
from time_machine import travel

from memories.api.base import takes_idempotency_key
from memories.api.views import sessions
from memories.models import Bridge, Import, Link, Memory, Rollback, Webhook
from memories.store import writer
from memsite.tenancy import idempotency
from memsite.tenancy.idempotency import FEW, forget_answers
from memsite.tenancy.models import Agent, ApiKey, App, IdempotentAnswer
from sessions.models import AgentSession, Resource, Turn
from tests.api.checks import RESULT, assert_problem, ndjson
from tests.conftest import Caller, client_with, make_app, make_caller
from tests.policy.test_openapi import answers_of_all
from tests.routes import routes_below

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
KEY = {"Idempotency-Key": "once"}


def assert_repeated(first: Any, again: Any) -> None:
    assert first.status_code < 300, first.content
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"


def test_the_same_key_and_body_give_the_same_answer_and_one_memory(alice: Caller) -> None:
    with travel(NOON, tick=False):
        first = alice.post("memories", {"content": "Whales sing", "dedupe": False}, **KEY)
    with travel(NOON + timedelta(hours=23, minutes=59), tick=False):
        again = alice.post("memories", {"content": "Whales sing", "dedupe": False}, **KEY)
    assert_repeated(first, again)
    assert Memory.objects.count() == 1


def test_a_number_too_large_to_store_is_refused_with_a_key_as_without(operator: APIClient, alice: Caller) -> None:
    body = {"app_id": "new", "name": "New", "policy": {"memory_limit": 10**40}}
    assert_problem(operator.post("/api/v1/apps", body, headers=KEY), 400)
    assert_problem(alice.post("memories", {"content": "x", "metadata": {"n": 10**40}}, **KEY), 400)
    assert alice.post("memories", {"content": "Whales sing"}, **KEY).status_code == 201


def test_a_repeated_memory_is_not_reinforced(alice: Caller) -> None:
    assert_repeated(*(alice.post("memories", {"content": "Whales sing"}, **KEY) for _ in range(2)))
    assert Memory.objects.get().confidence == 0.7


def test_every_create_takes_a_key(alice: Caller) -> None:
    session = alice.start_session()["id"]
    item, two = (alice.remember(text, dedupe=False)["id"] for text in ("Whales sing", "Bears sleep"))
    counts = (AgentSession, Resource, Memory, Link)
    creates: list[tuple[str, Any]] = [
        ("sessions", {"title": "x"}),
        (f"sessions/{session}/messages", {"messages": [{"role": "user", "content": "x"}]}),
        ("memories/batch", {"memories": [{"content": "Trains run"}]}),
        (f"memories/{item}/links", {"to": two}),
    ]
    for number, (path, body) in enumerate(creates):
        key = {"Idempotency-Key": f"key-{number}"}
        first = alice.post(path, body, **key)
        before = [model.objects.count() for model in counts]
        again = alice.post(path, body, **key)
        assert_repeated(first, again)
        assert [model.objects.count() for model in counts] == before


def test_creates_of_operators_take_a_key_too(operator: APIClient) -> None:
    body = {"app_id": "acme", "name": "Acme"}
    assert_repeated(*(operator.post("/api/v1/apps", body, headers=KEY) for _ in range(2)))
    assert App.objects.count() == 1


def test_a_repeated_answer_has_no_api_key(operator: APIClient, acme: App) -> None:
    path = "/api/v1/apps/acme/agents"
    first, again = (operator.post(path, {"name": "dora"}, headers=KEY) for _ in range(2))
    assert first.json()["api_key"]
    assert again.json() == {**first.json(), "api_key": None}
    assert again.status_code == 201
    assert (Agent.objects.count(), ApiKey.objects.exclude(agent=None).count()) == (1, 1)
    secret = first.json()["api_key"]
    assert not any(secret.encode() in bytes(row.body) for row in IdempotentAnswer.objects.all())

    key = {"Idempotency-Key": "twice"}
    first, again = (operator.post(f"{path}/dora/keys", {}, headers=key) for _ in range(2))
    assert again.json() == {**first.json(), "api_key": None}
    assert ApiKey.objects.exclude(agent=None).count() == 2


@pytest.mark.parametrize(
    ("endpoint", "body", "model"),
    [
        ("webhooks", {"url": "https://example.org/told"}, Webhook),
        ("bridges", {"name": "chat", "agent": "alice"}, Bridge),
    ],
)
def test_a_repeated_webhook_or_bridge_is_one_and_its_secret_is_shown_once(
    operator: APIClient, alice: Caller, endpoint: str, body: Any, model: type[Webhook | Bridge]
) -> None:
    path = f"/api/v1/apps/{alice.app.app_id}/{endpoint}"
    first, again = (operator.post(path, body, headers=KEY) for _ in range(2))
    assert (first.status_code, again.status_code, again["Idempotency-Replayed"]) == (201, 201, "true")
    assert first.json()["secret"].startswith("whsec_")
    assert again.json() == {**first.json(), "secret": None}
    assert model.objects.count() == 1
    assert b"whsec_" not in bytes(IdempotentAnswer.objects.get().body)
    assert_problem(operator.post(path, {**body, "x": 1}, headers=KEY), 400)


def test_a_repeated_rollback_is_one(operator: APIClient, alice: Caller) -> None:
    session = alice.start_session()["id"]
    alice.put(f"sessions/{session}/turns/1", {"llm_output": "[MEMORY:timing:dns] Takes 5s"})
    path, body = f"/api/v1/apps/{alice.app.app_id}/rollbacks", {"what": "session", "source": session}
    assert operator.post(path, {**body, "dry_run": True}, headers=KEY).status_code == 200
    first, again = (operator.post(path, body, headers=KEY) for _ in range(2))
    assert_repeated(first, again)
    assert first.json()["status"] == "done"
    assert Rollback.objects.count() == 1
    assert_problem(operator.post(path, {**body, "source": str(uuid4())}, headers={"Idempotency-Key": "b"}), 404)


@pytest.mark.parametrize(
    "body", [{"content": "Bears sleep"}, {"content": "Whales sing", "importance": 1}, {"content": "Whales sing "}]
)
def test_the_same_key_with_another_body_is_refused(alice: Caller, body: Any) -> None:
    alice.post("memories", {"content": "Whales sing"}, **KEY)
    assert_problem(alice.post("memories", body, **KEY), 422)
    assert Memory.objects.count() == 1


def test_the_order_of_the_fields_makes_no_other_body(alice: Caller) -> None:
    first = alice.post("memories", {"content": "Whales sing", "importance": 1}, **KEY)
    assert_repeated(first, alice.post("memories", {"importance": 1, "content": "Whales sing"}, **KEY))


def test_the_same_key_at_another_endpoint_is_refused(alice: Caller) -> None:
    alice.post("memories", {"content": "Whales sing"}, **KEY)
    assert_problem(alice.post("sessions", {"title": "x"}, **KEY), 422)


def test_while_a_twin_is_at_work_the_key_is_taken(alice: Caller) -> None:
    with travel(NOON, tick=False):
        alice.post("memories", {"content": "Whales sing"}, **KEY)
        IdempotentAnswer.objects.update(status=0, body=b"")
        for body in ({"content": "Whales sing"}, {"content": "Bears sleep"}):
            assert_problem(alice.post("memories", body, **KEY), 409)
    assert Memory.objects.count() == 1


def test_a_twin_that_was_killed_gives_the_key_up(alice: Caller) -> None:
    with travel(NOON, tick=False):
        IdempotentAnswer.objects.create(
            caller=f"agent:{alice.agent.pk}", key="once", fingerprint="x", status=0, created_at=NOON
        )
        assert_problem(alice.post("memories", {"content": "Whales sing"}, **KEY), 409)
    with travel(NOON + timedelta(minutes=3), tick=False):
        assert alice.post("memories", {"content": "Whales sing"}, **KEY).status_code == 201
        assert_repeated(
            alice.post("memories", {"content": "Bears sleep"}, **{"Idempotency-Key": "else"}),
            alice.post("memories", {"content": "Bears sleep"}, **{"Idempotency-Key": "else"}),
        )
    assert Memory.objects.count() == 2


def test_after_a_day_the_key_means_nothing_any_more(alice: Caller) -> None:
    with travel(NOON, tick=False):
        first = alice.post("memories", {"content": "Whales sing"}, **KEY)
    with travel(NOON + timedelta(hours=24), tick=False):
        later = alice.post("memories", {"content": "Bears sleep"}, **KEY)
    assert (first.status_code, later.status_code) == (201, 201)
    assert later.json()["content"] == "Bears sleep"


def without_ids(*texts: str) -> str:
    """A stream of lines that nothing tells apart: one turn."""
    statements = [{"role": "assistant", "content": [{"type": "text", "text": text}]} for text in texts]
    return ndjson(*({"type": "assistant", "message": message} for message in statements), RESULT)


def send_stream(caller: Caller, session: str, body: Any, key: str = "once") -> Any:
    path = f"/api/v1/sessions/{session}/stream"
    return caller.client.generic("POST", path, body, "application/x-ndjson", headers={"Idempotency-Key": key})


MARKERS = "[MEMORY:timing:jellyfin] Takes 60s to start", "[MEMORY:timing:caddy] Takes 5s to start"


def test_a_repeated_stream_whose_lines_have_no_ids_is_one(alice: Caller) -> None:
    session = alice.start_session()["id"]
    assert_repeated(*(send_stream(alice, session, without_ids(*MARKERS)) for _ in range(2)))
    assert [row.confidence for row in Memory.objects.all()] == [0.7, 0.7]
    assert (Turn.objects.count(), Resource.objects.count()) == (1, 2)
    assert_problem(send_stream(alice, session, without_ids(*MARKERS, "More")), 422)
    assert (Turn.objects.count(), Resource.objects.count()) == (1, 2)
    other = send_stream(alice, session, without_ids(*MARKERS), "another")
    assert other.json()["turns"] == [2]


def test_a_stream_that_broke_off_goes_on_when_it_is_sent_again_with_its_key(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, body = alice.start_session()["id"], without_ids(*MARKERS).encode()

    def broken(_: Any) -> Any:
        yield body[: body.index(b"\n") + 1]
        raise OSError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(sessions, "body_chunks", broken)
        assert send_stream(alice, session, body).status_code == 500
    assert [row.text for row in Memory.objects.all()] == ["Takes 60s to start"]
    assert send_stream(alice, session, body).json()["created"] == 1
    assert sorted(row.confidence for row in Memory.objects.all()) == [0.7, 0.7]
    assert Resource.objects.count() == 2


def test_what_lasts_longer_than_a_place_is_held_keeps_it(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    session, body = alice.start_session()["id"], without_ids(*MARKERS).encode()
    twins = []
    with travel(NOON, tick=False) as clock:

        def slow(_: Any) -> Any:
            for start in range(0, len(body), 100):
                yield body[start : start + 100]
                clock.shift(timedelta(minutes=1))
                if not twins or start > 200:
                    twins.append(alice.post("memories", {"content": "Whales sing"}, **KEY).status_code)

        monkeypatch.setattr(sessions, "body_chunks", slow)
        assert send_stream(alice, session, body).status_code == 200
    assert set(twins) == {409}


@pytest.mark.parametrize(
    ("endpoint", "body", "other"),
    [
        ("PUT sessions/{session}/turns/1", {"llm_output": "Done."}, {"llm_output": "Not done."}),
        ("PATCH memories/{memory}", {"content": "Whales hum"}, {"content": "Whales roar"}),
        ("POST sessions/{session}/end", {"reason": "done"}, {"reason": "undone"}),
    ],
)
def test_a_change_with_the_key_of_another_is_refused(alice: Caller, endpoint: str, body: Any, other: Any) -> None:
    ids = {"session": alice.start_session()["id"], "memory": alice.remember("Whales sing")["id"]}
    method, path = endpoint.format(**ids).split()
    send = getattr(alice, method.lower())
    assert_repeated(*(send(path, body, **KEY) for _ in range(2)))
    assert_problem(send(path, other, **KEY), 422)


def test_the_file_of_a_repeated_import_and_what_it_is_asked_for_are_the_same(operator: APIClient, acme: App) -> None:
    def send(content: str, query: str = "source=mem0") -> Any:
        path = f"/api/v1/apps/acme/import?{query}"
        body = {"results": [{"id": "1", "memory": content, "user_id": "ada"}]}
        return operator.generic("POST", path, json.dumps(body), "application/json", headers=KEY)

    assert_repeated(send("Whales sing"), send("Whales sing"))
    assert Import.objects.count() == 1
    assert_problem(send("Whales hum"), 422)
    assert_problem(send("Whales sing", "source=mem0&user_id=bob"), 422)


def test_a_secret_that_is_renewed_is_shown_once(operator: APIClient, alice: Caller) -> None:
    webhook = operator.post("/api/v1/apps/acme/webhooks", {"url": "https://example.org/told"}).json()["id"]
    path = f"/api/v1/apps/acme/webhooks/{webhook}/secret"
    first, again = (operator.post(path, headers=KEY) for _ in range(2))
    assert (first.json()["secret"][:6], again.json()) == ("whsec_", {"secret": None})
    assert Webhook.objects.get().secret_number == 1
    assert not [row for row in IdempotentAnswer.objects.all() if b"whsec_" in bytes(row.body)]


def test_nothing_is_kept_of_what_a_change_told_when_it_is_deleted(alice: Caller) -> None:
    session, memory = alice.start_session()["id"], alice.remember("Bears sleep")["id"]
    changed = {"Idempotency-Key": "changed"}
    turn = f"sessions/{session}/turns/1"
    assert alice.put(turn, {"llm_output": "Whales sing"}, **KEY).status_code == 201
    assert alice.patch(f"memories/{memory}", {"content": "Whales hum"}, **changed).status_code == 200
    assert not [row for row in IdempotentAnswer.objects.all() if b"Whales sing" in bytes(row.body)]
    alice.delete(f"memories/{memory}")
    assert_problem(alice.patch(f"memories/{memory}", {"content": "Whales hum"}, **changed), 410)
    alice.delete(f"sessions/{session}")
    assert alice.put(turn, {"llm_output": "Whales sing"}, **KEY).status_code in (404, 410)
    assert not [row for row in IdempotentAnswer.objects.all() if b"Whales" in bytes(row.body)]


def test_a_request_that_failed_frees_its_key(alice: Caller, operator: APIClient) -> None:
    assert_problem(alice.post("memories", {"content": ""}, **KEY), 400)
    assert alice.post("memories", {"content": "Whales sing"}, **KEY).status_code == 201
    operator.post("/api/v1/apps", {"app_id": "taken", "name": "x"})
    assert_problem(operator.post("/api/v1/apps", {"app_id": "taken", "name": "x"}, headers=KEY), 409)
    assert operator.post("/api/v1/apps", {"app_id": "free", "name": "x"}, headers=KEY).status_code == 201


def test_a_request_that_was_too_fast_frees_its_key(db: None) -> None:
    caller = make_caller(make_app("globex", writes_per_minute=1), "gina")
    with travel(NOON, tick=False):
        caller.remember("one")
        assert_problem(caller.post("memories", {"content": "two"}, **KEY), 429)
    with travel(NOON + timedelta(minutes=1), tick=False):
        assert caller.post("memories", {"content": "two"}, **KEY).status_code == 201


def test_a_request_that_broke_the_server_frees_its_key(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(writer, "insert_all", lambda *_, **__: 1 / 0)
        assert_problem_500(alice.post("memories", {"content": "Whales sing"}, **KEY))
    assert not IdempotentAnswer.objects.exists()
    assert alice.post("memories", {"content": "Whales sing"}, **KEY).status_code == 201


def test_a_request_that_lost_its_database_frees_its_key_when_that_is_back(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_away(*_: Any, **__: Any) -> None:
        raise OperationalError("the server closed the connection")

    def go_away(*_: Any, **__: Any) -> None:
        away.setattr(QuerySet, "delete", is_away)
        is_away()

    with monkeypatch.context() as away:
        away.setattr(writer, "insert_all", go_away)
        assert alice.post("memories", {"content": "Whales sing"}, **KEY).status_code in (500, 503)
        assert IdempotentAnswer.objects.exists()
    assert alice.post("memories", {"content": "Whales sing"}, **KEY).status_code == 201


def assert_problem_500(answer: Any) -> None:
    assert answer.status_code == 500
    assert answer["Content-Type"] == "application/problem+json"


def test_a_repetition_is_no_write(db: None) -> None:
    caller = make_caller(make_app("globex", writes_per_minute=1), "gina")
    with travel(NOON, tick=False):
        assert_repeated(*(caller.post("memories", {"content": "x"}, **KEY) for _ in range(2)))


def test_a_key_belongs_to_its_agent(alice: Caller, bob: Caller, charlie: Caller) -> None:
    answers = [
        caller.post("memories", {"content": f"Of {caller.agent.name}", "dedupe": False}, **KEY)
        for caller in (alice, bob, charlie)
    ]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert len({answer.json()["id"] for answer in answers}) == 3


def test_a_rotated_api_key_repeats_what_the_old_one_began(alice: Caller, operator: APIClient) -> None:
    first = alice.post("memories", {"content": "Whales sing"}, **KEY)
    other = operator.post("/api/v1/apps/acme/agents/alice/keys", {}).json()["api_key"]
    again = client_with(other).post("/api/v1/memories", {"content": "Whales sing"}, headers=KEY)
    assert_repeated(first, again)


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "a\x7fb"])
def test_a_key_is_short_and_printable(alice: Caller, key: str) -> None:
    assert alice.post("memories", {"content": "x"}, **{"Idempotency-Key": key}).status_code in (400, 422)
    assert not Memory.objects.exists()


@pytest.mark.parametrize("key", ["x", "x" * 255, "a b", "'; DROP TABLE x", "%00", "ü"])
def test_any_printable_key_will_do(alice: Caller, key: str) -> None:
    assert_repeated(*(alice.post("memories", {"content": "x"}, **{"Idempotency-Key": key}) for _ in range(2)))


def test_without_a_key_nothing_is_kept(alice: Caller) -> None:
    alice.remember("Whales sing")
    assert not IdempotentAnswer.objects.exists()


def test_an_answer_about_a_lifted_cooldown_is_not_repeated(alice: Caller) -> None:
    body = {"action": "restart", "service": "caddy", "seconds": 600}
    uid = alice.post("cooldowns", body, **KEY).json()["id"]
    alice.delete(f"cooldowns/{uid}")
    assert_problem(alice.post("cooldowns", body, **KEY), 410)
    assert alice.get("cooldowns").json()["results"] == []


@pytest.mark.parametrize(
    ("endpoint", "body"),
    [("webhooks", {"url": "https://example.org/told"}), ("bridges", {"name": "chat", "agent": "alice"})],
)
def test_an_answer_about_a_deleted_webhook_or_bridge_is_not_repeated(
    operator: APIClient, alice: Caller, endpoint: str, body: Any
) -> None:
    path = f"/api/v1/apps/{alice.app.app_id}/{endpoint}"
    uid = operator.post(path, body, headers=KEY).json()["id"]
    assert operator.delete(f"{path}/{uid}").status_code == 200
    assert_problem(operator.post(path, body, headers=KEY), 410)


def test_an_answer_about_a_deleted_memory_is_not_repeated(alice: Caller) -> None:
    key = {"Idempotency-Key": "once"}
    uid = alice.post("memories", {"content": "Whales sing"}, **key).json()["id"]
    other = alice.post("memories", {"content": "Bears sleep"}, **{"Idempotency-Key": "other"})
    alice.delete(f"memories/{uid}")
    again = alice.post("memories", {"content": "Whales sing"}, **key)
    assert assert_problem(again, 410)["code"] == "gone"
    assert b"Whales" not in again.content
    assert not [row for row in IdempotentAnswer.objects.all() if b"Whales" in bytes(row.body)]
    assert Memory.objects.count() == 1
    repeated = alice.post("memories", {"content": "Bears sleep"}, **{"Idempotency-Key": "other"})
    assert repeated.json()["id"] == other.json()["id"]


def test_no_answer_is_read_for_a_few_that_are_deleted(alice: Caller) -> None:
    alice.post("memories", {"content": "Bears sleep"}, **KEY)
    with CaptureQueriesContext(connection) as queries:
        forget_answers(alice.app, [uuid4() for _ in range(FEW)])
    agents, silencing = (query["sql"] for query in queries)
    assert "agent" in agents
    assert silencing.startswith("UPDATE")


def test_few_and_many_that_are_deleted_silence_the_same_answers(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Random(7)
    uids = [uuid4() for _ in range(30)]
    bodies = [b" ".join(str(uid).encode() for uid in draw.sample(uids, draw.randint(0, 4))) for _ in range(60)]
    gone = draw.sample(uids, 5)
    silenced = []
    for most in (FEW, 0):
        monkeypatch.setattr(idempotency, "FEW", most)
        IdempotentAnswer.objects.all().delete()
        for number, body in enumerate(bodies):
            caller = (f"agent:{alice.agent.pk}", "agent:0", "user:op", "key:op")[number % 4]
            IdempotentAnswer.objects.create(
                caller=caller, key=str(number), fingerprint="", status=number % 7 and 201, body=body, created_at=NOON
            )
        forget_answers(alice.app, gone)
        silenced.append(set(IdempotentAnswer.objects.filter(status=410).values_list("key", flat=True)))
    assert (
        silenced[0]
        == silenced[1]
        == {
            str(number)
            for number, body in enumerate(bodies)
            if number % 4 != 1 and number % 7 and any(str(uid).encode() in body for uid in gone)
        }
    )


ROOT = "/api/v1/"
SHOWN_ONCE = ("secret", "api_key")
OF_ANY_REQUEST = (ApiKey, IdempotentAnswer)
OTHERS = [
    ("PUT", f"{ROOT}energy", json.dumps({"level": 0.125})),
    ("POST", f"{ROOT}apps", json.dumps({"app_id": "other", "name": "Other"})),
]
"""Something else of an agent, and of an operator."""
send = APIClient.generic


def changing() -> Iterator[tuple[type, str]]:
    """View and method of each operation that takes a key."""
    for pattern in routes_below(ROOT[1:]).values():
        view: Any = pattern.callback.view_class  # type: ignore[union-attr]
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            is_there = hasattr(view, method.lower()) and method.lower() in view.http_method_names
            if is_there and takes_idempotency_key(view, method, ROOT):
                yield view, method


def rows() -> dict[str, list[Any]]:
    """All that is kept, but for what any request leaves."""
    models: list[type[Model]] = [model for model in apps.get_models() if model not in OF_ANY_REQUEST]
    return {model.__name__: list(model._base_manager.order_by("pk").values_list()) for model in models}


def assert_told_again(first: Any, again: Any) -> None:
    expected = {**first.json(), **{name: None for name in SHOWN_ONCE if name in first.json()}}
    assert (again.status_code, again.json()) == (first.status_code, expected), again.content
    assert (again.get("Idempotency-Replayed"), again.get("ETag")) == ("true", first.get("ETag"))


class Twice:
    """Sends each request twice with a key of its own, and something else with it."""

    def __init__(self) -> None:
        self.numbers = count()
        self.tried: set[tuple[type, str]] = set()

    def send(self, client: APIClient, method: str, path: str, *more: Any, **extra: Any) -> Any:
        view: Any = getattr(resolve(path.partition("?")[0]).func, "view_class", None)
        if not takes_idempotency_key(view, method, path):
            return send(client, method, path, *more, **extra)
        key = {"Idempotency-Key": f"key-{next(self.numbers)}"}
        extra["headers"] = {**(extra.get("headers") or {}), **key}
        first = send(client, method, path, *more, **extra)
        assert first.status_code < 300, (method, path, first.content)
        before = rows()
        assert_told_again(first, send(client, method, path, *more, **extra))
        assert changed(before) == [], (method, path)
        others = [send(client, *item, "application/json", headers=key).status_code for item in OTHERS]
        assert sorted(others) == [403, 422], (method, path, others)
        assert changed(before) == [], (method, path)
        self.tried.add((view, method))
        return first


def changed(before: dict[str, list[Any]]) -> list[str]:
    return [name for name, value in rows().items() if value != before[name]]


@pytest.mark.usefixtures("noon")
def test_every_operation_that_changes_something_does_so_once(
    alice: Caller, operator: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = Twice()
    monkeypatch.setattr(APIClient, "generic", lambda client, *given, **extra: twice.send(client, *given, **extra))
    for _, answer in answers_of_all(alice, operator):
        answer.close()
    assert twice.tried == set(changing())
