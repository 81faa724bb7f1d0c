"""Commands for Claude Code: hook, install, transcripts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from memsite_client.claude.hook import HOPELESS
from memsite_client.claude.hook import main as run_hook
from memsite_client.claude.mcp import (
    KEY_OF_THE_READER,
    mcp_file,
    read_servers,
    server_entry,
    speaks_mcp,
    with_server,
    without_server,
)
from memsite_client.claude.settings import (
    TIMEOUTS,
    change_file,
    command_line,
    read_settings,
    settings_file,
    with_hooks,
    without_hooks,
)
from memsite_client.claude.upload import Sent, is_transcript, send_transcript, transcripts_in
from memsite_client.cli.base import REFUSED, Failure, as_json, connect, print_json
from memsite_client.errors import ProblemError
from memsite_client.place import place_of
from memsite_client.words import many


class NeverBlocking(click.Command):
    """Claude Code takes the exit code 2 of a hook as a veto: wrong usage is told on stderr only."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*args, **options)
        except click.UsageError as error:
            error.exit_code = 0  # type: ignore[misc]  # click reads it from the instance
            raise


@click.command(cls=NeverBlocking)
@click.argument("event", type=click.Choice(list(TIMEOUTS)))
@click.option("--verbose", is_flag=True, help="Tell on stderr what went wrong.")
def hook(event: str, verbose: bool) -> None:
    """Answer a hook of Claude Code: its JSON on stdin, ours on stdout. Never fails, never takes long."""
    sys.exit(run_hook(event, verbose=verbose))


@click.group()
def install() -> None:
    """Connect an agent's program with the server."""


@install.command("claude-code")
@click.option("--project", "is_project", is_flag=True, help="For everyone who works in this folder.")
@click.option("--user", "is_user", is_flag=True, help="For you, in all folders (the usual).")
@click.option("--remove", is_flag=True, help="Take out what was put in.")
def claude_code(is_project: bool, is_user: bool, remove: bool) -> None:
    """Put our hooks into Claude Code's settings, and the server among its MCP servers if it speaks MCP.

    What others have written there stays as it is.
    """
    if is_project and is_user:
        raise click.UsageError("--project or --user, not both.")
    project = this_folder() if is_project else None
    settings_path, mcp_path = settings_file(project), mcp_file(project)
    settings, servers = read_settings(settings_path), read_servers(mcp_path)
    if remove:
        keep(settings_path, settings, without_hooks(settings))
        keep(mcp_path, servers, without_server(servers))
        return
    keep(settings_path, settings, with_hooks(settings, command_line(project)))
    url: str | None = click.get_current_context().find_root().obj
    place = place_of(url)
    if speaks_mcp(place):
        entry = server_entry(place, KEY_OF_THE_READER if project else place.key)
        keep(mcp_path, servers, with_server(servers, entry), 0o644 if project else 0o600)
    if not place.key:
        click.echo("There is no key yet: `memsite login` keeps one. Until then the hooks do nothing.", err=True)


def this_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise Failure("The folder that you are in is not there any more.") from error


def keep(path: Path, before: dict[str, Any], after: dict[str, Any], new_mode: int = 0o644) -> None:
    if before == after:
        click.echo(f"{path}: nothing to change.")
        return
    try:
        copy = change_file(path, after, new_mode)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror}.") from error
    click.echo(f"{path}: changed.{f' As it was: {copy}' if copy else ''}")


@click.group()
def transcripts() -> None:
    """Learn from conversations of the past."""


@transcripts.command("import")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--again", is_flag=True, help="Send also what was sent before; the server knows it again.")
@as_json
def import_(paths: tuple[Path, ...], again: bool, json_: bool) -> None:
    """Send what was said in transcripts of Claude Code (JSONL): files or folders, otherwise all of yours.

    Each becomes a session. What was sent before, also by a hook, is not sent again.
    """
    files = list(transcripts_in(paths or (settings_file(None).parent / "projects",)))
    sent, failed, unread, done = Sent(), list[str](), list[Path](), list[Path]()
    length = sum(path.stat().st_size for path in files)
    with (
        connect() as memsite,
        click.progressbar(
            length=length, label=many(len(files), "transcript"), file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar,
    ):
        for path in files:
            try:
                for piece in send_transcript(memsite, path, again=again, after=done if again else None):
                    sent.add(piece)
                    failed += [f"{path}: {reason}" for reason in piece.refused]
                    bar.update(piece.size_bytes)
                done.append(path)
                if path in paths and not is_transcript(path):
                    unread.append(path)
            except ProblemError as error:
                if error.status not in HOPELESS:
                    raise
                failed.append(f"{path}: {error}")
            except OSError as error:
                failed.append(f"{path}: {error.strerror}")
    if json_:
        print_json({"transcripts": len(files), "sessions": sent.sessions, "messages": sent.messages, "failed": failed})
    else:
        told = f"sent {many(sent.messages, 'message')} of {many(sent.sessions, 'session')}"
        click.echo(f"{many(len(files), 'transcript')}: {told}.")
    if failed:
        raise Failure("\n".join(failed), REFUSED)
    if unread:
        raise Failure("\n".join(f"{path}: nothing in it could be read as a transcript." for path in unread))
