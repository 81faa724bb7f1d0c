"""Commands for documents: add, list, show, delete."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import click

from memsite_client.cli.apps import LOOK_EVERY_SECONDS, hidden, show_rows, with_details
from memsite_client.cli.base import REFUSED, EndUser, Failure, Id, as_json, connect, print_json, without_nones
from memsite_client.cli.output import many, one_line, plain
from memsite_client.shapes import Document, SayableOrigin
from memsite_client.sync import Memsite

DOCUMENT = Id("`memsite documents list` shows some.")


@click.group()
def documents() -> None:
    """Files whose passages are found beside memories: PDF, DOCX, HTML, Markdown and text."""


@documents.command("add")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--id", "document_id", type=DOCUMENT, help="Of a document that it replaces.")
@click.option("--external-id", metavar="ID", help="Your own name for it: the same again replaces the file.")
@click.option("--user", "user_id", type=EndUser(), help="The end user it is of.")
@click.option("--tag", "tags", multiple=True, help="May be given several times.")
@click.option("--origin", type=click.Choice(get_args(SayableOrigin)), help="Whose words it has.")
@click.option("--no-wait", is_flag=True, help="Do not wait until it is read.")
@as_json
def add(file: Path, document_id: str | None, tags: tuple[str, ...], no_wait: bool, json_: bool, **options: Any) -> None:
    """Upload FILE, and wait until it is read."""
    fields = without_nones(tags=list(tags) or None, **options)
    if document_id and {"external_id", "user_id"} & fields.keys():
        raise click.UsageError("--id names the document: its own name and end user stay.")
    with connect() as memsite:
        content = file.read_bytes()
        if document_id:
            row = memsite.replace_document(document_id, file.name, content, **fields)
        else:
            row = memsite.create_document(file.name, content, **fields)
        row = row if no_wait else read_to_its_end(memsite, row)
    print_json(row) if json_ else click.echo(document_line(row))
    if row["status"] == "failed":
        raise Failure(f"{file}: {one_line(row['reason'])}", REFUSED)


def read_to_its_end(memsite: Memsite, row: Document) -> Document:
    """Return the document as it is once a worker has read it."""
    with click.progressbar(length=1, label="Reading", file=sys.stderr, hidden=hidden()) as bar:
        while row["status"] == "waiting":
            time.sleep(LOOK_EVERY_SECONDS)
            row = memsite.get_document(row["id"])
        bar.update(1)
    return row


@documents.command("list")
@click.option("--user", "user_id", type=EndUser(), help="The end user they are of.")
@click.option("--status", type=click.Choice(["waiting", "ready", "failed"]))
@as_json
def list_(user_id: str | None, status: str | None, json_: bool) -> None:
    """List documents, the latest first."""
    with connect() as memsite:
        show_rows(list(memsite.list_documents(status=status, user_id=user_id)), document_line, json_)


@documents.command("show")
@click.argument("document_id", metavar="ID", type=DOCUMENT)
@as_json
def show(document_id: str, json_: bool) -> None:
    """Show what a document says, passage by passage."""
    with connect() as memsite:
        row, passages = memsite.get_document(document_id), list(memsite.list_passages(document_id))
    if json_:
        return print_json({**row, "said": passages})
    click.echo(document_line(row))
    for passage in passages:
        click.echo(f"\n{click.style(one_line(passage['citation']), bold=True)}\n{plain(passage['content'])}")
    return None


@documents.command("delete")
@click.argument("document_id", metavar="ID", type=DOCUMENT)
@as_json
def delete(document_id: str, json_: bool) -> None:
    """Delete a document with its passages, for good."""
    with connect() as memsite:
        answer = memsite.delete_document(document_id)
    print_json(answer) if json_ else click.echo("Deleted.")


def document_line(row: Mapping[str, Any]) -> str:
    details = [many(row["pages"], "page")] if row["pages"] else []
    details += [many(row["passages"], "passage"), f"{row['size']:,} bytes"]
    details += [f"{many(row['withheld_count'], 'passage')} withheld"] if row["withheld_count"] else []
    return with_details(f"{one_line(row['name'])}  {row['status']}", row["id"], details)
