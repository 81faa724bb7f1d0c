"""Commands that recall: search, context, feedback."""

from __future__ import annotations

import sys
from typing import Any, get_args

import click

from memsite_client.cli.base import SESSION_ID, as_json, connect, print_json, say_beside, text_of, without_nones
from memsite_client.cli.end_user import EndUser
from memsite_client.cli.show import hit_line, one_line, plain
from memsite_client.shapes import Format, Mode


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, 100), help="At most so many (10).")
@click.option("--mode", type=click.Choice(get_args(Mode)), help="How to look (auto).")
@click.option("--category", help="Only of this category.")
@click.option("--subject", help="Only about this; `general` for what is about nothing in particular.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; may be given several times.")
@click.option("--user", "user_id", type=EndUser(), help="The end user it is for.")
@click.option("--min-score", type=float, help="Nothing below this score.")
@click.option("--as-of", metavar="TIME", help="What was known then (ISO 8601).")
@click.option("--shared", is_flag=True, help="Also what other apps share.")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@as_json
def search(
    query: tuple[str, ...], category: str | None, subject: str | None, tags: tuple[str, ...], shared: bool,
    explain: bool, json_: bool, **options: Any,
) -> None:  # fmt: skip
    """Find memories by meaning, the best first. Several words are one question: no quotes needed."""
    named = [("category", category), ("subject", subject), *(("tags", tag) for tag in tags)]
    filters = [{name: value} for name, value in named if value is not None]
    asked = without_nones(
        **options,
        filters={"and": filters} if filters else None,
        scope="shared" if shared else None,
        explain=explain or None,
    )
    with connect() as memsite:
        answer = memsite.search_memories(" ".join(query), **asked)
    if json_:
        return print_json(answer)
    for hit in answer["results"]:
        click.echo(hit_line(hit, answer.get("scores_combined", "sum")))
    if not answer["results"]:
        say_beside("Nothing fits.")
    if answer["degraded"]:
        say_beside(f"Without {', '.join(answer['degraded'])}, which cannot answer now.")
    return None


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--format",
    "format_",
    type=click.Choice(get_args(Format)),
    help="Of the block: the app's own, or turn for a question.",
)
@click.option("--max-tokens", type=click.IntRange(min=1), help="At most so long.")
@click.option("-n", "--limit", type=click.IntRange(min=1), help="At most so many memories.")
@click.option(
    "--session",
    "session_id",
    type=SESSION_ID,
    help="The session it is for, by its id: what it has been shown is not shown again.",
)
@click.option("--turn", "turn_number", type=click.IntRange(min=0), help="The turn of the session.")
@click.option("--user", "user_id", type=EndUser(), help="The end user it is for.")
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
        say_beside("There is nothing to tell.")
    return None


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
        say_beside("No memory that was shown for this turn waits to be judged.")
    return None
