"""The client at a real server: each door does what its method says, waiting and with asyncio."""

from __future__ import annotations

import asyncio
import json
from itertools import islice

import pytest

from memsite_client import AsyncMemsite, Conflict, InvalidRequest, KeyRefused, Memsite, NotFound, VersionMismatch
from memsite_client.history import History
from tests.api.checks import RESULT, assistant, ndjson
from tests.serving import Server


def test_a_memory_is_stored_found_changed_and_forgotten(memsite: Memsite) -> None:
    stored = memsite.create_memory("Takes 60s to start", category="timing", subject="jellyfin", tags=["slow"])
    assert (stored["outcome"], stored["subject"], stored["tags"]) == ("created", "jellyfin", ["slow"])
    again = memsite.create_memory("Takes about 60 seconds to start", category="timing", subject="jellyfin")
    assert (again["outcome"], again["id"]) == ("reinforced", stored["id"])
    (hit,) = memsite.search_memories("start 60s", explain=True)["results"]
    assert hit["id"] == stored["id"]
    assert hit["scores"]
    changed = memsite.change_memory(stored["id"], importance=5, pinned=True)
    assert (changed["importance"], changed["pinned"]) == (5, True)
    assert [revision["action"] for revision in memsite.list_revisions(stored["id"])] == [
        "created",
        "reinforced",
        "edited",
    ]
    assert memsite.delete_memory(stored["id"])["deleted_count"] == 1
    with pytest.raises(NotFound):
        memsite.get_memory(stored["id"])


def test_a_batch_answers_per_item(memsite: Memsite) -> None:
    answer = memsite.create_memories([{"content": "Owls hunt at night"}, {"content": ""}])
    assert answer["results"][0]["content"] == "Owls hunt at night"
    assert answer["results"][1]["error"]


def test_links_join_two_memories(memsite: Memsite) -> None:
    item, two = (memsite.create_memory(text)["id"] for text in ("Whales sing", "Bears sleep"))
    memsite.create_link(item, two, kind="elaborates")
    assert [link["to_id"] for link in memsite.list_links(item)] == [two]


def test_lists_go_on_from_page_to_page_as_far_as_they_are_asked(memsite: Memsite) -> None:
    texts = [f"Fact number {number} of many" for number in range(230)]
    memsite.create_memories([{"content": text} for text in texts])
    assert [row["content"] for row in memsite.list_memories()] == texts[::-1]
    assert len(list(islice(memsite.list_memories(category="general"), 3))) == 3


def test_searches_go_on_from_page_to_page(memsite: Memsite) -> None:
    memsite.create_memories([{"content": f"Whale number {number} sings"} for number in range(5)])
    pages = list(memsite.search_all("whale sings", limit=2))
    assert len({hit["id"] for hit in pages}) == len(pages) == 5


def test_a_session_is_greeted_told_and_ended(memsite: Memsite) -> None:
    memsite.create_memory("Must be started after WireGuard", category="dependency", subject="caddy")
    session = memsite.start_session(external_id="night-1", tier=2, environment={"host": "nas"})
    assert "Must be started after WireGuard" in session["context"]["text"]
    text = "[MEMORY:timing:jellyfin] Takes 60s"
    stored = memsite.add_messages(session["id"], [{"role": "assistant", "content": text, "at": "2026-03-05T08:00:00Z"}])
    assert stored["captured"]["created"] == 1
    assert [row["content_at"] for row in memsite.list_resources(session_id=session["id"])] == ["2026-03-05T08:00:00Z"]
    turn = memsite.store_turn(session["id"], 1, user_input="hi", llm_output="[EVENT:info:caddy] up")
    assert turn["captured"]["events"] == 1
    with pytest.raises(Conflict):
        memsite.store_turn(session["id"], 1, user_input="something else")
    assert memsite.recover_session(session["id"])["turn_number"] == 1
    block = memsite.get_context(query="caddy WireGuard", session_id=session["id"], turn_number=2, format="turn")
    used = memsite.judge_response(session["id"], 2, "Caddy must be started after WireGuard.")["used"]
    assert block["included"] == 0 or {judged["id"] for judged in used} <= {m["id"] for m in block["memories"]}
    assert memsite.end_session(session["id"], "done")["status"] == "ended"
    assert memsite.start_session(external_id="night-1")["id"] == session["id"]


def test_a_stream_is_sent_piece_by_piece(memsite: Memsite) -> None:
    session = memsite.start_session()["id"]
    body = ndjson(assistant("[MEMORY:timing:jellyfin] Takes 60s to start"), RESULT).encode()
    report = memsite.stream_session(session, (body[index : index + 7] for index in range(0, len(body), 7)))
    assert (report["lines"], report["created"], report["errors"]) == (2, 1, [])


def test_a_prompt_tells_the_task_of_a_tier(memsite: Memsite) -> None:
    assert memsite.get_prompt(2).startswith("# Your task: investigate\n")


def test_claude_code_is_answered_as_it_wants(memsite: Memsite) -> None:
    memsite.create_memory("Whales sing at night")
    event = {"hook_event_name": "SessionStart", "session_id": "x", "cwd": "/srv"}
    assert "Whales sing" in memsite.claude_code_hook(event)["hookSpecificOutput"]["additionalContext"]


def test_what_is_learnt_can_be_read(memsite: Memsite) -> None:
    memsite.create_memory("Never deploy on Fridays", kind="lesson", subject="deploys")
    assert [lesson["content"] for lesson in memsite.list_lessons()] == ["Never deploy on Fridays"]
    assert "Never deploy on Fridays" in memsite.get_lessons_file()
    assert [row["category"] for row in memsite.list_categories()] == ["general"]
    trigger = memsite.create_trigger("2199-01-07", "Dentist", trigger_time="15:00")
    assert memsite.change_trigger(trigger["id"], status="cancelled")["status"] == "cancelled"
    memsite.delete_trigger(trigger["id"])
    assert list(memsite.list_triggers()) == []


def test_a_create_with_the_same_idempotency_key_happens_once(memsite: Memsite) -> None:
    item, two = (memsite.create_memory("Owls hunt", dedupe=False, idempotency_key="the same")["id"] for _ in range(2))
    assert item == two
    with pytest.raises(InvalidRequest, match="another request"):
        memsite.create_memory("Owls sleep", idempotency_key="the same")


def test_an_edit_of_an_older_version_is_refused(memsite: Memsite) -> None:
    memory = memsite.create_memory("Owls hunt")["id"]
    memsite.change_memory(memory, version=1, importance=2)
    with pytest.raises(VersionMismatch):
        memsite.change_memory(memory, version=1, importance=4)


def test_a_problem_says_which_field_is_wrong(memsite: Memsite) -> None:
    with pytest.raises(InvalidRequest, match="importance") as caught:
        memsite.create_memory("Owls hunt", importance=9)
    assert caught.value.status == 400
    assert [error["field"] for error in caught.value.errors] == ["importance"]
    assert caught.value.request_id


def test_a_wrong_key_is_refused(server: Server) -> None:
    with Memsite(server.url, "mst_wrong_key") as stranger, pytest.raises(KeyRefused, match="unknown"):
        stranger.search_memories("whales")


def test_ids_are_one_part_of_an_address_whatever_is_in_them(memsite: Memsite) -> None:
    for memory_id in ("../sessions", "x/history", "?limit=1", ""):
        with pytest.raises((NotFound, InvalidRequest)):
            memsite.change_memory(memory_id, importance=1)


def test_an_empty_id_is_none_and_not_the_list_of_all(memsite: Memsite) -> None:
    memsite.start_session()
    for ask in (memsite.get_session, memsite.end_session, memsite.get_memory, memsite.delete_memory):
        with pytest.raises(NotFound):
            ask("")


def test_endpoints_without_a_method_are_open_too(memsite: Memsite) -> None:
    assert memsite.request("GET", "extractions", query={"limit": 1}) == {"results": [], "next": None, "previous": None}


def test_operators_make_apps_agents_and_keys(server: Server) -> None:
    with Memsite(server.url, server.operator_key) as operator:
        app = operator.create_app("made-by-hand", "Made by hand", preset="ops")
        assert (app["preset"], app["policy"]["capture_facts"]) == ("ops", False)
        agent = operator.create_agent("made-by-hand", "alice")
        with Memsite(server.url, agent["api_key"]) as alice:
            alice.create_memory("Owls hunt")
            assert [row["content"] for row in operator.list_app_memories("made-by-hand")] == ["Owls hunt"]
            operator.revoke_key(agent["prefix"])
            with pytest.raises(KeyRefused):
                alice.search_memories("owls")
        assert operator.uninstall_app("made-by-hand", purge_memories=True)["deleted_count"] == 1


def test_the_same_with_asyncio(server: Server, key: str) -> None:
    async def lines() -> object:
        for line in ndjson(assistant("[MEMORY:timing:jellyfin] Takes 60s to start"), RESULT).splitlines(keepends=True):
            yield line.encode()

    async def work() -> list[str]:
        async with AsyncMemsite(server.url, key) as memsite:
            await memsite.create_memory("Whales sing", category="sea")
            session = await memsite.start_session()
            report = await memsite.stream_session(session["id"], lines())
            assert report["created"] == 1
            results = await memsite.search_memories("whales")
            assert len(results["results"]) == 1
            with pytest.raises(NotFound):
                await memsite.get_memory("00000000-0000-7000-8000-000000000000")
            changes = memsite.follow_changes(0)
            assert [(await anext(changes))["type"] for _ in range(2)] == ["memory.changed"] * 2
            return [memory["content"] async for memory in memsite.list_memories()]

    assert asyncio.run(work()) == ["Takes 60s to start", "Whales sing"]


def test_answers_are_plain_json(memsite: Memsite) -> None:
    json.dumps(memsite.create_memory("Owls hunt"))


def test_a_history_is_what_was_added_less_what_was_taken_back(memsite: Memsite) -> None:
    history = History(memsite, "chat-1", user_id="ann")
    history.add([{"role": "user", "content": "I am vegan "}, {"n": 1.50}], user_input="I am vegan")
    assert [row["raw_content"] for row in memsite.list_resources(session_id=history.id)] == ["I am vegan"]
    History(memsite, "chat-1").add([{"n": number} for number in range(150)])
    assert history.pop() == {"n": 149}
    assert history.read() == [{"role": "user", "content": "I am vegan "}, {"n": 1.5}, *({"n": n} for n in range(149))]
    history.clear()
    assert (history.read(), history.pop()) == ([], None)
