"""Taking back what came from one source, on the desk."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from memories.models import Memory, Rollback, Status
from sessions.models import AgentSession
from tests.conftest import Caller
from tests.dashboard.pages import elements, fragment, links, text_of
from tests.tables import each_row
from tests.talking import hear

HOST = "The backup runs every night at 02:30 on the host atlas."
BIRTHDAY = "My birthday is on the 4th of May."
PAGE = "/upkeep/rollbacks"
UNKNOWN = "00000000-0000-0000-0000-000000000000"


def asking(**fields: object) -> str:
    return f"{PAGE}?{urlencode(fields)}"


@pytest.fixture
def poisoned(alice: Caller) -> Any:
    """A memory that somebody should not have said."""
    hear(alice, HOST)
    return Memory.objects.get()


def test_what_would_go_is_looked_at_and_nothing_happens(ed: Client, alice: Caller, poisoned: Any) -> None:
    hear(alice, BIRTHDAY)
    answer = ed.get(asking(what="session", source=poisoned.session.uid))
    assert "1 memory of session" in text_of(answer)
    assert poisoned.text in text_of(answer)
    assert f"/memories/{poisoned.uid}" in links(answer)
    assert not Rollback.objects.exists()
    assert not Memory.objects.filter(status=Status.WITHDRAWN).exists()


def test_changes_of_its_own_memories_go_with_them(ed: Client, alice: Caller, poisoned: Any) -> None:
    hear(alice, HOST)
    again = AgentSession.objects.latest("pk")
    text = text_of(ed.get(asking(what="session", source=again.uid)))
    assert "0 memories of session" in text
    assert "1 change of others undone" in text
    assert "undone" not in text_of(ed.get(asking(what="agent", source="alice"))).split("What was taken back")[0]


def test_it_is_taken_back_and_listed(ed: Client, alice: Caller, poisoned: Any) -> None:
    hear(alice, BIRTHDAY)
    sent = {"what": "session", "source": str(poisoned.session.uid), "reason": "it was not him"}
    assert ed.post(PAGE, sent).status_code == 303
    poisoned.refresh_from_db()
    assert poisoned.status == Status.WITHDRAWN
    assert Memory.objects.get(status=Status.ACTIVE).text != poisoned.text
    text = text_of(ed.get(PAGE))
    for part in (f"session {poisoned.session.uid}", "operator:ed", "it was not him", "Taken back: 1 memory withdrawn."):
        assert part in text
    assert Rollback.objects.get().counts == {"withdrawn": 1}


def test_only_from_a_moment_on_in_the_apps_time_zone(ed: Client, alice: Caller, poisoned: Any) -> None:
    name = {"what": "agent", "source": "alice"}
    assert "1 memory of agent" in text_of(ed.get(asking(**name, since="2020-01-01T00:00")))
    assert "0 memories of agent" in text_of(ed.get(asking(**name, since="2999-01-01T00:00")))


@each_row(
    "sent, text",
    [
        ({"what": "session", "source": UNKNOWN}, "There is no such session in this app."),
        ({"what": "session", "source": "\0x"}, "Null characters are not allowed."),
        ({"what": "origin", "source": "the web"}, "There is no such origin in this app."),
        ({"what": "agent", "source": "x" * 201}, "at most 200 characters"),
        ({"what": "weather", "source": "web"}, "Select a valid choice."),
        ({"what": "agent", "source": ""}, "This field is required."),
        ({"what": "agent", "source": "alice", "since": "yesterday"}, "Enter a valid date/time."),
        ({"what": "agent", "source": "alice", "since": "0001-01-01T00:00:00+23:59"}, "A year from 1000 to 9000."),
        ({"what": "agent", "source": "alice", "since": "9999-12-31T23:59:59-23:59"}, "A year from 1000 to 9000."),
    ],
)
def test_what_is_wrong_is_said_and_takes_nothing_back(
    ed: Client, poisoned: Any, sent: dict[str, str], text: str
) -> None:
    for answer in (ed.get(asking(**sent)), ed.post(PAGE, sent)):
        assert answer.status_code == 200
        assert text in text_of(answer)
    assert not Rollback.objects.exists()


def test_a_session_of_another_app_is_as_none(otto: Client, poisoned: Any) -> None:
    sent = {"what": "session", "source": str(poisoned.session.uid)}
    assert "There is no such session in this app." in text_of(otto.post(PAGE, sent))
    assert not Rollback.objects.exists()


def test_viewers_look_at_the_list_alone(vera: Client, poisoned: Any) -> None:
    answer = vera.get(PAGE)
    assert "Nothing was taken back" in text_of(answer)
    assert elements(answer, "form", method="get") == []
    assert vera.post(PAGE, {"what": "agent", "source": "alice"}).status_code == 403
    assert vera.get(asking(what="session", source=poisoned.session.uid)).status_code == 200
    assert not Rollback.objects.exists()


def test_a_refresh_of_the_list_does_not_look_again(ed: Client, poisoned: Any) -> None:
    page = ed.get(asking(what="agent", source="alice"))
    (live,) = elements(page, "section", id="rollback-list")
    assert live["hx-get"] == PAGE
    assert "Take back" not in text_of(fragment(ed, live["hx-get"]))


def test_the_page_of_a_session_leads_there(ed: Client, vera: Client, poisoned: Any) -> None:
    there = asking(what="session", source=poisoned.session.uid)
    assert there in links(ed.get(f"/sessions/{poisoned.session.uid}"))
    assert there not in links(vera.get(f"/sessions/{poisoned.session.uid}"))
