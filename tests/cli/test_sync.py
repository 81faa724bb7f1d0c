"""`memsite sync`: a folder of notes and an app's memories, kept equal."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsite_client import Memsite
from memsite_client.cli.notes import file_name, parse
from tests.cli.conftest import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "notes"
    path.mkdir()
    return path


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.md"))


def contents(memsite: Memsite) -> list[str]:
    return sorted(row["content"] for row in memsite.list_memories(status="active"))


def test_both_sides_take_over_what_is_new_and_changed(memsite: Memsite, folder: Path) -> None:
    memsite.create_memory("We deploy on Tuesdays", subject="deploys", tags=["ops", "two words"])
    memsite.create_memory("Ann is vegan", user_id="ann")
    (folder / "fence.md").write_text("---\naliases: [gate]\ntags:\n  - house\n---\nThe fence is blue.\n")
    run("sync", str(folder))
    assert files(folder) == ["deploys/We deploy on Tuesdays.md", "fence.md"]
    assert contents(memsite) == ["Ann is vegan", "The fence is blue.", "We deploy on Tuesdays"]
    note, roof = folder / "deploys/We deploy on Tuesdays.md", (folder / "fence.md").read_text()
    assert "tags: [ops, two words]" in note.read_text()
    assert "aliases: [gate]\n" in roof
    assert "tags: [house]\n" in roof
    assert run("sync", str(folder)).stdout == ""
    note.write_text(note.read_text().replace("Tuesdays\n", "Wednesdays\n").replace("importance: 3", "importance: 5"))
    row = next(row for row in memsite.list_memories() if "fence" in row["content"])
    memsite.change_memory(row["id"], content="The fence is green.")
    assert sorted(run("sync", str(folder)).stdout.splitlines()) == [
        "deploys/We deploy on Tuesdays.md: changed on the server",
        "fence.md: changed here by the server",
    ]
    assert (folder / "fence.md").read_text().endswith("The fence is green.\n")
    changed = next(row for row in memsite.list_memories() if "Wednesdays" in row["content"])
    assert (changed["importance"], changed["tags"]) == (5, ["ops", "two words"])


def test_what_changed_on_both_sides_is_shown_and_left_unless_one_is_preferred(memsite: Memsite, folder: Path) -> None:
    row = memsite.create_memory("The fence is blue")
    run("sync", str(folder))
    (note,) = folder.glob("*.md")
    note.write_text(note.read_text().replace("is blue\n", "is red\n"))
    memsite.change_memory(row["id"], content="The fence is green")
    result = run("sync", str(folder), code=1).stderr
    assert "-The fence is green" in result
    assert "+The fence is red" in result
    assert contents(memsite) == ["The fence is green"]
    run("sync", str(folder), "--prefer", "notes")
    assert contents(memsite) == ["The fence is red"]


def test_what_is_gone_is_asked_about(memsite: Memsite, folder: Path) -> None:
    gone, other = memsite.create_memory("The fence is blue"), memsite.create_memory("The roof is flat")
    run("sync", str(folder))
    memsite.delete_memory(gone["id"])
    (folder / "The roof is flat.md").unlink()
    refused = run("sync", str(folder), code=1)
    assert "gone on the server, left as it is" in refused.stderr
    assert "gone here, left as it is" in refused.stderr
    assert files(folder) == ["The fence is blue.md"]
    run("sync", str(folder), "--yes")
    assert files(folder) == contents(memsite) == []
    assert memsite.get_memory(other["id"])["status"] == "archived"


def test_a_lost_state_a_moved_note_and_a_copy_lose_nothing(memsite: Memsite, folder: Path) -> None:
    memsite.create_memory("The fence is blue")
    run("sync", str(folder))
    (folder / ".memsite.json").unlink()
    (folder / "The fence is blue.md").rename(folder / "moved.md")
    assert run("sync", str(folder)).stdout == ""
    (folder / "copy.md").write_text((folder / "moved.md").read_text())
    assert "has the id of another note" in run("sync", str(folder), code=1).stderr
    assert contents(memsite) == ["The fence is blue"]


def test_a_note_that_the_server_refuses_costs_no_other(memsite: Memsite, folder: Path) -> None:
    (folder / "long.md").write_text("words " * 1_000)
    (folder / "short.md").write_text("The fence is blue")
    (folder / "image.md").write_bytes(b"\xff\xfe\x00")
    result = run("sync", str(folder), code=1)
    assert "at most 2,000 characters" in result.stderr
    assert "image.md: left out" in result.stderr
    assert contents(memsite) == ["The fence is blue"]


def test_a_folder_of_another_end_user_is_refused_and_a_dry_run_changes_nothing(memsite: Memsite, folder: Path) -> None:
    memsite.create_memory("Ann is vegan", user_id="ann")
    assert run("sync", str(folder), "--user", "ann", "--dry-run").stdout == "Ann is vegan: new here\n"
    assert files(folder) == []
    run("sync", str(folder), "--user", "ann")
    assert "Take another folder" in run("sync", str(folder), code=1).stderr


def test_front_matter_is_read_as_it_is_written() -> None:
    note = parse(
        Path("a.md"),
        "\ufeff---\r\nid: \"x\"\r\nsubject: 'it''s'\r\ntags: [\"a, b\", '#c', d]\r\ncss: x\r\n---\r\nText\r\n",
    )
    assert (note.id, note.body, note.others) == ("x", "Text", ["css: x"])
    assert note.values == {"subject": "it's", "tags": ["a, b", "c", "d"]}
    assert parse(Path("a.md"), note.text()).values == note.values
    assert parse(Path("a.md"), "--- \nno end").body == "--- \nno end"


@pytest.mark.parametrize(
    ("text", "name"),
    [("../../etc/passwd", "etc passwd"), ("con.txt", "_con.txt"), ("???", "1234"), ("a" * 90, "a" * 60)],
)
def test_names_of_files_stay_in_the_folder(text: str, name: str) -> None:
    assert file_name(text, "1234") == name
