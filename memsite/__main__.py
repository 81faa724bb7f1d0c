"""The command `memsite-server` of the installed package: `run` is its `make run`, `manage` its `manage.py`."""

import argparse
import os
import sys
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import connections

from memsite import __version__

NAME = "memsite-server"
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}  # noqa: S104  # who listens to all is reached on his machine


def main(arguments: Sequence[str] | None = None) -> None:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["manage"]:
        # Not argparse's: `--help` behind it is the command's.
        manage([f"{NAME} manage", *given[1:]])
        return
    parser = argparse.ArgumentParser(prog=NAME, description="Memsite, the memory server for AI agents.")
    parser.add_argument("--version", action="version", version=f"Memsite {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    summary = "Set up the data directory, then run web server, worker and schedule. Ctrl-C stops them."
    run = commands.add_parser(
        "run",
        help=summary,
        description=summary,
        epilog="The first start prints the login and an agent's key. Settings are environment variables (MEMSITE_…).",
    )
    run.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    run.add_argument("--port", type=int, default=8000, help="port to listen on (8000)")
    run.add_argument("--url", metavar="URL", help="where users reach it, if elsewhere")
    run.add_argument("--data-dir", metavar="DIR", help="database, keys and queue; else MEMSITE_DATA_DIR or your own")
    run.add_argument("--workers", type=int, default=2, help="web processes (2)")
    run.add_argument("--threads", type=int, default=16, help="requests at a time per web process (16)")
    run.add_argument("--unattended", action="store_true", help="print no login or key; first-start.txt has them")
    commands.add_parser("manage", help="run one of Django's or Memsite's commands, such as `manage create_key`")
    options = parser.parse_args(given)
    if options.data_dir:
        os.environ["MEMSITE_DATA_DIR"] = options.data_dir
    url = options.url or f"http://{as_in_address(options.host)}:{options.port}"
    manage([NAME, "setup", "--url", url, *(["--unattended"] if options.unattended else [])])
    connections.close_all()
    listening = ["--host", options.host, "--port", str(options.port)]
    manage([NAME, "serve", *listening, "--workers", str(options.workers), "--threads", str(options.threads)])


def as_in_address(host: str) -> str:
    host = EVERYWHERE.get(host, host)
    return f"[{host}]" if ":" in host else host


def manage(arguments: Sequence[str]) -> None:
    """Run a command of Django's. What a person can mend ends in one sentence, without a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")
    try:
        execute_from_command_line(list(arguments))
    except ImproperlyConfigured as error:
        # A setting that cannot be: it is named, and where in the code that was noticed helps nobody.
        sys.exit(str(error))
    except KeyboardInterrupt:
        # Who pressed Ctrl-C knows it. This is the exit code that shells know.
        sys.exit(130)
    except Exception as error:
        from memsite.db.transactions import is_out_of_reach
        from memsite.ops.storage_errors import why_unwritable

        if not (is_out_of_reach(error) or why_unwritable(error)):
            raise
        # Django's own commands; ours say as much.
        from memories.management import plain_message

        sys.exit(plain_message(error))


if __name__ == "__main__":
    main()
