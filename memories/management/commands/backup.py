"""`manage.py backup`: a copy of the whole database, made while the server runs."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories.maintain.derived import damage_in_copy, named
from memories.management import plain_errors
from memsite.config.conf import MANAGE, get_conf
from memsite.ops.backup import BackupError, make_backup


class Command(BaseCommand):
    help = "Back the whole database up into a file; works while the server runs. docs/backup.md tells more."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--to", type=Path, metavar="DIR", help="another folder than MEMSITE_BACKUP_DIR; nothing is rotated there"
        )

    def handle(self, *args: Any, to: Path | None, **options: Any) -> str:
        conf = get_conf()
        keep = None if to else conf.backup_keep
        try:
            with plain_errors():
                made = make_backup(to or conf.backups, timezone.now(), keep, damage_in_copy)
        except BackupError as error:
            raise CommandError(str(error)) from error
        rows = sum(made.rows.values())
        line = f"{made.path}: {rows:,} rows, {made.bytes / 1e6:,.1f} MB, {made.seconds:.1f} s. Checked"
        if not made.damaged:
            return f"{line}."
        return (
            f"{line}, and damaged: {named(made.damaged)}. Nothing is lost: it is made anew by the next night, or now "
            f"by `{MANAGE} verify --repair`."
        )
