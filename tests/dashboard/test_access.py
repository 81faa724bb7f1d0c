"""Who gets to the desk, and which app lies on it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest
from django.test import Client, RequestFactory

from memories.dashboard.access import find_dashboard
from memories.dashboard.menu import ENTRIES
from memories.dashboard.urls import urlpatterns
from memories.models import Memory
from memsite import __version__
from memsite.tenancy.models import App, Membership
from tests.conftest import Caller
from tests.dashboard.conftest import sign_in
from tests.dashboard.pages import HTMX, elements, links, text_of
from tests.tables import each_row

OPEN = {
    *("login", "login-code", "login-provider", "login-provider-back", "logout"),
    *("password", "account", "account-factor", "account-change"),
}
ROUTES = [entry for entry in urlpatterns if entry.name not in OPEN and "<" not in str(entry.pattern)]
PAGES = ["/" + str(entry.pattern) for entry in ROUTES]
LOOKED_AT = [
    "/" + str(entry.pattern) for entry in ROUTES if entry.callback.can_be_looked_at and entry.name != "costs-csv"
]


def test_there_are_pages() -> None:
    assert {"/", "/events", "/memories/bulk"} <= set(PAGES)
    assert {"/", "/events"} <= set(LOOKED_AT) < set(PAGES)


@pytest.mark.django_db
@each_row("page", PAGES)
def test_a_stranger_is_asked_to_sign_in_and_comes_back(page: str) -> None:
    answer = Client().get(page)
    if answer.status_code != 405:
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/login")
        assert answer["Location"].endswith(f"next={page}")


@pytest.mark.django_db
@each_row("address, back", [("/settings/policy", "/settings/policy"), ("/memories/bulk", "/")])
def test_a_stranger_who_sends_a_form_comes_back_to_its_page(client: Client, address: str, back: str) -> None:
    assert client.post(address)["Location"] == f"/login?next={back}"


@each_row("address", ["/settings/apps", "/memories/bulk", "/knowledge/categories/x/rewrite"])
def test_the_address_of_a_form_says_that_there_is_nothing_to_look_at(sue: Client, acme: App, address: str) -> None:
    answer = sue.get(address, headers={"Accept": "text/html"})
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "it only accepts what a form sends" in text_of(answer)
    assert "/" in links(answer)


@pytest.mark.django_db
def test_a_fragment_says_that_one_is_signed_out(client: Client) -> None:
    answer = client.get("/events", headers=HTMX)
    assert answer.status_code == 401
    assert "signed out" in answer.json()["detail"]


def test_who_sees_one_app_never_meets_its_name_in_an_address(vera: Client, charlie: Caller) -> None:
    for _, label in ENTRIES:
        assert label in text_of(vera.get("/"))
    answer = vera.get("/")
    assert not [link for link in links(answer) if "app=" in link]
    assert not elements(answer, "div", id="apps")


def test_who_sees_several_has_the_app_in_every_address(sue: Client, alice: Caller, charlie: Caller) -> None:
    answer = sue.get("/events")
    assert (answer.status_code, answer["Location"]) == (302, "/events?app=acme")
    answer = sue.get("/events?app=globex&level=info")
    assert {"/events?app=globex", "/events?app=acme"} <= set(links(answer))
    assert elements(answer, "input", type="hidden", name="app", value="globex")
    assert sue.get("/events")["Location"] == "/events?app=globex", "the last one is remembered"


def test_the_switcher_leads_to_what_is_there_in_every_app(sue: Client, alice: Caller, charlie: Caller) -> None:
    memory = Memory.objects.get(uid=alice.remember("Whales sing", category="sea")["id"])
    session = alice.start_session(title="Night shift")
    for page, switched in (
        (f"/memories/{memory.uid}", "/memories"),
        (f"/memories/{memory.uid}/edit", "/memories"),
        (f"/sessions/{session['id']}", "/sessions"),
        ("/knowledge/categories/sea", "/knowledge"),
        (f"/knowledge/memories/{memory.uid}", "/knowledge/entities"),
        ("/upkeep/health", "/upkeep/health"),
        ("/", "/"),
    ):
        answer = sue.get(f"{page}?app=acme", follow=True)
        assert answer.status_code == 200
        assert f"{switched}?app=globex" in links(answer), page
        assert sue.get(f"{switched}?app=globex").status_code == 200
    refused = sue.post("/settings/apps?app=acme", {"app_id": "No!"})
    assert links(refused).count("/settings?app=globex") == 2, "in the switcher and in the list of apps"


def test_nothing_is_changed_in_an_app_that_was_not_named(sue: Client, alice: Caller, charlie: Caller) -> None:
    request: Any = RequestFactory().post("/memories")
    request.user, request.session = User.objects.get(username="sue"), {}
    with pytest.raises(BadRequest):
        find_dashboard(request)


@each_row("app", ["globex", "nowhere", "", "a b", "x" * 500, "\0"])
def test_an_app_of_others_answers_like_none(olga: Client, charlie: Caller, app: str) -> None:
    answer = olga.get("/events", {"app": app})
    assert answer.status_code == 404
    assert "globex" not in answer.content.decode().casefold()


def test_a_member_of_nothing_is_told_so(db: None, alice: Caller) -> None:
    answer = sign_in("nora").get("/")
    assert answer.status_code == 404
    assert "a member of no app" in text_of(answer)
    assert "acme" not in answer.content.decode().casefold()


def test_who_is_no_member_any_more_is_out_at_once(olga: Client) -> None:
    assert olga.get("/").status_code == 200
    Membership.objects.all().delete()
    assert olga.get("/").status_code == 404


def test_a_superuser_of_no_app_is_told_how_to_add_one(sue: Client) -> None:
    assert "Add the first one" in text_of(sue.get("/"))


@each_row("page", LOOKED_AT)
def test_pages_hold_nothing_inline_and_say_where_one_is(sue: Client, alice: Caller, page: str) -> None:
    answer = sue.get(page)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|hx-on", html)
    assert answer["Cache-Control"] == "no-store"
    assert elements(answer, "a", href="#main")[0]["class"] == "skip"
    assert len(elements(answer, "h1")) == len(elements(answer, "main", id="main")) == 1
    assert elements(answer, "div", id="toasts")[0]["aria-live"] == "polite"
    assert f"{'All apps' if page.startswith('/apps') else 'Acme'} · Memsite</title>" in html
    for kind, home in (("script", "src"), ("link", "href"), ("img", "src")):
        assert all(element[home].startswith("/static/") for element in elements(answer, kind))


def test_the_content_security_policy_lets_nothing_in_from_elsewhere(vera: Client) -> None:
    policy = vera.get("/")["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_every_page_names_the_version_in_its_footer(vera: Client) -> None:
    assert f"Memsite {__version__}" in text_of(vera.get("/"))
