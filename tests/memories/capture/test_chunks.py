"""A conversation is cut into windows that hold every word that was said once, and say what came before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.capture.chunks import Window, kept_text, make_chunks, shorten_pasted
from memories.language.messages import Message
from memories.language.scripts import CHARACTERS_PER_TOKEN
from tests.growth import assert_linear, repeated

BERLIN = timezone(timedelta(hours=2))
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=BERLIN)
LOG = "\n".join(f"2026-05-04 10:00:{i:02d} INFO worker.{i} did a thing" for i in range(20))
CODE = "\n".join(f"x{i} = compute({i})" for i in range(20))


def user(text: str, when: datetime | None = None) -> Message:
    return Message("user", text, when)


def words(messages: Sequence[Message]) -> list[str]:
    return " ".join(message.content for message in messages).split()


def texts_of(windows: Sequence[Window]) -> list[str]:
    return words([message for window in windows for message in window.chunk.messages])


def sentences(count: int) -> str:
    return " ".join(f"Sentence number {i} says a little." for i in range(count))


def size(messages: Sequence[Message]) -> int:
    return sum(-(-len(message.content) // CHARACTERS_PER_TOKEN) for message in messages)


def test_a_short_conversation_is_one_window() -> None:
    messages = [user("I like tea."), Message("assistant", "Noted.")]
    (window,) = make_chunks(messages, NOW)
    assert window.chunk.messages == tuple(messages)
    assert window.places == (0, 1)
    assert window.chunk.before == ()
    assert window.chunk.now == NOW


def test_nothing_said_makes_no_window() -> None:
    assert make_chunks([], NOW) == []
    assert make_chunks([user("  \n "), Message("system", "be nice"), Message("tool", "42")], NOW) == []


def test_system_and_tool_messages_are_dropped_and_places_count_them() -> None:
    messages = [
        Message("system", "s"),
        user("tea"),
        Message("tool", "t"),
        Message("assistant", "ok"),
        Message("Anna", "hi"),
    ]
    (window,) = make_chunks(messages, NOW)
    assert window.places == (1, 3, 4)
    assert [message.role for message in window.chunk.messages] == ["user", "assistant", "Anna"]


def test_what_we_injected_and_what_is_private_is_left_out() -> None:
    fenced = '<memory-context nonce="0123abcd">likes coffee</memory-context nonce="0123abcd">'
    (window,) = make_chunks([user(f"{fenced} I like tea <private>and gin</private> a lot")], NOW)
    assert words(window.chunk.messages) == ["I", "like", "tea", "a", "lot"]


def test_letters_are_read_with_their_accents_however_they_were_typed() -> None:
    (window,) = make_chunks([user("Jose\u0301 moved to Zu\u0308rich")], NOW)
    assert window.chunk.messages == (user("Jos\u00e9 moved to Z\u00fcrich"),)


def test_now_is_when_the_last_message_was_said_by_the_clock_there() -> None:
    when = datetime(2026, 5, 1, 23, 30, tzinfo=timezone(timedelta(hours=-8)))
    (window,) = make_chunks([user("a"), user("b", when)], NOW)
    assert window.chunk.now.isoformat() == when.isoformat()
    (window,) = make_chunks([user("a", when), user("b")], NOW)
    assert window.chunk.now == NOW


def test_messages_are_not_cut_where_they_fit() -> None:
    messages = [user(sentences(12)) for _ in range(10)]
    windows = make_chunks(messages, NOW)
    assert [place for window in windows for place in window.places] == list(range(10))
    assert all(message in messages for window in windows for message in window.chunk.messages)


def test_a_long_message_is_cut_between_paragraphs_first() -> None:
    paragraphs = [f"{i} {sentences(30)}" for i in range(4)]
    windows = make_chunks([user("\n\n".join(paragraphs))], NOW)
    assert [window.chunk.messages[0].content for window in windows] == paragraphs
    assert {window.places for window in windows} == {(0,)}


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    windows = make_chunks([user(sentences(300))], NOW)
    assert all(window.chunk.messages[0].content.endswith("little.") for window in windows)
    assert all(window.chunk.messages[0].content.startswith("Sentence") for window in windows)


def test_a_long_sentence_is_cut_between_words() -> None:
    text = " ".join(f"word{i}" for i in range(3_000))
    windows = make_chunks([user(text)], NOW)
    assert texts_of(windows) == text.split()
    assert all(size(window.chunk.messages) <= 500 for window in windows)


def test_chinese_is_cut_between_characters() -> None:
    windows = make_chunks([user("安娜喜欢喝绿茶" * 1_000)], NOW)
    assert "".join(texts_of(windows)) == "安娜喜欢喝绿茶" * 1_000
    assert all(size(window.chunk.messages) <= 500 for window in windows)


def test_before_holds_whole_sentences_of_the_window_before() -> None:
    windows = make_chunks([user(sentences(300))], NOW)
    assert windows[0].chunk.before == ()
    for earlier, later in pairwise(windows):
        (before,) = later.chunk.before
        assert earlier.chunk.messages[-1].content.endswith(before.content)
        assert before.content.startswith("Sentence number")
        assert 80 < size([before]) <= 100


def test_before_holds_whole_messages_with_their_speakers() -> None:
    messages = [Message("user" if i % 2 else "assistant", f"Message {i} {'tea ' * 20}.") for i in range(60)]
    window = make_chunks(messages, NOW)[1]
    first = window.places[0]
    assert window.chunk.before == tuple(messages[first - len(window.chunk.before) : first])
    assert len(window.chunk.before) == 4


def test_no_overlap_can_be_asked_for() -> None:
    assert all(window.chunk.before == () for window in make_chunks([user(sentences(300))], NOW, overlap=0))


TEXT = st.lists(
    st.sampled_from(
        [
            *(
                "tea",
                "Anna",
                "likes.",
                "really!",
                "x" * 90,
                "安娜喜欢",
                "。",
                "\n",
                "\n\n",
                " ",
                ", ",
                "`code`",
                "\u00e4",
            ),
            *("```", "\n```\nx = 1\n```\n", "<private>", "</private>", "{", '"a": 1,', "\x00", "\ud800", "👩‍👩‍👧"),
        ]
    ),
    max_size=60,
).map(" ".join)
MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant", "tool", "system", "Bob"]), TEXT), max_size=12
)


@settings(max_examples=150)
@given(MESSAGES, st.integers(30, 200), st.integers(0, 40))
def test_every_word_is_in_one_window_and_none_is_too_large(messages: list[Message], window: int, overlap: int) -> None:
    windows = make_chunks(messages, NOW, window, overlap)
    remaining = [kept_text(message) for message in messages]
    assert re.sub(r"\s", "", "".join(texts_of(windows))) == re.sub(r"\s", "", "".join(remaining))
    for item in windows:
        assert size(item.chunk.messages) <= window
        assert size(item.chunk.before) <= overlap
        assert len(item.places) == len(item.chunk.messages) == len(set(item.places))
        assert all(message.content for message in (*item.chunk.messages, *item.chunk.before))
        for place, message in zip(item.places, item.chunk.messages, strict=True):
            assert message.content in remaining[place]
            assert message.role == messages[place].role
    assert [item.places[0] for item in windows] == sorted(item.places[0] for item in windows)
    assert windows == make_chunks(messages, NOW, window, overlap)


@pytest.mark.parametrize(
    "text",
    [
        "Use `make test` and\n```\nmake lint\n```\nbefore a commit.",
        "- milk\n- eggs\n- flour\n- butter\n- tea\n- salt\n- oil",
        "1. do this\n2. do that\n3. go\n4. stop\n5. rest\n6. eat\n7. sleep",
        "Monday: gym\nTuesday: work\nWednesday: tea\nThursday: gym\nFriday: out\nSaturday: rest\nSunday: rest",
        "I like tea, coffee, milk, juice, and water.\n" * 8,
        "| a | b | c | d |\n|---|---|---|---|\n" + "| tea | 1 | 2 | 3 |\n" * 8,
        '{"a": 1}',
        "2026-05-04 10:00:00 ERROR disk.full [x]",
        "see https://example.com/a/long/path?with=query",
        "",
    ],
)
def test_what_was_said_is_not_taken_for_output(text: str) -> None:
    assert shorten_pasted(text) == text


@pytest.mark.parametrize(
    ("pasted", "marker"),
    [
        (LOG, "[20 lines of output left out]"),
        (f"```python\n{CODE}\n```", "[20 lines of code left out]"),
        (f"~~~\n{CODE}\n```\n~~~", "[21 lines of code left out]"),
        ("[" + ", ".join(f'"k{i}": {i}' for i in range(100)) + "]", "[1080 characters of data left out]"),
        ("{\n" + "\n".join(f'  "k{i}": {i},' for i in range(10)) + "\n}", "[12 lines of output left out]"),
        ("Traceback (most recent call last):\n" + '  File "a.py", line 3, in f\n' * 8, "[9 lines of output left out]"),
        ("  at com.example.Foo.bar(Foo.java:12)\n" * 9, "[9 lines of output left out]"),
        ('10.0.0.1 - - [04/May/2026:10:00:00 +0000] "GET / HTTP/1.1" 200\n' * 9, "[9 lines of output left out]"),
        ("a1,b2,c3,d4,e5\n" * 9, "[9 lines of output left out]"),
        ("QUJD" * 200, "[800 characters left out]"),
    ],
)
def test_pasted_output_becomes_one_line(pasted: str, marker: str) -> None:
    lines = [line for line in shorten_pasted(f"Look at this:\n{pasted}\nWhat is wrong?").split("\n") if line]
    assert lines == ["Look at this:", marker, "What is wrong?"]


def test_a_block_that_is_never_closed_reaches_to_the_end() -> None:
    assert shorten_pasted(f"look\n```\n{CODE}") == "look\n[20 lines of code left out]"


@pytest.mark.parametrize(
    "unit",
    ["```\n", "{", "[(", '"', "a,", ";", "|", "\n", "at ", "0 ", "error ", "<private", " \n", "a" * 299 + " ", "…"],
)
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert_linear(lambda text: make_chunks([user(text)], NOW), repeated(unit), 100_000)
    assert_linear(lambda count: make_chunks([user(unit)] * count, NOW), int, 1_000)


def test_a_megabyte_takes_linear_time() -> None:
    message = user(f"{sentences(2_000)}\n\n{LOG}\n\n" * 2)
    assert len(message.content) > 100_000
    assert len(make_chunks([message] * 7, NOW)) > 400
    assert_linear(lambda count: make_chunks([message] * count, NOW), int, 8)
