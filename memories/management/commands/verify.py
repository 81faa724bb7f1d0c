"""`manage.py verify [FILE]`: whether a backup, or the site, is whole, and what is damaged can be made anew."""

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.maintain.derived import damage_in, damage_in_copy, here, mend_all, named
from memories.management import plain_errors
from memsite.config.conf import MANAGE
from memsite.ops.backup import BackupError, check_backup


class Command(BaseCommand):
    help = (
        "Read all of a backup and say whether it is whole; without FILE, look at what the site has derived from its "
        "memories (vectors, indexes, summaries, counts). On SQLite writers wait for two seconds per 100,000 memories."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="?")
        parser.add_argument("--repair", action="store_true", help="make what is damaged on the site anew, now")

    def handle(self, *args: Any, file: Path | None, repair: bool, **options: Any) -> str:
        if file is None:
            with plain_errors():
                return look_at_site(repair)
        if repair:
            raise CommandError(
                "A backup is not changed: --repair goes without a FILE. Restore it, then repair the site."
            )
        try:
            checked = check_backup(file, damage_in_copy)
        except BackupError as error:
            raise CommandError(str(error)) from error
        rows = f"{sum(checked.rows.values()):,} rows in {len(checked.rows)} tables."
        if checked.damaged:
            raise CommandError(
                f"{file} holds all that is not derived: {rows} Damaged: {named(checked.damaged)}. It can be restored; "
                f"what is damaged is made anew then, at once by `{MANAGE} verify --repair`."
            )
        age = f" It is of an older version: after `restore`, run `{MANAGE} setup`." if checked.is_older else ""
        return f"{file} is whole: {rows}{age}"


def look_at_site(repair: bool) -> str:
    damaged: Mapping[str, Counter[int]] = damage_in(here(thorough=True))
    if not damaged:
        return "All that is derived from memories is whole."
    if not repair:
        raise CommandError(
            f"Damaged: {named(damaged)}. Nothing is lost: it is made anew by the next night, or now with --repair."
        )
    mended = mend_all(damaged)
    left = damage_in(here(thorough=True))
    if left:
        raise CommandError(f"Still damaged: {named(left)}. The log says why.")
    return f"Made anew: {', '.join(f'{name} ({count:,})' for name, count in mended.items())}."
