"""What every script can be told."""

from __future__ import annotations

import argparse
from pathlib import Path

from django.core.management import call_command

from bench.kept_vectors import DEFAULT_FOLDER


def parser(description: str | None) -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cache", type=Path, default=DEFAULT_FOLDER, help="folder for vectors and figures")
    options.add_argument("--note", default="", help="what else a reader of the figures should know")
    return options


def add_data(options: argparse.ArgumentParser) -> None:
    options.add_argument("--data", type=Path, default=Path("../shared/bench"), help="folder of the conversations")
    options.add_argument("--limit", type=int, help="conversations of each data set, for a quick look")


def make_database() -> None:
    """Empty, in the scratch directory."""
    call_command("migrate", verbosity=0)
