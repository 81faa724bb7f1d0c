"""`manage.py import_knowledge_graph`: the file of MCP's reference memory server."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize

from memories.compat.mcp_memory import import_graph
from memories.management import plain_errors
from memories.management.arguments import agent_named, app_named
from memories.services import MemoryAgent
from memories.store import LimitReached
from memsite.http.exceptions import Conflict

MOST_SHOWN, STDIN = 20, "-"


class Command(BaseCommand):
    help = "Imports the file of MCP's reference memory server (memory.jsonl). What is there stays; it may be run again."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--app", required=True, help="app to import into, by its app_id")
        parser.add_argument(
            "--agent", default="agent", help="agent of the app to act as (agent); created if there is none"
        )
        parser.add_argument("file", help="the file; - reads from stdin")

    def handle(self, *args: Any, app: str, agent: str, file: str, **options: Any) -> None:
        with plain_errors():
            lines = lines_of(file)
            owner = agent_named(app_named(app), agent, self.stderr.write)
            try:
                done = import_graph(MemoryAgent(owner.app, owner, f"agent:{owner.name}"), lines)
            except (LimitReached, Conflict) as error:
                raise CommandError(f"{error} What came before that is stored.") from error
        for number, why in done.bad[:MOST_SHOWN]:
            self.stderr.write(f"Line {number}: {why}")
        if len(done.bad) > MOST_SHOWN:
            self.stderr.write(f"… and {len(done.bad) - MOST_SHOWN} more.")
        if not done.total:
            raise CommandError(f"There is no entity and no relation in {file}: is it the right file?")
        entities = f"{done.entities:,} {'entity' if done.entities == 1 else 'entities'}"
        observations = f"{done.observations:,} observation{pluralize(done.observations)}"
        relations = f"{done.relations:,} relation{pluralize(done.relations)}"
        self.stdout.write(f"New: {entities}, {observations}, {relations}.")
        if done.withheld:
            self.stdout.write(f"{done.withheld:,} more wait{pluralize(done.withheld, 's,')} for a person's decision.")


def lines_of(file: str) -> list[str]:
    try:
        with Path(file).open(encoding="utf-8-sig") if file != STDIN else nullcontext(sys.stdin) as lines:
            return list(lines)
    except UnicodeDecodeError as error:
        raise CommandError(f"{file} is no text in UTF-8: is it the right file?") from error
