"""A body that says it is packed is refused at every door and nothing of it is stored: only imports are unpacked."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import Any

from django.test import Client
from rest_framework.test import APIClient

from memories.models import Import, Memory
from memsite.oauth.models import OAuthClient
from sessions.models import AgentSession, Resource
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.mcp.asking import ACCEPT
from tests.tables import each_row

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
        "POST", f"/api/v1/sessions/{session}/stream", b"{}\n", content_type="application/x-ndjson",
        headers={"Content-Encoding": "gzip"},
    )  # fmt: skip
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
    for number, told in enumerate(("identity", "Identity", "")):
        answer = alice.client.post(
            "/api/v1/memories", {"content": f"Whale {number} sings"}, headers={"Content-Encoding": told}
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
