"""Hooks of agents' programs, and Claude Code's transcripts of the past sent as its hooks would have."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import click

from memsite_client.claude import SUFFIX, Message, read_piece
from memsite_client.claude.hook import HOPELESS, Progress, fingerprint, load_progress, save_progress
from memsite_client.claude.hook import main as run_hook
from memsite_client.cli.base import REFUSED, Failure, as_json, connect, print_json
from memsite_client.cli.output import many
from memsite_client.errors import InvalidRequest, ProblemError
from memsite_client.hosts import HOSTS, home_of, names_of_events
from memsite_client.project import project_of
from memsite_client.sync import Memsite

# A sub-agent's own transcript: not what the agent and its user said.
SUB_AGENT = "agent-"
EVENT, END = "TranscriptImport", "SessionEnd"


class Part(NamedTuple):
    """`messages` of a session were sent; `size_bytes` of its file are done. `refused`: why others were not taken."""

    session_id: str
    messages: int
    size_bytes: int
    refused: list[str]


def send_transcript(
    memsite: Memsite, path: Path, *, again: bool = False, after: Iterable[Path] | None = None, shared: bool = False
) -> Iterator[Part]:
    """Send what was not sent yet, piece by piece, and yield each. Raise what the client raises, and OSError.

    All of it `again`: under the ids that it was sent with, so that the server knows it; what it has in common with
    those that it comes `after` went with them.
    """
    session_id = session_of(path)
    progress, names = load_progress(session_id), list[tuple[str, str]]()
    if again:
        progress, names = Progress(names=progress.names), [*progress.names]
    done, about = progress.sent_bytes, {"session_id": session_id}
    yield Part(session_id, 0, done, [])
    while (piece := progress.next_piece(path, after)).end != done:
        refused = list[str]()
        if piece.messages:
            about["cwd"] = piece.cwd or about.get("cwd", "")
            if about["cwd"] and not shared:
                about.setdefault("user_id", project_of(about["cwd"]))
            messages = [as_sent(message, names) for message in piece.messages]
            refused += send_messages(memsite, {**about, "hook_event_name": EVENT}, messages)
        save_progress(session_id, progress)
        yield Part(session_id, len(piece.messages) - len(refused), piece.end - done, refused)
        done = piece.end
    if "cwd" in about:
        memsite.claude_code_hook({**about, "hook_event_name": END, "reason": "imported", "messages": []})


def send_messages(memsite: Memsite, event: dict[str, Any], messages: list[Message]) -> list[str]:
    """Send them, in halves where the server refuses them; return why it refused single ones. Raise if it takes none."""
    try:
        memsite.claude_code_hook({**event, "messages": messages})
    except InvalidRequest as error:
        if error.status not in HOPELESS or not messages:
            raise
        send_messages(memsite, event, [])
        if len(messages) == 1:
            return [f"a message of {messages[0]['at'] or 'unknown time'} is left out: {error}"]
        middle = len(messages) // 2
        return send_messages(memsite, event, messages[:middle]) + send_messages(memsite, event, messages[middle:])
    return []


def as_sent(message: Message, names: list[tuple[str, str]]) -> Message:
    """Return the message under its id of before, if a hook sent it ahead of the transcript. Take that from `names`."""
    sent = fingerprint(message)
    for name in names:
        if name[0] == sent:
            names.remove(name)
            return {**message, "external_id": name[1]}
    return message


def session_of(path: Path) -> str:
    """Return the session: Claude Code names the file after it; the lines of a renamed one tell it."""
    try:
        return str(UUID(path.stem))
    except ValueError:
        return read_piece(path, 0).session_id or path.stem


class NeverBlocking(click.Command):
    """Claude Code takes the exit code 2 of a hook as a veto: wrong usage is told on stderr only."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*args, **options)
        except click.UsageError as error:
            error.exit_code = 0  # type: ignore[misc]  # click reads it from the instance
            raise


@click.command(cls=NeverBlocking)
@click.argument("event", type=click.Choice(names_of_events()), metavar="EVENT")
@click.option("--shared", is_flag=True, help="What is said is not this project's alone.")
@click.option("--verbose", is_flag=True, help="Print errors to stderr.")
def hook(event: str, shared: bool, verbose: bool) -> None:
    """Answer a hook: its JSON on stdin, ours on stdout. Never fails, never takes long.

    Claude Code's are SessionStart, UserPromptSubmit, Stop, PreCompact and SessionEnd; those of others are named as
    codex:Stop, cursor:sessionStart, gemini:BeforeAgent.
    """
    sys.exit(run_hook(event, verbose=verbose, shared=shared))


@click.group()
def transcripts() -> None:
    """Learn from conversations of the past."""


@transcripts.command("import")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--again", is_flag=True, help="Send also what was sent before; the server knows it again.")
@click.option("--shared", is_flag=True, help="What was said is not each project's alone.")
@as_json
def import_(paths: tuple[Path, ...], again: bool, shared: bool, json_: bool) -> None:
    """Send what was said in transcripts of Claude Code (JSONL): files or folders, otherwise all of yours.

    Each becomes a session. What was sent before, also by a hook, is not sent again.
    """
    roots = paths or (home_of(HOSTS["claude-code"]) / "projects",)
    candidates = {file for path in roots for file in (path.rglob(f"*{SUFFIX}") if path.is_dir() else [path])}
    own = [file for file in candidates if file.is_file() and not file.name.startswith(SUB_AGENT)]
    # The oldest first, so that what was said later is learnt later.
    files = sorted(own, key=lambda file: (file.stat().st_mtime, file))
    message_count, sessions = 0, set[str]()
    failed, unread, done = list[str](), list[Path](), list[Path]()
    length = sum(path.stat().st_size for path in files)
    with (
        connect() as memsite,
        click.progressbar(
            length=length, label=many(len(files), "transcript"), file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar,
    ):
        for path in files:
            try:
                for piece in send_transcript(memsite, path, again=again, after=done if again else None, shared=shared):
                    message_count += piece.messages
                    sessions.update([piece.session_id] if piece.messages else [])
                    failed += [f"{path}: {reason}" for reason in piece.refused]
                    bar.update(piece.size_bytes)
                done.append(path)
                if path in paths and read_piece(path, 0).session_id is None:
                    unread.append(path)
            except ProblemError as error:
                if error.status not in HOPELESS:
                    raise
                failed.append(f"{path}: {error}")
            except OSError as error:
                failed.append(f"{path}: {error.strerror}")
    if json_:
        counts = {"transcripts": len(files), "sessions": len(sessions), "messages": message_count}
        print_json({**counts, "failed": failed})
    else:
        sent = f"sent {many(message_count, 'message')} of {many(len(sessions), 'session')}"
        click.echo(f"{many(len(files), 'transcript')}: {sent}.")
    if failed:
        raise Failure("\n".join(failed), REFUSED)
    if unread:
        raise Failure("\n".join(f"{path}: nothing in it could be read as a transcript." for path in unread))
