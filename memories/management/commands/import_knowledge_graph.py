"""`manage.py import_knowledge_graph`: the file of MCP's reference memory server."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from memories.agent import MemoryAgent
from memories.compat.mcp_memory.importing import import_graph
from memories.management.plain_errors import plain_errors
from memories.management.who import agent_named, app_named

MOST_SHOWN, STDIN = 20, "-"


class Command(BaseCommand):
    help = "Imports the file of MCP's reference memory server (memory.jsonl). What is there stays; it may be run again."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--app", required=True, help="into which app, by its app_id")
        parser.add_argument("--agent", default="agent", help="as which agent of the app (agent); made if there is none")
        parser.add_argument("file", help="the file; - reads from stdin")

    def handle(self, *args: Any, app: str, agent: str, file: str, **options: Any) -> None:
        owner = agent_named(app_named(app), agent, self.stderr.write)
        with plain_errors(), Path(file).open(encoding="utf-8") if file != STDIN else nullcontext(sys.stdin) as lines:
            done = import_graph(MemoryAgent(owner.app, owner, f"agent:{owner.name}"), lines)
        for number, why in done.bad[:MOST_SHOWN]:
            self.stderr.write(f"Line {number}: {why}")
        if len(done.bad) > MOST_SHOWN:
            self.stderr.write(f"… and {len(done.bad) - MOST_SHOWN} more.")
        told = f"{done.entities} entities, {done.observations} observations, {done.relations} relations"
        self.stdout.write(f"Imported {told} that were new.")
