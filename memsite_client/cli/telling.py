"""Commands for telling others: webhooks, bridges, changes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import click

from memsite_client.cli.base import Id, as_json, connect, print_json, say_beside
from memsite_client.cli.portable import app_for
from memsite_client.cli.show import INDENT, dim, memory_line, one_line, plain
from memsite_client.shapes import Change
from memsite_client.sync import Memsite

of_app = click.option("--app", help="Which app, for a key of several.")
WEBHOOK = Id("`memsite webhooks list` shows some.")
BRIDGE = Id("`memsite bridges list` shows some.")


@click.group()
def webhooks() -> None:
    """Addresses that are told when memories change (with the scope `operator`)."""


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
    """Tell ADDRESS of what changes from now on. Its secret is printed this once."""
    with connect() as memsite:
        row = memsite.create_webhook(app_for(memsite, app), address, events=events, description=description)
    print_json(row) if json_ else show_secret(webhook_line(row), row["secret"])


@webhooks.command("switch")
@click.argument("webhook", type=WEBHOOK)
@click.option(
    "--on/--off", "is_active", required=True, help="One that is switched on is told of what changes from then on."
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
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most so many.")
@of_app
@as_json
def log_of_webhook(webhook: str, status: str | None, limit: int, app: str | None, json_: bool) -> None:
    """What it was told lately, the latest first."""
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
    """Tell it nothing more. Its log goes, too."""
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
            return follow_changes(memsite, since, json_)
        answer = memsite.list_changes(since)
    if json_:
        return print_json(answer)
    if since is None:
        return click.echo(answer["last"])
    for change in answer["results"]:
        click.echo(change_line(change))
    say_beside(f"Go on with --since {answer['last']}.")
    return None


def follow_changes(memsite: Memsite, since: int | None, json_: bool) -> None:
    for change in memsite.follow_changes(since):
        click.echo(json.dumps(change, ensure_ascii=False) if json_ else change_line(change))


def show_rows(rows: list[Any], line: Any, json_: bool) -> None:
    if json_:
        print_json(rows)
        return
    for row in rows:
        click.echo(line(row))
    if not rows:
        say_beside("There are none.")


def show_secret(told: str, secret: str | None) -> None:
    """None: the answer that had it got lost on the way, and this one repeats it."""
    click.echo(told)
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
