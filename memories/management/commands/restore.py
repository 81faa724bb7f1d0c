"""`manage.py restore FILE`: puts a backup in the place of the database, while no server runs."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories.management import plain_errors
from memsite.config.conf import MANAGE
from memsite.ops.backup import BackupError, restore_backup

NO_PGVECTOR = (
    "The backup is of a site with pgvector, which this database's user cannot make: all vectors are there, and each "
    "process searches them itself. To have pgvector again, let an administrator run `CREATE EXTENSION vector` (0.8 "
    f"or newer) in it, then run `{MANAGE} setup`."
)


class Command(BaseCommand):
    help = "Put a backup in the place of the database, which is kept beside it. Stop the server first."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> str:
        try:
            with plain_errors():
                restored = restore_backup(file, timezone.now())
        except BackupError as error:
            raise CommandError(str(error)) from error
        lines = [f"{file} is restored: {sum(restored.checked.rows.values()):,} rows."]
        if restored.saved_as:
            lines.append(f"The database that was there is kept as {restored.saved_as}.")
        if restored.lacks_pgvector:
            lines.append(NO_PGVECTOR)
        if restored.checked.is_older:
            lines.append(f"It is of an older version: run `{MANAGE} setup` before you start the server.")
        return "\n".join(lines)
