"""Commands that set up programs and run them: install, uninstall, doctor, login, logout, status, mcp, run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from memsite_client import __version__
from memsite_client.cli.base import (
    AWAY,
    KEY,
    WENT_WRONG,
    EndUser,
    Failure,
    as_json,
    code_of,
    message_of,
    print_json,
    wanted_url,
)
from memsite_client.configuration import Server, checked_key, config_file, find_server, root_of, server_of, write_whole
from memsite_client.errors import MemsiteError, NotConfigured
from memsite_client.hosts import HOSTS
from memsite_client.installer import carry_out, commands_in, find_gone, is_there, plan, server_entry
from memsite_client.mcp_stdio import PATH, Bridge
from memsite_client.project import project_of
from memsite_client.shapes import SessionStarted
from memsite_client.sync import Memsite
from memsite_client.wrapper.program import system_prompt
from memsite_client.wrapper.recording import Session

SHELLS = ("bash", "zsh", "fish")
FINE = "the server knows the key"
DIALECTS = {"memsite": PATH, "mcp-memory": "/compat/mcp-memory"}
# As many characters as the server takes.
MOST_IN_ENVIRONMENT = 16_384
# The agent waits for the one; the other waits for whatever the agent says.
SHORT_SECONDS, LONG_SECONDS = 10.0, 60.0


@click.command()
@click.option("--url", "address", metavar="URL", help="The server's address.")
@click.option("--unchecked", is_flag=True, help="Keep them even if the server is away.")
def login(address: str | None, unchecked: bool) -> None:
    """Keep the server's address and a key, for this user of this machine. The key is asked for, or read from stdin."""
    url = root_of(address or wanted_url() or server_of().url)
    key = click.prompt(f"Key for {url}", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.readline()
    place = Server(url, checked_key(key))
    if not place.key:
        raise Failure("no key was given", KEY)
    detail, code = look(place)
    if code == KEY or (code and not unchecked):
        elsewhere = " Name its address: memsite login --url URL." if code == AWAY and not address else ""
        raise Failure(f"{detail} Nothing was kept.{elsewhere}", code)
    try:
        write_whole(config_file(), json.dumps({"url": place.url, "api_key": place.key}, indent=2) + "\n")
    except OSError as error:
        raise Failure(f"{config_file()} cannot be written: {error.strerror}.", WENT_WRONG) from error
    click.echo(f"Kept in {config_file()}, readable for you only: {place.url}.")


@click.command()
def logout() -> None:
    """Forget the address and the key that `memsite login` kept."""
    try:
        config_file().unlink()
    except FileNotFoundError:
        click.echo("Nothing was kept.")
    except OSError as error:
        raise Failure(f"{config_file()} cannot be removed: {error.strerror}.", WENT_WRONG) from error
    else:
        click.echo(f"Removed {config_file()}.")


@click.command()
@as_json
def status(json_: bool) -> None:
    """Tell which server is asked with which key, and whether it answers."""
    place = server_of(wanted_url())
    detail, code = look(place)
    shown_key = f"{place.key[:12]}…" if place.key else "none"
    if json_:
        print_json({"url": place.url, "key": shown_key, "ok": not code, "detail": detail})
    else:
        click.echo(
            f"server  {place.url}\nkey     {shown_key}\nanswer  {click.style(detail, fg='red' if code else 'green')}"
        )
        for name, paths in find_gone().items():
            click.echo(f"hooks   {', '.join(paths)} is gone: run `memsite install {name}` again")
    sys.exit(code)


def look(place: Server) -> tuple[str, int]:
    """Return what the server answers, and the exit code for that."""
    try:
        with Memsite(place.url, place.key, timeout=5, retries=0) as memsite:
            memsite.request("GET", "sessions", query={"limit": 1})
    except MemsiteError as error:
        code = code_of(error)
        return (str(error) if code == AWAY else message_of(error)), code
    return FINE, 0


@click.command()
@as_json
def version(json_: bool) -> None:
    """Print the version of this client and of the server."""
    place = server_of(wanted_url())
    try:
        with Memsite(place.url, place.key, timeout=5, retries=0) as memsite:
            server, problem = memsite.request("GET", "version")["version"], ""
    except MemsiteError as error:
        server, problem = None, message_of(error)
    if json_:
        print_json({"client": __version__, "server": server, "url": place.url})
    else:
        click.echo(f"client  {__version__}\nserver  {server or problem}")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what makes your shell complete `memsite`: put it where docs/cli.md says."""
    kind = get_completion_class(shell)
    root = click.get_current_context().find_root().command
    assert kind is not None
    click.echo(kind(root, {}, "memsite", "_MEMSITE_COMPLETE").source())


@click.command()
@click.option(
    "--as",
    "dialect",
    type=click.Choice(list(DIALECTS)),
    default="memsite",
    show_default=True,
    help="Whose tools: our own, or those of the reference memory server.",
)
def mcp(dialect: str) -> None:
    """Speak MCP over stdin and stdout, for programs that start their servers. Not for people."""
    # A byte that is no UTF-8 spoils its own message at most; half a character goes out as JSON escapes it.
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")  # type: ignore[union-attr]  # text streams
    Bridge(find_server(wanted_url()), DIALECTS[dialect]).run(sys.stdin, sys.stdout)


class Named(click.ParamType[tuple[str, str]]):
    name = "name=value"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        name, sign, text = value.partition("=")
        if not name or not sign:
            self.fail(f"{value!r} is not NAME=VALUE.", param, ctx)
        return name, text


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--tier", type=click.IntRange(1, 3), default=1, show_default=True, help="1 observe, 2 investigate, 3 remediate."
)
@click.option("--title", help="What the session is called; its program and folder, unless you say so.")
@click.option("--user", "user_id", type=EndUser(), help="The end user it is for.")
@click.option(
    "-e",
    "--environment",
    type=Named(),
    multiple=True,
    metavar="NAME=VALUE",
    help="What the agent should know of where it runs.",
)
@click.option("-v", "--verbose", is_flag=True, help="Print to stderr how it ended.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    tier: int,
    title: str | None,
    user_id: str | None,
    environment: tuple[tuple[str, str], ...],
    verbose: bool,
    command: tuple[str, ...],
) -> None:
    """Run an agent's program with memory: memsite run -- claude -p "…" --output-format stream-json --verbose.

    It is told its task, where it is and what is known (--append-system-prompt); what it prints passes through unchanged
    and is learnt from as it comes. Signals reach it, and its exit code is ours. It runs also if the server is away.
    """
    from memsite_client.wrapper import Run, warn_on_stderr
    from memsite_client.wrapper.program import new_session

    url = wanted_url()
    session = new_session(command, tier, dict(environment), title=title, user_id=user_id)
    if len(json.dumps(session["environment"], ensure_ascii=False)) > MOST_IN_ENVIRONMENT:
        raise click.UsageError(f"-e: {MOST_IN_ENVIRONMENT:,} characters at most, all of them together.")
    try:
        # A recording that has to be kept finds its server again by this.
        target = server_of(url).url
    except NotConfigured:
        target = ""
    wrapped = Run(session, target, lambda session: HTTPRecorder(url, session), warn_on_stderr, verbose=verbose)
    sys.exit(wrapped(command))


class HTTPRecorder:
    """Connects when it is first used: whatever is wrong with address and key is told then."""

    def __init__(self, url: str | None, session: Session) -> None:
        self.url, self.session = url, session
        self.session_id = ""

    @cached_property
    def memsite(self) -> Memsite:
        return Memsite(self.url, timeout=SHORT_SECONDS, retries=0)

    def open(self) -> SessionStarted:
        started = self.memsite.start_session(**self.session)
        self.session_id = started["id"]
        return started

    def begin(self) -> str:
        started = self.open()
        task = self.memsite.get_prompt(started["tier"])
        return system_prompt(task, started["environment"], started["context"]["text"])

    def variables(self) -> Mapping[str, str]:
        """Return the variables by which our hooks know that they are inside."""
        return {"MEMSITE_SESSION_ID": self.session_id} if self.session_id else {}

    def record(self, chunks: Iterable[bytes]) -> Mapping[str, Any]:
        if not self.session_id:
            self.open()
        with Memsite(self.url, timeout=LONG_SECONDS, retries=0) as memsite:
            return memsite.stream_session(self.session_id, chunks)

    def beat(self) -> None:
        if self.session_id:
            self.memsite.heartbeat(self.session_id)

    def end(self, reason: str) -> None:
        if self.session_id:
            self.memsite.end_session(self.session_id, reason)


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
    click.echo("If the key's app also serves people, give this program an app of its own: docs/end-users.md.")
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
