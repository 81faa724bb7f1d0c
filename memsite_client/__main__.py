"""The command `memsite`. A hook is answered without loading the other commands: somebody waits for it."""

from __future__ import annotations

import sys


def main() -> None:
    match sys.argv[1:]:
        case ["hook", event, *rest] if {*rest} <= {"--verbose", "--shared"}:
            from memsite_client.hosts import names_of_events

            if event in names_of_events():
                from memsite_client.claude.hook import main as hook

                sys.exit(hook(event, verbose="--verbose" in rest, shared="--shared" in rest))
    from memsite_client.cli import cli
    from memsite_client.cli.base import print_what_can_be

    print_what_can_be([sys.stdout, sys.stderr])
    cli(prog_name="memsite")


if __name__ == "__main__":
    main()
