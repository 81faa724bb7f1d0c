"""The pages show commands and options that there are, and every command."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from memsite_client.cli import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/cli.md", "docs/claude-code.md"]


def show(page: str) -> list[str]:
    """The words behind `memsite`, of each line of a shell example that begins with it."""
    blocks = re.findall(r"^```sh\n(.+?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    return [
        line for block in blocks for line in re.findall(r"^(?:\.venv/bin/)?memsite ([a-z].*)$", block, re.MULTILINE)
    ]


def resolve(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that these words name, and the words behind its name."""
    command: click.Command = cli
    while isinstance(command, click.Group):
        assert words[0] in command.commands, words
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize(("page", "line"), [(page, line) for page in PAGES for line in show(page)])
def test_a_command_in_the_documentation_exists_with_its_options(page: str, line: str) -> None:
    command, words = resolve(line.partition(" -- ")[0].partition("#")[0].split())
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known


def test_every_command_is_shown() -> None:
    text = (ROOT / "docs" / "cli.md").read_text()
    assert [name for name in cli.commands if f"memsite {name}" not in text] == []


def test_the_exit_codes_of_the_help_are_those_of_the_page() -> None:
    page = set(re.findall(r"^\| (\d+) \|", (ROOT / "docs" / "cli.md").read_text(), re.MULTILINE))
    assert set(re.findall(r"\b(\d) ", cli.help or "")) | {"130"} == page
