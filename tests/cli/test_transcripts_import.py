"""`memsite transcripts import`: conversations of the past become sessions, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsite_client import Memsite
from memsite_client.cli.claude import send_messages
from tests.cli.conftest import run, run_json
from tests.cli.hooks import tell
from tests.cli.transcripts import OTHER, SESSION, Transcript
from tools.ports import free_port


@pytest.fixture
def projects(home: Path) -> Path:
    return home / ".claude" / "projects"


@pytest.fixture
def transcript(projects: Path) -> Transcript:
    transcript = Transcript(projects / "-srv-shop" / f"{SESSION}.jsonl")
    transcript.user("We deploy on Tuesdays.")
    transcript.assistant("[MEMORY:timing:shop] Deploys take ten minutes")
    return transcript


def counts(**numbers: int) -> dict[str, object]:
    return {"failed": [], **numbers}


def test_all_of_the_users_conversations_are_learnt_from(
    memsite: Memsite, transcript: Transcript, projects: Path
) -> None:
    Transcript(projects / "-srv-lab" / f"{OTHER}.jsonl", OTHER).user("The lab is in Porto.")
    assert run_json("transcripts", "import") == counts(transcripts=2, sessions=2, messages=3)
    sessions = {session["external_id"]: session for session in memsite.list_sessions()}
    assert sessions.keys() == {SESSION, OTHER}
    assert (sessions[SESSION]["status"], sessions[SESSION]["title"]) == ("ended", "shop")
    rows = list(memsite.list_resources(session_id=sessions[SESSION]["id"]))
    assert [(row["role"], row["content_at"]) for row in rows] == [
        ("assistant", "2026-03-05T08:00:02Z"),
        ("user", "2026-03-05T08:00:01Z"),
    ]
    assert next(memsite.list_memories())["content"] == "Deploys take ten minutes"


def test_what_was_said_is_its_projects_unless_it_is_shared(
    memsite: Memsite, transcript: Transcript, projects: Path
) -> None:
    run("transcripts", "import")
    Transcript(projects / "-srv-lab" / f"{OTHER}.jsonl", OTHER).user("The lab is in Porto.")
    run("transcripts", "import", "--shared")
    users = {session["external_id"]: session["user_id"] for session in memsite.list_sessions()}
    assert users == {SESSION: "project:/srv/shop", OTHER: None}


def test_again_sends_only_what_is_new(memsite: Memsite, transcript: Transcript) -> None:
    run("transcripts", "import")
    assert run_json("transcripts", "import")["messages"] == 0
    transcript.user("And on Fridays.")
    assert run_json("transcripts", "import") == counts(transcripts=1, sessions=1, messages=1)
    assert len(list(memsite.list_resources())) == 3


def test_what_is_sent_again_is_stored_once(memsite: Memsite, transcript: Transcript) -> None:
    for _ in range(2):
        assert run_json("transcripts", "import", "--again")["messages"] == 2
    assert len(list(memsite.list_resources())) == 2


def test_what_a_hook_has_sent_is_not_sent_again(memsite: Memsite, transcript: Transcript) -> None:
    tell("UserPromptSubmit", prompt="A question", transcript_path=str(transcript.path))
    transcript.user("A question")
    transcript.assistant("An answer")
    assert run_json("transcripts", "import")["messages"] == 1
    raw_contents = [row["raw_content"] for row in memsite.list_resources()]
    assert len(raw_contents) == len(set(raw_contents)) == 4


@pytest.mark.parametrize("prompts", [("p1", "p2"), (None, None)], ids=["named", "of an older version"])
def test_nor_is_it_stored_anew_when_all_is_sent_again(
    memsite: Memsite, transcript: Transcript, prompts: tuple[str | None, ...]
) -> None:
    for prompt_id in prompts:
        tell("UserPromptSubmit", prompt="Yes", prompt_id=prompt_id, transcript_path=str(transcript.path))
        transcript.user("Yes")
    transcript.assistant("An answer")
    for _ in range(2):
        assert run_json("transcripts", "import", "--again")["messages"] == 5
    assert [row["raw_content"] for row in memsite.list_resources()].count("Yes") == 2
    assert len(list(memsite.list_resources())) == 5


def test_what_a_forked_session_has_copied_is_sent_with_the_other_alone(
    memsite: Memsite, transcript: Transcript
) -> None:
    fork = transcript.fork()
    fork.user("The fork asks.")
    fork.fork("5d1c8a3e-1111-4c57-9a43-0c1d2e3f4a5b").user("And another one.")
    for options in ([], ["--again"]):
        run("transcripts", "import", *options)
        assert len(list(memsite.list_resources())) == 4
    assert next(memsite.list_memories())["confidence"] == 0.7


def test_a_forked_session_brings_what_the_other_has_not_sent(memsite: Memsite, transcript: Transcript) -> None:
    run("transcripts", "import")
    transcript.user("Not sent yet.")
    assert run_json("transcripts", "import", str(transcript.fork().path))["messages"] == 1


def test_a_long_conversation_is_sent_in_pieces(memsite: Memsite, transcript: Transcript) -> None:
    for number in range(450):
        transcript.user(f"Fact number {number}")
    assert run_json("transcripts", "import", str(transcript.path))["messages"] == 452
    assert len(list(memsite.list_resources())) == 452


def test_sub_agents_and_other_files_are_none(memsite: Memsite, transcript: Transcript) -> None:
    folder = transcript.path.parent
    Transcript(folder / "agent-1a2b.jsonl").user("not said")
    (folder / "notes.txt").write_text("not said")
    (folder / "empty.jsonl").touch()
    assert run_json("transcripts", "import", str(folder)) == counts(transcripts=2, sessions=1, messages=2)


def test_a_file_of_another_name_is_known_by_its_lines(memsite: Memsite, tmp_path: Path) -> None:
    Transcript(tmp_path / "saved.jsonl").user("Hello")
    run("transcripts", "import", str(tmp_path / "saved.jsonl"))
    assert next(memsite.list_sessions())["external_id"] == SESSION


def test_it_says_what_it_did(memsite: Memsite, transcript: Transcript) -> None:
    assert run("transcripts", "import").stdout == "1 transcript: sent 2 messages of 1 session.\n"


def test_one_that_is_refused_costs_no_other(memsite: Memsite, transcript: Transcript, projects: Path) -> None:
    bad = Transcript(projects / "bad" / "bad.jsonl", "x" * 300)
    bad.user("Too long a name for a session")
    result = run("transcripts", "import", code=3)
    assert str(bad.path) in result.stderr
    assert "sent 2 messages" in result.stdout


def test_a_message_that_is_refused_costs_no_other(memsite: Memsite, transcript: Transcript) -> None:
    transcript.write('{"type":"user","message":{"content":"' + "x" * 8_388_550 + '"}}\n')
    transcript.user("And on Fridays.")
    result = run("transcripts", "import", code=3)
    assert f"{transcript.path}: a message of unknown time is left out: The body is larger" in result.stderr
    assert "sent 3 messages" in result.stdout
    assert len(list(memsite.list_resources())) == 3
    assert run_json("transcripts", "import")["messages"] == 0


def test_what_the_server_takes_of_many_is_found(memsite: Memsite) -> None:
    messages = [{"role": "user", "content": f"text {number}", "at": None} for number in range(9)]
    messages[4]["content"] = ""
    event = {"session_id": SESSION, "hook_event_name": "TranscriptImport"}
    (reason,) = send_messages(memsite, event, messages)
    assert "left out" in reason
    assert len(list(memsite.list_resources())) == 8


def test_a_server_that_is_away_loses_nothing(
    memsite: Memsite, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:
        away.setenv("MEMSITE_URL", f"http://127.0.0.1:{free_port()}")
        away.setattr("time.sleep", lambda _: None)
        run("transcripts", "import", code=5)
    assert run_json("transcripts", "import")["messages"] == 2


def test_a_folder_that_is_not_there_is_wrong_usage(key: str) -> None:
    run("transcripts", "import", "/nowhere", code=2)


def test_a_file_that_is_no_transcript_is_told(memsite: Memsite, tmp_path: Path) -> None:
    file = tmp_path / "passwd"
    file.write_text("root:x:0:0:root:/root:/bin/bash\n")
    assert "nothing in it could be read" in run("transcripts", "import", str(file), code=1).stderr
