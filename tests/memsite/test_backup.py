"""Backups: whole or not there, kept for some days, checked, and put back while nobody uses the database."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.utils import ConnectionHandler

from memories.jobs import JOBS
from memories.maintain.derived import damage_in_copy
from memories.models import Memory
from memsite.config import checks
from memsite.db.versions import indexes_of
from memsite.jobs.job import Unclaimed
from memsite.ops.backup import BackupError, check_backup, make_backup, restore_backup, sqlite
from memsite.ops.backup.files import backup_draft_in, is_older, rotate
from memsite.ops.backup.sqlite import unpacking_in
from tests.conftest import make_app, make_caller
from tests.shared_data import module_fixture

of_sqlite = pytest.mark.sqlite("its backups are copies of a file; test_backup_postgres has the other's")
NOW = datetime(2027, 3, 1, 3, tzinfo=UTC)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.MEMSITE = replace(settings.MEMSITE, backup_dir=tmp_path / "backups")
    return tmp_path / "backups"


def build_sites() -> dict[str, bytes]:
    """SQLite's files of a site that nobody has made an app on, and of one with a memory."""

    def file() -> bytes:
        assert connection.connection is not None
        return bytes(connection.connection.serialize())

    new = file()
    make_caller(make_app("acme"), "alice").remember("Whales sing")
    return {"new": new, "lived in": file()}


sites = module_fixture(build_sites)


@pytest.fixture
def live(sites: dict[str, bytes], settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A database of its own in a file, with one memory in it, outside of the test's transaction."""
    yield from in_a_file(sites["lived in"], settings, tmp_path, monkeypatch)


@pytest.fixture
def new(sites: dict[str, bytes], settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The same, but nobody has made an app."""
    yield from in_a_file(sites["new"], settings, tmp_path, monkeypatch)


def in_a_file(data: bytes, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "live" / "memsite.sqlite3"
    path.parent.mkdir()
    path.write_bytes(data)
    own = ConnectionHandler({"default": {**settings.DATABASES["default"], "NAME": str(path)}})["default"]
    for module in ("memsite.ops.backup", "memsite.ops.backup.sqlite"):
        monkeypatch.setattr(f"{module}.connection", own)
    yield path
    own.close()


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    """The files of a folder in which one backup of `live` was made, once that is."""
    return {}


@pytest.fixture
def backup(live: Path, folder: Path, made: dict[str, bytes]) -> Path:
    if not made:
        path = make_backup(folder, NOW).path
        made.update({file.name: file.read_bytes() for file in folder.iterdir()})
        return path
    folder.mkdir(mode=0o700)
    for name, data in made.items():
        (folder / name).write_bytes(data)
    return folder / max(made)


def unpacked(backup: Path) -> Path:
    path = backup.with_name("unpacked.sqlite3")
    with gzip.open(backup) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
    return path


def ask(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


# --- made


@of_sqlite
def test_a_backup_holds_everything_in_one_private_file(live: Path, folder: Path, db: None) -> None:
    made = make_backup(folder, NOW)
    assert made.path == folder / "memsite-20270301T030000Z.sqlite3.gz"
    assert made.bytes == made.path.stat().st_size > 1000
    assert made.rows["memories_memory"] == 1
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert ask(unpacked(made.path), "SELECT content FROM memories_memory") == [("Whales sing",)]
    assert {path.name for path in folder.iterdir()} == {".lock", made.path.name, "unpacked.sqlite3"}
    vector = Memory.objects.get().vectors.get()
    assert ask(folder / "unpacked.sqlite3", "SELECT data FROM memories_vector") == [(bytes(vector.data),)]


@of_sqlite
def test_words_are_found_in_what_was_put_back(backup: Path) -> None:
    text = "SELECT rowid FROM memories_fulltext WHERE memories_fulltext MATCH 'whale'"
    assert len(ask(unpacked(backup), text)) == 1


@of_sqlite
def test_what_was_deleted_before_is_not_in_it(live: Path, folder: Path) -> None:
    with closing(sqlite3.connect(live)) as database:
        database.execute("PRAGMA secure_delete=OFF")
        database.execute("CREATE TABLE flowers (text)")
        database.execute("INSERT INTO flowers VALUES ('Zygomorphic ones have one axis')")
        database.execute("DELETE FROM flowers")
        database.commit()
    assert b"ygomorphi" in live.read_bytes()
    data = unpacked(make_backup(folder, NOW).path).read_bytes()
    assert b"ygomorphi" not in data
    assert b"Whales" in data


@of_sqlite
@pytest.mark.parametrize("statement", ["SELECT 1", "CREATE TABLE django_migrations (id)"])
def test_a_database_that_is_not_of_memsite_is_no_backup(live: Path, folder: Path, statement: str) -> None:
    sqlite.connection.close()
    live.unlink()
    with closing(sqlite3.connect(live)) as database:
        database.execute(statement)
    with pytest.raises(BackupError, match=f"{live} holds nothing of Memsite"):
        make_backup(folder, NOW)
    assert not folder.exists()


@of_sqlite
def test_a_site_without_any_app_is_backed_up(new: Path, folder: Path) -> None:
    assert check_backup(make_backup(folder, NOW).path).rows["tenancy_app"] == 0


def test_inside_a_transaction_it_is_refused(db: None, folder: Path) -> None:
    with pytest.raises(BackupError, match="transaction"):
        make_backup(folder, NOW)


@of_sqlite
def test_a_second_one_at_the_same_time_is_refused(live: Path, folder: Path) -> None:
    with backup_draft_in(folder) as draft:
        draft.write_text("half of it")
        with pytest.raises(BackupError, match="Another backup is being made"):
            make_backup(folder, NOW)
        assert draft.read_text() == "half of it"
    assert make_backup(folder, NOW).path.exists()


@of_sqlite
def test_what_can_be_made_anew_is_named_and_no_reason_to_refuse_a_backup(live: Path, folder: Path) -> None:
    with closing(sqlite3.connect(live)) as database:
        database.execute("UPDATE memories_vector SET data = x'00'")
        database.execute("UPDATE memories_fulltext_data SET block = zeroblob(length(block)) WHERE id > 10")
        database.commit()
    made = make_backup(folder, NOW, look=damage_in_copy)
    assert set(made.damaged) == {"index of words", "vectors"}
    with pytest.raises(CommandError, match=r"Damaged: index of words, vectors \(1\)"):
        call_command("verify", str(made.path))


# --- what goes wrong


@of_sqlite
def test_what_a_killed_one_left_is_cleared_away_and_never_taken_for_a_backup(live: Path, folder: Path) -> None:
    folder.mkdir()
    for name in (".draft", ".draft.sqlite3", ".draft.sqlite3-journal"):
        (folder / name).write_text("half of it")
    made = make_backup(folder, NOW, keep=7)
    assert {path.name for path in folder.iterdir()} == {".lock", made.path.name}


def full_disk(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@of_sqlite
@pytest.mark.parametrize("step", ["shutil.copyfileobj", "os.fsync", "pathlib.Path.replace"])
def test_a_full_disk_leaves_the_last_good_one_alone(
    backup: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = backup.read_bytes()
    with monkeypatch.context() as full:
        full.setattr(step, full_disk)
        with pytest.raises(BackupError, match=r"disk is full.*untouched"):
            make_backup(folder, NOW + timedelta(days=1), keep=1)
    assert backup.read_bytes() == before
    assert {path.name for path in folder.iterdir()} == {".lock", backup.name}


@of_sqlite
def test_a_database_that_fills_the_disk_while_it_is_copied_is_told_of(
    live: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(copy: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(sqlite, "check_copy", refuse)
    with pytest.raises(BackupError, match="disk is full"):
        make_backup(folder, NOW)
    assert {path.name for path in folder.iterdir()} == {".lock"}


@of_sqlite
def test_a_folder_that_cannot_be_made_is_told_of(live: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BackupError, match="file"):
        make_backup(tmp_path / "file" / "backups", NOW)


def test_a_folder_that_cannot_be_written_is_told_when_the_server_starts(
    folder: Path, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checks.check_backups() == []
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, how: access(path, how) and (how == os.F_OK or path != tmp_path))
    (output,) = checks.check_backups()
    assert (output.id, str(folder) in output.msg) == ("memsite.W008", True)
    # The data directory has an error of its own.
    settings.MEMSITE = replace(settings.MEMSITE, data_dir=tmp_path, backup_dir=Path())
    assert checks.check_backups() == []


# --- kept


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_of_the_last_days_the_last_of_each_is_kept(tmp_path: Path) -> None:
    for day, hour in [(1, 3), (2, 3), (4, 3), (4, 9), (5, 1), (5, 2)]:
        (tmp_path / f"memsite-202703{day:02}T{hour:02}0000Z.sqlite3.gz").write_text("")
    (tmp_path / "mine.sqlite3.gz").write_text("")
    rotate(tmp_path, keep=3)
    assert names(tmp_path) == [
        "memsite-20270302T030000Z.sqlite3.gz", "memsite-20270304T090000Z.sqlite3.gz",
        "memsite-20270305T020000Z.sqlite3.gz", "mine.sqlite3.gz",
    ]  # fmt: skip


@of_sqlite
def test_the_job_backs_up_and_rotates(live: Path, folder: Path, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, backup_keep=1)
    folder.mkdir()
    (folder / "memsite-20200101T000000Z.sqlite3.gz").write_text("old")
    run = Unclaimed(until=NOW)
    JOBS["backup"].work(None, run)
    (made,) = [path for path in folder.iterdir() if path.name != ".lock"]
    assert run.counts["bytes"] == made.stat().st_size
    assert run.counts["seconds"] < 60
    assert check_backup(made).rows["tenancy_app"] == 1


@of_sqlite
def test_the_command_says_what_it_made_and_rotates_nothing_elsewhere(live: Path, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "memsite-20200101T000000Z.sqlite3.gz").write_text("old")
    out = StringIO()
    call_command("backup", to=other, stdout=out)
    assert len(names(other)) == 3
    assert "Checked." in out.getvalue()
    assert not folder.exists()


# --- checked


@of_sqlite
def test_a_whole_one_is_said_to_be_whole(backup: Path) -> None:
    out = StringIO()
    call_command("verify", backup, stdout=out)
    assert "is whole" in out.getvalue()
    assert check_backup(backup).is_older is False


@of_sqlite
def test_nothing_of_the_check_is_left(backup: Path, settings: Any) -> None:
    before = names(settings.MEMSITE.data_dir)
    check_backup(backup)
    assert names(settings.MEMSITE.data_dir) == before


@of_sqlite
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.9999])
def test_one_that_was_cut_short_is_refused(backup: Path, share: float) -> None:
    data = backup.read_bytes()
    backup.write_bytes(data[: int(share * len(data))])
    with pytest.raises(CommandError, match="damaged"):
        call_command("verify", backup)


@of_sqlite
def test_a_flipped_bit_is_seen_wherever_it_makes_a_difference(backup: Path) -> None:
    data, seen = backup.read_bytes(), 0
    whole = gzip.decompress(data)
    for place in range(40, len(data), len(data) // 9):
        flipped = data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :]
        backup.write_bytes(flipped)
        try:
            check_backup(backup)
        except BackupError:
            seen += 1
        else:
            # Some bits say how far back zeros are copied from.
            assert gzip.decompress(flipped) == whole
    assert seen > 4


def changed(backup: Path, *statements: str) -> Path:
    """The backup, packed again after these statements."""
    path = unpacked(backup)
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    with path.open("rb") as source, gzip.open(backup, "wb") as target:
        shutil.copyfileobj(source, target)
    path.unlink()
    return backup


@of_sqlite
@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("DELETE FROM memories_vector", "memories_vector has 0 rows, not 1"),
        ("DELETE FROM memories_memory", "points to nothing"),
        ("DROP TABLE memories_purge", "memories_purge has None rows"),
        ("DROP TABLE memsite_backup", "no such table"),
        ("INSERT INTO django_migrations VALUES (999, 'memories', '9999_to_come', '')", "django_migrations has"),
    ],
)
def test_what_does_not_fit_together_is_refused(backup: Path, statement: str, text: str) -> None:
    with pytest.raises(BackupError, match=text):
        check_backup(changed(backup, statement))


@of_sqlite
def test_one_of_a_newer_version_is_refused_and_of_an_older_one_is_told(backup: Path) -> None:
    newer = "INSERT INTO django_migrations VALUES (999, 'memories', '9999_to_come', '')"
    recount = ("UPDATE memsite_backup SET about = json_set(about, '$.rows.django_migrations', "
               "(SELECT count(*) FROM django_migrations))")  # fmt: skip
    older = "DELETE FROM django_migrations WHERE app = 'oauth'"
    assert check_backup(changed(backup, older, recount)).is_older
    with pytest.raises(BackupError, match=r"newer version.*memories\.9999_to_come"):
        check_backup(changed(backup, newer, recount))


def test_one_of_another_program_is_refused() -> None:
    for applied in [set(), {("auth", "0001_initial")}]:
        with pytest.raises(BackupError, match="nothing of Memsite"):
            is_older(applied)


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="no backup"):
        check_backup(tmp_path / "notes.txt")
    for name in ("memsite.sqlite3.gz", "memsite.pgdump"):
        with pytest.raises(BackupError, match=f"{name}: No such file or directory"):
            check_backup(tmp_path / name)
    (tmp_path / "text.sqlite3.gz").write_bytes(gzip.compress(b"not a database" * 100))
    with pytest.raises(BackupError, match="not a database"):
        check_backup(tmp_path / "text.sqlite3.gz")


# --- put back


@pytest.fixture
def database(backup: Path, live: Path) -> Path:
    """Where the database lies of a server that does not run; what is in it is another's."""
    sqlite.connection.close()
    for path in live.parent.iterdir():
        path.unlink()
    with closing(sqlite3.connect(live)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("CREATE TABLE old (word)")
        other.execute("INSERT INTO old VALUES ('before')")
        other.commit()
    return live


@of_sqlite
def test_it_takes_the_place_of_the_database_which_is_kept_beside(backup: Path, database: Path) -> None:
    indexes_of(database).mkdir()
    (indexes_of(database) / "1.index").write_text("of the one before")
    restored = restore_backup(backup, NOW)
    assert ask(database, "SELECT content FROM memories_memory") == [("Whales sing",)]
    assert ask(database, "SELECT name FROM sqlite_master WHERE name = 'memsite_backup'") == []
    assert restored.saved_as == database.with_name("memsite.sqlite3.before-20270301T030000Z")
    assert ask(restored.saved_as, "SELECT word FROM old") == [("before",)]
    assert names(database.parent) == ["memsite.sqlite3", restored.saved_as.name]
    assert stat.S_IMODE(database.stat().st_mode) == 0o600


@of_sqlite
def test_on_a_new_machine_there_is_nothing_to_keep(backup: Path, database: Path) -> None:
    database.unlink()
    assert restore_backup(backup, NOW).saved_as is None
    assert names(database.parent) == ["memsite.sqlite3"]


@of_sqlite
def test_it_is_refused_while_anybody_is_connected(backup: Path, database: Path) -> None:
    with closing(sqlite3.connect(database)) as server:
        server.execute("SELECT * FROM old").fetchall()
        with pytest.raises(CommandError, match="stop the server"):
            call_command("restore", backup)
    assert ask(database, "SELECT word FROM old") == [("before",)]
    assert names(database.parent) == ["memsite.sqlite3"]
    call_command("restore", backup, stdout=StringIO())


@of_sqlite
def test_a_damaged_database_is_replaced_and_kept_with_its_log(backup: Path, database: Path) -> None:
    database.write_bytes(b"no database any more" * 1000)
    database.with_name("memsite.sqlite3-wal").write_bytes(b"what was written last")
    stored = restore_backup(backup, NOW).saved_as
    assert stored is not None
    assert stored.read_bytes().startswith(b"no database")
    assert stored.with_name(f"{stored.name}-wal").read_bytes() == b"what was written last"
    assert ask(database, "SELECT count(*) FROM memories_memory") == [(1,)]


@of_sqlite
@pytest.mark.parametrize("step", ["shutil.copyfileobj", "os.fsync", "os.link", "pathlib.Path.replace"])
def test_whatever_fails_the_database_is_as_it_was(
    backup: Path, database: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as full:
        full.setattr(step, full_disk)
        with pytest.raises(BackupError, match="disk is full"):
            restore_backup(backup, NOW)
    assert ask(database, "SELECT word FROM old") == [("before",)]
    assert "memsite.sqlite3" in names(database.parent)


@of_sqlite
@pytest.mark.parametrize("left", [".restore-20260101T000000Z", ".verify-abc/copy.sqlite3"])
def test_what_a_killed_one_left_is_cleared_away_by_the_next(backup: Path, database: Path, left: str) -> None:
    copy = database.parent / left
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(b"a copy of all that there is")
    stored = restore_backup(backup, NOW).saved_as
    assert stored is not None
    assert names(database.parent) == ["memsite.sqlite3", stored.name]


@of_sqlite
def test_what_another_one_is_still_at_is_left_alone(backup: Path, database: Path) -> None:
    copy = database.with_name(".restore-20260101T000000Z")
    with unpacking_in(database.parent):
        copy.write_bytes(b"half of it")
        restore_backup(backup, NOW)
        assert copy.exists()


@of_sqlite
def test_what_a_killed_one_left_is_cleared_away_at_night(live: Path, settings: Any, tmp_path: Path) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, data_dir=tmp_path / "data")
    restored, checked = live.with_name(".restore-20260101T000000Z"), tmp_path / "data" / ".verify-abc" / "copy.sqlite3"
    checked.parent.mkdir(parents=True)
    for copy in (restored, checked):
        copy.write_bytes(b"a copy of all that there is")
    run = Unclaimed(NOW)
    JOBS["housekeeping"].work(None, run)
    assert run.counts["copies_dropped"] == 2
    assert names(live.parent) == ["memsite.sqlite3"]
    assert names(tmp_path / "data") == []


@of_sqlite
def test_a_restore_that_was_killed_leaves_nothing_for_good(
    backup: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (child := os.fork()) == 0:
        monkeypatch.setattr(sqlite, "check_file", lambda path: os.kill(os.getpid(), signal.SIGKILL))
        restore_backup(backup, NOW)
    os.waitpid(child, 0)
    assert names(database.parent) == [".restore-20270301T030000Z", "memsite.sqlite3"]
    restore_backup(backup, NOW)
    assert names(database.parent) == ["memsite.sqlite3", "memsite.sqlite3.before-20270301T030000Z"]


@of_sqlite
def test_a_damaged_backup_changes_nothing(backup: Path, database: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-20])
    with pytest.raises(BackupError, match="damaged"):
        restore_backup(backup, NOW)
    assert ask(database, "SELECT word FROM old") == [("before",)]
    assert names(database.parent) == ["memsite.sqlite3"]


# --- in real life


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    return {
        **environment,
        "MEMSITE_DATA_DIR": str(tmp_path / "data"),
        "MEMSITE_SECRET_KEY": "x",
        "MEMSITE_EMBEDDER": "hash",
    }


def manage(home: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(command, env=home, capture_output=True, text=True, check=False)  # noqa: S603  # our own


@pytest.mark.long
@of_sqlite
def test_under_load_each_backup_is_one_moment_of_the_database_and_killed_ones_leave_nothing(
    home: dict[str, str], tmp_path: Path
) -> None:
    """A writer keeps two tables in step; backups are made meanwhile, some of them killed; then one is put back."""
    data = tmp_path / "data"
    data.mkdir()
    assert manage(home, "migrate").returncode == 0
    writing, is_over = (
        threading.Thread(target=lambda: keep_writing(data / "memsite.sqlite3", is_over)),
        threading.Event(),
    )
    writing.start()
    try:
        for seconds in (0.6, 1.2, 0.9):
            killed = subprocess.Popen([sys.executable, str(ROOT / "manage.py"), "backup"], env=home)  # noqa: S603
            try:
                killed.wait(seconds)
            except subprocess.TimeoutExpired:
                killed.send_signal(signal.SIGKILL)
                killed.wait()
        made = manage(home, "backup")
        refused = manage(home, "restore", str(newest(data)))
    finally:
        is_over.set()
        writing.join()
    assert made.returncode == 0, made.stderr
    assert "stop the server" in refused.stderr
    assert [path.name for path in (data / "backups").glob(".draft*")] == []
    put_back = manage(home, "restore", str(newest(data)))
    assert put_back.returncode == 0, put_back.stderr
    assert manage(home, "verify", str(newest(data))).returncode == 0
    ((item, other),) = ask(data / "memsite.sqlite3", "SELECT (SELECT count(*) FROM one), (SELECT count(*) FROM other)")
    assert item == other > 0
    (stored,) = data.glob("memsite.sqlite3.before-*")
    ((later,),) = ask(stored, "SELECT count(*) FROM one")
    assert later > item


def newest(data: Path) -> Path:
    return max((data / "backups").glob("memsite-*"))


def keep_writing(path: Path, is_over: threading.Event) -> None:
    with closing(sqlite3.connect(path, isolation_level=None, timeout=20)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE one (text)")
        database.execute("CREATE TABLE other (text)")
        while not is_over.is_set():
            database.execute("BEGIN IMMEDIATE")
            database.execute("INSERT INTO one VALUES (hex(randomblob(2000)))")
            database.execute("INSERT INTO other VALUES (hex(randomblob(2000)))")
            database.execute("COMMIT")
