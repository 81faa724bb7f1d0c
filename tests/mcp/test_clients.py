"""Clients as they really are: scopes by other names, lists as texts, addresses with a slash."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.models import Memory
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.documents import read_all
from tests.mcp.asking import ACCEPT, call, post, use
from tests.tables import each_row, each_row_of

CHATGPT, GRAPH = "/mcp/chatgpt", "/compat/mcp-memory"
MEM0 = "/compat/mem0/memories"


@pytest.fixture
def rows(alice: Caller) -> Any:
    """The memories by now, the latest first."""
    return lambda: list(Memory.objects.for_app(alice.app).order_by("-pk").select_related("session"))


@each_row_of("clients")
def test_a_name_that_means_a_scope_is_followed(
    alice: Caller, rows: Any, name: str, value: Any, field: str, stored: Any
) -> None:
    use(alice, "store", content=f"whales sing {name}", **{name: value})
    row = rows()[0]
    value_stored = row.session.external_id if field == "session" else getattr(row, field)
    assert value_stored == stored


@each_row_of("clients")
def test_a_scope_that_cannot_be_followed_is_refused_by_name(
    alice: Caller, rows: Any, path: str, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    result = call(alice, tool, path, **arguments)
    assert result["isError"], result
    assert all(word in result["content"][0]["text"] for word in words), result
    assert rows() == []


def test_a_search_is_narrowed_by_a_project_as_by_its_tag(alice: Caller) -> None:
    for project in ("acme", "other"):
        use(alice, "store", content=f"whales sing for {project}", project=project)
    (hit,) = use(alice, "search", query="whales", project="acme")["memories"]
    assert hit["content"] == "whales sing for acme"


def test_the_name_of_the_keys_own_agent_may_be_repeated(alice: Caller) -> None:
    assert alice.agent
    use(alice, "store", content="whales sing", agent_id=alice.agent.name, app_id=alice.app.app_id)


@each_row_of("clients")
def test_a_list_may_come_as_a_text_or_as_one_object(
    alice: Caller, rows: Any, path: str, tool: str, arguments: dict[str, Any], field: str, stored: Any
) -> None:
    result = call(alice, tool, path, **arguments)
    assert not result["isError"], result
    assert getattr(rows()[0], field) == stored


def test_ids_may_come_as_a_text(alice: Caller, rows: Any) -> None:
    ids = [use(alice, "store", content=f"whales sing song {number * 7}")["id"] for number in range(3)]
    use(alice, "forget", ids=ids[0])
    use(alice, "forget", ids=f"{ids[1]}, {ids[2]}")
    assert rows() == []


def test_arguments_may_come_as_a_text_of_json(alice: Caller, rows: Any) -> None:
    answer = post(alice, "tools/call", {"name": "store", "arguments": json.dumps({"content": "whales sing"})})
    assert not answer.json()["result"]["isError"]
    assert [row.content for row in rows()] == ["whales sing"]


@each_row(
    "params, word",
    [
        ({"name": "store", "arguments": "whales"}, "arguments"),
        ({"name": "store", "arguments": ["whales"]}, "arguments"),
        ({"arguments": {}}, "name"),
        ({"name": 5}, "name"),
    ],
    rolled_back=True,
)
def test_what_is_wrong_with_the_parameters_is_named(alice: Caller, params: Any, word: str) -> None:
    error = post(alice, "tools/call", params).json()["error"]
    assert (error["code"], word in error["message"].partition(":")[2]) == (-32602, True)


@each_row("path", ["/mcp/", "/mcp/chatgpt/", "/compat/mcp-memory/"], rolled_back=True)
def test_a_slash_at_the_end_makes_no_difference(alice: Caller, path: str) -> None:
    assert post(alice, "tools/list", path=path).json() == post(alice, "tools/list", path=path.rstrip("/")).json()


@each_row("path", ["memories", "memories/", "v1/memories", "v1/memories/", "entities/"], rolled_back=True)
def test_a_slash_makes_no_difference_to_mem0(alice: Caller, path: str) -> None:
    assert alice.client.get(f"/compat/mem0/{path}", {"user_id": "ann"}).status_code == 200


def test_a_command_of_the_memory_tool_may_be_sent_with_a_slash(alice: Caller) -> None:
    command = {"command": "view", "path": "/memories"}
    assert alice.client.post("/compat/memory-tool/", command).status_code == 200
    assert_problem(alice.client.post("/compat/memory-tool/?userId=ann", command), 400, "userId")


def test_a_user_named_beside_a_command_has_files_of_their_own(alice: Caller) -> None:
    file = {"command": "create", "path": "/memories/a.txt", "file_text": "whales"}
    look = {"command": "view", "path": "/memories/a.txt"}
    tool = "/compat/memory-tool"
    assert not alice.client.post(tool, {**file, "userId": "ann"}).json()["is_error"]
    assert not alice.client.post(f"{tool}?user_id=ann", look).json()["is_error"]
    assert alice.client.post(tool, look).json()["is_error"]
    answer = alice.client.post(tool, {**look, "namespace": "ann"}).json()
    assert (answer["is_error"], "namespace" in answer["content"]) == (True, True)


def test_a_slash_too_many_is_named(alice: Caller) -> None:
    assert "no slash" in alice.client.get("/api/v1/memories/").json()["detail"]


# --- ChatGPT


def test_chatgpt_finds_and_fetches_as_it_asks_for(alice: Caller) -> None:
    stored = use(alice, "store", content="Jellyfin takes 60s to start", category="timing")
    result = call(alice, "search", CHATGPT, query="how long does jellyfin take to start")
    [item] = result["content"]
    [hit] = json.loads(item["text"])["results"]
    assert hit == {"id": stored["id"], "title": "Jellyfin takes 60s to start", "url": hit["url"]}
    fetched = json.loads(call(alice, "fetch", CHATGPT, id=hit["id"])["content"][0]["text"])
    assert fetched.keys() == {"id", "title", "text", "url", "metadata"}
    assert (fetched["text"], fetched["metadata"]["category"]) == ("Jellyfin takes 60s to start", "timing")
    assert hit["url"] == f"http://testserver/memories/{stored['id']}?app={alice.app.app_id}"


def test_chatgpt_gets_a_document_once_and_whole(alice: Caller) -> None:
    text = (
        "# Network\n\nThe router hands out addresses from 10.0.0.0/24.\n\n# Printer\n\nThe router knows the printer.\n"
    )
    uid = use(alice, "add_document", name="router.md", content=text)["id"]
    read_all(alice)
    results = call(alice, "search", CHATGPT, query="router")["structuredContent"]["results"]
    assert [(hit["id"], hit["title"]) for hit in results] == [(uid, "router.md")]
    assert "10.0.0.0/24" in call(alice, "fetch", CHATGPT, id=uid)["structuredContent"]["text"]


# --- REST and mem0


@each_row_of("clients")
def test_a_rest_field_that_means_a_scope_is_refused_with_the_right_name(
    alice: Caller, path: str, body: Any, name: str, right: str
) -> None:
    answer = alice.client.get(f"/api/v1/{path}") if body is None else alice.post(path, body)
    assert_problem(answer, 400, name)
    assert right in answer.json()["detail"]


def mem0(caller: Caller, **body: Any) -> Any:
    return caller.client.post(MEM0, {"messages": [{"role": "user", "content": "whales sing"}], "infer": False, **body})


@each_row_of("clients")
def test_mem0_ids_are_known_by_other_names(
    alice: Caller, rows: Any, name: str, value: Any, ids: dict[str, str]
) -> None:
    assert mem0(alice, **{name: value}).status_code == 200
    row = rows()[0]
    assert {**row.metadata, "user_id": row.user_id}.items() >= ids.items()
    listed = alice.client.get(MEM0, value if isinstance(value, dict) else {name: value}).json()["results"]
    assert str(row.uid) in [item["id"] for item in listed]


def test_mem0_refuses_a_scope_that_it_has_not(alice: Caller, rows: Any) -> None:
    answer = mem0(alice, user_id="ann", namespace="lab")
    assert (answer.status_code, "namespace" in answer.json()["detail"], rows()) == (400, True, [])


@pytest.mark.parametrize("infer", [True, False])
def test_in_mem0_what_a_named_person_says_is_theirs(alice: Caller, rows: Any, infer: bool) -> None:
    messages = [
        {"role": "user", "name": "ann", "content": "I am vegan."},
        {"role": "user", "name": "ben", "content": "I am allergic to peanuts."},
    ]
    assert mem0(alice, run_id="lunch", messages=messages, infer=infer).status_code == 200
    assert {row.user_id: row.content for row in rows()}.keys() == {"ann", "ben"}
    assert all("vegan" in row.content for row in rows() if row.user_id == "ann")


def test_a_post_with_a_slash_is_answered_at_once(alice: Caller) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert alice.client.post("/mcp/", body, headers=ACCEPT).status_code == 200
