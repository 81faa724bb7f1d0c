"""What browsers are told, and what of theirs is refused: for every page, also for those to come."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as used
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.checks import run_checks
from django.test import Client, override_settings

from memsite.config import settings as site
from memsite.config.conf import get_conf
from tests.policy.test_routes import API, ROUTES, example
from tests.tables import each_row

ROOT = Path(__file__).resolve().parents[2]
CODE = [path for part in ("memories", "memsite", "sessions") for path in sorted((ROOT / part).rglob("*.py"))]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
TRUSTS = {"mark_safe", "SafeString", "SafeText", "html_safe", "safe"}
FORMATS = {"format_html", "format_html_join"}
WORDS = re.compile(rf"\b({'|'.join(sorted(TRUSTS | FORMATS))})\b")
"""Without one of them a file calls none of them."""
# Their own keys, or none; asked by programs, not by forms.
NO_FORMS = ("api/", "mcp", "compat/", "proxy/", "oauth/", ".well-known/", "hooks/", "healthz", "readyz", "metrics")


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def trusting(path: Path) -> list[str]:
    """Calls that make a text a part of a page as it is, or the page's own part of what is not constant."""
    result, text = [], path.read_text()
    if not WORDS.search(text):
        return []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = name_of(node)
        patterns = node.args[: 2 if name == "format_html_join" else 1] if name in FORMATS else []
        if name in TRUSTS or not all(isinstance(pattern, ast.Constant) for pattern in patterns):
            result.append(f"{path.relative_to(ROOT)}:{node.lineno} {name}")
    return result


def test_no_code_marks_a_text_as_safe() -> None:
    assert len(CODE) > 300
    assert [call for path in CODE for call in trusting(path)] == []


@pytest.mark.parametrize(
    "code", ["mark_safe(text)", "html.mark_safe('x')", "SafeString(x)", "format_html(f'<b>{x}</b>')", "format_html(x)"]
)
def test_the_test_above_would_see_it(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    file = tmp_path / "page.py"
    file.write_text(code)
    assert len(trusting(file)) == 1
    file.write_text("format_html('<b>{}</b>', text)\nformat_html_join('', '<i>{}</i>', rows)")
    assert trusting(file) == []


def test_no_template_marks_a_text_as_safe() -> None:
    assert len(TEMPLATES) > 50
    marks = re.compile(
        r"\|\s*safe(seq)?\b|autoescape\s+off|<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:", re.IGNORECASE
    )
    results = [f"{path.name}: {match[0]}" for path in TEMPLATES for match in marks.finditer(path.read_text())]
    assert results == []


# --- headers

HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
POLICY = {
    "default-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


@pytest.mark.django_db
@each_row("path", ["/login", "/", "/nowhere", "/api/docs", "/api/v1/memories", "/admin/", "/healthz"])
def test_every_answer_has_the_headers_that_keep_others_out(path: str) -> None:
    answer = Client().get(path, headers={"Accept": "text/html"})
    assert {name: answer.get(name) for name in HEADERS} == HEADERS
    parts = (part.strip().partition(" ") for part in answer["Content-Security-Policy"].split(";"))
    policy = {name: value for name, _, value in parts}
    assert POLICY.items() <= policy.items()
    assert policy.keys() <= POLICY.keys() | {"img-src"}


# --- forms of other sites

FORMS = [address for address in ROUTES if not address.startswith(NO_FORMS) and "static" not in address]


@pytest.fixture
def signed_in(db: None) -> Client:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(User.objects.create_superuser("sue", password="seven-green-bottles"))
    return client


def test_a_form_of_another_site_is_refused_by_every_page(signed_in: Client) -> None:
    assert len(FORMS) > 60
    answers = {address: signed_in.post(example(address), {}).status_code for address in FORMS}
    assert {address: status for address, status in answers.items() if status not in (403, 404)} == {}
    assert sum(status == 403 for status in answers.values()) > 60


def test_a_form_that_has_expired_says_so_on_a_page_of_ours(db: None) -> None:
    answer = Client(enforce_csrf_checks=True).post("/login", {"username": "sue"}, headers={"Accept": "text/html"})
    assert answer.status_code == 403
    assert "The form has expired: load the page again." in answer.content.decode()
    assert "DEBUG" not in answer.content.decode()


def test_a_request_of_another_site_is_refused_by_every_endpoint_of_the_api(signed_in: Client) -> None:
    for address in API:
        for method in ("post", "put", "patch", "delete"):
            answer = getattr(signed_in, method)(example(address), "{}", content_type="application/json")
            assert answer.status_code == 403, (method, address, answer.status_code)


# --- settings


def test_cookies_are_for_this_site_alone_and_behind_https_for_https_alone() -> None:
    assert (used.SESSION_COOKIE_HTTPONLY, used.SESSION_COOKIE_SAMESITE) == (True, "Lax")
    text = (ROOT / "memsite" / "config" / "settings.py").read_text()
    behind = text.split("if MEMSITE.behind_https_proxy:")[1].split("\n\n")[0].split("\nCONTENT")[0]
    assert "SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True" in behind


def test_passwords_are_kept_by_argon2() -> None:
    with override_settings(PASSWORD_HASHERS=site.PASSWORD_HASHERS):
        assert make_password("seven-green-bottles").startswith("argon2$argon2id$")


PRODUCTION: dict[str, Any] = {
    "DEBUG": False,
    "SECRET_KEY": "".join(chr(48 + number % 75) for number in range(60)),
    "ALLOWED_HOSTS": ["memory.example.org"],
    "SESSION_COOKIE_SECURE": True,
    "CSRF_COOKIE_SECURE": True,
    "MEMSITE": replace(get_conf(), allowed_hosts=("memory.example.org",), behind_https_proxy=True),
}


@override_settings(**PRODUCTION)
def test_a_site_in_production_has_no_complaints_about_its_deployment() -> None:
    answer = {message.id for message in run_checks(include_deployment_checks=True) if not message.is_silenced()}
    assert answer == set()


def test_a_site_that_anybody_may_name_is_told() -> None:
    with override_settings(MEMSITE=replace(get_conf(), allowed_hosts=("*",))):
        assert "memsite.W003" in {message.id for message in run_checks(include_deployment_checks=True)}
