"""The command `memsite mcp`: the server's tools for programs that speak MCP over stdio."""

from __future__ import annotations

import sys

import click

from memsite_client.mcp_stdio import PATH, Bridge
from memsite_client.place import find_place

DIALECTS = {"memsite": PATH, "mcp-memory": "/compat/mcp-memory"}


@click.command()
@click.option(
    "--as", "dialect", type=click.Choice(list(DIALECTS)), default="memsite", show_default=True,
    help="Whose tools: our own, or those of the reference memory server.",
)  # fmt: skip
def mcp(dialect: str) -> None:
    """Speak MCP over stdin and stdout, for programs that start their servers. Not for people."""
    url: str | None = click.get_current_context().find_root().obj
    # A byte that is no UTF-8 spoils its own message at most; half a character goes out as JSON escapes it.
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")  # type: ignore[union-attr]  # text streams
    Bridge(find_place(url), DIALECTS[dialect]).run(sys.stdin, sys.stdout)
