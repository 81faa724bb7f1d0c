"""What is deleted for good while a file is written or taken in does not come back."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.utils import timezone

from memories.import_export import export as writing_files
from memories.models import Import, ImportPart, Memory, Purge
from memories.services import CannotImport, StillPurging, import_export
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App, AppPolicy
from sessions.models import AgentSession
from tests.conftest import Caller, make_app
from tests.memories.import_export.moving import agent_of, export, lines, take_in
from tests.other_connection import has_to_wait
from tests.talking import tables_with
from tests.upkeep import do, upkeep_purge


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
    from memories.services import administration

    monkeypatch.setattr(administration, "PURGE_BATCH", -1)
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
    monkeypatch.setattr(import_export, "MOST_AT_ONCE", 0)
    row = take_in(copy, content)
    assert row.status == "waiting"
    agent_of(copy).purge_user("ann")
    row.refresh_from_db()
    assert (row.status, row.reason[:28]) == ("stopped", "something was deleted for go")
    assert not ImportPart.objects.exists()
    assert do("imports") == {}
    assert not Memory.objects.for_app(copy).exists()


@pytest.mark.parametrize("late", ["policy", "memory"])
def test_a_worker_that_comes_late_brings_nothing_back(
    alice: Caller, secret: str, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    """Another has taken in what it was just reading, and somebody has changed and deleted what came of it."""
    copy, read, late_ones = make_app("copy"), ImportPart.read, list[ImportPart]()
    monkeypatch.setattr(import_export, "MOST_AT_ONCE", 0)
    row = take_in(copy, export(alice.app))

    def read_slowly(part: ImportPart) -> list[dict[str, Any]]:
        rows = read(part)
        if rows[0]["type"] == late and not late_ones:
            late_ones.append(part)
            do("imports")
            AppPolicy.objects.filter(app=copy).update(memory_limit=7)
            agent_of(copy).forget_each(Memory.objects.for_app(copy).values_list("pk", flat=True))
        return rows

    monkeypatch.setattr(ImportPart, "read", read_slowly)
    agent_of(copy).carry_on(row, Unclaimed(until=timezone.now()))
    assert len(late_ones) == 1
    assert (row.status, row.done) == ("done", row.lines)
    assert not Memory.objects.for_app(copy).exists()
    assert AppPolicy.objects.get(app=copy).memory_limit == 7


CHATS = [
    {
        "uuid": "c1", "name": "Whales", "created_at": "2026-03-01T10:00:00Z",
        "chat_messages": [{"uuid": "m1", "sender": "human", "text": "Whales sing"}],
    }
]  # fmt: skip


@pytest.mark.parametrize("source", ["mem0", "claude"])
def test_nor_anything_of_another_systems_file(acme: App, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    read, late_ones = ImportPart.read, list[ImportPart]()
    monkeypatch.setattr(import_export, "MOST_AT_ONCE", 0)
    row = take_in(acme, mem0("Whales sing") if source == "mem0" else json.dumps(CHATS).encode(), source)

    def read_slowly(part: ImportPart) -> list[dict[str, Any]]:
        rows = read(part)
        if not late_ones:
            late_ones.append(part)
            do("imports")
            assert tables_with("whales")
            agent_of(acme).purge_memories()
            for session in AgentSession.objects.for_app(acme):
                agent_of(acme).purge_session(session)
            upkeep_purge()
        return rows

    monkeypatch.setattr(ImportPart, "read", read_slowly)
    agent_of(acme).carry_on(row, Unclaimed(until=timezone.now()))
    assert len(late_ones) == 1
    assert tables_with("whales") == set()


@pytest.mark.postgres("SQLite's writers wait for each other anyway")
@pytest.mark.django_db(transaction=True)
def test_a_conversation_is_not_deleted_just_before_it_is_opened(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be opened anew, and stay empty."""
    opened, waited = import_export.session_for, list[bool]()

    def open_late(*given: Any) -> Any:
        waited.append(has_to_wait(lambda: agent_of(acme).purge_memories()))
        return opened(*given)

    monkeypatch.setattr(import_export, "session_for", open_late)
    assert take_in(acme, json.dumps(CHATS).encode(), "claude").status == "done"
    assert waited == [True]


def test_facts_that_two_workers_take_in_at_once_are_there_once(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one stores them when the first one has, but before it has noted that."""
    monkeypatch.setattr(import_export, "MOST_AT_ONCE", 0)
    row = take_in(acme, mem0("Whales sing"), "mem0")
    remember, note, workers = (
        import_export.ImportExportService.remember_sifted,
        import_export.ImportExportService.note_taken,
        ["first", "second"],
    )

    def remember_second(self: Any, *given: Any) -> Any:
        if workers.pop() == "second":
            with pytest.raises(InterruptedError):
                agent_of(acme).carry_on(row, Unclaimed(until=timezone.now()))
        return remember(self, *given)

    def note_second(self: Any, *given: Any) -> None:
        if not workers:
            workers.append("noting")
            raise InterruptedError
        note(self, *given)

    monkeypatch.setattr(import_export.ImportExportService, "remember_sifted", remember_second)
    monkeypatch.setattr(import_export.ImportExportService, "note_taken", note_second)
    agent_of(acme).carry_on(row, Unclaimed(until=timezone.now()))
    assert [memory.content for memory in Memory.objects.for_app(acme)] == ["Whales sing"]
    assert (row.status, row.done, row.counts["memory"]) == ("done", 1, {"new": 1})


def test_only_one_import_at_a_time(alice: Caller, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = export(alice.app)
    copy = make_app("copy")
    monkeypatch.setattr(import_export, "MOST_AT_ONCE", 0)
    take_in(copy, content)
    with pytest.raises(CannotImport, match="under way"):
        take_in(copy, content)


class Slow(BytesIO):
    """A file in whose reading something else comes in between."""

    def __init__(self, content: bytes, between: Callable[[], object]) -> None:
        super().__init__(content)
        self.between = between

    def read(self, size: int | None = -1, /) -> bytes:
        if size and size > 4:
            between, self.between = self.between, lambda: None
            between()
        return super().read(size)


def mem0(*texts: str) -> bytes:
    return json.dumps([{"id": text, "memory": text} for text in texts]).encode()


def test_of_two_imports_that_are_read_at_once_one_has_to_come_again(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_export, "MOST_AT_ONCE", 0)
    slow = Slow(mem0("Whales sing"), lambda: take_in(acme, mem0("Bears sleep"), "mem0"))
    with pytest.raises(CannotImport, match="under way"):
        agent_of(acme).begin_import(slow, "mem0")
    do("imports")
    assert [memory.content for memory in Memory.objects.for_app(acme)] == ["Bears sleep"]
    assert Import.objects.for_app(acme).count() == 1


def test_what_came_with_another_file_while_one_was_read_is_not_taken_back_with_it(acme: App) -> None:
    slow = Slow(mem0("Whales sing"), lambda: take_in(acme, mem0("Bears sleep"), "mem0"))
    row = agent_of(acme).begin_import(slow, "mem0")
    assert row.status == "done"
    assert agent_of(acme).roll_back("import", str(row.uid)).counts == {"withdrawn": 1}
    assert [memory.content for memory in Memory.objects.for_app(acme).active()] == ["Bears sleep"]


def test_an_uninstalled_app_takes_nothing_in(alice: Caller, secret: str) -> None:
    content = export(alice.app)
    App.objects.filter(pk=alice.app.pk).update(status="uninstalled")
    with pytest.raises(CannotImport, match="uninstalled"):
        take_in(alice.app, content)
    assert lines(export(alice.app))[-1]["type"] == "end"
