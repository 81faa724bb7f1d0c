"""Commands for whole apps: export, import, webhooks, bridges, changes."""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, get_args

import click

from memsite_client.cli.base import FROM_STDIN, REFUSED, EndUser, Failure, Id, as_json, connect, print_json, to_json
from memsite_client.cli.output import INDENT, dim, memory_line, one_line, plain
from memsite_client.shapes import Change, Counted, Import, ImportSource
from memsite_client.sync import Memsite

CHUNK_BYTES = 256 * 1024
LOOK_EVERY_SECONDS = 0.5
END = b'{"type":"end"'
NOTES = (".md", ".markdown", ".txt")
of_app = click.option("--app", help="Which app, for a key of several.")
WEBHOOK = Id("`memsite webhooks list` shows some.")
BRIDGE = Id("`memsite bridges list` shows some.")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--app", help="Which app, for a key of several.")
@click.option("--user", "user_id", type=EndUser(), help="Only what this end user said, and what is known of them.")
@click.option("--vectors", is_flag=True, help="With the vectors of memories, which are otherwise made anew.")
@click.option("--markdown", is_flag=True, help="For people: a zip file with a page per category.")
def export(file: Path | None, app: str | None, user_id: str | None, vectors: bool, markdown: bool) -> None:
    """Save everything an app knows and was told into FILE (`-` for stdout, APP.ndjson unless said).

    A name that ends in .gz is compressed. The file is there when all of it is.
    """
    if markdown and vectors:
        raise click.UsageError("--markdown has no vectors.")
    with connect() as memsite:
        app_id = app_for(memsite, app)
        suffix = "zip" if markdown else "ndjson"
        path = file or Path(f"{app_id}.{suffix}")
        pieces = (
            memsite.export_app_as_markdown(app_id, user_id=user_id)
            if markdown
            else whole(memsite.export_app(app_id, user_id=user_id, vectors=vectors))
        )
        with target(path) as out:
            for piece in pieces if markdown else counted(pieces):
                out.write(piece)
    if str(path) != FROM_STDIN:
        click.echo(f"{path}: {path.stat().st_size:,} bytes.", err=True)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--source",
    type=click.Choice(get_args(ImportSource)),
    default="memsite",
    show_default=True,
    help="What has written the file.",
)
@click.option("--app", help="Into which app, for a key of several.")
@click.option("--agent", help="Whose conversations they become (import-SOURCE).")
@click.option("--user", "user_id", type=EndUser(), help="The end user they were with, where the file does not tell.")
@click.option("--trust", is_flag=True, help="Believe an export that the server has not signed in who said what.")
@click.option("--dry-run", is_flag=True, help="Only print what the file would bring.")
@as_json
def import_file(
    file: Path,
    source: ImportSource,
    app: str | None,
    agent: str | None,
    user_id: str | None,
    trust: bool,
    dry_run: bool,
    json_: bool,
) -> None:
    """Take FILE into an app: an export of Memsite, or what another system has exported.

    A folder of notes may be given for --source markdown. Imported twice, it is there once; where anything in it is
    wrong, nothing of it is kept.
    """
    with connect() as memsite, opened(file, source) as content:
        app_id = app_for(memsite, app)
        if dry_run:
            survey = memsite.survey_import(app_id, sent(content), source=source, trust=trust)
            return print_json(survey) if json_ else show_counts(survey["counts"])
        row = memsite.import_into_app(app_id, sent(content), source=source, agent=agent, user_id=user_id, trust=trust)
        row = waited_for(memsite, app_id, row)
    print_json(row) if json_ else show_counts(row["counts"])
    if row["status"] != "done":
        raise Failure(f"The import has {row['status']}: {row['reason']}.", REFUSED)
    return None


def app_for(memsite: Memsite, named: str | None) -> str:
    if named == "":
        raise click.UsageError("--app: it names none. Is a variable empty?")
    if named:
        return named
    known = [app["app_id"] for app in memsite.list_apps()]
    if len(known) != 1:
        raise click.UsageError(f"--app: which one of {', '.join(known)}?" if known else "There is no app yet.")
    return known[0]


def hidden() -> bool:
    return not sys.stderr.isatty()


@contextmanager
def target(path: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Under its name when it is complete, and not before."""
    if str(path) == FROM_STDIN:
        yield sys.stdout.buffer
        return
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    yield packed
            else:
                yield file
        part.replace(path)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)


def whole(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Fail after the last piece if that is not the end of the file."""
    last = b""
    for piece in pieces:
        last = (last + piece)[-200:]
        yield piece
    if END not in last[last.rstrip().rfind(b"\n") + 1 :]:
        raise Failure("The server broke off its answer: nothing was saved.")


def counted(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Show a bar as long as the header says that there are rows."""
    first = next(pieces, b"")
    while b"\n" not in first and (more := next(pieces, b"")):
        first += more
    rows = sum(json.loads(first.partition(b"\n")[0] or b"{}").get("counts", {}).values())
    with click.progressbar(length=rows, label="Rows", file=sys.stderr, hidden=hidden()) as bar:
        yield first
        bar.update(first.count(b"\n"))
        for piece in pieces:
            yield piece
            bar.update(piece.count(b"\n"))


@contextmanager
def opened(path: Path, source: str) -> Iterator[IO[bytes]]:
    """Open a file, or a folder of notes as a zip file."""
    if not path.is_dir():
        with path.open("rb") as file:
            yield file
        return
    if source != "markdown":
        raise click.UsageError("A folder can be given for --source markdown only.")
    with tempfile.TemporaryFile() as packed:
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for note in sorted(path.rglob("*")):
                if note.suffix in NOTES and note.is_file():
                    archive.write(note, note.relative_to(path))
        packed.seek(0)
        yield packed


def sent(file: IO[bytes]) -> Iterator[bytes]:
    size = file.seek(0, 2)
    file.seek(0)
    with click.progressbar(length=size, label="Sending", file=sys.stderr, hidden=hidden()) as bar:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
            bar.update(len(chunk))


def waited_for(memsite: Memsite, app_id: str, row: Import) -> Import:
    with click.progressbar(length=row["lines"], label="Importing", file=sys.stderr, hidden=hidden()) as bar:
        bar.update(row["done"])
        while row["status"] == "waiting":
            time.sleep(LOOK_EVERY_SECONDS)
            before = row["done"]
            row = memsite.get_import(app_id, row["id"])
            bar.update(row["done"] - before)
    return row


def show_counts(counts: dict[str, Counted]) -> None:
    for kind, count in counts.items():
        numbers = {"new": 0, "known": 0, "left_out": 0, **count}
        summary = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in numbers.items() if number)
        click.echo(f"{kind.replace('_', ' '):12} {summary or 'nothing'}")


@click.group()
def webhooks() -> None:
    """Addresses that are notified when memories change (with the scope `operator`)."""


@webhooks.command("list")
@of_app
@as_json
def list_webhooks(app: str | None, json_: bool) -> None:
    """List them, and why one was switched off."""
    with connect() as memsite:
        show_rows(list(memsite.list_webhooks(app_for(memsite, app))), webhook_line, json_)


@webhooks.command("add")
@click.argument("address")
@click.option("--event", "events", multiple=True, help="Only this kind, such as memory.created; may be given again.")
@click.option("--description", default="", help="What it is for.")
@of_app
@as_json
def add_webhook(address: str, events: tuple[str, ...], description: str, app: str | None, json_: bool) -> None:
    """Notify ADDRESS of what changes from now on. Its secret is printed this once."""
    with connect() as memsite:
        row = memsite.create_webhook(app_for(memsite, app), address, events=events, description=description)
    print_json(row) if json_ else show_secret(webhook_line(row), row["secret"])


@webhooks.command("switch")
@click.argument("webhook", type=WEBHOOK)
@click.option(
    "--on/--off", "is_active", required=True, help="A webhook that is switched on receives what changes from then on."
)
@of_app
@as_json
def switch_webhook(webhook: str, is_active: bool, app: str | None, json_: bool) -> None:
    """Switch one off, or on again."""
    with connect() as memsite:
        row = memsite.change_webhook(app_for(memsite, app), webhook, is_active=is_active)
    print_json(row) if json_ else click.echo(webhook_line(row))


@webhooks.command("test")
@click.argument("webhook", type=WEBHOOK)
@of_app
@as_json
def try_webhook(webhook: str, app: str | None, json_: bool) -> None:
    """Send it a `webhook.test`; `memsite webhooks log` tells what became of it."""
    with connect() as memsite:
        row = memsite.test_webhook(app_for(memsite, app), webhook)
    print_json(row) if json_ else click.echo(delivery_line(row))


@webhooks.command("log")
@click.argument("webhook", type=WEBHOOK)
@click.option("--status", type=click.Choice(["waiting", "delivered", "dead"]))
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most this many.")
@of_app
@as_json
def log_of_webhook(webhook: str, status: str | None, limit: int, app: str | None, json_: bool) -> None:
    """Show what it was sent lately, the latest first."""
    with connect() as memsite:
        rows = memsite.list_deliveries(app_for(memsite, app), webhook, status=status)
        show_rows(list(islice(rows, min(limit, sys.maxsize))), delivery_line, json_)


@webhooks.command("replay")
@click.argument("delivery", type=Id("`memsite webhooks log` shows some."))
@of_app
@as_json
def replay(delivery: str, app: str | None, json_: bool) -> None:
    """Send a message of the log once more."""
    with connect() as memsite:
        row = memsite.replay_delivery(app_for(memsite, app), delivery)
    print_json(row) if json_ else click.echo(delivery_line(row))


@webhooks.command("renew")
@click.argument("webhook", type=WEBHOOK)
@of_app
@as_json
def renew_webhook(webhook: str, app: str | None, json_: bool) -> None:
    """Give it a new secret; for a day messages are signed with both."""
    with connect() as memsite:
        answer = memsite.renew_webhook_secret(app_for(memsite, app), webhook)
    print_json(answer) if json_ else click.echo(answer["secret"])


@webhooks.command("remove")
@click.argument("webhook", type=WEBHOOK)
@of_app
def remove_webhook(webhook: str, app: str | None) -> None:
    """Stop notifying it. Its log goes, too."""
    with connect() as memsite:
        memsite.delete_webhook(app_for(memsite, app), webhook)
    click.echo("Removed.")


@click.group()
def bridges() -> None:
    """Chats whose messages come in, signed (with the scope `operator`)."""


@bridges.command("list")
@of_app
@as_json
def list_bridges(app: str | None, json_: bool) -> None:
    """List them with the addresses that they post to."""
    with connect() as memsite:
        show_rows(list(memsite.list_bridges(app_for(memsite, app))), bridge_line, json_)


@bridges.command("add")
@click.argument("name")
@click.option("--agent", required=True, help="Whose sessions the messages become.")
@of_app
@as_json
def add_bridge(name: str, agent: str, app: str | None, json_: bool) -> None:
    """Let a chat in under NAME. Its secret is printed this once."""
    with connect() as memsite:
        row = memsite.create_bridge(app_for(memsite, app), name, agent)
    print_json(row) if json_ else show_secret(bridge_line(row), row["secret"])


@bridges.command("renew")
@click.argument("bridge", type=BRIDGE)
@of_app
@as_json
def renew_bridge(bridge: str, app: str | None, json_: bool) -> None:
    """Give it a new secret; the old one counts no more."""
    with connect() as memsite:
        answer = memsite.renew_bridge_secret(app_for(memsite, app), bridge)
    print_json(answer) if json_ else click.echo(answer["secret"])


@bridges.command("remove")
@click.argument("bridge", type=BRIDGE)
@of_app
def remove_bridge(bridge: str, app: str | None) -> None:
    """Hear it no more. What came over it stays."""
    with connect() as memsite:
        memsite.delete_bridge(app_for(memsite, app), bridge)
    click.echo("Removed.")


@click.command()
@click.option("--since", type=click.IntRange(min=0), help="Go on from here: the number printed last.")
@click.option("--follow", is_flag=True, help="Go on for ever: print each change as it happens.")
@click.option("--json", "json_", is_flag=True, help="Print the server's answer as JSON; with --follow a line each.")
def changes(since: int | None, follow: bool, json_: bool) -> None:
    """Print what was written or deleted since; without --since, the number to go on from.

    With --since, the number for the next one goes to stderr.
    """
    with connect() as memsite:
        if follow:
            for change in memsite.follow_changes(since):
                click.echo(to_json(change, None) if json_ else change_line(change))
            return None
        answer = memsite.list_changes(since)
    if json_:
        return print_json(answer)
    if since is None:
        return click.echo(answer["last"])
    for change in answer["results"]:
        click.echo(change_line(change))
    click.echo(f"Go on with --since {answer['last']}.", err=True)
    return None


def show_rows(rows: list[Any], line: Any, json_: bool) -> None:
    if json_:
        print_json(rows)
        return
    for row in rows:
        click.echo(line(row))
    if not rows:
        click.echo("There are none.", err=True)


def show_secret(notice: str, secret: str | None) -> None:
    """Show a secret, or say that the answer that had it got lost on the way, and this one repeats it."""
    click.echo(notice)
    click.echo(f"{INDENT}secret  {secret or 'was lost on the way: `renew` makes a new one'}")


def webhook_line(row: Mapping[str, Any]) -> str:
    state = "on" if row["is_active"] else f"off: {one_line(row['reason'])}" if row["reason"] else "off"
    return with_details(plain(row["url"]), row["id"], [state, ", ".join(row["events"]) or "all kinds"])


def delivery_line(row: Mapping[str, Any]) -> str:
    why = [one_line(row["reason"])] if row["reason"] else []
    return with_details(
        f"{row['kind']}  {row['status']}", row["id"], [f"tries {row['attempts']}", row["created_at"], *why]
    )


def bridge_line(row: Mapping[str, Any]) -> str:
    return with_details(f"{row['name']}  {row['address']}", row["id"], [f"agent {row['agent']}"])


def with_details(first: str, name: str, details: Iterable[str]) -> str:
    return f"{first}\n{INDENT}{dim(name)}  {'  '.join(details)}"


def change_line(change: Change) -> str:
    memory = change["memory"]
    return memory_line(memory) if memory else f"deleted\n{INDENT}{dim(change['memory_id'])}"
