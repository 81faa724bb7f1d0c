"""What nobody can see is no memory, whichever door it comes through."""

from __future__ import annotations

import pytest

from memories.models import Memory
from tests.api.checks import assert_problem
from tests.compat.test_mem0 import Mem0
from tests.conftest import Caller
from tests.mcp.asking import call, refused
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
