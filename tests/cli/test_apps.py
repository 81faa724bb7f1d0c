"""`memsite export`, `import`, `webhooks`, `bridges`, `alerts` and `changes`, at a real server."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from memsite_client import Memsite, NotFound
from tests.cli.conftest import run, run_json
from tests.serving import Server

NONE = {"left_out": 0, "redacted": 0, "untrusted": 0, "withheld": 0}


@pytest.fixture
def key(db: None, server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of an agent that may administer its app."""
    key = server.new_app(scopes=("read", "write", "operator"))
    monkeypatch.setenv("MEMSITE_URL", server.url)
    monkeypatch.setenv("MEMSITE_API_KEY", key)
    return key


def test_an_app_is_saved_and_taken_in_by_another(memsite: Memsite, server: Server, tmp_path: Path) -> None:
    memsite.create_memory("Takes 60s to start", category="timing", subject="jellyfin")
    file = tmp_path / "app.ndjson"
    output = run("export", str(file))
    assert f"{file}: " in output.stderr
    content = file.read_bytes()
    other = {"MEMSITE_API_KEY": server.new_app(scopes=("read", "write", "operator"))}
    with pytest.MonkeyPatch.context() as elsewhere:
        elsewhere.setenv("MEMSITE_API_KEY", other["MEMSITE_API_KEY"])
        survey = run_json("import", str(file), "--dry-run")
        assert survey["counts"]["memory"] == {"new": 1, "known": 0, **NONE}
        answer = run("import", str(file))
        assert "memory       1 new" in answer.stdout
        assert "memory       1 known" in run("import", str(file)).stdout
        run("export", str(tmp_path / "again.ndjson.gz"))
    again = gzip.decompress((tmp_path / "again.ndjson.gz").read_bytes())
    # The two apps have one agent each, under whose name is told in the header.
    assert lines(again)["memory"] == lines(content)["memory"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.ndjson.gz", "app.ndjson", "home"]


def lines(content: bytes) -> dict[str, dict[str, object]]:
    return {row["type"]: row for row in map(json.loads, content.splitlines())}


def test_a_rule_looks_for_what_alerts_tell(memsite: Memsite) -> None:
    rule = run_json("alerts", "add", "quarantine_waiting", "--threshold", "7")
    assert "from 7" in run("alerts", "rules").stdout
    assert "off" in run("alerts", "switch", rule["id"], "--off").stdout
    assert run_json("alerts", "list", "--status", "open") == []
    run("alerts", "acknowledge", rule["id"], code=3)
    assert run("alerts", "remove", rule["id"]).stdout == "Removed.\n"
    assert run_json("alerts", "rules") == []


def test_a_folder_of_notes_is_learnt_from(memsite: Memsite, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "me.md").write_text("# Me\n\nI work at Bosch.\n")
    (notes / "picture.png").write_bytes(b"\x89PNG")
    row = run_json("import", str(notes), "--source", "markdown")
    assert row["counts"]["message"] == {"new": 1, "known": 0, **NONE}
    assert "folder" in run("import", str(notes), code=2).stderr


def test_what_cannot_be_read_says_where(memsite: Memsite, tmp_path: Path) -> None:
    file = tmp_path / "bad.ndjson"
    run("export", str(file))
    file.write_bytes(file.read_bytes().replace(b'"preset":"standard"', b'"preset":"eaten"'))
    assert "Line 2: policy" in run("import", str(file), code=3).stderr


def test_markdown_is_a_zip_file_and_stdout_is_a_file_too(memsite: Memsite, tmp_path: Path) -> None:
    memsite.create_memory("Never deploy on Fridays", kind="lesson")
    run("export", str(tmp_path / "notes.zip"), "--markdown")
    assert (tmp_path / "notes.zip").read_bytes().startswith(b"PK")
    assert '{"type":"end"' in run("export", "-").stdout


HERE = "https://example.org/hook"
NOBODY = "00000000-0000-7000-8000-000000000000"


def test_a_webhook_is_added_listed_tried_and_removed(memsite: Memsite) -> None:
    output = run("webhooks", "add", HERE, "--event", "memory.created", "--description", "mirror").stdout
    assert "secret  whsec_" in output
    (row,) = run_json("webhooks", "list")
    assert (row["url"], row["events"], row["description"]) == (HERE, ["memory.created"], "mirror")
    listed = run("webhooks", "list").stdout
    assert HERE in listed
    assert "memory.created" in listed
    assert "whsec_" not in listed
    tried = run_json("webhooks", "test", row["id"])
    assert tried["kind"] == "webhook.test"
    assert tried["id"] in run("webhooks", "log", row["id"]).stdout
    assert run_json("webhooks", "log", row["id"], "--status", "dead") == []
    assert run("webhooks", "log", row["id"], "--status", "dead").stderr == "There are none.\n"
    assert run_json("webhooks", "replay", tried["id"])["id"] == tried["id"]
    assert run("webhooks", "renew", row["id"]).stdout.startswith("whsec_")
    assert "off" in run("webhooks", "switch", row["id"], "--off").stdout
    assert run_json("webhooks", "switch", row["id"], "--on")["is_active"]
    assert run("webhooks", "remove", row["id"]).stdout == "Removed.\n"
    assert run_json("webhooks", "list") == []
    assert run("webhooks", "list").stderr == "There are none.\n"


def test_the_log_is_as_long_as_it_is_asked_to_be(memsite: Memsite) -> None:
    webhook = run_json("webhooks", "add", HERE)["id"]
    for _ in range(3):
        run("webhooks", "test", webhook)
    assert [len(run_json("webhooks", "log", webhook, *limit)) for limit in ((), ("-n", "2"))] == [3, 2]


def test_an_app_whose_name_is_empty_is_not_the_only_one(memsite: Memsite) -> None:
    assert "names none" in run("webhooks", "list", "--app", "", code=2).stderr


def test_an_address_that_is_none_is_refused_in_one_line(memsite: Memsite) -> None:
    output = run("webhooks", "add", "ftp://example.org", code=3).stderr
    assert len(output.splitlines()) == 1
    assert "url" in output


def test_a_webhook_that_is_not_there_is_not_found(memsite: Memsite) -> None:
    for command in (("test",), ("log",), ("renew",), ("remove",), ("switch", "--off")):
        run("webhooks", command[0], NOBODY, *command[1:], code=3)
    run("webhooks", "test", "no-id", code=2)


def test_a_bridge_is_added_listed_renewed_and_removed(memsite: Memsite) -> None:
    (agent,) = {memory["agent"] for memory in agents_of(memsite)}
    output = run("bridges", "add", "slack", "--agent", agent).stdout
    assert "secret  whsec_" in output
    (row,) = run_json("bridges", "list")
    assert (row["name"], row["agent"]) == ("slack", agent)
    assert row["address"] in run("bridges", "list").stdout
    assert run_json("bridges", "renew", row["id"])["secret"].startswith("whsec_")
    run("bridges", "add", "slack", "--agent", agent, code=3)
    assert run("bridges", "remove", row["id"]).stdout == "Removed.\n"
    assert run_json("bridges", "list") == []
    assert run("bridges", "list").stderr == "There are none.\n"


def agents_of(memsite: Memsite) -> list[dict[str, Any]]:
    memsite.start_session()
    return list(memsite.pages("sessions", {}))


def test_changes_are_printed_from_where_one_was(memsite: Memsite) -> None:
    start = run_json("changes")["last"]
    output = run("changes")
    assert (output.stdout, output.stderr) == (f"{start}\n", "")
    item, two = (memsite.create_memory(text)["id"] for text in ("Whales sing", "Bears sleep"))
    memsite.delete_memory(two)
    output = run("changes", "--since", str(start))
    assert "Whales sing" in output.stdout
    assert f"deleted\n      {two}" in output.stdout
    assert "Bears" not in output.stdout
    (number,) = [int(word.strip(".")) for word in output.stderr.split() if word.strip(".").isdecimal()]
    assert run("changes", "--since", str(number)).stdout == ""
    assert [row["memory_id"] for row in run_json("changes", "--since", str(start))["results"]] == [item, two]


def test_who_is_ahead_of_the_server_is_told_to_begin_anew(memsite: Memsite) -> None:
    for options in ((), ("--follow",)):
        assert "start again" in run("changes", "--since", "99999999", *options, code=3).stderr
    with pytest.raises(NotFound):
        memsite.list_changes(99_999_999)


def test_changes_are_followed_as_they_happen(memsite: Memsite, monkeypatch: pytest.MonkeyPatch) -> None:
    start = memsite.list_changes()["last"]
    ids = [memsite.create_memory(text)["id"] for text in ("Whales sing", "Bears sleep")]
    follow = Memsite.follow_changes
    monkeypatch.setattr(Memsite, "follow_changes", lambda self, since: islice(follow(self, since), 2))
    lines = run("changes", "--since", str(start), "--follow", "--json").stdout.splitlines()
    assert [json.loads(line)["memory_id"] for line in lines] == ids
    assert "Bears sleep" in run("changes", "--since", str(start), "--follow").stdout


def test_what_was_removed_is_gone_for_the_client(memsite: Memsite) -> None:
    app = memsite.request("GET", "apps")["results"][0]["app_id"]
    webhook = memsite.create_webhook(app, HERE)["id"]
    assert memsite.get_webhook(app, webhook)["url"] == HERE
    assert memsite.delete_webhook(app, webhook)["deleted_count"] == 1
    with pytest.raises(NotFound):
        memsite.get_webhook(app, webhook)
