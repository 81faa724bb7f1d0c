"""Sessions in the admin: to be looked at; a title may be changed, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.models import AgentSession, Event, Resource, Turn
from tests.conftest import Caller
from tests.tables import each_row

BASE = "/admin/agent_sessions/"
LIST = f"{BASE}agentsession/"
HOSTILE = "<script>alert(1)</script>"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"
RECORDS = ("turn", "resource", "event")


def checkpoint(caller: Caller, session_id: str, number: int, text: str = "Hello") -> None:
    body = {"user_input": text, "llm_output": text, "tool_calls": [{"name": text}], "internal_state": {text: text}}
    answer = caller.put(f"sessions/{session_id}/turns/{number}", body)
    assert answer.status_code in (200, 201), answer.content


def open_session(caller: Caller, turns: int = 1, text: str = "Hello", **fields: Any) -> AgentSession:
    """A session with turns, texts and events that all say `text`."""
    opened = caller.start_session(**fields)
    for number in range(1, turns + 1):
        checkpoint(caller, opened["id"], number, text)
    session = AgentSession.objects.get(uid=opened["id"])
    Event.objects.create(app=caller.app, session=session, message=text, service=text)
    return session


def page(row: Any) -> str:
    return f"{BASE}{row._meta.model_name}/{row.pk}/change/"


def queries_of(client: Client, url: str) -> int:
    client.get(url)  # content types are cached from here on
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
        return len(queries)


def test_list_shows_sessions(admin_client: Client, alice: Caller) -> None:
    open_session(alice, title="Night shift", tier=2)
    text = admin_client.get(LIST).content.decode()
    for part in ("Night shift", "acme", "acme/alice", "Active"):
        assert part in text


@pytest.fixture
def shifts(alice: Caller, bob: Caller, charlie: Caller) -> None:
    open_session(alice, title="Night shift", tier=2)
    ended = open_session(bob, title="Day shift", external_id="cli-7")
    bob.post(f"sessions/{ended.uid}/end", {})
    open_session(charlie, title="Elsewhere")


@each_row(
    "query, results",
    [
        ("q=Night", ["Night shift"]),
        ("q=cli-7", ["Day shift"]),
        ("tier__exact=2", ["Night shift"]),
        ("status__exact=ended", ["Day shift"]),
        ("app__id__exact={charlie}", ["Elsewhere"]),
        ("agent__id__exact={bob}", ["Day shift"]),
    ],
)
def test_list_filters_and_searches(
    admin_client: Client, shifts: None, bob: Caller, charlie: Caller, query: str, results: list[str]
) -> None:
    answer = admin_client.get(f"{LIST}?{query.format(charlie=charlie.app.pk, bob=bob.agent.pk)}")
    assert [session.title for session in answer.context["cl"].result_list] == results


def test_lists_do_not_ask_row_by_row(admin_client: Client, alice: Caller) -> None:
    lists = [f"{BASE}{model}/" for model in ("agentsession", *RECORDS)]
    open_session(alice)
    few = {url: queries_of(admin_client, url) for url in lists}
    for _ in range(4):
        open_session(alice, turns=2)
    assert [url for url in lists if queries_of(admin_client, url) > few[url]] == []


def test_detail_shows_the_last_turns_and_where_more_is(
    admin_client: Client, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.admin.TURNS_SHOWN", 3)
    session = open_session(alice, turns=5)
    answer = admin_client.get(page(session))
    [table] = answer.context["tables"]
    assert len(table.rows) == 3
    assert ">5</a>" in answer.content.decode()
    for model in ("memories/memory", "agent_sessions/resource", "agent_sessions/event", "agent_sessions/turn"):
        url = f"/admin/{model}/?session__id__exact={session.pk}"
        assert url in answer.content.decode()
        assert admin_client.get(url).status_code == 200


def test_only_the_title_can_be_changed(admin_client: Client, alice: Caller) -> None:
    session = open_session(alice, title="Old")
    answer = admin_client.post(page(session), {"title": "New", "tier": "3", "status": "ended", "user_id": "x"})
    assert answer.status_code == 302
    session.refresh_from_db()
    assert (session.title, session.tier, session.status, session.user_id) == ("New", 1, "active", None)
    assert LogEntry.objects.get().object_repr == f"agent session {session.uid}"


def test_a_heartbeat_meanwhile_is_not_lost(
    admin_client: Client, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(alice)
    clean = AgentSession.full_clean

    def stale(self: AgentSession, *args: Any, **options: Any) -> None:
        AgentSession.objects.filter(pk=self.pk).update(end_reason="noted meanwhile")
        clean(self, *args, **options)

    monkeypatch.setattr(AgentSession, "full_clean", stale)
    assert admin_client.post(page(session), {"title": "New"}).status_code == 302
    session.refresh_from_db()
    assert (session.title, session.end_reason) == ("New", "noted meanwhile")


def test_sessions_are_neither_added_nor_deleted(admin_client: Client, alice: Caller) -> None:
    session = open_session(alice)
    assert admin_client.get(f"{LIST}add/").status_code == 403
    assert admin_client.post(f"{LIST}{session.pk}/delete/", {"post": "yes"}).status_code == 403
    admin_client.post(LIST, {"action": "delete_selected", "_selected_action": [session.pk], "post": "yes"})
    assert AgentSession.objects.filter(pk=session.pk).exists()


@each_row("model", RECORDS, rolled_back=True)
def test_what_was_said_is_read_only(admin_client: Client, alice: Caller, model: str) -> None:
    open_session(alice)
    base = f"{BASE}{model}/"
    [row, *_] = admin_client.get(base).context["cl"].result_list
    assert admin_client.get(page(row)).status_code == 200
    assert admin_client.get(f"{base}add/").status_code == 403
    assert admin_client.post(f"{base}add/", {}).status_code == 403
    assert admin_client.post(page(row), {"message": "mine"}).status_code == 403
    assert admin_client.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    admin_client.post(base, {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert type(row).objects.filter(pk=row.pk).exists()


def test_raw_text_is_shown_as_it_came(admin_client: Client, alice: Caller) -> None:
    open_session(alice, text="first line\n  second <b>line</b>")
    resource = Resource.objects.first()
    text = admin_client.get(page(resource)).content.decode()
    assert '<pre class="memsite-raw">first line\n  second &lt;b&gt;line&lt;/b&gt;</pre>' in text


def test_a_huge_text_is_cut(admin_client: Client, alice: Caller) -> None:
    session = open_session(alice)
    resource = Resource.objects.create(
        app=alice.app, session=session, role="user", raw_content="y" * 300_000, content_at=session.started_at
    )
    assert "… and 100,000 characters more" in admin_client.get(page(resource)).content.decode()
    listed = admin_client.get(f"{BASE}resource/").content.decode()
    assert "300,000" in listed
    assert "y" * 200 not in listed


def test_event_leads_to_its_memory(admin_client: Client, alice: Caller) -> None:
    memory = alice.remember("Backups run at night.")
    event = Event.objects.get(memory_uid=memory["id"])
    assert f"?uid__exact={memory['id']}" in admin_client.get(page(event)).content.decode()
    results = admin_client.get(f"/admin/memories/memory/?uid__exact={memory['id']}").context["cl"].result_list
    assert [row.content for row in results] == ["Backups run at night."]


def test_hostile_text_is_escaped_everywhere(admin_client: Client, alice: Caller) -> None:
    session = open_session(
        alice, text=HOSTILE, title=HOSTILE, external_id=HOSTILE, user_id=HOSTILE, environment={HOSTILE: HOSTILE}
    )
    rows = [session, Turn.objects.first(), Resource.objects.first(), Event.objects.first()]
    lists = [f"{BASE}{model}/" for model in ("agentsession", *RECORDS)]
    for url in [*lists, *(page(row) for row in rows), f"{LIST}{session.pk}/history/"]:
        answer = admin_client.get(url)
        assert answer.status_code == 200
        assert HOSTILE not in answer.content.decode(), url
        assert ESCAPED in answer.content.decode(), url


def test_djangos_own_sessions_do_not_clash(admin_client: Client) -> None:
    assert "django.contrib.sessions" not in AgentSession.__module__
    assert AgentSession._meta.db_table == "agent_sessions_agentsession"
    assert admin_client.get("/admin/agent_sessions/").status_code == 200
