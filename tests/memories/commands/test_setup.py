"""`manage.py setup`: a first start, later starts, broken starts and starts at once."""

import errno
import os
import re
import stat
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.conf.global_settings import STATICFILES_FINDERS
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from memories.management.commands import setup
from memories.management.server_address import checked_address, known_address
from memsite.ops.backup.postgres import address, password
from memsite.tenancy.keys import find_key
from memsite.tenancy.models import ApiKey, App

ROOT = Path(__file__).resolve().parent.parent.parent.parent
KEY = re.compile(r"\bmst_\w+")
# A real start, but for the seconds that compressing every static file takes.
QUICK_SETTINGS = """
from memsite.config.settings import *
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
"""


@pytest.fixture
def data_dir(settings, tmp_path):
    """Where the next start looks: a directory that is not there yet, and no secret key."""
    settings.MEMSITE = replace(settings.MEMSITE, data_dir=tmp_path / "data", secret_key="")
    settings.SECRET_KEY = settings.SECRET_KEY
    settings.STATIC_ROOT = settings.MEMSITE.data_dir / "static"
    # One static file: of the hundreds that apps bring none, unless a test says so.
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATICFILES_DIRS = [tmp_path / "pages"]
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "one.css").touch()
    return settings.MEMSITE.data_dir


@pytest.fixture
def start(db, data_dir):
    def run(**options: bool) -> str:
        out = StringIO()
        call_command("setup", stdout=out, **options)
        return out.getvalue()

    return run


def test_a_sqlite_with_a_rare_bug_is_noted_at_the_end(start, monkeypatch):
    monkeypatch.setattr(setup, "library_note", lambda: "A calm line.")
    assert start().endswith("A calm line.\n")


def value(text: str, name: str) -> str:
    match = re.search(rf"^  {name} +(.+)$", text, re.MULTILINE)
    assert match, text
    return match[1]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_first_start_prints_a_login_and_keys_that_work(start, settings):
    settings.STATICFILES_FINDERS = STATICFILES_FINDERS
    displayed = start()
    assert Path(settings.STATIC_ROOT, "admin", "css", "base.css").exists()
    user = User.objects.get(username=value(displayed, "Login"))
    assert user.check_password(value(displayed, "Password"))
    assert user.is_superuser
    agent_key = find_key(value(displayed, "Agent key"), timezone.now())
    assert (agent_key.agent.app.app_id, agent_key.agent.name) == ("demo", "agent")
    assert agent_key.scopes == ["read", "write"]
    operator_key = find_key(value(displayed, "Operator key"), timezone.now())
    assert (operator_key.agent, operator_key.scopes) == (None, ["operator"])


def test_first_start_keeps_what_it_printed_where_only_the_owner_reads_it(start, data_dir):
    displayed = start()
    notes = data_dir / "first-start.txt"
    assert mode(notes) == 0o600
    assert set(KEY.findall(displayed)) == set(KEY.findall(notes.read_text()))
    assert value(notes.read_text(), "Password") == value(displayed, "Password")


def test_where_nobody_reads_along_nothing_secret_gets_into_the_log(start, data_dir):
    answer, notes = start(unattended=True), (data_dir / "first-start.txt").read_text()
    assert not KEY.search(answer)
    assert value(notes, "Password") not in answer
    assert str(data_dir / "first-start.txt") in answer
    assert User.objects.get().check_password(value(notes, "Password"))


def test_data_directory_is_for_its_owner_only(start, data_dir):
    start()
    assert mode(data_dir) == 0o700


def test_secret_key_is_long_private_and_used_at_once(start, data_dir, settings):
    start()
    secret = data_dir / "secret.key"
    assert mode(secret) == 0o600
    assert len(secret.read_text().strip()) >= 50
    assert settings.SECRET_KEY == secret.read_text().strip() == settings.MEMSITE.effective_secret_key()


def test_given_secret_key_is_written_nowhere(start, data_dir, settings):
    settings.MEMSITE = replace(settings.MEMSITE, secret_key="given")
    start()
    assert not (data_dir / "secret.key").exists()


def test_empty_secret_file_is_filled(start, data_dir):
    data_dir.mkdir()
    (data_dir / "secret.key").touch()
    start()
    assert len((data_dir / "secret.key").read_text()) > 50


def test_later_start_changes_nothing_and_shows_no_secret(start, data_dir):
    first = start()
    notes, secret = (data_dir / "first-start.txt").read_text(), (data_dir / "secret.key").read_text()
    later = start()
    assert not KEY.search(later)
    assert value(first, "Password") not in later
    assert value(later, "Login and keys of the first start") == str(data_dir / "first-start.txt")
    assert (value(later, "Login"), value(later, "App")) == ("operator", "demo")
    assert (data_dir / "first-start.txt").read_text() == notes
    assert (data_dir / "secret.key").read_text() == secret
    assert (User.objects.count(), App.objects.count(), ApiKey.objects.count()) == (1, 1, 2)


def test_later_start_without_the_notes_says_how_to_make_new_ones(start, data_dir):
    start()
    (data_dir / "first-start.txt").unlink()
    assert "create_key" in value(start(), "Login and keys of the first start")


def test_url_is_the_one_given(db, data_dir):
    out = StringIO()
    call_command("setup", url="http://127.0.0.1:9000", stdout=out)
    assert value(out.getvalue(), "URL") == "http://127.0.0.1:9000"
    assert "curl http://127.0.0.1:9000/api/v1/memories" in out.getvalue()
    assert known_address() == "http://127.0.0.1:9000"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("memory.example.org", "neither http:// nor https://"),
        ("ftp://memory.example.org", "neither http:// nor https://"),
        ("", "neither http:// nor https://"),
        ("http://", "no host"),
        ("http://:8000", "no host"),
        ("http://memory example", "blanks"),
        ("http://memory.example.org:99999", "port"),
        ("http://memory.example.org:eighty", "port"),
        ("http://[::1", "IPv6"),
        ("https://me:secret@memory.example.org", "password"),
        ("https://memory.example.org/?x=1", "follow"),
    ],
)
def test_what_can_be_no_address_is_refused_before_anything_is_made(data_dir, url, reason):
    with pytest.raises(CommandError, match=rf"--url .*{reason}.*such as"):
        call_command("setup", url=url)
    assert not data_dir.exists()


@pytest.mark.parametrize("url", ["http://[::1]:9000", "https://memory.example.org/memsite", "https://münchen.example"])
def test_an_address_loses_no_more_than_its_last_slash(url):
    assert checked_address(f"{url}/") == url


def test_other_superusers_installation_gets_no_second_login(start):
    User.objects.create_superuser("ada", password="a long enough password")
    assert not KEY.search(start())
    assert not User.objects.filter(username="operator").exists()


@pytest.mark.parametrize("step", ["create_key", "write_private"])
def test_first_start_that_was_stopped_midway_is_completed_by_the_next(start, monkeypatch, settings, step):
    settings.MEMSITE = replace(settings.MEMSITE, secret_key="given")
    with monkeypatch.context() as patch:
        patch.setattr(setup, step, stop)
        with pytest.raises(KeyboardInterrupt):
            start()
    assert not User.objects.exists()
    assert not App.objects.exists()
    assert find_key(value(start(), "Agent key"), timezone.now())


def stop(*_):
    raise KeyboardInterrupt


def test_notes_of_a_start_that_did_not_end_are_replaced(start, data_dir):
    data_dir.mkdir()
    (data_dir / "first-start.txt").write_text("  Password  was-never-one\n")
    displayed = start()
    assert value((data_dir / "first-start.txt").read_text(), "Password") == value(displayed, "Password")


def test_newer_database_is_left_alone(start):
    MigrationRecorder.Migration.objects.create(app="memories", name="9999_from_the_future")
    with pytest.raises(CommandError, match=r"newer than this code.*memories\.9999_from_the_future.*Update"):
        start()
    assert not User.objects.exists()


def test_data_directory_that_cannot_be_made_is_told(start, data_dir):
    data_dir.write_text("a file")
    with pytest.raises(CommandError, match=f"{data_dir}.*MEMSITE_DATA_DIR"):
        start()


def test_full_disk_is_told_and_leaves_no_half_file(start, data_dir, monkeypatch):
    def no_space(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        with pytest.raises(CommandError, match="disk is full"):
            start()
    assert not (data_dir / "secret.key").exists()
    assert "Agent key" in start()


def test_static_files_are_collected_only_when_one_has_changed(start, settings, tmp_path):
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "page.css").write_text("a {}")
    settings.STATICFILES_DIRS = [sources]
    assert "Collecting" in start()
    assert Path(settings.STATIC_ROOT, "page.css").read_text() == "a {}"
    assert "Collecting" not in start()
    (sources / "page.css").write_text("body {}")
    os.utime(sources / "page.css", (2_000_000_000, 2_000_000_000))
    assert "Collecting" in start()
    assert Path(settings.STATIC_ROOT, "page.css").read_text() == "body {}"


@pytest.mark.parametrize("is_later", [False, True], ids=["first", "later"])
def test_a_static_file_that_a_full_disk_left_half_is_collected_anew(start, settings, tmp_path, monkeypatch, is_later):
    sources = tmp_path / "sources"
    sources.mkdir()
    settings.STATICFILES_DIRS = [sources]
    (sources / "first.css").touch()
    if is_later:
        start()
    (sources / "page.css").write_text("body {}")

    def no_space(*_, **__):
        Path(settings.STATIC_ROOT).mkdir(exist_ok=True)
        Path(settings.STATIC_ROOT, "page.css").write_text("bo")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(setup, "call_command", no_space)
        patch.setattr(setup.Command, "migrate", lambda _: None)
        with pytest.raises(CommandError, match="disk is full"):
            start()
    start()
    assert Path(settings.STATIC_ROOT, "page.css").read_text() == "body {}"


def test_passwords_are_readable_and_never_the_same():
    passwords = {setup.readable_password() for _ in range(100)}
    assert len(passwords) == 100
    assert all(re.fullmatch(r"([a-z]{4}-){5}[a-z]{4}", password) for password in passwords)


@pytest.mark.postgres("SQLite is in the data directory, which has a lock of its own")
def test_a_setup_from_another_data_directory_is_waited_for(start, monkeypatch):
    """Held by another connection until the setup says that it waits."""
    answer = []
    with psycopg.connect(address(), password=password() or None, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [setup.SETUP_LOCK])

        def say(self, what: str) -> None:
            answer.append(what)
            if what.startswith("Waiting for a setup on another machine"):
                assert not User.objects.exists()
                other.close()

        monkeypatch.setattr(setup.Command, "say", say)
        start()
    assert answer[1].startswith("Waiting for a setup on another machine")
    assert User.objects.exists()
    # It is let go of.
    with psycopg.connect(address(), password=password() or None, autocommit=True) as other:
        (free,) = other.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [setup.SETUP_LOCK]).fetchone()
    assert free


@pytest.mark.long
def test_two_first_starts_at_once_make_one_installation(tmp_path):
    """In processes of their own, as they are: without a secret key, on an empty directory."""
    (tmp_path / "quick_settings.py").write_text(QUICK_SETTINGS)
    retained = {name: text for name, text in os.environ.items() if not name.startswith("MEMSITE_")}
    environment = retained | {
        "MEMSITE_DATA_DIR": str(tmp_path / "data"),
        "MEMSITE_EMBEDDER": "hash",
        "DJANGO_SETTINGS_MODULE": "quick_settings",
        "PYTHONPATH": str(tmp_path),
    }
    command = [sys.executable, str(ROOT / "manage.py")]
    both = [
        subprocess.Popen([*command, "setup"], env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603
        for _ in range(2)
    ]
    displayed = [process.communicate(timeout=600)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(len(KEY.findall(text)) > 0 for text in displayed) == [False, True]
    assert "Bringing the database up to date" not in "".join(displayed)
    following = subprocess.run(  # noqa: S603
        [*command, "check", "--fail-level", "WARNING"], env=environment, capture_output=True, text=True
    )
    assert following.returncode == 0, following.stderr
