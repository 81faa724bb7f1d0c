"""`memsite run`: an agent's program with memory."""

from __future__ import annotations

import json
import sys

import click

from memsite_client.cli.end_user import EndUser
from memsite_client.errors import NotConfigured
from memsite_client.place import place_of

# As many characters as the server takes.
MOST_IN_ENVIRONMENT = 16_384


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
@click.option("-v", "--verbose", is_flag=True, help="Tell on stderr what became of it.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    tier: int, title: str | None, user_id: str | None, environment: tuple[tuple[str, str], ...], verbose: bool,
    command: tuple[str, ...],
) -> None:  # fmt: skip
    """Run an agent's program with memory: memsite run -- claude -p "…" --output-format stream-json --verbose

    It is told its task, where it is and what is known (--append-system-prompt); what it prints passes through unchanged
    and is learnt from as it comes. Signals reach it, and its exit code is ours. It runs also if the server is away.
    """
    from memsite_client.wrapper.over_http import HTTPRecorder
    from memsite_client.wrapper.prompt import new_session
    from memsite_client.wrapper.run import Run, warn_on_stderr

    url: str | None = click.get_current_context().find_root().obj
    session = new_session(command, tier, dict(environment), title=title, user_id=user_id)
    if len(json.dumps(session["environment"], ensure_ascii=False)) > MOST_IN_ENVIRONMENT:
        raise click.UsageError(f"-e: {MOST_IN_ENVIRONMENT:,} characters at most, all of them together.")
    wrapped = Run(session, target_of(url), lambda one: HTTPRecorder(url, one), warn_on_stderr, verbose=verbose)
    sys.exit(wrapped(command))


def target_of(url: str | None) -> str:
    """By which a recording that had to be kept finds its server again."""
    try:
        return place_of(url).url
    except NotConfigured:
        return ""
