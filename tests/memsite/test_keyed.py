"""Requests with a key and without a cookie pass by what is for pages; all others do not."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.middleware import SessionMiddleware
from django.test import Client

from memsite.http import middleware
from memsite.http.middleware import HEADERS, match_of
from tests.conftest import Caller

FOR_PAGES = SessionMiddleware


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of requests that came to the middleware for pages."""
    paths: list[str] = []
    usual = FOR_PAGES.process_request

    def process_request(self: SessionMiddleware, request: Any) -> None:
        paths.append(request.path)
        usual(self, request)

    monkeypatch.setattr(FOR_PAGES, "process_request", process_request)
    return paths


def test_a_key_without_a_cookie_passes_by_what_pages_need(alice: Caller, passed: list[str]) -> None:
    answer = alice.get("memories")
    assert answer.status_code == 200
    assert passed == []
    assert {name: answer[name] for name in HEADERS} == HEADERS
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert int(answer["Content-Length"]) == len(answer.content)
    assert answer["X-Request-ID"]


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
def test_all_others_do_not(path: str, headers: dict[str, str], passed: list[str]) -> None:
    Client().get(path, headers=headers)
    assert passed == [path]


@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/api/v1/memories", "/mcp/nowhere", "/compat/nowhere"])
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


def test_where_an_address_leads_is_looked_up_once(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    match_of.cache_clear()
    one, other = (alice.remember(text)["id"] for text in ("whales sing", "herons stand"))
    for _ in range(2):
        assert [alice.get(f"memories/{uid}").json()["content"] for uid in (one, other)] == [
            "whales sing",
            "herons stand",
        ]
        assert alice.get("nowhere").status_code == 404
    monkeypatch.setattr(middleware, "get_resolver", lambda: pytest.fail("It is known already."))
    assert alice.get(f"memories/{one}").json()["content"] == "whales sing"
