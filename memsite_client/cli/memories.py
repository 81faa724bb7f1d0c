"""Commands for memories: store, list, show, update, delete, history, link, search, context, feedback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from typing import Any, TypeVar, get_args

import click

from memsite_client.cli.base import (
    SESSION_ID,
    EndUser,
    Id,
    JSONObject,
    as_json,
    connect,
    print_json,
    text_of,
    without_nones,
)
from memsite_client.cli.output import (
    EMPTY,
    INDENT,
    about,
    as_text,
    confidence,
    dim,
    hit_line,
    memory_line,
    one_line,
    plain,
)
from memsite_client.shapes import (
    Context,
    Format,
    Kind,
    LinkKind,
    Mode,
    Origin,
    SayableOrigin,
    SearchAnswer,
    Status,
    Visibility,
)

Function = TypeVar("Function", bound=Callable[..., Any])
NOT_CHANGED = "Nothing is changed yet: a person has to decide."
# Numbers behind the confidence that is shown.
NOT_SHOWN = {"confidence_base", "anchored_at"}
CLEARABLE = ("subject", "user_id", "valid_from", "valid_until")
FIELDS = (
    click.option("--category", help="What kind of fact it is."),
    click.option("--subject", help="What it is about: a service, a person, a project."),
    click.option("--importance", type=click.IntRange(1, 5), help="From 1 to 5."),
    click.option("--confidence", type=float, help="From 0 to 1."),
    click.option("--tag", "tags", multiple=True, help="May be given several times."),
    click.option("--visibility", type=click.Choice(get_args(Visibility)), help="Who sees it."),
    click.option("--valid-from", metavar="TIME", help="Not shown before (ISO 8601)."),
    click.option("--valid-until", metavar="TIME", help="Not shown after (ISO 8601)."),
    click.option("--metadata", type=JSONObject(), help="A JSON object of your own."),
)


VALID = (
    click.option("--valid-at", metavar="TIME", help="Only what held then, though it may have ended (ISO 8601)."),
    click.option("--valid-from", metavar="TIME", help="Only what held at some time from here on."),
    click.option("--valid-until", metavar="TIME", help="Only what held at some time before this."),
)
STORED = (
    click.option("--since", metavar="TIME", help="Only what was stored from here on."),
    click.option("--until", metavar="TIME", help="Only what was stored before this."),
)
UNKNOWN_TIME = "Nothing is known of that time."


def times(function: Function) -> Function:
    for option in reversed((*VALID, *STORED)):
        function = option(function)
    return function


def valid_times(function: Function) -> Function:
    for option in reversed(VALID):
        function = option(function)
    return function


def memory_fields(function: Function) -> Function:
    for option in reversed(FIELDS):
        function = option(function)
    return function


@click.command()
@click.argument("text")
@memory_fields
@click.option("--user", "user_id", type=EndUser(), help="The end user it is about.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="What sort of memory it is.")
@click.option("--origin", type=click.Choice(get_args(SayableOrigin)), help="Who said it; you, unless you say so.")
@click.option("--pin", "pinned", is_flag=True, default=None, help="It does not decay and is never archived.")
@click.option("--external-id", metavar="ID", help="Your own name for it.")
@click.option("--no-dedupe", is_flag=True, help="Store it even if the same is known.")
@as_json
def store(text: str, tags: tuple[str, ...], no_dedupe: bool, json_: bool, **options: Any) -> None:
    """Remember TEXT (`-` reads it from stdin). If the same is known already, that becomes surer instead."""
    with connect() as memsite:
        memory = memsite.create_memory(
            text_of(text), dedupe=not no_dedupe, **without_nones(tags=list(tags) or None, **options)
        )
    if json_:
        return print_json(memory)
    outcome = click.style(memory["outcome"], bold=True)
    if "rejection_id" in memory:
        return click.echo(f"{outcome}: a person has to decide. {one_line(memory['reason'])}")
    click.echo(f"{outcome}  {memory['id']}  {about(memory)}  confidence {confidence(memory['confidence'])}")
    if memory["reason"]:
        click.echo(one_line(memory["reason"]))
    return None


@click.command("list")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most this many.")
@click.option("--all", "all_", is_flag=True, help="All of them.")
@click.option("--status", type=click.Choice(["active", "inactive", "superseded", "archived", "cold", "withdrawn"]))
@click.option("--category")
@click.option("--subject", help="`general` for those about nothing in particular.")
@click.option("--kind", type=click.Choice(get_args(Kind)))
@click.option("--origin", type=click.Choice(get_args(Origin)), help="Who said it.")
@click.option("--user", "user_id", type=EndUser(), help="The end user they are about.")
@click.option("--session", "session_id", type=SESSION_ID, help="By its id.")
@click.option("--pinned/--not-pinned", default=None)
@valid_times
@as_json
def list_(limit: int, all_: bool, json_: bool, **filters: Any) -> None:
    """List memories, the latest first."""
    with connect() as memsite:
        rows = islice(memsite.list_memories(**without_nones(**filters)), None if all_ else min(limit, sys.maxsize))
        if json_:
            return print_json(list(rows))
        is_empty = True
        for memory in rows:
            click.echo(memory_line(memory))
            is_empty = False
    if is_empty:
        click.echo("Nothing fits." if without_nones(**filters) else "There are no memories yet.", err=True)
    return None


@click.command()
@click.argument("memory_id", metavar="ID", type=Id())
@click.option("--as-of", metavar="TIME", help="As it was then (ISO 8601).")
@as_json
def show(memory_id: str, as_of: str | None, json_: bool) -> None:
    """Show everything that is known of a memory."""
    with connect() as memsite:
        memory = memsite.get_memory(memory_id, as_of=as_of)
    if json_:
        return print_json(memory)
    click.echo(f"{plain(memory['content'])}\n")
    fields = {name: value for name, value in memory.items() if name != "content" and value not in EMPTY}
    width = max(map(len, fields))
    for name, value in fields.items():
        click.echo(f"{dim(name.ljust(width))}  {plain(as_text(value))}")
    return None


@click.command()
@click.argument("memory_id", metavar="ID", type=Id())
@click.option("--content", help="`-` reads it from stdin.")
@memory_fields
@click.option("--user", "user_id", help="The end user it is about.")
@click.option("--pin/--unpin", "pinned", default=None)
@click.option("--status", type=click.Choice(get_args(Status)))
@click.option("--version", type=click.IntRange(min=1), help="Only if it is still at this version.")
@as_json
def update(
    memory_id: str, content: str | None, tags: tuple[str, ...], version: int | None, json_: bool, **options: Any
) -> None:
    """Change a memory. Tags that are given take the place of all it had.

    An empty --subject, --tag, --user, --valid-from or --valid-until takes away what it had: --subject "".
    """
    given = without_nones(content=None if content is None else text_of(content), **options)
    changes: Any = {name: None if name in CLEARABLE and value == "" else value for name, value in given.items()}
    if tags:
        changes["tags"] = [tag for tag in tags if tag]
    if not changes:
        raise click.UsageError("Say what to change: --content, --category, --pin …")
    with connect() as memsite:
        memory = memsite.change_memory(memory_id, version=version, **changes)
    if json_:
        return print_json(memory)
    return click.echo(NOT_CHANGED if "rejection_id" in memory else memory_line(memory))


@click.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=Id())
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@as_json
def delete(ids: tuple[str, ...], yes: bool, json_: bool) -> None:
    """Forget memories for good, with their history. `memsite update ID --status archived` is the soft way."""
    with connect() as memsite:
        if not yes:
            for memory_id in ids:
                click.echo(memory_line(memsite.get_memory(memory_id)), err=True)
            click.confirm(
                "Forget this for good?" if len(ids) == 1 else f"Forget these {len(ids)} for good?", abort=True, err=True
            )
        answer = memsite.delete_memory(*ids) if len(ids) == 1 else memsite.delete_memories(ids)
    print_json(answer) if json_ else click.echo(f"Forgot {answer['deleted_count']} of {len(ids)}.")


@click.command()
@click.argument("memory_id", metavar="ID", type=Id())
@as_json
def history(memory_id: str, json_: bool) -> None:
    """Show every change of a memory, who made it and why, the oldest first."""
    with connect() as memsite:
        revisions = memsite.list_revisions(memory_id)
        if json_:
            return print_json(list(revisions))
        for revision in revisions:
            when = revision["created_at"][:19].replace("T", " ")
            action, actor = click.style(revision["action"], bold=True), plain(revision["actor"])
            click.echo(f"{revision['number']:>3}  {dim(when)}  {action}  {actor}")
            if revision["reason"]:
                click.echo(f"{INDENT}{one_line(revision['reason'])}")
            before, after = revision["before"] or revision["after"], revision["after"]
            for name in after:
                old, new = before.get(name), after[name]
                if name not in NOT_SHOWN and old != new:
                    click.echo(f"{INDENT}{name}: {one_line(as_text(old))} → {one_line(as_text(new))}")
    return None


@click.command()
@click.argument("from_id", metavar="FROM", type=Id())
@click.argument("to_id", metavar="TO", type=Id())
@click.option("--kind", type=click.Choice(get_args(LinkKind)), default="related", show_default=True)
@as_json
def link(from_id: str, to_id: str, kind: LinkKind, json_: bool) -> None:
    """Link two memories, by their ids."""
    with connect() as memsite:
        answer = memsite.create_link(from_id, to_id, kind=kind)
    print_json(answer) if json_ else click.echo(f"{answer['from_id']} {answer['kind']} {answer['to_id']}")


@click.command()
@click.argument("memory_id", metavar="ID", type=Id())
@as_json
def links(memory_id: str, json_: bool) -> None:
    """Show what a memory is linked with."""
    with connect() as memsite:
        rows = list(memsite.list_links(memory_id))
    if json_:
        return print_json(rows)
    for row in rows:
        click.echo(f"{row['from_id']} {click.style(row['kind'], bold=True)} {row['to_id']}")
    if not rows:
        click.echo("It has no links.", err=True)
    return None


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, 100), help="At most so many (10).")
@click.option("--mode", type=click.Choice(get_args(Mode)), help="How to look (auto).")
@click.option("--category", help="Only of this category.")
@click.option("--subject", help="Only about this; `general` for what is about nothing in particular.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; may be given several times.")
@click.option("--user", "user_id", type=EndUser(), help="The end user it is for.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Only hits with this score or a higher one.")
@click.option("--as-of", metavar="TIME", help="What was known then (ISO 8601).")
@times
@click.option("--shared", is_flag=True, help="Also what other apps share.")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@as_json
def search(
    query: tuple[str, ...],
    category: str | None,
    subject: str | None,
    tags: tuple[str, ...],
    shared: bool,
    explain: bool,
    json_: bool,
    **options: Any,
) -> None:
    """Find memories by meaning, the best first. Several words are one question: no quotes needed."""
    named = [("category", category), ("subject", subject), *(("tags", tag) for tag in tags)]
    filters = [{name: value} for name, value in named if value is not None]
    fields = without_nones(
        **options,
        filters={"and": filters} if filters else None,
        scope="shared" if shared else None,
        explain=explain or None,
    )
    with connect() as memsite:
        answer = memsite.search_memories(" ".join(query), **fields)
    if json_:
        return print_json(answer)
    for hit in answer["results"]:
        click.echo(hit_line(hit, answer.get("scores_combined", "sum")))
    is_unknown = is_of_unknown_time(answer)
    if not answer["results"] or is_unknown:
        click.echo(UNKNOWN_TIME if is_unknown else "Nothing fits.", err=True)
    if answer["degraded"]:
        click.echo(f"Without {', '.join(answer['degraded'])}, which cannot answer now.", err=True)
    return None


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--format",
    "format_",
    type=click.Choice(get_args(Format)),
    help="Of the block: the app's own, or turn for a question.",
)
@click.option("--max-tokens", type=click.IntRange(min=1), help="At most this many tokens.")
@click.option("-n", "--limit", type=click.IntRange(min=1), help="At most this many memories.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Only hits with this score or a higher one.")
@click.option(
    "--session",
    "session_id",
    type=SESSION_ID,
    help="The session it is for, by its id: what it has been shown is not shown again.",
)
@click.option("--turn", "turn_number", type=click.IntRange(min=0), help="The turn of the session.")
@click.option("--user", "user_id", type=EndUser(), help="The end user it is for.")
@times
@as_json
def context(query: tuple[str, ...], format_: str | None, json_: bool, **options: Any) -> None:
    """Print a block for a prompt: what answers the question, or what is known without one."""
    with connect() as memsite:
        answer = memsite.get_context(**without_nones(query=" ".join(query) or None, format=format_, **options))
    if json_:
        return print_json(answer)
    if answer["text"]:
        click.echo(answer["text"] if not sys.stdout.isatty() else plain(answer["text"]))
    else:
        click.echo(UNKNOWN_TIME if is_of_unknown_time(answer) else "Nothing is known for this.", err=True)
    return None


def is_of_unknown_time(answer: SearchAnswer | Context) -> bool:
    time = answer.get("asked_time")
    return bool(time and not time["known"])


@click.command()
@click.argument("session", type=SESSION_ID)
@click.argument("turn", type=click.IntRange(min=1))
@click.argument("text")
@click.option("--question", default="", help="What was asked: to say it again is no use of a memory.")
@as_json
def feedback(session: str, turn: int, text: str, question: str, json_: bool) -> None:
    """Say what the agent answered in a turn (`-` reads it from stdin); tells which memories it used."""
    with connect() as memsite:
        answer = memsite.judge_response(session, turn, text_of(text), question=question)
    if json_:
        return print_json(answer)
    for verdict, colour in (("used", "green"), ("ignored", "yellow")):
        for judged in answer[verdict]:  # type: ignore[literal-required]  # one of its two fields
            click.echo(f"{click.style(verdict.ljust(7), fg=colour)}  {judged['id']}  {one_line(judged['evidence'])}")
    if not answer["used"] and not answer["ignored"]:
        click.echo("No memory that was shown for this turn waits to be judged.", err=True)
    return None
