"""Over MCP, too, what is another app's answers like what is not there."""

from typing import Any
from uuid import uuid4

import pytest

from memories.models import Document, FutureTrigger, Link, Memory
from tests.conftest import Caller, make_caller
from tests.mcp.asking import call, post, use
from tests.tables import each_row

TOOLS: dict[str, dict[str, Any]] = {
    "show": {"id": "{memory}"},
    "history": {"id": "{memory}"},
    "update": {"id": "{memory}", "content": "taken"},
    "forget": {"ids": ["{memory}", "{other}"]},
    "link": {"from_id": "{memory}", "to_id": "{other}"},
    "add_trigger": {"date": "2199-01-01", "message": "spy", "memory_ids": ["{memory}"]},
    "feedback": {"session": "{session}", "text": "zq whales"},
    "categories": {"name": "{category}"},
    "lessons": {"cursor": "{memory}"},
    "triggers": {"cursor": "{memory}"},
    "search": {"query": "known to", "category": "{category}"},
    "documents": {"id": "{document}"},
    "add_document": {"id": "{document}", "name": "spy.md", "content": "taken"},
}
WITHOUT_IDS = {"store", "context"}


def furnish(caller: Caller, word: str, visibility: str = "app") -> dict[str, str]:
    memory, other = (
        use(caller, "store", content=f"{what} known to {word}", category=f"secret-{word}")["id"]
        for what in ("whales", "bears")
    )
    for uid in (memory, other):
        caller.patch(f"memories/{uid}", {"visibility": visibility})
    use(caller, "context", query="whales", session=f"session-{word}", turn=1)
    ids = {"memory": memory, "other": other, "session": f"session-{word}", "category": f"secret-{word}"}
    # A document is all agents' of the app.
    content = {"name": f"{word}.md", "content": f"The ships of {word} sail at noon."}
    is_private = visibility == "agent"
    return ids | {"document": str(uuid4()) if is_private else use(caller, "add_document", **content)["id"]}


def absent() -> dict[str, str]:
    ids = {name: str(uuid4()) for name in ("memory", "other", "document")}
    return ids | {"session": "nobody", "category": "nothing"}


def filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [filled(item, ids) for item in value]
    return value.format(**ids) if isinstance(value, str) else value


def tell(caller: Caller, tool: str, ids: dict[str, str]) -> Any:
    return call(caller, tool, **{name: filled(value, ids) for name, value in TOOLS[tool].items()})


def rows() -> list[list[Any]]:
    return [list(model.objects.order_by("pk").values()) for model in (Memory, Link, FutureTrigger, Document)]


@pytest.fixture
def own_ids(alice: Caller) -> dict[str, str]:
    return furnish(alice, "zqalice")


@pytest.fixture
def ids_of_others(own_ids: dict[str, str], bob: Caller, charlie: Caller) -> dict[str, dict[str, str]]:
    """Of a colleague's own memories and of another app's, by the word that is in them."""
    return {"zqbob": furnish(bob, "zqbob", "agent"), "zqcharlie": furnish(charlie, "zqcharlie")}


def test_every_tool_is_tried(alice: Caller) -> None:
    tools = post(alice, "tools/list").json()["result"]["tools"]
    assert {tool["name"] for tool in tools} == TOOLS.keys() | WITHOUT_IDS


@each_row("tool", sorted(set(TOOLS) - {"lessons", "triggers"}), rolled_back=True)
def test_ones_own_ids_open_every_tool(alice: Caller, own_ids: dict[str, str], tool: str) -> None:
    assert tell(alice, tool, own_ids) != tell(alice, tool, absent())


@each_row("tool", TOOLS, rolled_back=True)
def test_ids_of_another_app_and_of_a_colleagues_own_answer_like_none(
    alice: Caller, own_ids: dict[str, str], ids_of_others: dict[str, dict[str, str]], tool: str
) -> None:
    for word, ids in ids_of_others.items():
        expected, before = tell(alice, tool, absent()), rows()
        assert tell(alice, tool, ids) == expected
        assert word not in str(expected)
        assert rows() == before


def test_not_one_byte_of_another_app_is_read_or_listed(alice: Caller, charlie: Caller) -> None:
    charlie.remember("never wake the zqcharlie", kind="lesson", category="zqcharlie")
    use(charlie, "add_trigger", date="2199-01-01", message="zqcharlie")
    question = [
        post(alice, "resources/list"),
        post(alice, "resources/read", {"uri": "memsite://lessons"}),
        post(alice, "resources/read", {"uri": "memsite://categories/zqcharlie"}),
        post(alice, "prompts/get", {"name": "session-start", "arguments": {"session": "one"}}),
    ]
    texts = [answer.content.decode().replace("memsite://categories/zqcharlie", "") for answer in question]
    texts += [str(call(alice, tool)) for tool in ("lessons", "triggers", "categories", "context")]
    texts.append(str(call(alice, "search", query="zqcharlie")))
    assert not [text for text in texts if "zqcharlie" in text]


def test_a_session_of_the_same_name_is_ones_own(alice: Caller) -> None:
    other = make_caller(alice.app, "other")
    alice.remember("whales sing")
    for caller in (alice, other):
        assert use(caller, "context", query="whales", session="same", turn=1)["included"] == 1
