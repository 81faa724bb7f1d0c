"""Who may ask `/mcp`, from where, and with what."""

import json
from itertools import product
from typing import Any

import pytest

from tests.api.checks import assert_problem
from tests.conftest import Caller, client_with, make_caller
from tests.mcp.asking import ACCEPT, post
from tests.tables import each_row

PATHS = ["/mcp"]


@each_row("path", PATHS, rolled_back=True)
def test_without_a_key_nothing_is_told(alice: Caller, path: str) -> None:
    for key in ("", "mst_wrong"):
        answer = client_with(key).post(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=ACCEPT)
        assert_problem(answer, 401)
        assert answer["WWW-Authenticate"].startswith("Bearer")
    assert_problem(post(make_caller(alice.app, "writer", ("write",)), "tools/list", path=path), 403)


@each_row("path", PATHS, rolled_back=True)
def test_an_operators_key_belongs_to_no_app(operator: Any, path: str) -> None:
    answer = operator.post(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=ACCEPT)
    assert_problem(answer, 403)


@each_row(
    "origin, status",
    [
        ("http://localhost:6274", 200),
        ("http://127.0.0.1", 200),
        ("http://[::1]:8000", 200),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://localhost@evil.example", 403),
        ("null", 403),
        ("http://[bad", 403),
    ],
    rolled_back=True,
)
def test_pages_of_other_sites_may_not_ask(alice: Caller, origin: str, status: int) -> None:
    assert post(alice, "tools/list", Origin=origin).status_code == status


def test_a_message_is_one_line_of_the_log(alice: Caller, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        post(alice, "tools/list")
    assert [record.name for record in caplog.records] == ["memsite.http.middleware"]


def test_a_name_that_is_not_ours_is_no_way_in(alice: Caller) -> None:
    assert post(alice, "tools/list", Host="evil.example").status_code == 400


def test_a_trusted_origin_may_ask(alice: Caller, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://memory.example.org"]
    assert post(alice, "tools/list", Origin="https://memory.example.org").status_code == 200


@each_row("method", ["get", "delete", "put"], rolled_back=True)
def test_there_is_no_stream_and_no_session(alice: Caller, method: str) -> None:
    answer = getattr(alice.client, method)("/mcp", headers=ACCEPT)
    assert_problem(answer, 405)
    assert answer["Allow"] == "POST, OPTIONS"


@each_row(
    "body, code",
    [
        (b"{", -32700),
        (b'{"a": "\\u0000"}', -32700),
        (b"[" * 100 + b"]" * 100, -32700),
        (b"\xff", -32700),
    ],
    rolled_back=True,
)
def test_a_body_that_cannot_be_read_is_told_as_json_rpc_has_it(alice: Caller, body: bytes, code: int) -> None:
    answer = alice.client.generic("POST", "/mcp", body, content_type="application/json", headers=ACCEPT)
    assert answer.status_code == 400
    assert json.loads(answer.content)["error"]["code"] == code


@each_row(
    "path, kind",
    product(
        ["/mcp", "/compat/mcp-memory"],
        ["text/plain", "", "application/x-www-form-urlencoded", "application/jsonx", "x"],
    ),
    rolled_back=True,
)
def test_a_body_of_another_kind_is_refused_as_json_rpc_has_it(alice: Caller, path: str, kind: str) -> None:
    body = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
    answer = alice.client.generic("POST", path, body, content_type=kind, headers=ACCEPT)
    assert (answer.status_code, answer["Content-Type"]) == (415, "application/json")
    page = json.loads(answer.content)
    assert (page["id"], page["error"]["code"]) == (7, -32600)
    assert "application/json" in page["error"]["message"]


@each_row("kind", ["application/json; charset=utf-8", "Application/JSON"], rolled_back=True)
def test_a_kind_may_be_written_otherwise(alice: Caller, kind: str) -> None:
    body = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
    answer = alice.client.generic("POST", "/mcp", body, content_type=kind, headers=ACCEPT)
    assert (answer.status_code, json.loads(answer.content)["result"]) == (200, {})


@each_row(
    "uid, params",
    product(["one", 0, 2**70, None, 1.5, True], ['{"a": "\\u0000"}', '{"a": "\\ud800"}', "[]", "[" * 70 + "]" * 70]),
    rolled_back=True,
)
def test_a_request_that_is_refused_is_answered_with_its_id(alice: Caller, uid: Any, params: str) -> None:
    body = f'{{"jsonrpc": "2.0", "id": {json.dumps(uid)}, "method": "tools/call", "params": {params}}}'
    answer = alice.client.generic("POST", "/mcp", body, content_type="application/json", headers=ACCEPT)
    is_known = type(uid) in (str, int)
    assert answer.status_code == (200 if is_known and params != "[]" else 400)
    assert json.loads(answer.content)["id"] == (uid if is_known else None)


@pytest.mark.parametrize("path", ["/mcp", "/compat/mcp-memory"])
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', "id"),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', "id"),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', "id"),
        ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', "id"),
        ('{"jsonrpc": "2.0", "id": 1.5, "result": {}}', "id"),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping", "error": {}}', "id"),
        ("[]", "one by one"),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', "one by one"),
        ("5", "JSON object"),
        ("{}", "jsonrpc"),
        ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', "jsonrpc"),
        ('{"jsonrpc": "2.0", "id": 1}', "method"),
        ('{"jsonrpc": "2.0", "id": 1, "method": 5}', "method"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', "params"),
        ('{"jsonrpc": "2.0", "id": 1, "result": 5}', "result"),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(alice: Caller, path: str, body: str, words: str) -> None:
    answer = alice.client.generic("POST", path, body, content_type="application/json", headers=ACCEPT)
    assert answer.status_code == 400
    page = json.loads(answer.content)
    assert page["error"]["code"] == -32600
    assert words in page["error"]["message"]
    assert len(page["error"]["message"]) < 100


@each_row("uid", ["one", "", 0, -1, 2**70], rolled_back=True)
def test_an_id_is_answered_as_it_came(alice: Caller, uid: str | int) -> None:
    answer = alice.client.post("/mcp", {"jsonrpc": "2.0", "id": uid, "method": "ping", "params": None}, headers=ACCEPT)
    assert json.loads(answer.content) == {"jsonrpc": "2.0", "id": uid, "result": {}}


def test_answers_to_what_nobody_asked_are_taken(alice: Caller) -> None:
    for outcome in ({"id": 1, "result": {}}, {"id": 1, "error": {"code": 1, "message": "no"}}):
        assert alice.client.post("/mcp", {"jsonrpc": "2.0", **outcome}, headers=ACCEPT).status_code == 202


def test_a_notification_is_taken_and_an_unknown_method_is_told(alice: Caller) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert alice.client.post("/mcp", body, headers=ACCEPT).status_code == 202
    assert post(alice, "nothing/such").json()["error"]["code"] == -32601


def test_a_body_over_the_limit_is_refused(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.mcp.views.get_conf", lambda: type("Conf", (), {"max_body_bytes": 100}))
    assert_problem(post(alice, "tools/call", {"name": "store", "arguments": {"content": "x" * 200}}), 413)
