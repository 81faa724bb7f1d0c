"""On a full disk, or in a database that is read-only, every door says so, stores nothing, and answers who reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpResponse
from django.test import Client, RequestFactory
from rest_framework.test import APIClient

from memories.models import Memory
from memories.retrieve import access_counters
from memsite.http.exceptions import Unwritable
from memsite.http.login import Sessions
from sessions.models import AgentSession
from tests.api.checks import RESULT, assert_problem, assistant, ndjson
from tests.conftest import Caller
from tests.dashboard.conftest import member, sign_in
from tests.dashboard.reading import HTMX, elements
from tests.mcp.asking import refused, use
from tests.unwritable import disk_full, read_only, refusing

PAGE = {"Accept": "text/html"}
BEARS = "Bears sleep in winter, and wake up in spring"


@pytest.mark.parametrize(("make", "status", "code"), [(disk_full, 507, "storage_full"), (read_only, 503, "read_only")])
def test_a_write_says_why_and_when_to_come_again(
    alice: Caller, make: Callable[[], Exception], status: int, code: str
) -> None:
    alice.remember("Whales sing")
    body, key = {"content": BEARS}, {"Idempotency-Key": "once"}
    with refusing(make):
        answer = alice.post("memories", body, **key)
    told = assert_problem(answer, status)
    assert (told["code"], answer["Retry-After"]) == (code, "60")
    assert "nothing was stored" in told["detail"]
    assert Memory.objects.count() == 1
    assert alice.post("memories", body, **key).status_code == 201


def test_every_door_that_writes_says_so(alice: Caller, operator: APIClient) -> None:
    uid, session = alice.remember("Whales sing")["id"], alice.start_session()["id"]
    operator.get("/api/v1/apps")
    turn = {"user_input": "a", "tool_calls": [], "llm_output": "b", "internal_state": {}}
    said = {"messages": [{"role": "user", "content": "a"}]}
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "a"}
    stream = ndjson(assistant("Whales swim"), RESULT)
    with refusing():
        answers = [
            alice.post("memories/batch", {"memories": [{"content": BEARS}]}),
            alice.patch(f"memories/{uid}", {"importance": 5}),
            alice.client.delete(f"/api/v1/memories/{uid}"),
            alice.post("sessions", {}),
            alice.client.put(f"/api/v1/sessions/{session}/turns/1", turn),
            alice.post(f"sessions/{session}/messages", said),
            alice.client.generic(
                "POST", f"/api/v1/sessions/{session}/stream", stream, content_type="application/x-ndjson"
            ),
            alice.post("hooks/claude-code", prompt),
            operator.post("/api/v1/apps", {"app_id": "initech", "name": "x"}),
        ]
    for answer in answers:
        assert assert_problem(answer, 507)["code"] == "storage_full"
    assert (Memory.objects.get().importance, AgentSession.objects.count()) == (3, 1)


def test_who_reads_is_answered(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    uid = alice.remember("Whales sing")["id"]
    # In a transaction, as a test is, what cannot be counted is an error.
    monkeypatch.setattr(access_counters.AccessCounters, "add", lambda *_: None)
    with refusing():
        assert alice.get(f"memories/{uid}").json()["content"] == "Whales sing"
        assert len(alice.get("memories").json()["results"]) == 1
        assert alice.post("memories/search", {"query": "whales"}).json()["results"]
        assert alice.post("context", {"query": "whales"}).json()["memories"]


def test_a_tool_says_it_in_a_sentence(alice: Caller) -> None:
    use(alice, "store", content="Whales sing")
    with refusing():
        told = refused(alice, "store", content=BEARS)
    assert told.startswith("The server's disk is full: nothing was stored.")
    assert use(alice, "store", content=BEARS)["outcome"] == "created"


def test_clients_of_mem0_are_told_in_their_way(alice: Caller) -> None:
    alice.remember("Whales sing")
    body = {"messages": [{"role": "user", "content": BEARS}], "user_id": "u", "infer": False}
    with refusing():
        answer = alice.client.post("/compat/mem0/v1/memories/", body)
    assert answer.status_code == 507
    assert "disk is full" in answer.json()["detail"]


# --- pages

FORM = {"content": BEARS, "category": "general", "kind": "fact", "importance": "3", "confidence": "0.9", "subject": ""}


@pytest.fixture
def olga(alice: Caller) -> Client:
    olga = member("olga", alice.app, "owner")
    olga.raise_request_exception = False
    return olga


def sent_again(answer: Any) -> dict[str, str]:
    """What the page's form would send."""
    hidden = {one["name"]: one.get("value", "") for one in elements(answer, "input", type="hidden")}
    texts = {name: BEARS for name in ("content",) if elements(answer, "textarea", name=name)}
    return {name: value for name, value in {**hidden, **texts}.items() if name != "csrfmiddlewaretoken"}


def test_a_form_is_refused_by_a_page_that_keeps_what_was_typed(olga: Client) -> None:
    with refusing():
        answer = olga.post("/memories/add", FORM, headers=PAGE)
    assert (answer.status_code, answer["Retry-After"]) == (507, "60")
    page = answer.content.decode()
    assert "disk is full" in page
    assert BEARS in page
    assert sent_again(answer) == FORM
    assert olga.post("/memories/add", sent_again(answer), headers=PAGE).status_code == 303
    assert Memory.objects.get().content == BEARS


def test_a_dialog_is_told_in_words_that_it_shows(olga: Client) -> None:
    with refusing():
        answer = olga.post("/memories/add", FORM, headers={**PAGE, **HTMX})
    assert "disk is full" in assert_problem(answer, 507)["detail"]


def test_a_form_of_the_admin_keeps_what_was_typed(alice: Caller) -> None:
    sue = sign_in("sue", is_superuser=True, is_staff=True)
    sue.raise_request_exception = False
    form = {**FORM, "app": str(alice.app.pk), "visibility": "app", "tags": "", "metadata": "{}", "_save": "Save"}
    with refusing():
        answer = sue.post("/admin/memories/memory/add/", form, headers=PAGE)
    assert answer.status_code == 507
    assert sent_again(answer)["_save"] == "Save"
    assert sue.post("/admin/memories/memory/add/", sent_again(answer), headers=PAGE).status_code == 302
    assert Memory.objects.get().content == BEARS


def test_a_password_is_not_put_into_a_page(olga: Client) -> None:
    form = {"old_password": "x", "new_password1": "seven-green-bottles", "new_password2": "seven-green-bottles"}
    other = Client(raise_request_exception=False)
    with refusing():
        for answer in (
            other.post("/login", {"username": "olga", "password": "seven-green-bottles"}, headers=PAGE),
            olga.post("/password", form, headers=PAGE),
        ):
            assert "seven-green" not in answer.content.decode()
            assert not elements(answer, "input", name="username")


def test_a_page_of_another_app_is_shown_though_it_cannot_be_remembered(alice: Caller, charlie: Caller) -> None:
    sue = sign_in("sue", is_superuser=True, is_staff=True)
    sue.raise_request_exception = False
    sue.get("/events?app=acme")
    with refusing():
        assert sue.get("/events?app=globex").status_code == 200
    assert sue.get("/events")["Location"] == "/events?app=acme"


def test_what_another_site_sends_is_not_kept_for_sending_it_again(alice: Caller) -> None:
    sue = Client(enforce_csrf_checks=True)
    answer = sue.post("/memories/add", FORM, headers=PAGE)
    assert answer.status_code == 403
    assert BEARS not in answer.content.decode()


def test_what_a_form_would_leave_in_its_session_is_refused_as_the_rest(db: None) -> None:
    def view(request: Any) -> HttpResponse:
        request.session["left"] = "something"
        return HttpResponse()

    session = SessionStore()
    session.create()
    request = RequestFactory().post("/", headers={"Cookie": f"sessionid={session.session_key}"})
    with refusing(), pytest.raises(Unwritable):
        Sessions(view)(request)
