"""An index is found on the disk by the next process as it was, and never where it tells what is not true any more."""

from __future__ import annotations

import errno
import json
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from mmap import mmap
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from memories.index import app_index, index_cache
from memories.index.app_index import AppIndex
from memories.models import Memory
from memories.retrieve.pipeline import indexes
from memories.store import vacuum
from memories.store.purge import purge_memories, purge_user
from memories.store.vacuum import drop_stale_index_files
from memsite.ops.files import read_about
from memsite.tenancy.models import App, AppStatus
from tests.conftest import Caller, fresh_caller, make_app, make_caller
from tests.memories.retrieve.asking import change, contents, embedder_of, forget, search, store
from tests.shared_data import module_fixture

Read = list[int]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Kept at once, however small."""
    monkeypatch.setattr(vacuum, "index_folder", lambda: tmp_path / "indexes")
    monkeypatch.setattr(index_cache, "LEAST_ROWS", 1)
    monkeypatch.setattr(index_cache, "write_in_background", lambda kind, state, _: index_cache.write_index(kind, state))
    return tmp_path / "indexes"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """How many rows were read from the database, each time that it was asked."""
    counts: Read = []
    changed_between = app_index.changed_between

    def counting(*arguments: Any, **options: Any) -> Any:
        for rows in changed_between(*arguments, **options):
            counts.append(len(rows))
            yield rows

    monkeypatch.setattr(app_index, "changed_between", counting)
    return counts


def build_some() -> Caller:
    alice = make_caller(make_app("acme"), "alice")
    answer = [
        "Whales sing",
        "Bees dance",
        "Cats purr",
        "Owls hoot",
        "Frogs croak",
        "Wolves howl",
        "Crickets chirp",
        "Horses neigh",
        "Geese honk",
        "Mice squeak",
        "Lions roar",
        "Snakes hiss",
    ]
    for number, text in enumerate(answer):
        store(alice, text, subject=text.split()[0], user_id=f"user-{number % 3}" if number % 4 else None)
    return alice


built = module_fixture(build_some)


@pytest.fixture
def alice(built: Caller, db: None) -> Caller:
    return fresh_caller(built)


@pytest.fixture
def some(alice: Caller) -> list[Memory]:
    return list(Memory.objects.for_app(alice.app).order_by("pk"))


def another(caller: Caller) -> AppIndex:
    """That of a process that has just started."""
    caller.app.refresh_from_db()
    embedder = embedder_of(caller)
    return AppIndex(caller.app.pk, embedder.name, embedder.dim, caller.app.index_number)


def path_of(app: App) -> Path:
    path = vacuum.index_file_of(app.pk)
    assert path is not None
    return path


def living(results: AppIndex) -> list[int]:
    columns = results.view().columns
    return sorted(columns.pk[columns.alive].tolist())


# --- what is found


def test_the_next_process_finds_it_and_reads_nothing(alice: Caller, some: list[Memory], read: Read) -> None:
    before = another(alice).view()
    assert read == [len(some)]
    results = another(alice)
    after = results.view()
    assert read == [len(some)]
    assert (after.users.names, after.subjects.names) == (before.users.names, before.subjects.names)
    for name in before.columns.__slots__:
        ours, theirs = getattr(before.columns, name), getattr(after.columns, name)
        assert np.array_equal(ours, theirs), name
        assert ours.dtype == theirs.dtype, name
    assert after.subjects.by_word == before.subjects.by_word


def test_it_is_brought_up_to_date(alice: Caller, some: list[Memory], read: Read) -> None:
    another(alice).view()
    change(alice, some[0], content="Whales sing in the deep")
    fresh = store(alice, "Dogs bark", subject="Dogs")
    results = another(alice)
    assert living(results) == [*[memory.pk for memory in some], fresh.pk]
    assert read == [len(some), 2]
    row, new = results.row_of.get(some[0].pk), results.row_of.get(fresh.pk)
    assert results.columns.length[row] == len("Whales sing in the deep")
    assert results.columns.subject[new] == results.subjects.numbers["Dogs"]
    assert len(set(results.columns.session_number[: results.size].tolist())) == results.size


def test_sessions_go_on_with_their_numbers(charlie: Caller, read: Read) -> None:
    session = charlie.start_session(title="a talk")
    for number in range(20):
        store(charlie, f"Turn {number} of it", session_id=session["id"])
    first = another(charlie)
    first.view()
    store(charlie, "One more of it", session_id=session["id"])
    store(charlie, "Alone")
    results = another(charlie)
    results.view()
    assert read == [20, 2]
    assert results.columns.session_number[: results.size].tolist() == [0] * 21 + [1]
    assert results.sessions.count == 2


def test_what_most_of_was_read_after_all_is_written_anew(alice: Caller, some: list[Memory], read: Read) -> None:
    another(alice).view()
    written = path_of(alice.app).read_bytes()
    store(alice, "Dogs bark")
    another(alice).view()
    assert path_of(alice.app).read_bytes() == written
    store(alice, "Ducks quack")
    another(alice).view()
    assert path_of(alice.app).read_bytes() != written
    another(alice).view()
    assert read == [len(some), 1, 2]


def test_what_most_of_has_changed_since_is_not_used_and_written_anew(
    alice: Caller, some: list[Memory], read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_index, "FEW_CHANGES", 0)
    another(alice).view()
    for memory in some[:7]:
        change(alice, memory, importance=5)
    results = another(alice)
    assert living(results) == [memory.pk for memory in some]
    assert results.size == len(some)
    another(alice).view()
    assert read == [len(some), len(some)]


def test_searches_find_the_same(alice: Caller, some: list[Memory], read: Read) -> None:
    questions = [memory.content for memory in some]
    indexes.by_key.clear()
    before = [contents(search(alice, text)) for text in questions]
    indexes.by_key.clear()
    assert [contents(search(alice, text)) for text in questions] == before
    assert read == [len(some)]
    indexes.by_key.clear()


def test_what_is_written_later_disturbs_neither_the_file_nor_another_process(alice: Caller, some: list[Memory]) -> None:
    another(alice).view()
    written = path_of(alice.app).read_bytes()
    item, other = another(alice), another(alice)
    item.view(), other.view()
    change(alice, some[0], importance=5)
    item.view()
    item.columns.alive[:] = False
    assert path_of(alice.app).read_bytes() == written
    assert living(other) == [memory.pk for memory in some]


def test_who_has_read_it_from_the_database_shares_the_file(alice: Caller, some: list[Memory], read: Read) -> None:
    results = another(alice)
    before = results.view()
    fresh = store(alice, "Dogs bark")
    results.share()
    assert isinstance(results.columns.vectors.base, mmap)
    assert living(results) == [*[memory.pk for memory in some], fresh.pk]
    assert before.size == len(some)
    assert read == [len(some), 1]


def test_small_ones_are_not_kept(alice: Caller, some: list[Memory], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(vacuum, "index_folder", lambda: Path("/nowhere"))
    started: list[object] = []
    monkeypatch.setattr(index_cache, "Thread", started.append)
    another(alice).view()
    assert not started


def test_none_are_kept_where_none_shall(alice: Caller, some: list[Memory], folder: Path, settings: Any) -> None:
    another(alice).view()
    assert list(folder.glob("*.index"))
    settings.MEMSITE = replace(settings.MEMSITE, keep_indexes=False)
    drop_stale_index_files()
    another(alice).view()
    assert not list(folder.glob("*.index"))


def test_they_are_for_their_owner_only(alice: Caller, some: list[Memory], folder: Path) -> None:
    another(alice).view()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(path_of(alice.app).stat().st_mode) == 0o600


def test_each_app_has_its_own(alice: Caller, charlie: Caller, some: list[Memory]) -> None:
    theirs = store(charlie, "Of another app")
    another(alice).view(), another(charlie).view()
    assert living(another(charlie)) == [theirs.pk]
    shutil.copy(path_of(alice.app), path_of(charlie.app))
    assert living(another(charlie)) == [theirs.pk]


# --- what is not true any more


def raise_index_number(caller: Caller) -> None:
    App.objects.filter(pk=caller.app.pk).update(index_number=1)


def change_model(caller: Caller) -> None:
    path = path_of(caller.app)
    head = path.read_bytes()
    model = embedder_of(caller).name.encode()
    path.write_bytes(head.replace(model, b"x" * len(model)))


def go_back(caller: Caller) -> None:
    App.objects.filter(pk=caller.app.pk).update(change_number=3)


def migrate(caller: Caller) -> None:
    MigrationRecorder(connection).record_applied("memories", "9999_something")


def change_meaning(caller: Caller) -> None:
    path = path_of(caller.app)
    path.write_bytes(path.read_bytes().replace(index_cache.MEANING.encode(), b"0" * 16))


def cut(caller: Caller) -> None:
    path = path_of(caller.app)
    path.write_bytes(path.read_bytes()[:-1])


def scramble(caller: Caller) -> None:
    path = path_of(caller.app)
    path.write_bytes(path.read_bytes().replace(b'"capacity"', b'"capacitx"'))


@pytest.mark.parametrize(
    "spoil",
    [raise_index_number, change_model, go_back, migrate, change_meaning, cut, scramble],
)
def test_a_file_of_something_else_is_not_used(
    alice: Caller, some: list[Memory], read: Read, spoil: Callable[[Caller], None]
) -> None:
    another(alice).view()
    spoil(alice)
    assert living(another(alice)) == [memory.pk for memory in some]
    assert read == [len(some)] * 2


def test_a_file_of_a_database_that_was_put_back_since_is_not_used(
    alice: Caller, some: list[Memory], read: Read
) -> None:
    """It may have as many changes by now, but none of the ones before."""
    another(alice).view()
    path = path_of(alice.app)
    index = read_about(path)["revision"][1]
    path.write_bytes(path.read_bytes().replace(index.encode(), index.replace("20", "19", 1).encode()))
    assert living(another(alice)) == [memory.pk for memory in some]
    assert read == [len(some)] * 2


def test_a_file_of_which_something_is_forgotten_is_not_used_and_is_swept(
    alice: Caller, some: list[Memory], read: Read
) -> None:
    another(alice).view()
    forget(alice, some[0])
    assert living(another(alice)) == [memory.pk for memory in some[1:]]
    assert read == [len(some), len(some) - 1]
    # Written anew, without it: nothing in it is gone.
    drop_stale_index_files()
    assert path_of(alice.app).exists()
    forget(alice, some[1])
    drop_stale_index_files()
    assert not path_of(alice.app).exists()


class Rested(Exception):
    pass


@pytest.mark.django_db(transaction=True)
def test_each_host_sweeps_what_was_forgotten_on_another(charlie: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = store(charlie, "Of another app")
    another(charlie).view()
    forget(charlie, theirs)
    assert path_of(charlie.app).exists()
    monkeypatch.setattr(vacuum, "time", Mock(sleep=Mock(side_effect=Rested)))
    with pytest.raises(Rested):
        vacuum.keep_sweeping()
    assert not path_of(charlie.app).exists()


def test_neighbours_keep_theirs(alice: Caller, charlie: Caller, some: list[Memory]) -> None:
    store(charlie, "Of another app")
    another(alice).view(), another(charlie).view()
    forget(alice, some[0])
    drop_stale_index_files()
    assert (path_of(alice.app).exists(), path_of(charlie.app).exists()) == (False, True)


def test_what_is_forgotten_while_it_is_written_is_not_kept(
    alice: Caller, some: list[Memory], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """The sweep may have passed before: nothing of it gets the name, whoever is killed afterwards."""
    write_arrays = index_cache.write_arrays

    def forgotten_meanwhile(*arguments: Any) -> None:
        write_arrays(*arguments)
        forget(alice, some[0])

    monkeypatch.setattr(index_cache, "write_arrays", forgotten_meanwhile)
    monkeypatch.setattr(index_cache, "in_place", lambda *_: pytest.fail("It was given its name."))
    another(alice).view()
    assert {path.name for path in folder.iterdir()} == {".lock"}


def test_what_is_forgotten_at_the_last_moment_is_swept(
    alice: Caller, some: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place = index_cache.in_place

    def forgotten_before(draft: Path, path: Path) -> Path:
        forget(alice, some[0])
        return in_place(draft, path)

    monkeypatch.setattr(index_cache, "in_place", forgotten_before)
    another(alice).view()
    drop_stale_index_files()
    assert not path_of(alice.app).exists()


def test_what_a_purge_hides_is_not_found_and_swept(alice: Caller, some: list[Memory], read: Read) -> None:
    another(alice).view()
    theirs = [memory.pk for memory in some if memory.user_id == "user-1"]
    purge_user(alice.app, "user-1", "test", timezone.now())
    assert living(another(alice)) == [memory.pk for memory in some if memory.pk not in theirs]
    assert read == [len(some), len(some) - len(theirs)]
    assert b"user-1" not in path_of(alice.app).read_bytes()
    purge_memories(alice.app, "test", timezone.now())
    drop_stale_index_files()
    assert not path_of(alice.app).exists()


def test_an_app_that_goes_takes_its_file_along(alice: Caller, some: list[Memory]) -> None:
    another(alice).view()
    App.objects.filter(pk=alice.app.pk).update(status=AppStatus.PURGING)
    drop_stale_index_files()
    assert not path_of(alice.app).exists()


def test_what_a_killed_process_left_is_swept(alice: Caller, some: list[Memory], folder: Path) -> None:
    another(alice).view()
    (folder / ".draft").write_text("half of it")
    drop_stale_index_files()
    assert {path.name for path in folder.iterdir()} == {".lock", path_of(alice.app).name}


# --- what goes wrong


def test_a_file_that_may_not_be_read_hinders_no_search(
    alice: Caller, some: list[Memory], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """Such as one that another user of the machine has made."""
    another(alice).view()

    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        for name in ("open", "stat", "mkdir"):
            patch.setattr(Path, name, refuse)
        patch.setattr(index_cache, "write_in_background", lambda *_: None)
        assert living(another(alice)) == [memory.pk for memory in some]


def test_a_reading_that_broke_off_leaves_no_numbers_behind(
    alice: Caller, some: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next try may find a file, by which end users and subjects have numbers already."""

    def fail(*_: Any) -> list[int]:
        raise DatabaseError("It is away.")

    broken = another(alice)
    with monkeypatch.context() as patch:
        patch.setattr(app_index, "gone_between", fail)
        with pytest.raises(DatabaseError):
            broken.view()
    whole, results = another(alice).view(), broken.view()
    assert (results.users.names, results.subjects.names) == (whole.users.names, whole.subjects.names)
    assert living(broken) == [memory.pk for memory in some]


def test_a_full_disk_hinders_no_search(
    alice: Caller, some: list[Memory], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(index_cache, "write_arrays", full)
    monkeypatch.setattr(index_cache, "write_in_background", index_cache.write_and_close)
    monkeypatch.setattr(index_cache, "connection", Closing())
    assert living(another(alice)) == [memory.pk for memory in some]
    assert {path.name for path in folder.iterdir()} == {".lock"}


class Closing:
    def close(self) -> None:
        pass


def test_what_would_fill_the_disk_is_not_written(
    alice: Caller, some: list[Memory], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "MOST_OF_FREE", 0.0)
    assert living(another(alice)) == [memory.pk for memory in some]
    assert not list(folder.glob("*.index"))


def test_where_no_thread_is_to_be_had_nothing_is_kept(
    alice: Caller, some: list[Memory], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.undo()
    monkeypatch.setattr(vacuum, "index_folder", lambda: folder)
    monkeypatch.setattr(index_cache, "LEAST_ROWS", 1)
    monkeypatch.setattr(index_cache, "Thread", refuse)
    assert living(another(alice)) == [memory.pk for memory in some]
    assert not folder.exists()


def test_who_comes_second_does_not_write_it_again(alice: Caller, some: list[Memory]) -> None:
    first = another(alice)
    first.view()
    written = path_of(alice.app).stat().st_ino
    first.keep()
    assert path_of(alice.app).stat().st_ino == written
    # A few changes are no reason either: it may be shared by now.
    store(alice, "Dogs bark")
    first.view()
    first.keep()
    assert path_of(alice.app).stat().st_ino == written
    store(alice, "Ducks quack")
    first.view()
    first.keep()
    assert path_of(alice.app).stat().st_ino != written


def test_it_is_about_one_app_and_names_no_other(alice: Caller, some: list[Memory]) -> None:
    another(alice).view()
    about = read_about(path_of(alice.app))
    assert about["app"] == alice.app.pk
    assert sorted(about["subjects"]) == sorted(memory.subject or "" for memory in some)
    json.dumps(about)
