"""What is deleted for good while a file is written or taken in does not come back."""

from __future__ import annotations

from typing import Any

import pytest

from memories.agent import CannotImport, StillPurging, porting
from memories.models import ImportPart, Memory, Purge
from memories.portable import export as writing_files
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app
from tests.memories.portable.moving import agent_of, export, lines, take_in
from tests.upkeep import do


@pytest.fixture
def secret(alice: Caller) -> str:
    alice.remember("Whales sing")
    return str(alice.remember("A secret of zqneedle", user_id="ann")["id"])


def test_a_file_is_written_again_when_something_was_deleted_meanwhile(
    alice: Caller, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = []
    write_rows = writing_files.write_rows

    def delete_then_write(*arguments: Any) -> Any:
        counts = write_rows(*arguments)
        if not times:
            alice.delete(f"memories/{secret}")
        times.append(counts)
        return counts

    monkeypatch.setattr(writing_files, "write_rows", delete_then_write)
    assert b"zqneedle" not in export(alice.app)
    assert [counts["memory"] for counts in times] == [2, 1]


def test_where_that_does_not_end_there_is_no_file(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows = writing_files.write_rows

    def write_and_delete(*arguments: Any) -> Any:
        alice.delete(f"memories/{alice.remember('For a moment', dedupe=False)['id']}")
        return write_rows(*arguments)

    monkeypatch.setattr(writing_files, "write_rows", write_and_delete)
    with pytest.raises(StillPurging):
        export(alice.app)


def test_what_a_purge_has_hidden_and_not_deleted_yet_is_not_in_the_file(
    alice: Caller, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memories.agent import purging

    monkeypatch.setattr(purging, "MOST_AT_ONCE", -1)
    agent_of(alice.app).purge_user("ann")
    assert Purge.objects.for_app(alice.app).open().exists()
    assert b"zqneedle" not in export(alice.app)
    with pytest.raises(CannotImport, match="still being deleted"):
        take_in(alice.app, export(alice.app))


def test_what_is_being_taken_in_is_stopped_by_a_purge(
    alice: Caller, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = export(alice.app)
    copy = make_app("copy")
    monkeypatch.setattr(porting, "MOST_AT_ONCE", 0)
    row = take_in(copy, content)
    assert row.status == "waiting"
    agent_of(copy).purge_user("ann")
    row.refresh_from_db()
    assert (row.status, row.reason[:28]) == ("stopped", "something was deleted for go")
    assert not ImportPart.objects.exists()
    assert do("imports") == {}
    assert not Memory.objects.for_app(copy).exists()


def test_only_one_import_at_a_time(alice: Caller, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = export(alice.app)
    copy = make_app("copy")
    monkeypatch.setattr(porting, "MOST_AT_ONCE", 0)
    take_in(copy, content)
    with pytest.raises(CannotImport, match="under way"):
        take_in(copy, content)


def test_an_uninstalled_app_takes_nothing_in(alice: Caller, secret: str) -> None:
    content = export(alice.app)
    App.objects.filter(pk=alice.app.pk).update(status="uninstalled")
    with pytest.raises(CannotImport, match="uninstalled"):
        take_in(alice.app, content)
    assert lines(export(alice.app))[-1]["type"] == "end"
