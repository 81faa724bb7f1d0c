"""mem0's self-hosted REST on our store."""

from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from memories.models import Memory
from memories.providers.llm.provider import LLMUnavailable
from sessions.models import Resource
from tests.conftest import Caller, make_caller
from tests.tables import each_row


class Mem0:
    """Speaks it as its clients do."""

    def __init__(self, caller: Caller, **headers: str) -> None:
        self.client = APIClient(raise_request_exception=False)
        self.headers = headers or {"X-API-Key": caller.key}

    def ask(self, method: str, path: str, body: Any = None, query: str = "", status: int = 200) -> Any:
        address = f"/compat/mem0/{path}{'?' + query if query else ''}"
        answer = getattr(self.client, method)(address, body, headers=self.headers)
        assert answer.status_code == status, answer.content
        assert answer["Content-Type"] == "application/json"
        return answer.json()

    def add(self, *texts: str, **fields: Any) -> list[dict[str, Any]]:
        messages = [{"role": "user", "content": text} for text in texts]
        body = {"messages": messages, "user_id": "u1", **fields}
        return list(self.ask("post", "memories", body)["results"])

    def listed(self, query: str = "") -> list[str]:
        return [result["memory"] for result in self.ask("get", "memories", query=query)["results"]]

    def search(self, query: str, **fields: Any) -> list[str]:
        return [result["memory"] for result in self.ask("post", "search", {"query": query, **fields})["results"]]


@pytest.fixture
def mem0(alice: Caller) -> Mem0:
    return Mem0(alice)


def test_what_is_said_is_learnt_at_once_and_kept_as_it_was_said(mem0: Mem0) -> None:
    results = mem0.add("I am vegan.", "My dentist is Dr. Silva.", agent_id="a1", metadata={"source": "chat"})
    assert {result["event"] for result in results} == {"ADD"}
    rows = list(Memory.objects.order_by("pk"))
    assert [str(row.uid) for row in rows] == [result["id"] for result in results]
    assert {row.user_id for row in rows} == {"u1"}
    assert [row.metadata for row in rows] == [{"source": "chat", "agent_id": "a1"}] * len(rows)
    assert all(row.resource for row in rows)
    assert Resource.objects.count() == 2


def test_without_infer_each_message_is_a_memory(mem0: Mem0) -> None:
    results = mem0.add("Whales sing", "Whales sing", infer=False, expiration_date="2199-12-31")
    assert len(results) == 2
    (item, _) = mem0.ask("get", "memories", query="user_id=u1")["results"]
    assert item["metadata"] == {"role": "user"}
    assert item["expiration_date"] == "2199-12-31"
    assert item["hash"]


@each_row("number", ["0", "1001", "000000001001", "-1", "x"], rolled_back=True)
def test_a_list_has_only_so_many(mem0: Mem0, number: str) -> None:
    assert "detail" in mem0.ask("get", "memories", query=f"user_id=u1&top_k={number}", status=400)
    assert mem0.listed("user_id=u1&top_k=1000") == mem0.listed("user_id=u1&top_k=") == []


@each_row("infer", [True, False], rolled_back=True)
def test_what_expires_on_the_calendars_last_day_is_kept_until_then(mem0: Mem0, infer: bool) -> None:
    (item,) = mem0.add("I am vegan.", infer=infer, expiration_date="9999-12-31")
    path = f"memories/{item['id']}"
    assert mem0.ask("get", path)["expiration_date"] == "9999-12-31"
    for day in ("9999-12-30", "9999-12-31", "2199-01-01"):
        mem0.ask("put", path, {"expiration_date": day})
        assert mem0.ask("get", path)["expiration_date"] == day


@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize(
    ("word", "role"),
    [("developer", "system"), ("Human", "user"), ("USER", "user"), ("AI", "assistant"), ("function", "tool")],
)
def test_other_words_for_a_role_are_understood(mem0: Mem0, word: str, role: str, infer: bool) -> None:
    body = {"messages": [{"role": word, "content": "I am vegan."}], "user_id": "u1", "infer": infer}
    mem0.ask("post", "memories", body)
    resource = Resource.objects.get().role if infer else Memory.objects.get().metadata["role"]
    assert resource == role


def test_a_text_of_its_own_and_what_is_private(mem0: Mem0) -> None:
    mem0.ask("post", "memories", {"messages": "Whales sing", "user_id": "u1", "infer": False})
    assert mem0.add("<private>all of it</private>", infer=False) == []
    assert mem0.listed("user_id=u1") == ["Whales sing"]


def test_someones_memories_are_theirs_alone(mem0: Mem0) -> None:
    mem0.add("Whales sing", infer=False)
    mem0.add("Whales swim", infer=False, user_id="u2", run_id="r1")
    assert mem0.listed("user_id=u2") == ["Whales swim"]
    assert mem0.listed("user_id=u1&run_id=r1") == []
    assert mem0.search("whales", user_id="u1") == ["Whales sing"]
    assert mem0.search("whales", filters={"run_id": "r1"}) == ["Whales swim"]
    assert sorted(mem0.listed()) == ["Whales sing", "Whales swim"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"OR": [{"user_id": "u1"}, {"user_id": "u2"}]}, {"Whales sing", "Whales swim"}),
        ({"NOT": [{"user_id": "u1"}]}, {"Whales swim"}),
        ({"user_id": "*"}, {"Whales sing", "Whales swim"}),
        ({"user_id": {"eq": "*"}}, {"Whales sing", "Whales swim"}),
        ({"agent_id": "*"}, {"Whales swim"}),
        ({"NOT": [{"agent_id": "*"}]}, {"Whales sing"}),
        ({"agent_id": {"ne": "a1"}}, {"Whales sing"}),
        ({"agent_id": {"nin": ["a1", "a2"]}}, {"Whales sing"}),
        ({"run_id": "*"}, set()),
        ({"metadata": {"mood": "*"}}, {"Whales swim"}),
        ({"mood": "*"}, {"Whales swim"}),
        ({"a b": 1}, {"Whales swim"}),
        ({"contains": "x"}, set()),
        ({"regex": "("}, set()),
        ({"metadata": {"a__contains": "x"}}, set()),
        ({"user_id": {"in": ["u2", "u3"]}}, {"Whales swim"}),
        ({"user_id": {"ne": "u2"}}, {"Whales sing"}),
        ({"AND": [{"user_id": "*"}, {"metadata": {"mood": "calm"}}]}, {"Whales swim"}),
        ({"mood": "calm"}, {"Whales swim"}),
        ({"created_at": {"gte": "2000-01-01", "lt": "2001-01-01"}}, set()),
        ({"created_at": {"gte": "2000-01-01T00:00:00Z"}}, {"Whales sing", "Whales swim"}),
        ({"categories": {"contains": "general"}}, {"Whales sing", "Whales swim"}),
    ],
)
def test_filters_are_understood(mem0: Mem0, filters: dict[str, Any], expected: set[str]) -> None:
    mem0.add("Whales sing", infer=False)
    mem0.add("Whales swim", infer=False, user_id="u2", agent_id="a1", metadata={"mood": "calm", "a b": 1})
    assert set(mem0.search("whales", filters=filters)) == expected


@each_row(
    "filters",
    [{"memory": {"icontains": "x"}}, {"AND": 5}, {"created_at": {"gte": "soon"}}, {"a..b": 1}, {"metadata": {"x": {}}}],
    rolled_back=True,
)
def test_filters_that_cannot_be_asked_are_refused(mem0: Mem0, filters: dict[str, Any]) -> None:
    if filters == {"metadata": {"x": {}}}:
        assert mem0.search("whales", filters=filters) == []
    else:
        assert "detail" in mem0.ask("post", "search", {"query": "whales", "filters": filters}, status=400)


def test_the_threshold_is_a_share(mem0: Mem0) -> None:
    mem0.add("Whales sing", infer=False)
    (hit,) = mem0.ask("post", "search", {"query": "whales sing", "user_id": "u1", "top_k": 5})["results"]
    assert mem0.search("whales sing", threshold=hit["score"]) == ["Whales sing"]
    assert mem0.search("whales sing", threshold=hit["score"] + 0.01) == []


def test_one_is_read_changed_and_deleted(mem0: Mem0) -> None:
    (entry,) = mem0.add("Whales sing", infer=False, run_id="r1")
    path = f"memories/{entry['id']}"
    assert mem0.ask("put", path, {"text": "Whales sing at night"}) == {"message": "Memory updated successfully!"}
    mem0.ask("put", path, {"metadata": {"b": 2}, "expiration_date": None})
    item = mem0.ask("get", path)
    assert (item["memory"], item["metadata"], item["run_id"]) == ("Whales sing at night", {"b": 2}, "r1")
    assert [change["event"] for change in mem0.ask("get", f"{path}/history")] == ["ADD", "UPDATE"]
    assert "detail" in mem0.ask("put", path, {}, status=400)
    assert "detail" in mem0.ask("put", path, {"text": "x" * 2001}, status=400)
    assert "detail" in mem0.ask("put", path, {"metadata": {"a": "x" * 16_384}}, status=400)
    mem0.ask("delete", path)
    assert mem0.ask("get", path) is None
    mem0.ask("delete", path, status=404)


def test_all_of_somebody_are_deleted_and_never_all_of_everybody(mem0: Mem0) -> None:
    mem0.add("Whales sing", infer=False)
    mem0.add("Whales swim", infer=False, user_id="u2")
    assert "detail" in mem0.ask("delete", "memories", status=400)
    for filters in ("x", "[" * 5000, '{"user_id": "\\ud800"}'):
        assert "detail" in mem0.ask("delete", "memories", query=f"filters={filters}", status=400)
    mem0.ask("delete", "memories", query="user_id=u1")
    assert mem0.listed() == ["Whales swim"]
    assert mem0.ask("get", "entities") == [{"id": "u2", "name": "u2", "type": "user", "total_memories": 1}]


@pytest.mark.filterwarnings("ignore:.*invalid escape")
def test_what_is_json_is_read_as_json(mem0: Mem0) -> None:
    """To Python, "\\/" is two characters: something else would be deleted, or nothing."""
    mem0.add("Whales sing", infer=False, metadata={"topic": "sea/krill"})
    mem0.ask("delete", "memories", query=r'user_id=u1&metadata={"topic": "sea\/krill"}')
    assert mem0.listed() == []


@each_row(
    "narrowed",
    [
        {"user_id": "u1", "metadata": '{"topic": "krill"}'},
        {"user_id": "u1", "metadata": "{'topic': 'krill'}"},
        {"user_id": "u1", "filters": '{"metadata": {"topic": "krill"}}'},
        {"filters": '{"AND": [{"user_id": "u1"}, {"metadata": {"topic": "krill"}}]}'},
        {"filters": "{'AND': [{'user_id': 'u1'}, {'metadata': {'topic': 'krill'}}]}"},
        {"filters": "{'user_id': 'u1'}", "metadata": "{'topic': 'krill'}", "org_id": "o", "project_id": "p"},
    ],
    rolled_back=True,
)
def test_only_what_fits_all_that_is_named_is_deleted(mem0: Mem0, narrowed: dict[str, str]) -> None:
    """Objects come as JSON, or as mem0's own client writes them into an address."""
    mem0.add("Whales sing", infer=False)
    mem0.add("Whales eat krill", infer=False, metadata={"topic": "krill"})
    mem0.add("Bears eat no krill", infer=False, metadata={"topic": "krill"}, user_id="u2")
    mem0.ask("delete", "memories", query=urlencode(narrowed))
    assert mem0.listed() == ["Bears eat no krill", "Whales sing"]


@each_row(
    "narrowed",
    [
        {"category": "sea"},
        {"metadata": "topic"},
        {"metadata": "[1]"},
        {"metadata": "{'topic': b'krill'}"},
        {"filters": "{'memory': {'icontains': 'krill'}}"},
        {"filters": "[]"},
        {"filters": "-" * 5000 + "1"},
    ],
    rolled_back=True,
)
def test_nothing_is_deleted_by_what_is_not_understood(mem0: Mem0, narrowed: dict[str, str]) -> None:
    mem0.add("Whales sing", infer=False)
    assert "detail" in mem0.ask("delete", "memories", query=urlencode({"user_id": "u1", **narrowed}), status=400)
    assert mem0.listed() == ["Whales sing"]


@each_row(
    "body",
    [
        {},
        {"messages": [{"role": "user", "content": "x"}]},
        {"messages": [], "user_id": "u1"},
        {"messages": [{"role": "user"}], "user_id": "u1"},
        {"messages": "x", "user_id": 5},
        {"messages": [{"role": "critic", "content": "x"}], "user_id": "u1"},
        {"messages": "x", "user_id": "u1", "expiration_date": "soon"},
        [],
    ],
    rolled_back=True,
)
def test_what_cannot_be_added_is_told(mem0: Mem0, body: Any) -> None:
    assert "detail" in mem0.ask("post", "memories", body, status=400)
    assert not Memory.objects.exists()


def test_what_waits_for_a_model_is_told_as_pending_and_not_lost(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise LLMUnavailable("away")

    monkeypatch.setattr("memories.capture.extraction.find_facts", fail)
    hosted = Mem0(alice, Authorization=f"Token {alice.key}")
    body = {"messages": "I am vegan.", "filters": {"user_id": "u1"}}
    answer = hosted.ask("post", "v3/memories/add/", body)
    assert (answer["results"], answer["status"]) == ([], "PENDING")
    assert Resource.objects.get().raw_content == "I am vegan."


@each_row(
    "path", ["memories", "memories/x", "entities", "v1/ping/", "v1/memories/x/", "v1/entities/"], rolled_back=True
)
def test_only_a_key_opens_it(alice: Caller, path: str) -> None:
    for headers in ({"X-API-Key": "m0sk_x"}, {"Authorization": "Token mst_x"}, {"Authorization": "Basic x"}):
        assert "detail" in Mem0(alice, **headers).ask("get", path, status=401)
    assert "detail" in Mem0(alice, Authorization=f"Bearer {alice.key}").ask("post", "v1/ping/", status=405)


def test_a_reading_key_reads_only(alice: Caller) -> None:
    reader = Mem0(make_caller(alice.app, "reader", ("read",)))
    assert reader.listed() == []
    assert reader.search("x") == []
    reader.ask("post", "memories", {"messages": "x", "user_id": "u1", "infer": False}, status=403)
    reader.ask("delete", "memories", query="user_id=u1", status=403)


def test_another_apps_memory_is_not_there(mem0: Mem0, charlie: Caller) -> None:
    (foreign,) = Mem0(charlie).add("Whales sing", infer=False)
    for uid in (foreign["id"], str(uuid4()), "no-id"):
        path = f"memories/{uid}"
        assert mem0.ask("get", path) is None
        for method, body in (("put", {"text": "taken"}), ("delete", None)):
            assert mem0.ask(method, path, body, status=404) == {"detail": "There is nothing with this id."}
        mem0.ask("get", f"{path}/history", status=404)
        mem0.ask("get", f"v1/memories/{uid}/", status=404)
    assert mem0.listed() == mem0.search("whales") == []
    mem0.ask("delete", "memories", query="user_id=u1")
    assert Memory.objects.get().content == "Whales sing"


@each_row(
    "name, user, memory",
    [
        ("Bob", "u1", "Bob lives in Graz"),
        ("u2", "u2", "User lives in Graz"),
        (7, "u3", "User lives in Graz"),
    ],
)
def test_a_message_is_of_whom_its_name_says(mem0: Mem0, name: Any, user: str, memory: str) -> None:
    body = {"messages": [{"role": "user", "content": "I live in Graz.", "name": name}], "user_id": user}
    assert [result["memory"] for result in mem0.ask("post", "memories", body)["results"]] == [memory]
