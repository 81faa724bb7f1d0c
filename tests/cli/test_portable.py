"""`memsite export` and `memsite import`, at a real server."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from memsite_client import Memsite
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
    told = run("export", str(file))
    assert f"{file}: " in told.stderr
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
