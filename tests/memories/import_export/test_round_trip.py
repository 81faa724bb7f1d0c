"""An app that was exported, imported elsewhere and exported again is the same, byte for byte."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.apps import apps
from django.test import override_settings
from django.utils import timezone

from memories.import_export import TABLES
from memories.import_export.export import exported_pages
from memories.import_export.restore import restore
from memories.models import Import, ImportPart, Memory, Vector
from memories.services import import_export
from memories.store import writing
from memsite.config.conf import get_conf
from memsite.tenancy.models import App, AppPolicy
from memsite.tenancy.scoping import Scoped
from sessions.models import AgentSession
from tests.api.test_purge import NEEDLE, NEIGHBOUR, furnish
from tests.conftest import Caller, fresh_caller, make_app, make_caller
from tests.documents import added
from tests.memories.import_export.moving import agent_of, export, freeze, joined, lines, take_in, without_header
from tests.shared_data import module_fixture
from tests.upkeep import do, upkeep_embed_missing, upkeep_learn_due, upkeep_summaries


def build_full() -> tuple[Caller, bytes, bytes]:
    """Make an app with something of everything, and its files without and with vectors."""
    app = make_app("full", capture_summaries=True, capture_digest=True, memory_limit=777)
    alice, bob = make_caller(app, "alice"), make_caller(app, "bob")
    for word in (NEEDLE, NEIGHBOUR):
        furnish(alice, word, f"user-{word}@example.org")
    upkeep_learn_due()
    for word in (NEEDLE, NEIGHBOUR):
        alice.post(f"categories/{word}/rewrite?user_id=user-{word}@example.org")
    upkeep_summaries()
    ids = [row["id"] for row in alice.get("memories").json()["results"]]
    alice.post(f"memories/{ids[0]}/links", {"to": ids[1]})
    alice.post("triggers", {"trigger_date": "2199-01-01", "message": "Look again", "memory_ids": ids[:2]})
    bob.remember("Only Bob knows of the owls", visibility="agent", kind="lesson")
    alice.remember("Nobody asks for the whales")
    freeze(alice.app, "Nobody asks for the whales")
    bob.remember("Late to the party", category="timing")
    added(alice, "# Manual\n\nHold the button.\n", "manual.md", external_id="wiki/manual", tags="pump")
    upkeep_embed_missing()
    return alice, export(app), export(app, vectors=True)


built = module_fixture(build_full)


@pytest.fixture
def owner(built: tuple[Caller, bytes, bytes], db: None) -> Caller:
    return fresh_caller(built[0])


@pytest.fixture
def full(owner: Caller) -> App:
    return owner.app


@pytest.fixture
def content(built: tuple[Caller, bytes, bytes]) -> bytes:
    """The file of the app as it is."""
    return built[1]


@pytest.fixture
def content_with_vectors(built: tuple[Caller, bytes, bytes]) -> bytes:
    return built[2]


def test_the_same_bytes_come_out_of_a_copy(full: App, content: bytes) -> None:
    copy = make_app("copy")
    row = take_in(copy, content)
    assert (row.status, row.reason) == ("done", "")
    assert row.done == row.lines == len(lines(content)) - 2
    assert without_header(export(copy)) == without_header(content)
    assert not ImportPart.objects.exists()


def test_what_older_versions_took_is_taken_in_however_large(alice: Caller) -> None:
    memory, session = alice.remember("Whales sing"), alice.start_session(external_id="x")
    large = {"a": "x" * 20_000}
    Memory.objects.filter(uid=memory["id"]).update(metadata=large)
    AgentSession.objects.filter(uid=session["id"]).update(environment=large)
    copy = make_app("copy")
    assert take_in(copy, export(alice.app)).status == "done"
    assert Memory.objects.for_app(copy).get().metadata == large
    assert AgentSession.objects.for_app(copy).get().environment == large


def test_sessions_of_older_servers_are_taken_in(alice: Caller) -> None:
    alice.start_session(external_id="x")
    rows = lines(export(alice.app))
    for row in rows:
        row.pop("shown_since", None)
    copy = make_app("copy")
    assert take_in(copy, joined(rows)).status == "done"
    assert AgentSession.objects.for_app(copy).get().shown_since is None


def test_every_table_is_in_it(content_with_vectors: bytes) -> None:
    counts = Counter(row["type"] for row in lines(content_with_vectors))
    assert [table.name for table in TABLES if not counts[table.name]] == []


LEFT_BEHIND = {
    "ColdText": "told by its memory", "AuditEntry": "of the server", "EnergyUse": "what was spent", "Forgotten": "",
    "HealthReport": "made each month", "Import": "of the server", "ImportPart": "", "LedgerEntry": "what was spent",
    "Membership": "of the server", "Purge": "of the server", "Webhook": "of the server",
    "Delivery": "", "Bridge": "of the server", "RecallCount": "of the server", "Reservation": "",
    "Rollback": "told by revisions", "Alert": "", "AlertRule": "of the server", "SavedView": "of the server",
}  # fmt: skip
COMPUTED = {"id", "app", "look", "change_number", "purged_at", "lease_until", "token"}
OF_VECTORS = {"model", "data", "next_model", "next_data"}


def test_every_table_and_column_is_in_the_file_or_left_behind_on_purpose() -> None:
    exported = {table.model: table for table in TABLES}
    scoped = [model for model in apps.get_models() if issubclass(model, Scoped)]
    assert {model.__name__ for model in scoped} - {model.__name__ for model in exported} == LEFT_BEHIND.keys()
    missing = {
        (model.__name__, column.name)
        for model, table in exported.items()
        for column in model._meta.concrete_fields
        if column.name not in {*table.paths, *COMPUTED, *(OF_VECTORS if table.name == "passage" else ())}
    }
    assert missing == {("Document", "data"), ("Document", "attempts")}, "a file that waits is uploaded again"


def test_the_header_counts_what_follows(content: bytes) -> None:
    header, *rows, end = lines(content)
    assert (header["format"], header["version"], header["app_id"]) == ("memsite", 1, "full")
    assert header["counts"] == Counter(row["type"] for row in rows)
    assert (end["type"], end["lines"], len(end["signature"])) == ("end", len(rows), 64)


def test_a_copy_has_vectors_where_they_were_given(full: App, content_with_vectors: bytes) -> None:
    copy = make_app("copy")
    take_in(copy, content_with_vectors)
    assert without_header(export(copy, vectors=True)) == without_header(content_with_vectors)


def test_vectors_reach_who_read_their_memories_before_they_came(alice: Caller, charlie: Caller) -> None:
    """Searches go on while a file is taken in, part by part."""
    alice.remember("The blue heron fishes at dawn")
    rows = lines(export(alice.app, vectors=True))

    def take(name: str) -> None:
        some = [row for row in rows if row["type"] == name]
        with writing(charlie.app, "operator:olga", timezone.now()) as write:
            restore(write, some, is_fresh=True)

    def search() -> list[str]:
        requested = {"query": "a heron at dawn", "mode": "vector"}
        return [hit["content"] for hit in charlie.post("memories/search", requested).json()["results"]]

    take("agent")
    take("memory")
    assert search() == []
    take("vector")
    assert search() == ["The blue heron fishes at dawn"]


def test_vectors_of_another_length_are_left_out_and_made_anew(alice: Caller) -> None:
    """Else nothing could be compared with them, or with the others."""
    for text in ("Whales sing", "Bears sleep", "Owls hunt"):
        alice.remember(text)
    rows = lines(export(alice.app, vectors=True))
    wrong = [row for row in rows if row["type"] == "vector"][1]
    wrong |= {"dim": 3, "data": b64encode(b"\0" * 12).decode()}
    copy = make_app("copy")
    take_in(copy, joined(rows))
    assert set(Vector.objects.for_app(copy).values_list("dim", flat=True)) == {64}
    assert Vector.objects.for_app(copy).count() == 2
    assert upkeep_embed_missing() == 1


def test_a_search_in_the_past_takes_memories_as_they_are_while_their_history_is_not_there(
    alice: Caller, charlie: Caller
) -> None:
    alice.remember("The blue heron fishes at dawn")
    rows = lines(export(alice.app))
    for name in ("agent", "memory"):
        some = [row for row in rows if row["type"] == name]
        with writing(charlie.app, "operator:olga", timezone.now()) as write:
            restore(write, some, is_fresh=True)
    requested = {"query": "blue heron", "as_of": timezone.now().isoformat()}
    answer = charlie.post("memories/search", requested)
    assert answer.status_code == 200, answer.content
    assert [hit["content"] for hit in answer.json()["results"]] == ["The blue heron fishes at dawn"]


def test_without_vectors_they_are_made_anew(full: App, content: bytes) -> None:
    copy = make_app("copy")
    take_in(copy, content)
    assert upkeep_embed_missing() >= Memory.objects.for_app(copy).warm().count()
    assert [row["type"] for row in lines(export(copy, vectors=True))].count("vector") > 3


def test_a_copy_works_like_the_first(full: App, content: bytes) -> None:
    copy = make_app("copy")
    take_in(copy, content)
    copy.refresh_from_db()
    assert copy.memory_count == Memory.objects.for_app(copy).live().count() > 3
    assert AppPolicy.objects.get(app=copy).memory_limit == 777
    result = agent_of(copy)
    cold = result.memories().get(status="cold")
    assert cold.text == "Nobody asks for the whales"
    caller = make_caller(copy, "dora")
    hits = caller.post("memories/search", {"query": "late party", "mode": "fulltext"}).json()["results"]
    assert [hit["content"] for hit in hits][:1] == ["Late to the party"]


def test_imported_twice_it_is_there_once(full: App, content: bytes) -> None:
    row = take_in(full, content)
    assert row.status == "done"
    assert sum(count.get("new", 0) for count in row.counts.values()) == 0
    assert export(full) == content


def test_what_an_app_has_stays_as_it_is_there(full: App, owner: Caller, content: bytes) -> None:
    memory = next(row for row in lines(content) if row["type"] == "memory" and row["status"] == "active")
    owner.patch(f"memories/{memory['uid']}", {"content": "Said otherwise since"})
    before = export(full)
    take_in(full, content)
    assert export(full) == before


def test_what_was_lost_comes_back(full: App, owner: Caller, content: bytes) -> None:
    lost = next(row for row in lines(content) if row["type"] == "memory" and row["content"] == "Late to the party")
    assert owner.delete(f"memories/{lost['uid']}").status_code in (200, 204)
    take_in(full, content)
    assert owner.get(f"memories/{lost['uid']}").json()["content"] == "Late to the party"
    assert len(owner.get(f"memories/{lost['uid']}/history").json()["results"]) == 1


def test_the_file_of_an_end_user_has_what_is_theirs_and_nothing_else(full: App) -> None:
    user = f"user-{NEEDLE}@example.org"
    content = export(full, user_id=user)
    assert NEEDLE in content.decode()
    assert NEIGHBOUR not in content.decode()
    header, *rows, _ = lines(content)
    assert header["user_id"] == user
    assert "policy" not in header["counts"]
    assert {row["user_id"] for row in rows if row["type"] == "session"} == {user}
    copy = make_app("copy")
    assert take_in(copy, content).status == "done"
    assert without_header(export(copy, user_id=user)) == without_header(content)


def test_a_long_import_is_worked_off_by_the_job(full: App, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_export, "MOST_AT_ONCE", 0)
    copy = make_app("copy")
    assert take_in(copy, content).status == "waiting"
    assert do("imports")["lines"] == len(lines(content)) - 2
    assert Import.objects.for_app(copy).get().status == "done"
    assert without_header(export(copy)) == without_header(content)


def test_it_needs_no_data_directory_that_somebody_has_made(alice: Caller, tmp_path: Path) -> None:
    """Where only `migrate` ran, as on a web machine beside a PostgreSQL, there is none."""
    alice.remember("Whales sing")
    with override_settings(MEMSITE=replace(get_conf(), data_dir=tmp_path / "not" / "there")):
        whole = export(alice.app)
        assert take_in(make_app("copy"), whole).status == "done"
    with override_settings(MEMSITE=replace(get_conf(), data_dir=tmp_path / "nor" / "here")):
        pages = exported_pages(alice.app, None)
    with pages, ZipFile(pages) as archive:
        assert archive.namelist() == ["acme/general.md"]
