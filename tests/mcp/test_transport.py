"""Who may ask `/mcp`, from where, and with what."""

import json
from typing import Any

import pytest

from tests.api.checks import assert_problem
from tests.conftest import Caller, client_with, make_caller
from tests.mcp.asking import ACCEPT, post

PATHS = ["/mcp"]


@pytest.mark.parametrize("path", PATHS)
def test_without_a_key_nothing_is_told(alice: Caller, path: str) -> None:
    for key in ("", "mst_wrong"):
        answer = client_with(key).post(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=ACCEPT)
        assert_problem(answer, 401)
        assert answer["WWW-Authenticate"].startswith("Bearer")
    assert_problem(post(make_caller(alice.app, "writer", ("write",)), "tools/list", path=path), 403)


@pytest.mark.parametrize("path", PATHS)
def test_an_operators_key_belongs_to_no_app(operator: Any, path: str) -> None:
    answer = operator.post(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=ACCEPT)
    assert_problem(answer, 403)


@pytest.mark.parametrize(
    ("origin", "status"),
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
)
def test_pages_of_other_sites_may_not_ask(alice: Caller, origin: str, status: int) -> None:
    assert post(alice, "tools/list", Origin=origin).status_code == status


def test_a_name_that_is_not_ours_is_no_way_in(alice: Caller) -> None:
    assert post(alice, "tools/list", Host="evil.example").status_code == 400


def test_a_trusted_origin_may_ask(alice: Caller, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://memory.example.org"]
    assert post(alice, "tools/list", Origin="https://memory.example.org").status_code == 200


@pytest.mark.parametrize("method", ["get", "delete", "put"])
def test_there_is_no_stream_and_no_session(alice: Caller, method: str) -> None:
    answer = getattr(alice.client, method)("/mcp", headers=ACCEPT)
    assert_problem(answer, 405)
    assert answer["Allow"] == "POST, OPTIONS"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b'{"a": "\\u0000"}', -32700),
        (b"[" * 100 + b"]" * 100, -32700),
        (b"\xff", -32700),
    ],
)
def test_a_body_that_cannot_be_read_is_told_as_json_rpc_has_it(alice: Caller, body: bytes, code: int) -> None:
    answer = alice.client.generic("POST", "/mcp", body, content_type="application/json", headers=ACCEPT)
    assert answer.status_code == 400
    assert json.loads(answer.content)["error"]["code"] == code


@pytest.mark.parametrize("body", [b"{}", b"5", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": 1, "method": 5}'])
def test_what_is_no_message_is_refused(alice: Caller, body: bytes) -> None:
    answer = alice.client.generic("POST", "/mcp", body, content_type="application/json", headers=ACCEPT)
    assert 400 <= answer.status_code < 500


def test_a_notification_is_taken_and_an_unknown_method_is_told(alice: Caller) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert alice.client.post("/mcp", body, headers=ACCEPT).status_code == 202
    assert post(alice, "nothing/such").json()["error"]["code"] == -32601


def test_a_body_over_the_limit_is_refused(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.mcp.view.get_conf", lambda: type("Conf", (), {"max_body_bytes": 100}))
    assert_problem(post(alice, "tools/call", {"name": "store", "arguments": {"content": "x" * 200}}), 413)
