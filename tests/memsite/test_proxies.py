"""Behind a reverse proxy: probes, believed headers, the path of another site, and what a refused form says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import set_script_prefix

from memsite.http.login import Proxies

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_is_answered_under_any_host(path: str) -> None:
    assert Client().get(path, headers={"Host": "10.244.0.17:8000"}).status_code == 200


def test_nothing_else_is_answered_under_any_host() -> None:
    assert Client().get("/api/v1/version", headers={"Host": "10.244.0.17:8000"}).status_code == 400


OWN = {"Host": "localhost"}
FORWARDED = {"HTTP_X_FORWARDED_PROTO": "https", "HTTP_X_FORWARDED_HOST": "memory.example.org"}


@pytest.mark.parametrize(
    ("trusted", "address", "root"),
    [
        (("10.0.0.0/8",), "10.1.2.3", "https://memory.example.org/"),
        (("10.0.0.0/8",), "::ffff:10.1.2.3", "https://memory.example.org/"),
        (("10.0.0.0/8",), "192.0.2.1", "http://localhost/"),
        (("10.0.0.0/8",), "", "http://localhost/"),
        # As in a site from before there was a list.
        ((), "192.0.2.1", "https://localhost/"),
    ],
)
def test_forwarded_headers_are_believed_from(settings: Any, trusted: tuple[str, ...], address: str, root: str) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, behind_https_proxy=True, trusted_proxies=trusted)
    settings.ALLOWED_HOSTS = ["localhost", "memory.example.org"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.USE_X_FORWARDED_HOST = bool(trusted)
    request = RequestFactory(headers={"Host": "localhost"}).get("/", REMOTE_ADDR=address, **FORWARDED)
    Proxies(lambda _: HttpResponse())(request)
    assert request.build_absolute_uri("/") == root


@pytest.fixture
def at_memory(settings: Any) -> Iterator[None]:
    settings.MEMSITE = replace(settings.MEMSITE, root_path="/memory", oauth=True)
    settings.FORCE_SCRIPT_NAME = "/memory"
    # As each request of a web server does.
    set_script_prefix("/memory/")
    yield
    set_script_prefix("/")


@pytest.mark.parametrize(
    ("address", "path"),
    [("/memory/login", "/login"), ("/memory", "/"), ("/login", "/login"), ("/memoryless", "/memoryless")],
)
def test_the_path_of_the_proxy_is_taken_off(at_memory: None, address: str, path: str) -> None:
    seen: list[HttpRequest] = []
    Proxies(lambda request: seen.append(request) or HttpResponse())(RequestFactory().get(address))  # type: ignore[func-returns-value]
    assert [(request.path_info, request.path) for request in seen] == [(path, f"/memory{path}")]


@pytest.mark.parametrize("path", ["/memory/sessions?app=a", "/sessions?app=a"])
def test_a_redirect_stays_below_the_path(at_memory: None, path: str) -> None:
    assert Client().get(path)["Location"] == "/memory/login?next=/memory/sessions%3Fapp%3Da"


def test_problems_below_the_path_are_documents_for_programs(at_memory: None) -> None:
    answer = Client().get("/memory/api/v1/nowhere", headers={"Accept": "text/html"})
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("path", ["/memory", ""])
def test_oauth_names_addresses_below_the_path(at_memory: None, path: str) -> None:
    body = Client(headers=OWN).get(f"/.well-known/oauth-authorization-server{path}").json()
    assert (body["issuer"], body["token_endpoint"]) == (
        "http://localhost/memory",
        "http://localhost/memory/oauth/token",
    )


def test_a_client_without_a_key_finds_where_to_ask_for_one(at_memory: None) -> None:
    header = Client(headers=OWN).post("/memory/mcp", "{}", content_type="application/json")["WWW-Authenticate"]
    where = header.partition('resource_metadata="http://localhost')[2].rstrip('"')
    assert where == "/.well-known/oauth-protected-resource/memory/mcp"
    assert Client(headers=OWN).get(where).json()["resource"] == "http://localhost/memory/mcp"


@pytest.mark.parametrize(
    ("origin", "sentence"),
    [
        ("null", "Referrer-Policy: no-referrer"),
        ("https://memory.example.org", "MEMSITE_CSRF_TRUSTED_ORIGINS=https://memory.example.org"),
    ],
)
def test_a_form_refused_for_its_origin_says_what_to_change(origin: str, sentence: str) -> None:
    page = {"Accept": "text/html", "Origin": origin}
    answer = Client(enforce_csrf_checks=True).post("/login", {"username": "sue"}, headers=page)
    assert answer.status_code == 403
    assert sentence in answer.content.decode()
