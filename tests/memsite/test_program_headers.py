"""Answers to a key have headers of their own; all others those of pages."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memsite.http.middleware import HEADERS
from tests.conftest import Caller


def test_an_answer_to_a_key_loads_nothing_and_stands_in_no_frame(alice: Caller) -> None:
    answer = alice.get("memories")
    assert answer.status_code == 200
    assert {name: answer[name] for name in HEADERS} == HEADERS
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert int(answer["Content-Length"]) == len(answer.content)
    assert answer["X-Request-ID"]
    assert "Cookie" not in answer.headers.get("Vary", "")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/api/v1/memories", {}),
        ("/api/v1/memories", {"Authorization": "Bearer nobody", "Cookie": "sessionid=1"}),
        ("/api/docs", {"Authorization": "Basic bm9ib2R5"}),
        ("/login", {"Authorization": "Basic bm9ib2R5"}),
    ],
)
def test_all_others_have_the_policy_of_pages(path: str, headers: dict[str, str]) -> None:
    answer = Client().get(path, headers=headers)
    assert "'self'" in answer["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/api/v1/memories", "/mcp/nowhere", "/compat/nowhere", "/proxy/x"])
def test_what_is_refused_is_a_problem_with_the_same_headers(path: str, db: None) -> None:
    answer = Client().get(path, headers={"Authorization": "Bearer nobody"})
    assert answer.status_code in (401, 404)
    assert answer["Content-Type"] == "application/problem+json"
    assert {name: answer[name] for name in HEADERS} == HEADERS


def test_a_host_that_is_not_ours_is_refused(alice: Caller, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["memsite.example"]
    assert alice.get("memories").status_code == 400


def test_an_error_nobody_expected_is_a_problem(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret words")

    monkeypatch.setattr("memories.api.views.memories.Memories.get", fail)
    client = Client(raise_request_exception=False)
    answer = client.get("/api/v1/memories", headers={"Authorization": f"Bearer {alice.key}"})
    assert answer.status_code == 500
    assert answer["Content-Type"] == "application/problem+json"
    assert b"secret" not in answer.content


def test_who_is_signed_in_by_a_cookie_is_known_also_beside_another_authorization(db: None) -> None:
    """A reverse proxy may ask for a password of its own."""
    client = Client()
    client.force_login(User.objects.create_superuser("sue", password="seven-green-bottles"))
    assert client.get("/api/v1/apps", headers={"Authorization": "Basic bm9ib2R5"}).status_code == 200


PAGE = "https://app.example.org"
CORS = "corsheaders.middleware.CorsMiddleware"


@pytest.fixture
def open_to_a_page(settings: Any) -> None:
    settings.CORS_ALLOWED_ORIGINS = [PAGE]
    settings.MIDDLEWARE = [*settings.MIDDLEWARE[:2], CORS, *settings.MIDDLEWARE[2:]]


def allowed(answer: Any) -> str | None:
    return answer.headers.get("Access-Control-Allow-Origin")


@pytest.mark.usefixtures("open_to_a_page")
def test_a_page_of_a_named_origin_may_ask_with_a_key_and_without_cookies(alice: Caller) -> None:
    asks = {"Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "authorization,if-match"}
    first = Client().options("/api/v1/memories", headers={"Origin": PAGE, **asks})
    assert (first.status_code, allowed(first)) == (200, PAGE)
    assert {"authorization", "if-match"} <= {*first["Access-Control-Allow-Headers"].split(", ")}
    assert "PATCH" in first["Access-Control-Allow-Methods"]
    answer = Client().get("/api/v1/memories", headers={"Origin": PAGE, "Authorization": f"Bearer {alice.key}"})
    assert (answer.status_code, allowed(answer)) == (200, PAGE)
    assert "Access-Control-Allow-Credentials" not in answer.headers
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    key = {"Authorization": f"Bearer {alice.key}", "Accept": "application/json", "Origin": PAGE}
    assert Client().post("/mcp", ping, "application/json", headers=key).status_code == 200


@pytest.mark.usefixtures("open_to_a_page")
@pytest.mark.parametrize(
    ("path", "origin"),
    [("/api/v1/memories", "https://evil.example"), ("/api/v1/memories", "null"), ("/login", PAGE), ("/mcpx", PAGE)],
)
def test_nobody_else_may_ask_and_no_page_of_ours_is_read(db: None, path: str, origin: str) -> None:
    assert allowed(Client().get(path, headers={"Origin": origin})) is None


def test_no_page_of_another_origin_may_ask_unless_the_setting_names_it(alice: Caller) -> None:
    assert allowed(Client().get("/api/v1/memories", headers={"Origin": PAGE})) is None
