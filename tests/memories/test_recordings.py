import re
from pathlib import Path

import pytest

import memories.management.commands
from memories.capture.ingest_messages import OPERATIONAL_CATEGORIES, MarkerScan, MemoryMarker, find_memories
from sessions.markers import EventMarker, find_events
from sessions.stream import (
    AssistantText,
    BadLine,
    Item,
    Result,
    SessionInit,
    StreamReader,
    ToolResult,
    UserText,
)

RECORDINGS = Path(memories.management.commands.__path__[0], "recordings")
ASSISTANT_CATEGORIES = ("preferences", "work", "health", "hobbies", "relationships")

ROW_RE = re.compile(r"\| `([\w-]+)\.jsonl` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|")
DOCUMENTED = {name: tuple(map(int, counts)) for name, *counts in ROW_RE.findall((RECORDINGS / "README.md").read_text())}


def read(name: str) -> list[Item]:
    reader = StreamReader()
    return [*reader.feed((RECORDINGS / f"{name}.jsonl").read_bytes()), *reader.close()]


def main_texts(name: str) -> list[str]:
    return [i.text for i in read(name) if isinstance(i, AssistantText) and i.parent_tool_use_id is None]


def scans(name: str) -> list[MarkerScan]:
    categories = ASSISTANT_CATEGORIES if name.startswith("assistant") else OPERATIONAL_CATEGORIES
    return [find_memories(text, categories) for text in main_texts(name)]


def captured(name: str) -> list[MemoryMarker]:
    return [marker for scan in scans(name) for marker in scan.memories]


def events(name: str) -> list[EventMarker]:
    return [event for text in main_texts(name) for event in find_events(text)]


def test_every_recording_is_documented() -> None:
    assert set(DOCUMENTED) == {path.stem for path in RECORDINGS.glob("*.jsonl")}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_recording_holds_what_its_readme_says(name: str) -> None:
    lines = (RECORDINGS / f"{name}.jsonl").read_bytes().count(b"\n")
    refused = sum(len(scan.refused) for scan in scans(name))
    assert (lines, len(captured(name)), refused, len(events(name))) == DOCUMENTED[name]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_recording_begins_with_init_ends_with_a_result_and_has_no_unplanned_bad_line(name: str) -> None:
    items = read(name)
    assert any(isinstance(item, SessionInit) for item in items[:3])
    assert isinstance(items[-1], Result)
    assert [i.line_number for i in items if isinstance(i, BadLine)] == ([15] if name == "ops-2" else [])


@pytest.mark.parametrize("name", DOCUMENTED)
def test_nothing_of_a_sub_agent_or_a_tool_result_is_captured(name: str) -> None:
    others = [
        item.content_text if isinstance(item, ToolResult) else item.text
        for item in read(name)
        if isinstance(item, ToolResult | UserText)
        or (isinstance(item, AssistantText) and item.parent_tool_use_id is not None)
    ]
    foreign = {m.text for text in others for m in find_memories(text, OPERATIONAL_CATEGORIES).memories}
    assert foreign.isdisjoint(marker.text for marker in captured(name))


def test_all_categories_appear_with_and_without_a_service() -> None:
    markers = [marker for name in DOCUMENTED for marker in captured(name)]
    assert {marker.category for marker in markers} == {*OPERATIONAL_CATEGORIES, *ASSISTANT_CATEGORIES}
    assert {marker.subject is None for marker in markers} == {True, False}


def test_the_second_window_contradicts_the_order_of_caddy() -> None:
    first, second = ([m.text for m in captured(n) if m.subject == "caddy"] for n in ("ops-1", "ops-2"))
    assert first == ["Must be started after WireGuard, otherwise it fails with no route to host"]
    assert second == ["Can be started independently of WireGuard since the upgrade to 2.10"]


def test_the_cut_off_text_of_the_third_session_is_captured_once() -> None:
    partial = [i for i in read("ops-3") if isinstance(i, AssistantText) and i.partial]
    assert len(partial) == 1
    assert [m.subject for m in captured("ops-3")].count("dns") == 1
