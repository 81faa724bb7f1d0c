"""`manage.py verify FILE`: whether a backup is whole, and can be put back."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memsite.backup import BackupError, check_backup


class Command(BaseCommand):
    help = "Read all of a backup and say whether it is whole."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> str:
        try:
            checked = check_backup(file)
        except BackupError as error:
            raise CommandError(str(error)) from error
        age = " It is of an older version: after `restore`, run `manage.py setup`." if checked.is_older else ""
        return f"{file} is whole: {sum(checked.rows.values()):,} rows in {len(checked.rows)} tables.{age}"
