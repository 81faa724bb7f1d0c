"""The command `memsite`. A hook of an agent that waits is answered without loading the rest of the commands."""

from __future__ import annotations


def main() -> None:
    from memsite_client.cli import cli

    cli(prog_name="memsite")


if __name__ == "__main__":
    main()
