"""Commands that connect agents' programs with the server: install, uninstall, doctor."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memsite_client.cli.base import Failure, as_json, print_json, wanted_url
from memsite_client.cli.setup import look
from memsite_client.configuration import server_of
from memsite_client.hosts import HOSTS
from memsite_client.installer import carry_out, commands_in, is_there, plan, server_entry
from memsite_client.project import project_of

NAMES = click.Choice(list(HOSTS))
in_project = click.option("--project", "is_project", is_flag=True, help="For everyone who works in this folder.")


@click.command()
@click.argument("name", type=NAMES)
@in_project
@click.option("--user", "is_user", is_flag=True, help="For you, in all folders (the usual).")
@click.option("--shared", is_flag=True, help="What is said is known in all projects, not in its own alone.")
@click.option("--remove", is_flag=True, help="Take out what was put in, as `memsite uninstall` does.")
def install(name: str, is_project: bool, is_user: bool, shared: bool, remove: bool) -> None:
    """Connect an agent's program: our hooks, our MCP server and, where it has no hooks that show anything, rules.

    What others have written there stays as it is. Run again, it mends what has moved.
    """
    if is_project and is_user:
        raise click.UsageError("--project or --user, not both.")
    change(name, here() if is_project else None, remove=remove, shared=shared)


@click.command()
@click.argument("name", type=NAMES)
@in_project
def uninstall(name: str, is_project: bool) -> None:
    """Take out what `memsite install` has put in. A file that only we have written is removed."""
    change(name, here() if is_project else None, remove=True)


def change(name: str, project: Path | None, *, remove: bool, shared: bool = False) -> None:
    place = server_of(wanted_url())
    server = None if remove else server_entry(name, project, place)
    for file in plan(name, project, server, remove=remove, shared=shared):
        # Only Claude Code's file of servers has the key.
        is_secret = name == "claude-code" and file.path.name == ".claude.json"
        try:
            click.echo(f"{file.path}: {carry_out(file, remove=remove, new_mode=0o600 if is_secret else 0o644)}")
        except OSError as error:
            raise Failure(f"{file.path} cannot be written: {error.strerror}.") from error
    if remove:
        return
    if HOSTS[name].note:
        click.echo(HOSTS[name].note)
    if not place.key:
        click.echo("There is no key yet: `memsite login` keeps one. Until then the hooks do nothing.", err=True)


def here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise Failure("The folder that you are in is not there any more.") from error


@click.command()
@as_json
def doctor(json_: bool) -> None:
    """Look at everything that an agent's memory needs: server, key, hooks, MCP servers, and this folder's project."""
    folder, place = here(), server_of(wanted_url())
    detail, code = look(place)
    rows = [{"what": "server", "detail": f"{place.url}: {detail}", "ok": not code}]
    for name, where in ((name, where) for name in HOSTS for where in (None, folder)):
        options = " --project" if where else ""
        for command in commands_in(name, where):
            ok = is_there(command)
            mend = "" if ok else f" is gone: run `memsite install {name}{options}` again"
            rows.append({"what": f"{name}{options}", "detail": f"{command}{mend}", "ok": ok})
    rows.append({"what": "project", "detail": project_of(str(folder)), "ok": True})
    if json_:
        print_json(rows)
    else:
        for row in rows:
            mark = click.style("ok  ", fg="green") if row["ok"] else click.style("FAIL", fg="red")
            click.echo(f"{mark}  {row['what']}  {row['detail']}")
        if len(rows) == len(("server", "project")):
            click.echo("No agent is connected: `memsite install NAME` connects one.")
    sys.exit(code or int(not all(row["ok"] for row in rows)))
