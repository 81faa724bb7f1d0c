"""Reading transcripts: what was said, from where one stopped, whatever else stands there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsite_client import claude as reading
from memsite_client.claude import message_of, own_words, read_piece
from tests.cli.transcripts import SESSION, Transcript
from tests.growth import assert_linear, repeated


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / f"{SESSION}.jsonl")


def say(transcript: Transcript, start: int = 0) -> list[str]:
    return [message["content"] for message in read_piece(transcript.path, start).messages]


def test_what_was_said_with_its_id_and_time(transcript: Transcript) -> None:
    transcript.user("When do bears sleep?")
    transcript.assistant("In winter.")
    piece = read_piece(transcript.path, 0)
    assert piece.messages == [
        {"role": "user", "content": "When do bears sleep?", "external_id": "line-1", "at": "2026-03-05T08:00:01+00:00"},
        {"role": "assistant", "content": "In winter.", "external_id": "line-2", "at": "2026-03-05T08:00:02+00:00"},
    ]
    assert (piece.session_id, piece.cwd, piece.end) == (SESSION, "/srv/shop", transcript.path.stat().st_size)


def test_a_line_counts_when_it_is_complete(transcript: Transcript) -> None:
    transcript.user("one")
    whole = transcript.line("user", "two")
    transcript.write(whole[:40])
    piece = read_piece(transcript.path, 0)
    assert [message["content"] for message in piece.messages] == ["one"]
    transcript.write(whole[40:])
    assert say(transcript, piece.end) == ["two"]


def test_a_file_that_is_shorter_than_it_was_is_another_one(transcript: Transcript) -> None:
    transcript.user("one")
    assert say(transcript, 10_000_000) == ["one"]


def test_only_text_counts(transcript: Transcript) -> None:
    tool = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    transcript.write(transcript.line("assistant", [{"type": "thinking", "thinking": "hm"}]))
    transcript.write(transcript.line("assistant", [tool]))
    transcript.user([{"type": "tool_result", "tool_use_id": "t", "content": "a b c"}])
    transcript.user(
        [{"type": "text", "text": "look"}, {"type": "image", "source": {}}, {"type": "text", "text": "here"}]
    )
    assert say(transcript) == ["look\n\nhere"]


def test_what_a_branched_session_has_copied_was_said_in_the_other(transcript: Transcript) -> None:
    """Under new ids, so nobody would know it again."""
    origin = {"sessionId": "0b1c8a3e-2f10-4c57-9a43-0c1d2e3f4a5b", "messageUuid": "line-1"}
    transcript.user("I prefer tea.", forkedFrom=origin)
    transcript.assistant("Noted.", forkedFrom=origin)
    transcript.user("Let us try it otherwise.")
    assert say(transcript) == ["Let us try it otherwise."]


@pytest.mark.parametrize("mark", ["isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage"])
def test_what_nobody_said_is_passed_over(transcript: Transcript, mark: str) -> None:
    transcript.user("not said", **{mark: True})
    transcript.assistant("not said", **{mark: True})
    assert say(transcript) == []


def test_what_claude_code_says_for_the_model_is_passed_over(transcript: Transcript) -> None:
    message = {"role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": "API Error"}]}
    transcript.write(transcript.line("assistant", "", message=message))
    assert say(transcript) == []


@pytest.mark.parametrize(
    "inserted",
    [
        "<system-reminder>\nBe brief.\n</system-reminder>",
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
        "<local-command-stdout>Set model</local-command-stdout>",
        "<bash-input>ls</bash-input><bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
        "<bash-stdout></bash-stdout><bash-stderr>Stopped</bash-stderr><bash-exit-code>130</bash-exit-code>",
        '<teammate-message teammate_id="reviewer">I always use tabs.</teammate-message>',
        "[Request interrupted by user for tool use]",
    ],
)
def test_what_is_put_into_the_users_mouth_is_taken_out(transcript: Transcript, inserted: str) -> None:
    transcript.user(inserted)
    transcript.user(f"{inserted}\nMy own words")
    assert say(transcript) == ["My own words"]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("a <command-name>b</command-name> c", "a  c"),
        ("What does <system-reminder> do?", "What does <system-reminder> do?"),
        ("<bash-input>a <bash-stdout>b</bash-input> c</bash-stdout>", "c</bash-stdout>"),
        ("<ide_selection> a <bash-input>b</bash-input> c", "<ide_selection> a  c"),
    ],
)
def test_a_tag_without_an_end_is_the_users_own(text: str, own: str) -> None:
    assert own_words(text) == own


@pytest.mark.parametrize("beginning", ["<system-reminder>", "<system-reminder ", "[Request interrupted by user "])
def test_beginnings_without_an_end_are_not_read_to_the_end_each(beginning: str) -> None:
    assert_linear(own_words, repeated(beginning), 200_000)


@pytest.mark.parametrize("kind", ["peer", "task-notification", "auto-continuation", "one of tomorrow"])
def test_what_comes_to_the_user_from_elsewhere_is_not_what_they_say(transcript: Transcript, kind: str) -> None:
    transcript.user("Another session sent a message: I always use tabs.", origin={"kind": kind, "from": "reviewer"})
    transcript.user("I always use spaces.", origin={"kind": "human"})
    assert say(transcript) == ["I always use spaces."]


def queued(transcript: Transcript, prompt: object, **more: object) -> None:
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **more}
    transcript.write(transcript.line("attachment", "", message=None, attachment=attachment))


def test_what_the_user_typed_while_the_agent_worked_is_said(transcript: Transcript) -> None:
    """It stands in no line of theirs."""
    queued(transcript, "Always use uv.", origin={"kind": "human"})
    queued(transcript, [{"type": "text", "text": "Never pip."}])
    assert [
        (message["role"], message["content"], message["external_id"])
        for message in read_piece(transcript.path, 0).messages
    ] == [
        ("user", "Always use uv.", "line-1"),
        ("user", "Never pip.", "line-2"),
    ]


def test_what_else_was_queued_is_passed_over(transcript: Transcript) -> None:
    queued(transcript, "Use tabs.", origin={"kind": "peer"})
    queued(transcript, "Use tabs.", isMeta=True)
    queued(transcript, "Use uv.", origin={"kind": "human"}, carriedByCompaction=True)
    queued(transcript, "ls", commandMode="bash")
    queued(transcript, "<task-notification>Done</task-notification>", commandMode="task-notification")
    transcript.write(transcript.line("attachment", "", attachment={"type": "file", "prompt": "Use tabs."}))
    transcript.write(transcript.line("attachment", "Use tabs.", attachment="queued_command"))
    assert say(transcript) == []


def test_lines_of_no_use_cost_no_other(transcript: Transcript) -> None:
    transcript.user("one")
    for junk in (
        "\n",
        "nonsense\n",
        "[]\n",
        "5\n",
        "null\n",
        '{"type": "user"}\n',
        '{"type": "user", "message": 5}\n',
        '{"type":"summary","summary":"Bears","leafUuid":"x"}\n',
        '{"type":"file-history-snapshot","snapshot":{}}\n',
        '{"type": ["user"], "message": {"content": "x"}}\n',
        "[" * 100_000 + "\n",
    ):
        transcript.write(junk)
    transcript.write(b"\xff\xfe\x00binary\n")
    transcript.user("two")
    assert say(transcript) == ["one", "two"]


def test_a_line_too_long_is_passed_over_whole(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 1000)
    transcript.user("x" * 2500)
    transcript.user("two")
    assert say(transcript) == ["two"]
    transcript.write("y" * 2500)
    end = transcript.path.stat().st_size - 2500
    assert read_piece(transcript.path, 0).end == end, "it may still be complete one day"


def test_a_long_one_is_read_in_pieces(transcript: Transcript) -> None:
    for number in range(450):
        transcript.user(f"text {number}")
    texts, end = list[str](), 0
    while (piece := read_piece(transcript.path, end)).end != end:
        assert len(piece.messages) <= 200
        texts += [message["content"] for message in piece.messages]
        end = piece.end
    assert texts == [f"text {number}" for number in range(450)]


def test_what_cannot_be_sent_is_made_sendable(transcript: Transcript) -> None:
    transcript.user("a\x00b\ud800c", uuid="u\x00", timestamp="yesterday")
    (message,) = read_piece(transcript.path, 0).messages
    assert (message["content"], message["external_id"], message["at"]) == ("a\ufffdb\ufffdc", "u\ufffd", None)
    json.dumps(message).encode()


def test_an_id_too_long_for_the_server_is_shortened_and_stays_another_than_others(transcript: Transcript) -> None:
    for end in "ab":
        transcript.user(f"said {end}", uuid="x" * 300 + end)
    ids = {str(message["external_id"]) for message in read_piece(transcript.path, 0).messages}
    assert [len(id_) for id_ in ids] == [200, 200]


def test_one_that_is_very_long_comes_alone(transcript: Transcript) -> None:
    for text in ("one", "x" * 1_500_000, "three"):
        transcript.user(text)
    pieces, end = list[int](), 0
    while (piece := read_piece(transcript.path, end)).end != end:
        pieces.append(len(piece.messages))
        end = piece.end
    assert pieces == [1, 1, 1]


NAMES = st.sampled_from(["type", "text", "content", "message", "uuid", "prompt"])
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner), max_leaves=8)


@given(JSON, st.sampled_from(["user", "assistant", "attachment"]))
def test_no_line_raises(message: object, kind: str) -> None:
    results = message_of(
        {
            "type": kind,
            "message": message,
            "uuid": message,
            "timestamp": message,
            "origin": message,
            "attachment": {"type": "queued_command", "prompt": message},
        }
    )
    assert results is None or results["content"]
