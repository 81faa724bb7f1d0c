"""The command `memsite`: a server's memories from a terminal, a script, or an agent's hook."""

from __future__ import annotations

import os

import click

from memsite_client import __version__
from memsite_client.cli.alerts import alerts
from memsite_client.cli.apps import bridges, changes, export, import_file, webhooks
from memsite_client.cli.base import Commands
from memsite_client.cli.claude import hook, transcripts
from memsite_client.cli.documents import documents
from memsite_client.cli.memories import (
    context,
    delete,
    feedback,
    history,
    link,
    links,
    list_,
    search,
    show,
    store,
    update,
)
from memsite_client.cli.notes import sync
from memsite_client.cli.setup import completion, doctor, install, login, logout, mcp, run, status, uninstall, version

HELP = """Search, store and curate what your agents remember.

MEMSITE_URL and MEMSITE_API_KEY say where the server is and who you are; `memsite login` keeps them in a file instead.

\b
Exit codes: 0 done, 1 something else went wrong, 2 wrong usage, 3 the server refused the request,
4 no key or a wrong one, 5 the server is away or failed. `memsite run` ends with the agent's own code.
"""


@click.group(cls=Commands, help=HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--url", metavar="URL", help="The server, if it is another one than usual.")
@click.version_option(__version__, prog_name="memsite")
@click.pass_context
def cli(context: click.Context, url: str | None) -> None:
    context.obj = url
    if os.environ.get("NO_COLOR"):
        context.color = False


for command in (
    search,
    store,
    list_,
    show,
    update,
    delete,
    history,
    link,
    links,
    context,
    feedback,
    documents,
    login,
    logout,
    status,
    version,
    completion,
    hook,
    install,
    uninstall,
    doctor,
    run,
    transcripts,
    mcp,
    export,
    import_file,
    webhooks,
    bridges,
    alerts,
    changes,
    sync,
):
    cli.add_command(command)
