"""What nobody can see is no memory, whichever door it comes through."""

from __future__ import annotations

import pytest

from memories.models import Extraction, Memory
from sessions.models import AgentSession, Resource, Turn
from tests.api.checks import RESULT, assert_problem, assistant, ndjson, user
from tests.compat.test_mem0 import Mem0
from tests.conftest import Caller
from tests.mcp.asking import call, refused
from tests.tables import each_row
from tests.talking import turn

NOTHING = ["\u200b", " \u2060\u200d\n", "\ufeff\u202e", "\u00ad \U000e0041"]


@pytest.mark.parametrize("text", NOTHING)
def test_over_rest_it_is_refused_as_a_blank_text_is(alice: Caller, text: str) -> None:
    blank = alice.post("memories", {"content": " "}).json()["errors"]
    assert assert_problem(alice.post("memories", {"content": text}), 400)["errors"] == blank
    memory = alice.remember("Whales sing")["id"]
    assert_problem(alice.patch(f"memories/{memory}", {"content": text}), 400, "content")
    alice.post("memories/batch", {"memories": [{"content": text}]})
    assert Memory.objects.get().text == "Whales sing"


def test_over_other_doors(alice: Caller) -> None:
    assert "blank" in refused(alice, "store", content="\u200b")
    assert Mem0(alice).add("\u200b", infer=False) == []
    entities = [{"name": "Ada", "entityType": "person", "observations": ["\u200b"]}]
    call(alice, "create_entities", path="/compat/mcp-memory", entities=entities)
    turn(alice, alice.start_session(), 1, "How?", "[MEMORY:timing:jellyfin] \u200b")
    assert [row.text for row in Memory.objects.all()] == ["Ada (person)"]


@each_row("text", ["", " ", *NOTHING], rolled_back=True)
def test_where_it_is_said_nothing_of_it_is_kept(alice: Caller, text: str) -> None:
    session = alice.start_session()["id"]
    alice.post(f"sessions/{session}/messages", {"messages": [{"role": "user", "content": text, "external_id": "a"}]})
    report = alice.stream(session, ndjson(user(text), assistant(text), RESULT)).json()
    assert (report["turns"], report["error_count"]) == ([], 0)
    alice.post("hooks/claude-code", {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": text})
    assert [model.objects.count() for model in (Resource, Turn, Extraction)] == [0, 0, 0]
    said = {"role": "user", "content": "Whales sing", "external_id": "a"}
    assert len(alice.post(f"sessions/{session}/messages", {"messages": [said]}).json()["resource_ids"]) == 1


def test_where_nothing_is_said_no_session_of_its_speaker_begins(alice: Caller) -> None:
    for text in NOTHING:
        assert Mem0(alice).add(text) == []
    assert AgentSession.objects.count() == 0
