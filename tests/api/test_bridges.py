"""Chats come in signed: a session per channel, thread and user."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from memsite.http.signatures import headers_for
from memsite.tenancy.models import App
from sessions.models import AgentSession, Resource
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.talking import contents
from tests.upkeep import upkeep_learn_due

ROOT = "/api/v1/apps/acme"


@pytest.fixture
def bridge(alice: Caller, operator: APIClient) -> dict[str, Any]:
    answer = operator.post(f"{ROOT}/bridges", {"name": "slack", "agent": "alice"})
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def say(bridge: dict[str, Any], text: str, *, message_id: str = "", late: timedelta = timedelta(), **more: Any) -> Any:
    body = json.dumps({"text": text, "channel": "general", **more}).encode()
    signed = headers_for(message_id or str(uuid4()), body, [bridge["secret"]], timezone.now() - late)
    return Client().post(bridge["address"], body, content_type="application/json", headers=signed)


def test_what_is_said_in_a_thread_is_a_session_and_is_learnt_from(alice: Caller, bridge: dict[str, Any]) -> None:
    assert say(bridge, "I work at Bosch.", thread="42", user="ann").json() == {"stored": 1}
    assert say(bridge, "Noted.", thread="42", user="ann", role="assistant").status_code == 202
    say(bridge, "I live in Porto.", thread="43", user="ann")
    say(bridge, "I live in Lisbon.", thread="42", user="ben")
    rows = AgentSession.objects.for_app(alice.app).order_by("pk").values_list("external_id", "user_id", "title")
    assert list(rows) == [
        ("slack:general/42:ann", "ann", "general/42"),
        ("slack:general/43:ann", "ann", "general/43"),
        ("slack:general/42:ben", "ben", "general/42"),
    ]
    assert list(Resource.objects.for_app(alice.app).order_by("pk").values_list("role", flat=True)) == [
        "user",
        "assistant",
        "user",
        "user",
    ]
    upkeep_learn_due()
    assert any("Bosch" in text for text in contents(alice.app))


def test_told_twice_it_is_stored_once(alice: Caller, bridge: dict[str, Any]) -> None:
    first = say(bridge, "I work at Bosch.", message_id="m1")
    again = say(bridge, "I work at Bosch.", message_id="m1")
    edited = say(bridge, "I work at Bosch, in Ulm.", message_id="m1")
    assert [answer.json()["stored"] for answer in (first, again, edited)] == [1, 0, 1]


def test_a_wrong_or_old_signature_is_refused_like_a_bridge_that_is_not_there(
    alice: Caller, bridge: dict[str, Any], operator: APIClient
) -> None:
    wrong = [
        say({**bridge, "secret": "whsec_" + "A" * 43 + "="}, "x"),
        say({**bridge, "address": f"/hooks/{uuid4()}"}, "x"),
        say(bridge, "x", late=timedelta(minutes=6)),
        say(bridge, "x", late=-timedelta(minutes=6)),
        Client().post(bridge["address"], {"text": "x"}, content_type="application/json"),
    ]
    bodies = set()
    for answer in wrong:
        assert_problem(answer, 401)
        bodies.add(answer.json()["detail"])
    assert len(bodies) == 1
    assert not Resource.objects.exists()
    new = operator.post(f"{ROOT}/bridges/{bridge['id']}/secret").json()["secret"]
    assert_problem(say(bridge, "x"), 401)
    assert say({**bridge, "secret": new}, "I work at Bosch.").status_code == 202
    App.objects.filter(pk=alice.app.pk).update(status="uninstalled")
    assert_problem(say({**bridge, "secret": new}, "x"), 401)


@pytest.mark.parametrize("body", [{"text": ""}, {"role": "system"}, {"spy": 1}, {"channel": None}])
def test_a_message_has_to_be_one(body: dict[str, Any], bridge: dict[str, Any]) -> None:
    assert_problem(say(bridge, **{"text": "x", **body}), 400)


def test_a_bridge_that_was_deleted_is_shut(bridge: dict[str, Any], operator: APIClient) -> None:
    assert operator.delete(f"{ROOT}/bridges/{bridge['id']}").json()["success"] is True
    assert_problem(say(bridge, "x"), 401)


def test_an_agent_that_is_not_there_is_named(alice: Caller, operator: APIClient) -> None:
    body = assert_problem(operator.post(f"{ROOT}/bridges", {"name": "slack", "agent": "assistant"}), 400, "agent")
    assert "no agent of this name" in body["detail"]
