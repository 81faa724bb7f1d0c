"""`manage.py migrate_database --from sqlite:///…`: moves a SQLite installation over to PostgreSQL."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.management.plain_errors import plain_errors
from memsite.moving import CannotMove, move

INTERRUPTED = 130
"""The exit code that shells know."""
NOTHING = "Nothing was moved: begin again when you like."
AFTERWARDS = (
    "What the old server accepts from now on stays behind: keep it stopped.",
    "Its secret key goes along (MEMSITE_SECRET_KEY, or the file secret.key): sign-ins and webhooks hang on it.",
)


class Command(BaseCommand):
    help = (
        "Move everything in a SQLite database into the PostgreSQL database of MEMSITE_DATABASE_URL, which is empty but "
        "for `manage.py migrate`. Compared row by row; all or nothing. docs/deploy.md tells more."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--from", dest="source", required=True, metavar="URL", help="sqlite:////path/to/memsite.sqlite3"
        )

    def handle(self, *args: Any, source: str, **options: Any) -> str:
        try:
            with plain_errors():
                moved = move(source, self.tell)
        except CannotMove as error:
            raise CommandError(str(error)) from error
        except CommandError as error:
            raise CommandError(f"{error} {NOTHING}") from error
        except KeyboardInterrupt as error:
            raise CommandError(f"Interrupted. {NOTHING}", returncode=INTERRUPTED) from error
        told = [f"Moved {sum(moved.rows.values()):,} rows of {len(moved.rows)} tables, each compared."]
        if moved.mended:
            told.append(f"{moved.mended:,} held a NUL character, which PostgreSQL cannot: U+FFFD stands for it now.")
        told += AFTERWARDS
        return "\n".join(told)

    def tell(self, line: str) -> None:
        self.stdout.write(f"  {line}")
