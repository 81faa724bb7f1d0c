"""`manage.py export_app`: an app as a file, without a server."""

import argparse
import gzip
import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.management import plain_errors
from memories.management.arguments import app_named, end_user
from memories.services import MemoryAgent, StillPurging

ACTOR = "operator:command"


class Command(BaseCommand):
    help = "Save everything an app knows and was told into a file. docs/portability.md tells more."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("app", help="by its app_id")
        parser.add_argument("file", type=Path, help="NDJSON; compressed if its name ends in .gz")
        parser.add_argument("--user", type=end_user, help="only what this end user said, and what is known of them")
        parser.add_argument("--vectors", action="store_true", help="with the vectors of memories")

    def handle(self, *args: Any, app: str, file: Path, user: str | None, vectors: bool, **options: Any) -> str:
        place = file.resolve()
        if place.exists() and not place.is_file():
            # A folder has no place to give, and a device must not: it would be a file from then on.
            raise CommandError(f"{file} is no file, whose place an export could take.")
        part = place.with_name(f"{place.name}.part")
        with plain_errors():
            agent = MemoryAgent(app_named(app), None, ACTOR)
            try:
                with agent.export(user_id=user, vectors=vectors) as source, part.open("wb") as out:
                    if file.suffix == ".gz":
                        with gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed:
                            shutil.copyfileobj(source, packed)
                    else:
                        shutil.copyfileobj(source, out)
                part.replace(place)
            except StillPurging as error:
                raise CommandError("Something is being deleted for good all the while: try again later.") from error
            finally:
                part.unlink(missing_ok=True)
        return f"{file}: {place.stat().st_size:,} bytes."
