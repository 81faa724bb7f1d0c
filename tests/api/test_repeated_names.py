"""An object with the same name twice is refused wherever JSON comes in: its readers would not agree on what it says."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from memories.models import Memory
from memsite.http.signatures import headers_for
from memsite.oauth.models import OAuthClient
from sessions.models import Resource
from tests.conftest import Caller
from tests.mcp.asking import ACCEPT
from tests.tables import each_row

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
    told = json.loads(answer.content)
    assert (told["id"], told["error"]["code"]) == (7, -32700)
    assert TOLD.format("name") in told["error"]["message"]


@each_row("filters", ['{"user_id": "a", "user_id": "b"}', "{'user_id': 'a', 'user_id': 'b'}"], rolled_back=True)
def test_an_object_in_an_address_is_refused(alice: Caller, filters: str) -> None:
    answer = alice.client.delete(f"/compat/mem0/memories?filters={quote(filters)}")
    assert answer.status_code == 400
    assert "user_id" in answer.json()["detail"]


def test_a_line_of_a_stream_is_reported_and_the_others_are_read(alice: Caller) -> None:
    session = str(alice.start_session(tier=2)["id"])
    said = {"type": "user", "message": {"role": "user", "content": "secret"}}
    twice = json.dumps(said).replace('"content"', '"content": "other", "content"')
    body = "\n".join([twice, json.dumps(said).replace("secret", "Is it up?"), ""])
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
