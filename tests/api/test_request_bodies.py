"""Request bodies: repeated names, packed bodies, invisible texts, and errors that name every wrong field."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.exceptions import ValidationError as ModelValidationError
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.test import APIClient

from memories.api.fields import StrictCharField, StrictIntegerField, StrictSerializer, validated
from memories.models import Extraction, Import, Memory
from memsite.http.signatures import headers_for
from memsite.oauth.models import OAuthClient
from sessions.models import AgentSession, Resource, Turn
from tests.api.checks import RESULT, assert_problem, assistant, ndjson, user
from tests.compat.test_mem0 import Mem0
from tests.conftest import Caller
from tests.mcp.asking import ACCEPT, call, refused
from tests.tables import each_row
from tests.talking import turn

TOLD = 'has the name "{}" twice in one object'
JSON = "application/json"


@each_row(
    "method, path, body, name",
    [
        ("POST", "/api/v1/memories", '{"content": "Whales sing", "content": "Whales swim"}', "content"),
        ("POST", "/api/v1/memories", '{"content": "Whales sing", "metadata": {"a": [{"b": 1, "b": 1}]}}', "b"),
        ("POST", "/api/v1/memories", r'{"content": "Whales \\\"sing", "c\u006fntent": "x"}', "content"),
        ("POST", "/api/v1/memories/search", '{"query": "whales", "filters": {}, "filters": {}}', "filters"),
        ("POST", "/api/v1/sessions", '{"task": "a", "task": "b"}', "task"),
        ("POST", "/compat/mem0/memories", '{"messages": "Whales sing", "user_id": "a", "user_id": "b"}', "user_id"),
        (
            "POST",
            "/compat/memory-tool",
            '{"command": "view", "command": "delete", "path": "/memories"}',
            "command",
        ),
        ("POST", "/mcp", '{"jsonrpc": "2.0", "method": "tools/list", "method": "ping"}', "method"),
        ("POST", "/compat/mcp-memory", '{"jsonrpc": "2.0", "method": "ping", "params": {"a": 1, "a": 2}}', "a"),
    ],
    rolled_back=True,
)
def test_a_body_is_refused_with_the_name(alice: Caller, method: str, path: str, body: str, name: str) -> None:
    answer = alice.client.generic(method, path, body, content_type=JSON, headers=ACCEPT)
    assert answer.status_code == 400, (path, answer.content)
    assert TOLD.format(name) in json.dumps(json.loads(answer.content)).replace('\\"', '"')
    assert not Memory.objects.exists()
    assert not Resource.objects.exists()


def test_a_message_with_an_id_is_answered_with_it(alice: Caller) -> None:
    body = '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "store", "name": "search"}}'
    answer = alice.client.generic("POST", "/mcp", body, content_type=JSON, headers=ACCEPT)
    output = json.loads(answer.content)
    assert (output["id"], output["error"]["code"]) == (7, -32700)
    assert TOLD.format("name") in output["error"]["message"]


@each_row("filters", ['{"user_id": "a", "user_id": "b"}', "{'user_id': 'a', 'user_id': 'b'}"], rolled_back=True)
def test_an_object_in_an_address_is_refused(alice: Caller, filters: str) -> None:
    answer = alice.client.delete(f"/compat/mem0/memories?filters={quote(filters)}")
    assert answer.status_code == 400
    assert "user_id" in answer.json()["detail"]


def test_a_line_of_a_stream_is_reported_and_the_others_are_read(alice: Caller) -> None:
    session = str(alice.start_session(tier=2)["id"])
    texts = {"type": "user", "message": {"role": "user", "content": "secret"}}
    twice = json.dumps(texts).replace('"content"', '"content": "other", "content"')
    body = "\n".join([twice, json.dumps(texts).replace("secret", "Is it up?"), ""])
    report = alice.stream(session, body).json()
    assert [error["line"] for error in report["errors"]] == [1]
    assert "twice" in str(report["errors"])
    assert "secret" not in str(report["errors"])
    assert alice.get(f"sessions/{session}/turns/1").json()["user_input"] == "Is it up?"


def test_a_client_does_not_register_so(db: None, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, oauth=True)
    body = '{"redirect_uris": ["https://a.example/"], "redirect_uris": ["https://b.example/"]}'
    answer = Client(headers={"Host": "localhost"}).post("/oauth/register", body, content_type=JSON)
    assert answer.status_code == 400
    assert TOLD.format("redirect_uris") in answer.json()["error_description"]
    assert not OAuthClient.objects.exists()


def test_a_chat_message_is_refused(alice: Caller, operator: APIClient) -> None:
    made = operator.post("/api/v1/apps/acme/bridges", {"name": "chat", "agent": "alice"}).json()
    body = b'{"user": "u1", "channel": "c", "text": "Whales sing", "text": "Whales swim"}'
    signed = headers_for("m1", body, [made["secret"]], timezone.now())
    answer = Client().post(made["address"], body, content_type=JSON, headers=signed)
    assert answer.status_code == 400
    assert TOLD.format("text") in answer.json()["detail"]
    assert not Resource.objects.exists()


@each_row(
    "source, file",
    [
        ("memsite", '{"type": "memsite-export", "type": "memsite-export"}'),
        ("chatgpt", '[{"mapping": {}, "type": 1, "type": 2}]'),
        ("mem0", '{"results": [{"memory": "Whales sing", "type": 1, "type": 2}]}'),
        ("claude", '[{"chat_messages": [{"type": 1, "type": 2}]}]'),
    ],
    rolled_back=True,
)
def test_a_file_is_refused(alice: Caller, operator: APIClient, source: str, file: str) -> None:
    address = f"/api/v1/apps/acme/import?source={source}"
    answer = operator.generic("POST", address, file, content_type="application/octet-stream")
    assert answer.status_code == 422, answer.content
    assert TOLD.format("type") in answer.json()["detail"]
    assert not Memory.objects.exists()


def test_a_line_of_the_reference_servers_file_is_told(alice: Caller, tmp_path: Path) -> None:
    file, out, err = tmp_path / "memory.json", StringIO(), StringIO()
    twice = '{"type": "entity", "name": "Whale", "name": "Walrus", "entityType": "animal"}'
    file.write_text(twice + '\n{"type": "entity", "name": "Bear", "entityType": "animal"}\n')
    call_command("import_knowledge_graph", str(file), app="acme", agent="alice", stdout=out, stderr=err)
    assert f"Line 1: It {TOLD.format('name')}" in err.getvalue()
    assert "Walrus" not in str(list(Memory.objects.values("content")))


MEMORY = json.dumps({"content": "Whales sing"}).encode()
ADDED = json.dumps({"messages": "Whales sing", "user_id": "u1"}).encode()
CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "store"}}).encode()
ROWS = json.dumps([{"memory": "Whales sing"}]).encode()
FILE = "application/octet-stream"


@each_row(
    "path, body",
    [
        ("/api/v1/memories", MEMORY),
        ("/api/v1/memories", gzip.compress(MEMORY)),
        ("/api/v1/sessions", b"{}"),
        ("/compat/mem0/memories", ADDED),
        ("/compat/memory-tool", b"{}"),
        ("/compat/mcp-memory", CALL),
        ("/mcp", CALL),
        ("/hooks/00000000-0000-0000-0000-000000000000", b"{}"),
    ],
    rolled_back=True,
)
def test_a_body_that_says_it_is_packed_is_refused(alice: Caller, path: str, body: bytes) -> None:
    for encoding in ("gzip", "br", "x"):
        headers = {**ACCEPT, "Content-Encoding": encoding}
        answer = alice.client.generic("POST", path, body, content_type="application/json", headers=headers)
        assert answer.status_code == 415, (path, answer.content)
        assert "without a Content-Encoding" in json.loads(answer.content)["detail"]
    assert not Memory.objects.exists()
    assert not Resource.objects.exists()
    assert not AgentSession.objects.exists()


def test_a_stream_is_refused_too(alice: Caller) -> None:
    session = alice.start_session()["id"]
    answer = alice.client.generic(
        "POST",
        f"/api/v1/sessions/{session}/stream",
        b"{}\n",
        content_type="application/x-ndjson",
        headers={"Content-Encoding": "gzip"},
    )
    assert assert_problem(answer, 415)["code"] == "content_encoding"


@each_row("path", ["/login", "/oauth/register", "/oauth/token", "/oauth/revoke"])
def test_a_form_is_refused_too(db: None, settings: Any, path: str) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, oauth=True)
    client = Client(headers={"Host": "localhost", "Content-Encoding": "gzip"})
    body = {"redirect_uris": ["https://client.example/"], "token_endpoint_auth_method": "none"}
    answer = client.post(path, body, content_type="application/json")
    assert_problem(answer, 415)
    assert "Content-Security-Policy" in answer
    assert not OAuthClient.objects.exists()


def test_what_is_not_packed_may_say_so(alice: Caller) -> None:
    for number, output in enumerate(("identity", "Identity", "")):
        answer = alice.client.post(
            "/api/v1/memories", {"content": f"Whale {number} sings"}, headers={"Content-Encoding": output}
        )
        assert answer.status_code == 201
    assert alice.client.get("/api/v1/memories", headers={"Content-Encoding": "gzip"}).status_code == 200


@each_row(
    "body, encoding, status",
    [
        (ROWS, "gzip", 400),
        (gzip.compress(ROWS), "br", 415),
        (gzip.compress(ROWS), "gzip", 202),
        (gzip.compress(ROWS), "x-gzip", 202),
        (gzip.compress(ROWS), "", 202),
    ],
    rolled_back=True,
)
def test_a_file_is_packed_as_it_says(
    alice: Caller, operator: APIClient, body: bytes, encoding: str, status: int
) -> None:
    address, headers = "/api/v1/apps/acme/import?source=mem0", {"Content-Encoding": encoding}
    answer = operator.generic("POST", address, body, content_type=FILE, headers=headers)
    assert answer.status_code == status, answer.content
    assert Import.objects.exists() == (status == 202)


NOTHING = ["\u200b", " \u2060\u200d\n", "\ufeff\u202e", "\u00ad \U000e0041"]


@pytest.mark.parametrize("text", NOTHING)
def test_over_rest_it_is_refused_as_a_blank_text_is(alice: Caller, text: str) -> None:
    blank = alice.post("memories", {"content": " "}).json()["errors"]
    assert assert_problem(alice.post("memories", {"content": text}), 400)["errors"] == blank
    memory = alice.remember("Whales sing")["id"]
    assert_problem(alice.patch(f"memories/{memory}", {"content": text}), 400, "content")
    alice.post("memories/batch", {"memories": [{"content": text}]})
    assert Memory.objects.get().text == "Whales sing"


def test_over_other_endpoints(alice: Caller) -> None:
    assert "blank" in refused(alice, "store", content="\u200b")
    assert Mem0(alice).add("\u200b", infer=False) == []
    entities = [{"name": "Ada", "entityType": "person", "observations": ["\u200b"]}]
    call(alice, "create_entities", path="/compat/mcp-memory", entities=entities)
    turn(alice, alice.start_session(), 1, "How?", "[MEMORY:timing:jellyfin] \u200b")
    assert [row.text for row in Memory.objects.all()] == ["Ada (person)"]


@each_row("text", ["", " ", *NOTHING], rolled_back=True)
def test_where_it_is_said_nothing_of_it_is_kept(alice: Caller, text: str) -> None:
    session = alice.start_session()["id"]
    alice.post(f"sessions/{session}/messages", {"messages": [{"role": "user", "content": text, "external_id": "a"}]})
    report = alice.stream(session, ndjson(user(text), assistant(text), RESULT)).json()
    assert (report["turns"], report["error_count"]) == ([], 0)
    alice.post("hooks/claude-code", {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": text})
    assert [model.objects.count() for model in (Resource, Turn, Extraction)] == [0, 0, 0]
    texts = {"role": "user", "content": "Whales sing", "external_id": "a"}
    assert len(alice.post(f"sessions/{session}/messages", {"messages": [texts]}).json()["resource_ids"]) == 1


def test_where_nothing_is_said_no_session_of_its_speaker_begins(alice: Caller) -> None:
    for text in NOTHING:
        assert Mem0(alice).add(text) == []
    assert AgentSession.objects.count() == 0


class Sighting(StrictSerializer):
    place = StrictCharField(max_length=20)
    whales = StrictIntegerField(min_value=1, default=1)
    names = serializers.ListField(child=StrictCharField(), default=list)
    note = StrictCharField(required=False, allow_null=True)

    def validate_place(self, place: str) -> str:
        if place == "nowhere":
            raise ModelValidationError("No such place.")
        return place.title()

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        if len(fields["names"]) > fields["whales"]:
            raise ValidationError({"names": ["More names than whales."]})
        return fields


def wrong(body: Any) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        validated(Sighting, body)
    result: Any = caught.value.detail
    return {name: [str(item) for item in value] for name, value in result.items()}


def test_what_is_not_given_has_its_default_or_is_not_there() -> None:
    assert validated(Sighting, {"place": " oban "}) == {"place": "Oban", "whales": 1, "names": []}
    assert validated(Sighting, {"place": "oban", "note": None})["note"] is None


def test_a_default_that_is_made_is_each_bodys_own() -> None:
    assert validated(Sighting, {"place": "oban"})["names"] is not validated(Sighting, {"place": "oban"})["names"]


def test_all_that_is_wrong_is_told() -> None:
    assert wrong({"place": "", "whales": 0}).keys() == {"place", "whales"}
    assert wrong({"whales": 2}).keys() == {"place"}
    assert wrong({"place": "nowhere"}) == {"place": ["No such place."]}
    assert wrong({"place": "oban", "names": ["Ada", "Bo"]}) == {"names": ["More names than whales."]}
    assert wrong({"place": "oban", "whale": 2}) == {"whale": ["Unknown field."]}
    assert wrong(["oban"]).keys() == {"non_field_errors"}


def test_a_body_without_a_fault_is_read_field_by_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serializers.Serializer, "to_internal_value", lambda *_: pytest.fail("DRF looked for faults."))
    assert validated(Sighting, {"place": "oban", "whales": 2})["whales"] == 2
