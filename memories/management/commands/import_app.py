"""`manage.py import_app`: takes a file into an app, here and now, without a server."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories.import_export.sources import MEMSITE, SOURCES
from memories.management import plain_errors
from memories.management.arguments import agent_name, app_named, end_user
from memories.models import ImportStatus
from memories.services import BadFile, CannotImport, MemoryAgent, UnderWay
from memsite.config.conf import MANAGE
from memsite.jobs.job import Unclaimed

ACTOR = "operator:command"


class Command(BaseCommand):
    help = "Take a file into an app: an export, or what another system has exported. docs/portability.md tells more."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("app", help="by its app_id")
        parser.add_argument("file", type=Path)
        parser.add_argument("--source", choices=list(SOURCES), default=MEMSITE, help="what has written it (memsite)")
        parser.add_argument("--agent", type=agent_name, help="whose conversations they become (import-SOURCE)")
        parser.add_argument("--user", type=end_user, help="the end user they were with, where the file does not tell")

        parser.add_argument(
            "--trust", action="store_true", help="believe an export that this server has not signed in who said what"
        )

    def handle(self, *args: Any, app: str, file: Path, source: str, **options: Any) -> None:
        if options["agent"] and source == MEMSITE:
            raise CommandError("--agent goes with another source: an app's export tells its agents itself.")
        if options["trust"] and source != MEMSITE:
            raise CommandError("--trust goes with an app's export only: nothing else tells who is to be trusted.")
        with plain_errors():
            agent = MemoryAgent(app_named(app), None, ACTOR)
            try:
                with file.open("rb") as content:
                    row = agent.begin_import(
                        content, source, options["agent"] or "", options["user"], trust=options["trust"]
                    )
            except UnderWay as error:
                go_on = f"A running server goes on with it; so does `{MANAGE} run_job imports --app {app}`."
                raise CommandError(f"{error} {go_on}") from error
            except (BadFile, CannotImport) as error:
                raise CommandError(str(error)) from error
            if row.status == ImportStatus.WAITING:
                agent.carry_on(row, Unclaimed(until=timezone.now()))
        for kind, count in row.counts.items():
            numbers = ", ".join(f"{number:,} {name}" for name, number in count.items()) or "nothing new"
            self.stdout.write(f"{kind}: {numbers}")
        if row.status != ImportStatus.DONE:
            raise CommandError(f"The import has {row.status}: {row.reason.rstrip('.')}.")
        self.stdout.write(f"{row.done:,} lines imported.")
