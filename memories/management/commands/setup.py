"""`manage.py setup`: makes a data directory ready to serve. Safe to run every time, and twice at once."""

import argparse
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Q
from django.utils import timezone

from memories.management import plain_errors
from memories.management.server_address import USUAL, checked_address, store_address
from memories.models import pgvector_table
from memsite.config.conf import MANAGE, get_conf
from memsite.db.postgres.session import waiting_without_end
from memsite.db.versions import library_note, make_tables, standing
from memsite.tenancy import row_level_security
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent, App, AppPolicy, Scope
from memsite.tenancy.policy import Preset, preset_values

LOGIN, APP_ID, APP_NAME, AGENT_NAME = "operator", "demo", "Demo", "agent"
NOTES_NAME = "first-start.txt"
OUR_APPS = ("tenancy", "agent_sessions", "memories", "jobs", "oauth")
# No page asks for them: redoc's bundle, and what only the developers of Swagger UI read.
NOT_SERVED = ("redoc", "rest_framework", "*.js.map")
COLLECTED = ".collected"
SETUP_LOCK = "memsite setup"
SECRET_KEY_BYTES = 48  # 64 characters
CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aeiou"


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What only the first start shows."""

    password: str
    agent_key: str
    operator_key: str


class Command(BaseCommand):
    help = "Makes the data directory ready: secret key, database, static files and, once, a login and keys."
    # They run below, when there is a secret key for them to find.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--url", default=USUAL, help=f"where the server will be ({USUAL})")
        parser.add_argument(
            "--unattended",
            action="store_true",
            help=f"do not print the first login and keys into a log; {NOTES_NAME} in the data directory has them",
        )

    def handle(self, *args: Any, url: str, unattended: bool, **options: Any) -> None:
        conf, url = get_conf(), checked_address(url)
        with plain_errors():
            conf.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.alone(conf.data_dir / "setup.lock"):
                # Makes the key if there is none; this process was started too early to have read it.
                if not conf.effective_secret_key():
                    self.say(f"Making a secret key: {conf.secret_file}")
                    write_private(conf.secret_file, secrets.token_urlsafe(SECRET_KEY_BYTES) + "\n")
                settings.SECRET_KEY = conf.effective_secret_key()
                self.check()
                with self.alone_in_database():
                    # Most of collecting is compressing, for which the other processors are free meanwhile.
                    with ThreadPoolExecutor(1) as pool:
                        collected = pool.submit(self.collect_static)
                        self.migrate()
                    collected.result()
                    first = first_start(conf.data_dir / NOTES_NAME, url)
                store_address(url)
        if first and not unattended:
            self.stdout.write(welcome(url, first, conf.data_dir / NOTES_NAME))
        else:
            notes = conf.data_dir / NOTES_NAME
            lost = f"gone; `{MANAGE} changepassword` and `{MANAGE} create_key` make new ones"
            lines = {"URL": url}
            if User.objects.filter(username=LOGIN).exists():
                lines["Login"] = LOGIN
            if App.objects.filter(app_id=APP_ID).exists():
                lines["App"] = APP_ID
            lines["Login and keys of the first start"] = str(notes) if notes.is_file() else lost
            self.stdout.write(f"\n{table('Memsite is ready.', lines)}\n")
        if note := library_note():
            self.stdout.write(f"{note}\n")

    def say(self, what: str) -> None:
        self.stdout.write(f"{what} …")
        self.stdout.flush()

    @contextmanager
    def alone(self, path: Path) -> Iterator[None]:
        """Wait for other setups of this data directory. The lock ends with the process, however that ends."""
        with path.open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.say("Waiting for another setup to finish")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextmanager
    def alone_in_database(self) -> Iterator[None]:
        """Wait for setups from other data directories. The lock ends with the connection. SQLite is in ours."""
        if connection.vendor != "postgresql":
            yield
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [SETUP_LOCK])
            if not cursor.fetchone()[0]:
                self.say("Waiting for a setup on another machine to finish")
                # However long it migrates.
                with waiting_without_end():
                    cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [SETUP_LOCK])
        try:
            yield
        finally:
            # After an error of the database nothing can be asked, perhaps; then this program ends, too.
            with suppress(DatabaseError), connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [SETUP_LOCK])

    def migrate(self) -> None:
        executor = MigrationExecutor(connection)
        applied, here = executor.loader.applied_migrations or {}, executor.loader.disk_migrations or {}
        if not applied and not connection.introspection.table_names():
            self.say("Making the database")
            if make_tables(here):
                return
        migrations = standing([(app, name) for app, name in applied if app in OUR_APPS])
        if migrations.unknown:
            raise CommandError(
                "The database is newer than this code, or from before 0.1.0. "
                f"Unknown migrations: {', '.join(migrations.unknown)}. "
                "Update the code, or put back the backup from before the update."
            )
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            self.say(f"Bringing the database up to date: {len(plan)} steps")
            call_command("migrate", verbosity=0, interactive=False)
        if connection.vendor == "postgresql":
            # Also where nothing is migrated: row-level security, which covers pgvector's table, or pgvector may be new.
            pgvector_table.build()
            row_level_security.build()

    def collect_static(self) -> None:
        """Collect only when a file has changed since the last time: collecting takes seconds, asking a moment."""
        stamp = Path(settings.STATIC_ROOT, COLLECTED)
        # Names, sizes and times of all static files, and how they are stored.
        digest = hashlib.sha256(repr((NOT_SERVED, settings.STORAGES["staticfiles"])).encode())
        for finder in get_finders():
            for name, storage in finder.list(list(NOT_SERVED)):
                file = Path(storage.path(name))
                status = file.stat()
                digest.update(f"{file}|{status.st_size}|{status.st_mtime_ns}\n".encode())
        now = digest.hexdigest()
        is_whole = stamp.is_file()
        if is_whole and stamp.read_text() == now:
            return
        self.say("Collecting the pages' static files")
        # What a run that was cut off has left may be half a file, and as new as the whole one: it is not written again.
        stamp.unlink(missing_ok=True)
        ignored = list(NOT_SERVED)
        call_command("collectstatic", verbosity=0, interactive=False, clear=not is_whole, ignore_patterns=ignored)
        stamp.write_text(now)


def first_start(notes: Path, url: str) -> FirstStart | None:
    """Return the login and keys of a new database, all of them or none; None if it has an operator already.

    The notes are written before the transaction ends: killed in between, the next start does it all again.
    """
    with transaction.atomic():
        if User.objects.filter(Q(is_superuser=True) | Q(username=LOGIN)).exists():
            return None
        password = readable_password()
        User.objects.create_superuser(LOGIN, password=password)
        app, is_new = App.objects.get_or_create(app_id=APP_ID, defaults={"name": APP_NAME, "preset": Preset.STANDARD})
        if is_new:
            AppPolicy.objects.create(app=app, **preset_values(Preset.STANDARD))
        agent, _ = Agent.objects.for_app(app).get_or_create(app=app, name=AGENT_NAME)
        agent_key, operator_key = create_key(agent, [Scope.READ, Scope.WRITE]), create_key(None, [Scope.OPERATOR])
        first = FirstStart(password, agent_key.text, operator_key.text)
        headline = f"The first start of Memsite, {timezone.now():%Y-%m-%d %H:%M} UTC"
        write_private(notes, table(headline, secrets_of(url, first)) + "\n")
    return first


def readable_password() -> str:
    """Return six groups of two syllables, 75 bits: easy to read out and to type."""
    groups = ("".join(secrets.choice(CONSONANTS) + secrets.choice(VOWELS) for _ in "12") for _ in range(6))
    return "-".join(groups)


def write_private(path: Path, text: str) -> None:
    """Write the whole file or none of it, to the disk, readable for its owner only. One at a time."""
    new = path.with_name(f".{path.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def welcome(url: str, first: FirstStart, notes: Path) -> str:
    headline = f"Memsite is ready. These are shown only now; they are kept in {notes}."
    body = json.dumps({"content": "Jellyfin takes 60 seconds to start", "subject": "jellyfin"})
    lines = [
        "",
        table(headline, secrets_of(url, first)),
        "",
        "Try it, in another terminal:",
        f"  curl {url}/api/v1/memories -H 'Authorization: Bearer {first.agent_key}' \\",
        f"    -H 'Content-Type: application/json' -d '{body}'",
        f"  .venv/bin/memsite login --url {url}    # with the agent's key",
        "",
    ]
    return "\n".join(lines)


def secrets_of(url: str, first: FirstStart) -> dict[str, str]:
    return {
        "URL": url,
        "Login": LOGIN,
        "Password": first.password,
        "App": APP_ID,
        "Agent": AGENT_NAME,
        "Agent key": first.agent_key,
        "Operator key": first.operator_key,
    }


def table(headline: str, lines: dict[str, str]) -> str:
    width = max(map(len, lines))
    return "\n".join([headline, "", *(f"  {name:<{width}}  {text}" for name, text in lines.items())])
