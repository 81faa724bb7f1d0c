import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.stream import (
    AssistantText,
    BadLine,
    Item,
    Result,
    SessionInit,
    Skipped,
    StreamReader,
    ToolResult,
    ToolUse,
    UserText,
)
from tests.growth import assert_linear


def ndjson(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def read(data: bytes, chunk_bytes: int | None = None, max_line_bytes: int = 1 << 20) -> list[Item]:
    reader = StreamReader(max_line_bytes)
    size = chunk_bytes or len(data) or 1
    items = [item for start in range(0, len(data), size) for item in reader.feed(data[start : start + size])]
    return [*items, *reader.close()]


def assistant(*blocks: object, message_id: str = "msg_1", parent: str | None = None) -> dict[str, object]:
    message = {"id": message_id, "model": "m", "role": "assistant", "content": list(blocks)}
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent, "uuid": "u"}


def user(content: object, **more: object) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": content}, "uuid": "u", **more}


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def stream_event(event: dict[str, object], parent: str | None = None) -> dict[str, object]:
    return {"type": "stream_event", "event": event, "parent_tool_use_id": parent, "uuid": "u"}


def start(message_id: str = "msg_1", parent: str | None = None) -> dict[str, object]:
    return stream_event({"type": "message_start", "message": {"id": message_id, "content": []}}, parent)


def deltas(*pieces: str, index: int = 0, parent: str | None = None) -> list[dict[str, object]]:
    opening = {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
    parts = [
        {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}
        for piece in pieces
    ]
    return [stream_event(event, parent) for event in [opening, *parts]]


BLOCK_STOP = stream_event({"type": "content_block_stop", "index": 0})
MESSAGE_STOP = stream_event({"type": "message_stop"})


def say(items: Iterable[Item]) -> list[tuple[str, bool]]:
    return [(item.text, item.partial) for item in items if isinstance(item, AssistantText)]


class TestLines:
    def test_init_tells_session_model_directory_and_tools(self) -> None:
        init = {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "cwd": "/srv"}
        assert read(ndjson({**init, "tools": ["Bash", "Read"]})) == [SessionInit(1, "s", "m", "/srv", ("Bash", "Read"))]

    def test_text_and_tool_calls_of_the_assistant_are_read_in_order_and_thinking_is_not(self) -> None:
        call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
        search = {"type": "server_tool_use", "id": "t2", "name": "web_search", "input": {}}
        thinking = {"type": "thinking", "thinking": "[MEMORY:timing] no", "signature": "x"}
        hidden = {"type": "redacted_thinking", "data": "x"}
        assert read(ndjson(assistant(thinking, hidden, text("a"), call, search, text("b")))) == [
            AssistantText(1, "a", "msg_1", "u", None),
            ToolUse(1, "t1", "Bash", {"command": "ls"}, None),
            ToolUse(1, "t2", "web_search", {}, None),
            AssistantText(1, "b", "msg_1", "u", None),
        ]

    def test_user_lines_give_texts_and_tool_results(self) -> None:
        result = {"type": "tool_result", "tool_use_id": "t1", "content": "out", "is_error": True}
        image = {"type": "image", "source": {}}
        blocks = {"type": "tool_result", "tool_use_id": "t2", "content": [text("a"), image, text("b")]}
        data = ndjson(user("hello"), user([text("hi"), result, blocks], isSynthetic=True))
        assert read(data) == [
            UserText(1, "hello", "u", None),
            UserText(2, "hi", "u", None, is_synthetic=True),
            ToolResult(2, "t1", "out", True, None),
            ToolResult(2, "t2", "a\nb", False, None),
        ]

    def test_the_result_tells_turns_time_and_cost(self) -> None:
        line = {"type": "result", "subtype": "success", "is_error": False, "result": "done", "num_turns": 3}
        more = {"duration_ms": 1200, "total_cost_usd": 0.25, "usage": {"input_tokens": 7}}
        assert read(ndjson({**line, **more})) == [
            Result(1, "success", False, "done", 3, 1200, 0.25, {"input_tokens": 7})
        ]

    def test_a_failed_result_has_no_text(self) -> None:
        items = read(ndjson({"type": "result", "subtype": "error_max_turns", "is_error": True}))
        assert items == [Result(1, "error_max_turns", True, None, None, None, None, {})]

    @pytest.mark.parametrize(
        ("line", "wording"),
        [
            ({"type": "rate_limit_event"}, "rate_limit_event"),
            ({"type": "conversation_reset"}, "conversation_reset"),
            ({"type": "system", "subtype": "compact_boundary"}, "system/compact_boundary"),
            ({"type": "of_tomorrow", "message": []}, "of_tomorrow"),
        ],
    )
    def test_lines_of_other_types_are_skipped_without_complaint(self, line: object, wording: str) -> None:
        assert read(ndjson(line)) == [Skipped(1, wording)]

    def test_lines_of_a_sub_agent_carry_its_call(self) -> None:
        (item,) = read(ndjson(assistant(text("a"), parent="toolu_9")))
        assert isinstance(item, AssistantText)
        assert item.parent_tool_use_id == "toolu_9"

    def test_empty_lines_count_and_say_nothing(self) -> None:
        assert read(b"\n \r\n" + ndjson(assistant(text("a"))))[0].line_number == 3

    def test_carriage_returns_and_a_byte_order_mark_are_tolerated(self) -> None:
        data = b"\xef\xbb\xbf" + ndjson(user("a"), user("b")).replace(b"\n", b"\r\n")
        assert read(data) == [UserText(1, "a", "u", None), UserText(2, "b", "u", None)]

    def test_the_last_line_needs_no_newline(self) -> None:
        assert len(read(ndjson(user("a"), user("b")).rstrip())) == 2

    def test_items_arrive_as_soon_as_their_line_is_complete(self) -> None:
        reader = StreamReader()
        assert list(reader.feed(ndjson(user("a"))[:-1])) == []
        assert len(list(reader.feed(b"\n"))) == 1

    def test_lines_are_counted_with_the_empty_and_the_unfinished(self) -> None:
        reader = StreamReader()
        list(reader.feed(ndjson(user("a")) + b"\n{\nrest"))
        assert reader.line_count == 3
        list(reader.close())
        assert reader.line_count == 4


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
TYPES = ["assistant", "user", "system", "result", "stream_event", "init", "success", "text"]
KINDS = ["message_start", "content_block_start", "content_block_delta", "text_delta", "tool_result"]
KEYS = ["type", "subtype", "message", "content", "event", "index", "delta", "content_block", "text", "id"]
SHAPES = st.recursive(
    JSON_VALUES | st.sampled_from([*TYPES, *KINDS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
)


class TestBadLines:
    @pytest.mark.parametrize(
        "line",
        [
            b"{",
            b"secret",
            b"[]",
            b"null",
            b"5",
            b'"secret"',
            b"{}",
            b'{"type": 5}',
            b'{"type": null}',
            b'{"type": "rate_limit_event", "x": NaN}',
            b'{"type": "rate_limit_event", "x": -Infinity}',
            b'{"type": "rate_limit_event", "x": 1e999}',
            b'{"type": "rate_limit_event", "x": ' + b"9" * 5000 + b"}",
            b"[" * 10_000,
            b'{"type":' * 10_000,
            b"\xff\xfe\x00secret",
            b'{"type": "rate_limit_event", "x": {"secret": 1, "secret": 2}}',
            b'{"type": "system"}',
            b'{"type": "system", "subtype": "init", "tools": [1]}',
            b'{"type": "system", "subtype": "init", "tools": "secret"}',
            b'{"type": "assistant"}',
            b'{"type": "assistant", "message": ["secret"]}',
            b'{"type": "assistant", "message": {"content": "secret"}}',
            b'{"type": "assistant", "message": {"content": ["secret"]}}',
            b'{"type": "assistant", "message": {"content": [{"text": "secret"}]}}',
            b'{"type": "assistant", "message": {"content": [{"type": "text", "text": ["secret"]}]}}',
            b'{"type": "assistant", "message": {"content": [{"type": "text"}]}}',
            b'{"type": "assistant", "message": {"id": 5, "content": []}}',
            b'{"type": "assistant", "message": {"content": []}, "parent_tool_use_id": false}',
            b'{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "a"}]}}',
            b'{"type": "user", "message": {"content": {"secret": 1}}}',
            b'{"type": "user", "message": {"content": [{"type": "tool_result", "content": 5}]}}',
            b'{"type": "result", "subtype": "success", "is_error": "secret"}',
            b'{"type": "result", "subtype": "success", "num_turns": true}',
            b'{"type": "result", "subtype": "success", "duration_ms": 99999999999999999999}',
            b'{"type": "result", "subtype": "success", "usage": "secret"}',
            b'{"type": "stream_event", "event": "secret"}',
            b'{"type": "stream_event", "event": {"type": "message_start", "message": "secret"}}',
            b'{"type": "stream_event", "event": {"type": "content_block_delta", "index": "secret"}}',
            b'{"type": "stream_event", "event": {"type": "content_block_delta", "index": 0, "delta": 5}}',
        ],
    )
    def test_a_bad_line_is_reported_with_its_number_and_without_its_text(self, line: bytes) -> None:
        (before, bad, after) = read(ndjson(user("a")) + line + b"\n" + ndjson(user("b")))
        assert isinstance(bad, BadLine)
        assert bad.line_number == 2
        assert 0 < len(bad.reason) <= 60
        assert "secret" not in bad.reason
        assert (before, after) == (UserText(1, "a", "u", None), UserText(3, "b", "u", None))

    def test_a_hundred_broken_lines_among_ten_thousand_cost_no_other_line(self) -> None:
        lines = [ndjson(assistant(text(f"line {number}"))) for number in range(1, 10_001)]
        broken = set(range(37, 10_001, 100))
        for number in broken:
            lines[number - 1] = lines[number - 1][:30] + b"\n"
        items = read(b"".join(lines), chunk_bytes=4096)
        assert [item.line_number for item in items] == list(range(1, 10_001))
        assert {item.line_number for item in items if isinstance(item, BadLine)} == broken
        assert len(say(items)) == 9_900

    @pytest.mark.parametrize("chunk_bytes", [1, 7, 100, 100_000])
    def test_an_oversized_line_is_one_bad_line_and_the_next_is_read(self, chunk_bytes: int) -> None:
        data = ndjson(user("a")) + b"x" * 5000 + b"\n" + ndjson(user("b"))
        items = read(data, chunk_bytes, max_line_bytes=200)
        assert items[1] == BadLine(2, "line too long")
        assert [item.line_number for item in items] == [1, 2, 3]

    def test_an_oversized_line_is_not_kept_in_memory(self) -> None:
        reader = StreamReader(max_line_bytes=1000)
        for _ in range(100):
            assert list(reader.feed(b"x" * 1000)) == []
            assert len(reader._lines._held) <= 1000
        assert list(reader.close()) == [BadLine(1, "line too long")]

    def test_tool_input_too_deep_to_store_is_refused(self) -> None:
        deep: object = "x"
        for _ in range(200):
            deep = {"k": [deep]}
        call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"deep": deep}}
        assert read(ndjson(assistant(call))) == [BadLine(1, "input is nested too deeply")]

    def test_what_cannot_be_stored_becomes_the_replacement_character(self) -> None:
        call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"\ud800": ["\x00\udfff"]}}
        data = ndjson(user("a\ud83d"), user("\U0001f600\x00"), assistant(call)) + ndjson(user("a?z")).replace(
            b"?", b"\xff\x00"
        )
        assert read(data) == [
            UserText(1, "a\ufffd", "u", None),
            UserText(2, "\U0001f600\ufffd", "u", None),
            ToolUse(3, "t", "Bash", {"\ufffd": ["\ufffd\ufffd"]}, None),
            UserText(4, "a\ufffd\ufffdz", "u", None),
        ]

    @given(st.lists(st.binary(max_size=60), max_size=20), st.integers(1, 200))
    def test_random_bytes_never_raise(self, chunks: list[bytes], max_line_bytes: int) -> None:
        reader = StreamReader(max_line_bytes)
        for chunk in chunks:
            list(reader.feed(chunk))
        list(reader.close())

    @given(st.lists(st.tuples(st.sampled_from(TYPES), SHAPES, SHAPES, SHAPES), max_size=3))
    def test_no_shape_of_json_raises(self, parts: list[tuple[str, object, object, object]]) -> None:
        lines = [
            {"type": kind, "message": message, "event": event, "subtype": rest} for kind, message, event, rest in parts
        ]
        read(ndjson(*lines))


class TestDeltas:
    def test_a_marker_split_across_deltas_is_said_once_and_whole(self) -> None:
        pieces = ["[MEM", "ORY:timing:jelly", "fin] Takes 60s"]
        complete = assistant(text("".join(pieces)))
        items = read(ndjson(start(), *deltas(*pieces), complete, BLOCK_STOP, MESSAGE_STOP))
        assert say(items) == [("[MEMORY:timing:jellyfin] Takes 60s", False)]

    def test_the_complete_line_may_come_before_or_after_the_stop_or_even_the_deltas(self) -> None:
        complete = assistant(text("abc"))
        stream = [start(), *deltas("a", "b", "c"), BLOCK_STOP, MESSAGE_STOP]
        for position in range(len(stream) + 1):
            lines = [*stream[:position], complete, *stream[position:]]
            assert say(read(ndjson(*lines, start("msg_2")))) == [("abc", False)], position

    def test_a_stream_cut_off_gives_its_text_as_partial_at_close(self) -> None:
        reader = StreamReader()
        assert list(reader.feed(ndjson(start(), *deltas("[MEMORY:timing] Ta", "kes 60s")))) == []
        assert list(reader.close()) == [
            AssistantText(2, "[MEMORY:timing] Takes 60s", "msg_1", None, None, partial=True)
        ]
        assert list(reader.close()) == []

    def test_a_message_that_never_came_complete_is_partial_when_the_next_one_starts(self) -> None:
        data = ndjson(start(), *deltas("a"), MESSAGE_STOP, start("msg_2"), *deltas("b"))
        data += ndjson(assistant(text("b"), message_id="msg_2"))
        assert say(read(data)) == [("a", True), ("b", False)]

    def test_a_complete_line_of_another_message_also_gives_up_on_the_earlier_one(self) -> None:
        data = ndjson(start(), *deltas("a"), assistant(text("b"), message_id="msg_2"))
        assert say(read(data)) == [("a", True), ("b", False)]

    def test_text_cut_off_stands_before_the_result(self) -> None:
        items = read(ndjson(start(), *deltas("a"), {"type": "result", "subtype": "error_during_execution"}))
        assert [type(item) for item in items] == [AssistantText, Result]

    def test_only_the_block_whose_line_is_missing_is_partial(self) -> None:
        data = ndjson(start(), *deltas("one", index=0), assistant(text("one")), *deltas("tw", index=1))
        assert say(read(data)) == [("one", False), ("tw", True)]

    def test_a_broken_complete_line_is_made_good_by_its_deltas(self) -> None:
        data = ndjson(start(), *deltas("one", index=0)) + b'{"type": "assistant", "mess\n'
        data += ndjson(*deltas("two", index=1), assistant(text("two")), MESSAGE_STOP)
        items = read(data)
        assert [item.line_number for item in items if isinstance(item, BadLine)] == [4]
        assert say(items) == [("two", False), ("one", True)]

    def test_a_lost_delta_does_not_double_the_text(self) -> None:
        first, *_lost, last = deltas("a", "b", "c")
        assert say(read(ndjson(start(), first, last, assistant(text("abc"))))) == [("abc", False)]

    def test_one_line_may_complete_several_blocks(self) -> None:
        data = ndjson(start(), *deltas("a"), *deltas("b", index=2), assistant(text("a"), text("b")))
        assert say(read(data)) == [("a", False), ("b", False)]

    def test_a_stream_joined_in_the_middle_of_a_message_is_understood(self) -> None:
        piece = deltas("a")[1:]
        assert say(read(ndjson(*piece, assistant(text("xa"))))) == [("xa", False)]
        assert say(read(ndjson(*piece, start("msg_2"), *deltas("b")))) == [("a", True), ("b", True)]

    def test_thinking_and_tool_input_deltas_are_not_text(self) -> None:
        thinking = {"type": "thinking_delta", "thinking": "[MEMORY:timing] no"}
        tool_input = {"type": "input_json_delta", "partial_json": '{"a": "[MEMORY:timing] no"}'}
        events = [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
            {"type": "content_block_delta", "index": 0, "delta": thinking},
            {"type": "content_block_delta", "index": 1, "delta": tool_input},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "ping"},
        ]
        assert read(ndjson(start(), *map(stream_event, events))) == []

    def test_interleaved_sub_agents_do_not_mix(self) -> None:
        main, sub = deltas("ma", "in"), deltas("su", "b", parent="toolu_9")
        mixed = [event for pair in zip(main, sub, strict=True) for event in pair]
        items = read(ndjson(start(), start("msg_2", "toolu_9"), *mixed))
        assert [(i.text, i.parent_tool_use_id) for i in items if isinstance(i, AssistantText)] == [
            ("main", None),
            ("sub", "toolu_9"),
        ]

    def test_endless_deltas_stay_bounded_and_the_complete_line_still_counts(self) -> None:
        reader = StreamReader()
        list(reader.feed(ndjson(start(), *deltas(*["x" * 100_000] * 30))))
        assert reader._partials._buffered_chars <= 1024 * 1024
        assert say(reader.feed(ndjson(assistant(text("x" * 3_000_000))))) == [("x" * 3_000_000, False)]
        assert reader._partials._buffered_chars == 0
        assert list(reader.close()) == []

    def test_endless_sub_agents_stay_bounded(self) -> None:
        reader = StreamReader()
        items = list(reader.feed(ndjson(*(start(f"m{n}", f"toolu_{n}") for n in range(500)))))
        assert items == []
        assert len(reader._partials._lanes) <= 64


PIECES = st.text(st.characters(codec="utf-8"), max_size=8)
EVENTS = st.one_of(
    PIECES.map(lambda words: json.dumps(assistant(text(words)), ensure_ascii=False).encode()),
    PIECES.map(lambda words: json.dumps(deltas(words)[1], ensure_ascii=False).encode()),
    st.sampled_from(["msg_1", "msg_2"]).map(lambda name: json.dumps(start(name)).encode()),
    st.binary(max_size=12),
)


@given(st.lists(EVENTS, max_size=8), st.sampled_from([b"\n", b"\r\n"]), st.integers(1, 50))
def test_every_chunk_size_gives_the_same_items(lines: list[bytes], newline: bytes, chunk_bytes: int) -> None:
    data = newline.join(lines)
    assert read(data, chunk_bytes, max_line_bytes=300) == read(data, max_line_bytes=300)


def test_ten_thousand_lines_are_read_in_linear_time() -> None:
    def lines(count: int) -> bytes:
        return ndjson(*[assistant(text("a few words " * 10)), user("b")] * (count // 2))

    assert len(read(lines(10_000), chunk_bytes=65_536)) == 10_000
    assert_linear(lambda data: read(data, chunk_bytes=65_536), lines, 10_000)
