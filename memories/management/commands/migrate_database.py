"""`manage.py migrate_database --from sqlite:///…`: moves a SQLite installation over to PostgreSQL."""

import argparse
from contextlib import ExitStack, suppress
from threading import Event
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.management import plain_errors
from memsite.config.conf import MANAGE
from memsite.db.transactions import Unsure
from memsite.ops.moving import CannotMove, Moved, moved

INTERRUPTED = 130
"""The exit code that shells know."""
NOTHING = "Nothing was moved: begin again when you like."
UNSURE = (
    "It broke off while all was being committed ({}): everything is moved, or nothing. Begin again: if you hear that "
    "there is something in the database already, it was moved, but for what the old server has accepted since."
)
BEHIND = "What its server accepts from now on stays behind: {}."
SIGNED = "Its secret key goes along (MEMSITE_SECRET_KEY, or the file secret.key): sign-ins and webhooks hang on it."
NOBODY_THERE = "Nobody can press it here: end this command instead (Ctrl-C, or kill)."
HELD = "Nobody can write to the old database now. Stop its server, start the new one, then press Enter here."


class Command(BaseCommand):
    help = (
        "Move everything in a SQLite database into the PostgreSQL database of MEMSITE_DATABASE_URL, which is empty but "
        f"for `{MANAGE} migrate`. Its server may run meanwhile. Compared row by row; all or nothing. "
        "docs/postgresql.md tells more."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--from", dest="source", required=True, metavar="URL", help="sqlite:////path/to/memsite.sqlite3"
        )
        parser.add_argument(
            "--hold",
            action="store_true",
            help="once all is moved, let nobody write to the old database until Enter is pressed: stop its server then",
        )

    def handle(self, *args: Any, source: str, hold: bool, **options: Any) -> None:
        with ExitStack() as until_the_end:
            self.report(self.moved(source, until_the_end))
            if hold:
                self.wait_for_enter()
        self.stdout.write(BEHIND.format("keep it stopped" if hold else "stop it, and keep it stopped"))

    def moved(self, source: str, until_the_end: ExitStack) -> Moved:
        try:
            with plain_errors():
                return until_the_end.enter_context(moved(source, self.tell))
        except CannotMove as error:
            raise CommandError(str(error)) from error
        except CommandError as error:
            cause = error.__cause__
            raise CommandError(UNSURE.format(cause) if isinstance(cause, Unsure) else f"{error} {NOTHING}") from error
        except KeyboardInterrupt as error:
            raise CommandError(f"Interrupted. {NOTHING}", returncode=INTERRUPTED) from error

    def tell(self, line: str) -> None:
        self.stdout.write(f"  {line}")
        self.stdout.flush()

    def report(self, move: Moved) -> None:
        rows, meanwhile = sum(move.rows.values()), sum(move.meanwhile.values())
        mended = sum(map(len, move.mended.values()))
        self.stdout.write(f"Moved {rows:,} rows of {len(move.rows)} tables, each compared.")
        if meanwhile:
            self.stdout.write(f"{meanwhile:,} were written, changed or deleted meanwhile: they came along.")
        if mended:
            self.stdout.write(f"{mended:,} held a NUL character, which PostgreSQL cannot: U+FFFD stands for it now.")
        self.stdout.write(SIGNED)

    def wait_for_enter(self) -> None:
        self.stdout.write(HELD)
        self.stdout.flush()
        # All is moved: who ends the waiting, ends only that.
        with suppress(KeyboardInterrupt):
            try:
                input()
            except EOFError:
                self.tell(NOBODY_THERE)
                Event().wait()
