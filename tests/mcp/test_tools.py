"""What an agent does with the tools of `/mcp`."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.models import Memory
from tests.conftest import Caller, make_caller
from tests.mcp.asking import call, post, refused, tools_of, use

READING = {"search", "show", "context", "history", "categories", "lessons", "triggers", "documents"}
WRITING = {"store", "update", "forget", "link", "feedback", "add_trigger", "add_document"}


def test_what_was_stored_is_found(alice: Caller) -> None:
    stored = use(alice, "store", content="Jellyfin takes 60s to start", category="timing", subject="jellyfin")
    (results,) = use(alice, "search", query="how long does jellyfin take to start")["memories"]
    assert stored["outcome"] == "created"
    assert results["id"] == stored["id"]
    assert results["content"] == "Jellyfin takes 60s to start"


def test_what_held_at_a_time_is_found_with_its_interval(alice: Caller) -> None:
    use(alice, "store", content="Whales sing", valid_from="2025-05-01", valid_until="2025-06-01")
    answer = use(alice, "search", query="whales", valid_at="2025-05-09")
    assert [memory["valid_until"] for memory in answer["memories"]] == ["2025-06-01T00:00:00Z"]
    assert answer["asked_time"]["known"] is True
    assert use(alice, "context", query="whales", valid_at="2025-05-09")["included"] == 1


def test_that_nothing_is_known_of_a_time_is_said(alice: Caller) -> None:
    use(alice, "store", content="Whales sing", valid_from="2025-05-01")
    answer = call(alice, "context", query="whales", valid_at="2024-05-09")
    assert answer["content"][0]["text"] == "Nothing is known of that time."


def test_saying_it_again_reinforces_and_the_contrary_contradicts(alice: Caller) -> None:
    first = use(alice, "store", content="Caddy must be started after WireGuard", category="dependency")
    again = use(alice, "store", content="Caddy must be started after WireGuard", category="dependency")
    contrary = use(alice, "store", content="Caddy can be started independently of WireGuard", category="dependency")
    assert (again["outcome"], again["id"]) == ("reinforced", first["id"])
    assert (contrary["outcome"], contrary["contradicts"]) == ("contradicted", [first["id"]])


def test_answers_are_small_and_details_are_asked_for(alice: Caller) -> None:
    uid = use(alice, "store", content="whales " * 200, metadata={"a": 1})["id"]
    (short,) = use(alice, "search", query="whales")["memories"]
    (long,) = use(alice, "search", query="whales", detail=True)["memories"]
    assert short["cut"]
    assert len(short["content"]) <= 500
    assert "metadata" not in short
    assert long["metadata"] == {"a": 1}
    assert long["scores"]
    assert len(use(alice, "show", id=uid)["content"]) > 1000


def test_a_search_goes_on_where_it_ended(alice: Caller) -> None:
    for number in range(5):
        alice.remember(f"whales of the sea number {number}", dedupe=False)
    first = use(alice, "search", query="whales", limit=3)
    rest = use(alice, "search", query="whales", limit=3, cursor=first["next"])
    ids = [memory["id"] for page in (first, rest) for memory in page["memories"]]
    assert len(set(ids)) == 5
    assert "next" not in rest


def test_a_search_is_narrowed(alice: Caller) -> None:
    use(alice, "store", content="whales sing", category="sea", tags=["song"])
    use(alice, "store", content="whales swim", category="sport", tags=["swimming"])
    by_category = use(alice, "search", query="whales", category="sport")["memories"]
    by_tag = use(alice, "search", query="whales", tags=["song"])["memories"]
    by_filter = use(alice, "search", query="whales", filters={"not": {"tags": "song"}})["memories"]
    assert [memory["content"] for memory in by_category] == ["whales swim"]
    assert [memory["content"] for memory in by_tag] == ["whales sing"]
    assert [memory["content"] for memory in by_filter] == ["whales swim"]


def test_arguments_nobody_knows_and_json_in_texts_are_taken_kindly(alice: Caller) -> None:
    stored = use(
        alice,
        "store",
        content="whales sing",
        tags='["sea", "song"]',
        metadata='{"a": [1]}',
        importance="4",
        pinned="true",
        reason="because",
        confidence_level="high",
    )
    row = Memory.objects.get(uid=stored["id"])
    assert (row.tags, row.metadata, row.importance, row.pinned) == (["sea", "song"], {"a": [1]}, 4, True)


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("search", {}, "query: Field required"),
        ("store", {"content": "x", "metadata": {"a": "x" * 16_384}}, "metadata: At most 16,384"),
        ("search", {"query": "x", "limit": 500}, "limit: "),
        ("search", {"query": "x", "filters": {"nope": 1}}, "filters: "),
        ("search", {"query": "x", "cursor": "zzz"}, "cursor: "),
        ("store", {"content": ""}, "content: "),
        ("store", {"content": "x", "importance": 9}, "importance: "),
        ("store", {"content": "x" * 2001}, "content: This app's memories have at most 2,000 characters."),
        ("store", {"content": "<private>all of it</private>"}, "content: Nothing of it may be kept"),
        ("update", {"id": "0"}, "id: Not an id."),
        ("forget", {"ids": []}, "ids: "),
        ("add_trigger", {"date": "soon", "message": "x"}, "date: "),
        ("add_trigger", {"date": "2020-01-01", "message": "x"}, "date: Is over."),
        ("add_trigger", {"date": "2199-01-07", "time": "3 pm", "message": "x"}, "time: "),
        ("add_trigger", {"date": "2199-01-07", "until": "2199-01-01", "message": "x"}, "until: Lies before date."),
        ("context", {"turn": -1}, "turn: "),
        ("context", {"session": "x" * 201}, "session: "),
        ("categories", {"name": "music"}, "There is no category of this name."),
        ("nothing", {}, "There is no tool 'nothing'."),
    ],
)
def test_what_is_wrong_is_told_so_that_it_can_be_mended(
    alice: Caller, tool: str, arguments: dict[str, Any], text: str
) -> None:
    assert refused(alice, tool, **arguments).startswith(text)
    assert not Memory.objects.exists()


def test_a_memory_is_changed_put_away_and_forgotten(alice: Caller) -> None:
    uid = use(alice, "store", content="whales sing")["id"]
    assert (
        use(alice, "update", id=uid, content="whales sing at night", importance=5)["content"] == "whales sing at night"
    )
    assert refused(alice, "update", id=uid) == "Say what to change."
    assert use(alice, "update", id=uid, status="archived")["status"] == "archived"
    changes = use(alice, "history", id=uid, limit=2)
    assert [change["action"] for change in changes["changes"]] == ["created", "edited"]
    assert changes["changes"][1]["changed"]["content"] == {"before": "whales sing", "after": "whales sing at night"}
    (last,) = use(alice, "history", id=uid, after=changes["after"])["changes"]
    assert (last["action"], last["by"]) == ("archived", "agent:alice")
    assert use(alice, "forget", ids=[uid]) == {"deleted_count": 1}
    assert refused(alice, "show", id=uid) == "There is nothing with this id."


def test_memories_are_linked_and_the_superseded_is_found_no_more(alice: Caller) -> None:
    new, old = (use(alice, "store", content=text)["id"] for text in ("whales sing at night", "bears sleep in caves"))
    assert use(alice, "link", from_id=new, to_id=old, kind="supersedes")["is_new"]
    (end,) = use(alice, "show", id=new)["links"]
    assert (end["memory"]["id"], end["kind"], end["direction"]) == (old, "supersedes", "to")
    # Its successor is found by its words.
    assert [hit["id"] for hit in use(alice, "search", query="bears sleep in caves")["memories"]] == [new]
    assert refused(alice, "link", from_id=new, to_id=new).startswith("to_id: ")


def test_the_context_is_fenced_and_what_was_used_gains(alice: Caller) -> None:
    assert call(alice, "context", query="whales")["content"][0]["text"] == "Nothing is known about that."
    used, ignored = (use(alice, "store", content=text)["id"] for text in ("whales sing at night", "whales eat krill"))
    displayed = call(alice, "context", query="whales", session="conversation-1", turn=1)
    assert displayed["content"][0]["text"].startswith("<memory-context nonce=")
    assert set(displayed["structuredContent"]["ids"]) == {used, ignored}
    judged = use(alice, "feedback", session="conversation-1", turn=1, text="They sing at night.")
    assert [item["id"] for item in judged["used"]] == [used]
    assert [item["id"] for item in judged["ignored"]] == [ignored]
    again = call(alice, "context", query="whales", session="conversation-1", turn=2)
    assert again["structuredContent"]["ids"] == []
    assert "but for what this session was shown already" in again["content"][0]["text"]
    assert refused(alice, "feedback", session="another", text="x").startswith("There is no session of this name")


def test_a_context_without_capacity_does_not_say_that_nothing_is_known(alice: Caller) -> None:
    use(alice, "store", content="whales sing at night")
    output = call(alice, "context", max_tokens=5)
    assert output["structuredContent"]["included"] == 0
    assert "does not fit" in output["content"][0]["text"]


def test_a_session_stays_with_whom_it_is(alice: Caller) -> None:
    call(alice, "context", session="chat", user_id="ann")
    assert "with another end user" in refused(alice, "context", session="chat", user_id="ben")
    assert "with another end user" in refused(alice, "store", content="x", session="chat", user_id="ben")
    prompt = {"name": "session-start", "arguments": {"session": "chat", "user_id": "ben"}}
    error = post(alice, "prompts/get", prompt).json()["error"]
    assert error["code"] == -32602
    assert "with another end user" in error["message"]


def test_null_is_what_an_argument_is_when_it_is_left_out(alice: Caller) -> None:
    """Models fill in all arguments that a schema names."""
    stored = use(alice, "store", content="whales sing at night")
    results = use(alice, "search", query="whales", limit=None, detail=None, cursor=None, filters=None, tags=None)
    assert [memory["id"] for memory in results["memories"]] == [stored["id"]]
    assert use(alice, "history", id=stored["id"], limit=None, after=None)["changes"]
    assert refused(alice, "search", query=None).startswith("query: ")


def test_an_empty_text_is_what_an_argument_is_when_it_is_left_out(alice: Caller) -> None:
    """Models that must fill in all arguments, as in OpenAI's strict mode, have nothing else to say."""
    blank = dict.fromkeys(("category", "subject", "user_id"), "")
    more = dict.fromkeys(("kind", "origin", "valid_from", "metadata", "session"), "")
    stored = use(alice, "store", content="whales sing at night", **blank, **more)
    results = use(alice, "search", query="whales", cursor="", as_of="", filters="", tags="", **blank)
    assert [memory["id"] for memory in results["memories"]] == [stored["id"]]
    assert use(alice, "context", query="", session="", user_id="")["included"] == 1
    assert refused(alice, "store", content="").startswith("content: ")
    assert "Say what to change" in refused(alice, "update", id=stored["id"], content="", subject="")


def test_0_of_what_begins_at_1_is_what_it_is_when_it_is_left_out(alice: Caller) -> None:
    stored = use(alice, "store", content="whales sing at night", importance=0)
    assert Memory.objects.get().importance == 3
    assert use(alice, "search", query="whales", limit="0")["memories"]
    assert use(alice, "history", id=stored["id"], limit=0, after=0)["changes"]
    assert use(alice, "context", query="whales", session="chat", turn=0, max_tokens=0)["included"] == 1
    assert use(alice, "feedback", session="chat", turn=0, text="At night whales sing.") is not None
    use(alice, "update", id=stored["id"], confidence=0, importance=0)
    row = Memory.objects.get()
    assert (row.confidence, row.importance) == (0, 3)


def test_null_is_taken_for_every_argument_that_may_be_left_out(alice: Caller) -> None:
    item, other = (use(alice, "store", content=text)["id"] for text in ("whales sing at night", "bears sleep"))
    use(alice, "context", session="chat")
    needed = {
        "query": "whales",
        "id": item,
        "from_id": item,
        "to_id": other,
        "content": "owls hunt",
        "session": "chat",
        "text": "Yes.",
        "date": "2199-01-07",
        "message": "Dentist",
        "ids": [f"{UUID(int=0)}"],
        "name": "whales.md",
    }
    for name, tool in tools_of(alice).items():
        schema = tool["inputSchema"]
        output = {item: needed[item] if item in schema.get("required", ()) else None for item in schema["properties"]}
        if name == "update":
            assert "Say what to change" in refused(alice, name, **output)
        else:
            use(alice, name, **output)


def test_categories_lessons_and_triggers_are_told(alice: Caller) -> None:
    use(alice, "store", content="Standup is at nine", category="work")
    for number in range(3):
        alice.remember(f"never deploy on day {number}", kind="lesson", dedupe=False)
    assert {"name": "work", "memories": 1} in use(alice, "categories")["categories"]
    assert "Standup is at nine" in call(alice, "categories", name="work")["content"][0]["text"]
    first = use(alice, "lessons", limit=2)
    rest = use(alice, "lessons", limit=2, cursor=first["next"])
    assert [len(first["lessons"]), len(rest["lessons"])] == [2, 1]
    day = f"{timezone.now() + timedelta(days=9):%Y-%m-%d}"
    noted = use(alice, "add_trigger", date=day, message="Dentist", time="15:00")
    assert use(alice, "triggers")["triggers"] == [noted]
    assert noted["date"] == day


def test_every_tool_says_what_it_does_to_the_world(alice: Caller) -> None:
    tools = tools_of(alice)
    assert tools.keys() == READING | WRITING
    for name, tool in tools.items():
        hints = tool["annotations"]
        assert hints["readOnlyHint"] == (name in READING)
        assert hints["destructiveHint"] == (name == "forget")
        assert hints["openWorldHint"] is False
        assert tool["title"] == hints["title"]
        assert len(tool["description"]) > 20
        assert tool["inputSchema"]["type"] == "object"
    assert len(json.dumps(list(tools.values()))) < 12_800, "every session of every client reads it"


def test_a_reading_key_sees_and_uses_reading_tools_only(alice: Caller) -> None:
    reader = make_caller(alice.app, "reader", ("read",))
    alice.remember("whales sing")
    assert tools_of(reader).keys() == READING
    assert len(use(reader, "search", query="whales")["memories"]) == 1
    assert use(reader, "context")["included"] == 1
    for tool, arguments, scope in (
        ("store", {"content": "x"}, "create or write"),
        ("forget", {"ids": [str(Memory.objects.get().uid)]}, "write"),
    ):
        assert refused(reader, tool, **arguments) == f"This takes a key with the scope {scope}."
    without = "Leave session out: it takes a key with the scope create or write."
    assert refused(reader, "context", session="one") == without
    assert Memory.objects.count() == 1


def test_a_key_that_only_adds_has_no_tool_that_changes(alice: Caller) -> None:
    adder = make_caller(alice.app, "adder", ("read", "create"))
    assert tools_of(adder).keys() == READING | {"store", "feedback", "add_document", "add_trigger"}
    uid = use(adder, "store", content="Whales sing")["id"]
    assert refused(adder, "update", id=uid, pinned=True) == "This takes a key with the scope write."
    document = use(adder, "add_document", name="a.md", content="# Ships\n\nThey sail.\n")["id"]
    again = {"id": document, "name": "a.md", "content": "# Ships\n\nThey sink.\n"}
    assert refused(adder, "add_document", **again) == "This takes a key with the scope write."


def test_what_others_wrote_is_left_to_operators_where_the_policy_says_so(alice: Caller, bob: Caller) -> None:
    theirs, own = bob.remember("Bears sleep")["id"], alice.remember("Whales sing")["id"]
    document = use(alice, "add_document", name="a.md", content="# Ships\n\nThey sail.\n")["id"]
    alice.app.policy.agents_edit = "own"
    alice.app.policy.save()
    for tool, arguments in (
        ("update", {"id": theirs, "pinned": True}),
        ("forget", {"ids": [own, theirs, document]}),
        ("link", {"from_id": own, "to_id": theirs, "kind": "supersedes"}),
    ):
        assert "agents_edit own" in refused(alice, tool, **arguments)
    assert use(alice, "forget", ids=[own, document])["deleted_count"] == 2


def test_writes_count_against_the_rate_of_the_app(alice: Caller) -> None:
    policy = alice.app.policy
    policy.writes_per_minute = 1
    policy.save()
    use(alice, "store", content="whales sing")
    assert "Try again in" in refused(alice, "store", content="bears sleep")


def test_what_nobody_foresaw_is_logged_and_not_told(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret inner text")

    monkeypatch.setattr("memories.services.MemoryAgent.search", break_)
    assert (
        refused(alice, "search", query="x")
        == "The server failed, and the error was logged. Try again, or tell its operator."
    )


def test_resources_are_lessons_and_categories(alice: Caller) -> None:
    alice.remember("never deploy on Fridays", kind="lesson")
    alice.remember("Standup is at nine", category="work")
    answer = post(alice, "resources/list").json()["result"]["resources"]
    texts = {}
    for uri in (resource["uri"] for resource in answer):
        (contents,) = post(alice, "resources/read", {"uri": uri}).json()["result"]["contents"]
        assert contents["mimeType"] == "text/markdown"
        texts[uri] = contents["text"]
    assert "never deploy on Fridays" in texts["memsite://lessons"]
    assert "Standup is at nine" in texts["memsite://categories/work"]
    for uri in (
        "memsite://nothing",
        "memsite://categories/nothing",
        "memsite://categories/wo%00rk",
        "file:///etc/passwd",
    ):
        assert post(alice, "resources/read", {"uri": uri}).json()["error"]["code"] == -32602


def test_the_prompt_begins_with_what_is_known(alice: Caller) -> None:
    alice.remember("whales sing at night")
    alice.remember("never wake the whales", kind="lesson")
    alice.post("triggers", {"trigger_date": f"{timezone.now():%Y-%m-%d}", "message": "Dentist"})
    (prompt,) = post(alice, "prompts/list").json()["result"]["prompts"]
    for arguments in ({}, {"session": "one"}):
        answer = post(alice, "prompts/get", {"name": prompt["name"], "arguments": arguments}).json()["result"]
        text = answer["messages"][0]["content"]["text"]
        for part in ("Dentist", "whales sing at night", "## Lessons", "never wake the whales"):
            assert part in text
        assert text.startswith("<memory-context")
    assert post(alice, "prompts/get", {"name": "other"}).json()["error"]["code"] == -32602
