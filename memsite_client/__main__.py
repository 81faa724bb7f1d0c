"""The command `memsite`. A hook is answered without loading the other commands: somebody waits for it."""

from __future__ import annotations

import sys


def main() -> None:
    match sys.argv[1:]:
        case ["hook", event, *rest] if not event.startswith("-") and rest in ([], ["--verbose"]):
            from memsite_client.claude.hook import main as hook

            sys.exit(hook(event, verbose=bool(rest)))
    from memsite_client.cli import cli
    from memsite_client.cli.base import print_what_can_be

    print_what_can_be([sys.stdout, sys.stderr])
    cli(prog_name="memsite")


if __name__ == "__main__":
    main()
