"""Commands for leaving and coming: export, import."""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, get_args

import click

from memsite_client.cli.base import FROM_STDIN, REFUSED, Failure, as_json, connect, print_json
from memsite_client.cli.end_user import EndUser
from memsite_client.shapes import Counted, Import, ImportSource
from memsite_client.sync import Memsite

CHUNK_BYTES = 256 * 1024
LOOK_EVERY_SECONDS = 0.5
END = b'{"type":"end"'
NOTES = (".md", ".markdown", ".txt")


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
    "--source", type=click.Choice(get_args(ImportSource)), default="memsite", show_default=True,
    help="What has written the file.",
)  # fmt: skip
@click.option("--app", help="Into which app, for a key of several.")
@click.option("--agent", help="Whose conversations they become (import-SOURCE).")
@click.option("--user", "user_id", type=EndUser(), help="The end user they were with, where the file does not tell.")
@click.option("--trust", is_flag=True, help="Believe an export that the server has not signed in who said what.")
@click.option("--dry-run", is_flag=True, help="Only tell what the file would bring.")
@as_json
def import_file(
    file: Path, source: ImportSource, app: str | None, agent: str | None, user_id: str | None, trust: bool,
    dry_run: bool, json_: bool,
) -> None:  # fmt: skip
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
    """Fails after the last piece if that is not the end of the file."""
    last = b""
    for piece in pieces:
        last = (last + piece)[-200:]
        yield piece
    if END not in last[last.rstrip().rfind(b"\n") + 1 :]:
        raise Failure("The server broke off its answer: nothing was saved.")


def counted(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """With a bar as long as the header says that there are rows."""
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
    """A folder of notes is sent as a zip file."""
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
    with click.progressbar(length=row["lines"], label="Taking in", file=sys.stderr, hidden=hidden()) as bar:
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
        told = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in numbers.items() if number)
        click.echo(f"{kind.replace('_', ' '):12} {told or 'nothing'}")
