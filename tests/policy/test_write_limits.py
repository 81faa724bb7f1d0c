"""Every way in which an agent writes: counted where it is stored, refused before anything is embedded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import OperationalError

from memories.models import FutureTrigger, Memory
from memories.providers.embeddings.base import HashEmbedder
from memsite.tenancy.models import WriteRate
from memsite.tenancy.write_rate import take_writes
from tests.compat.test_mcp_memory import PATH as GRAPH
from tests.compat.test_memory_tool import run
from tests.conftest import Caller, make_app, make_caller
from tests.mcp.asking import post

LIMIT = 9
TOMORROW = "2099-01-01"


def tool(caller: Caller, name: str, path: str = "/mcp", **arguments: Any) -> Any:
    return post(caller, "tools/call", {"name": name, "arguments": arguments}, path)


def mem0(caller: Caller, *, infer: bool) -> Any:
    body = {"messages": [{"role": "user", "content": "I am vegan."}], "user_id": "u1", "infer": infer}
    return caller.client.post("/compat/mem0/memories", body)


def graph(name: str, **arguments: Any) -> Callable[[Caller], Any]:
    return lambda caller: tool(caller, name, GRAPH, **arguments)


CALLS: dict[str, tuple[int, Callable[[Caller], Any]]] = {
    "a memory": (1, lambda caller: caller.post("memories", {"content": "Bears sleep"})),
    "a batch": (2, lambda caller: caller.post("memories/batch", {"memories": [{"content": "a"}, {"content": "b"}]})),
    "a trigger": (1, lambda caller: caller.post("triggers", {"trigger_date": TOMORROW, "message": "Dentist"})),
    "a rewrite": (1, lambda caller: caller.post("categories/work/rewrite")),
    "MCP's store": (1, lambda caller: tool(caller, "store", content="Bears sleep")),
    "MCP's add_trigger": (1, lambda caller: tool(caller, "add_trigger", date=TOMORROW, message="Dentist")),
    "mem0": (1, lambda caller: mem0(caller, infer=True)),
    "mem0 without learning": (1, lambda caller: mem0(caller, infer=False)),
    "a file": (1, lambda caller: run(caller, "create", path="/memories/b.txt", file_text="Bears sleep")),
    "a file's text": (1, lambda caller: run(caller, "str_replace", path="/memories/a.txt", old_str="s", new_str="t")),
    "files moved": (1, lambda caller: run(caller, "rename", old_path="/memories/a.txt", new_path="/memories/c.txt")),
    "a file deleted": (1, lambda caller: run(caller, "delete", path="/memories/a.txt")),
    "entities": (2, graph("create_entities", entities=[{"name": "B", "entityType": "x", "observations": ["c"]}])),
    "relations": (1, graph("create_relations", relations=[{"from": "A", "to": "A", "relationType": "likes"}])),
    "observations": (2, graph("add_observations", observations=[{"entityName": "A", "contents": ["d", "e"]}])),
}
each_call = pytest.mark.parametrize("name", CALLS)


@pytest.fixture
def gina(db: None) -> Caller:
    """An agent with an entity, a file and a category, that has written nothing within the minute."""
    caller = make_caller(make_app("globex", writes_per_minute=LIMIT, capture_summaries=True), "gina")
    caller.remember("Standup is at nine", category="work")
    tool(caller, "create_entities", GRAPH, entities=[{"name": "A", "entityType": "x", "observations": []}])
    run(caller, "create", path="/memories/a.txt", file_text="whales")
    WriteRate.objects.all().delete()
    return caller


def counted() -> int:
    return sum(WriteRate.objects.values_list("written", flat=True))


def stored() -> list[Any]:
    return [*Memory.objects.order_by("pk").values_list("pk", "version"), *FutureTrigger.objects.values_list("pk")]


def assert_throttled(answer: Any) -> None:
    assert answer.status_code == 429 or b"Try again in" in answer.content, answer.content


@each_call
def test_it_counts_what_it_stores(gina: Caller, name: str) -> None:
    writes, call = CALLS[name]
    assert call(gina).status_code < 300
    assert counted() == writes


@each_call
def test_what_a_busy_database_refused_is_not_counted(gina: Caller, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("memories.store.transaction.take", refuse)
    answer = CALLS[name][1](gina)
    assert answer.status_code == 503 or b"The server is busy" in answer.content
    assert counted() == 0


@each_call
def test_what_is_too_much_is_refused_before_it_is_embedded(
    gina: Caller, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[Sequence[str]] = []
    monkeypatch.setattr(HashEmbedder, "embed_documents", lambda self, texts: embedded.append(texts))
    take_writes(gina.agent, LIMIT, LIMIT)
    assert_throttled(CALLS[name][1](gina))
    assert not embedded


@each_call
def test_what_others_have_used_up_meanwhile_is_refused_whole(
    gina: Caller, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.api.base.check_writes", lambda *_: take_writes(gina.agent, LIMIT, LIMIT))
    before = stored()
    assert_throttled(CALLS[name][1](gina))
    assert (stored(), counted()) == (before, LIMIT)
