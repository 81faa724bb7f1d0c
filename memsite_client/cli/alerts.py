"""Commands for alerts and their rules."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import islice
from typing import Any, get_args

import click

from memsite_client.cli.apps import WEBHOOK, app_for, of_app, show_rows, with_details
from memsite_client.cli.base import Id, as_json, connect, print_json
from memsite_client.cli.output import one_line
from memsite_client.shapes import AlertKind, AlertRule, AlertRuleChanges, AlertStatus

ALERT, RULE = Id("`memsite alerts list` shows some."), Id("`memsite alerts rules` shows some.")
of_site = click.option("--site", is_flag=True, help="Of the whole site, for who operates all of it.")


@click.group()
def alerts() -> None:
    """Alerts of apps, and the rules that look for them (with the scope `operator`)."""


@alerts.command("list")
@click.option("--status", type=click.Choice(get_args(AlertStatus)), help="Only what lasts, or what is over.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most this many.")
@click.option("--app", help="Only of this app.")
@as_json
def list_alerts(status: AlertStatus | None, limit: int, app: str | None, json_: bool) -> None:
    """List alerts of all apps that the key may see, the latest first."""
    with connect() as memsite:
        rows = memsite.list_alerts(app, status=status) if app else memsite.list_all_alerts(status=status)
        show_rows(list(islice(rows, min(limit, sys.maxsize))), alert_line, json_)


@alerts.command("acknowledge")
@click.argument("alert", type=ALERT)
@as_json
def acknowledge(alert: str, json_: bool) -> None:
    """Note that you have seen it: it is counted no more, and ends by itself."""
    with connect() as memsite:
        row = memsite.acknowledge_any_alert(alert)
    print_json(row) if json_ else click.echo(alert_line(row))


@alerts.command("rules")
@of_app
@of_site
@as_json
def list_rules(app: str | None, site: bool, json_: bool) -> None:
    """List what is looked for each minute, and who is told."""
    with connect() as memsite:
        rows = memsite.list_site_alert_rules() if site else memsite.list_alert_rules(app_for(memsite, app))
        show_rows(list(rows), rule_line, json_)


@alerts.command("add")
@click.argument("kind", type=click.Choice(get_args(AlertKind)))
@click.option("--threshold", type=float, help="From which on it alerts; without it, as usual.")
@click.option("--webhook", type=WEBHOOK, help="Who is notified when it begins and when it is over.")
@click.option("--email", "emails", multiple=True, help="Who gets a mail; may be given again.")
@of_app
@of_site
@as_json
def add_rule(
    kind: AlertKind,
    threshold: float | None,
    webhook: str | None,
    emails: tuple[str, ...],
    app: str | None,
    site: bool,
    json_: bool,
) -> None:
    """Look for KIND from now on. The dashboard shows it in any case."""
    fields = AlertRuleChanges(threshold=threshold, webhook=webhook, emails=list(emails))
    with connect() as memsite:
        row = (
            memsite.create_site_alert_rule(kind, **fields)
            if site
            else memsite.create_alert_rule(app_for(memsite, app), kind, **fields)
        )
    print_json(row) if json_ else click.echo(rule_line(row))


@alerts.command("switch")
@click.argument("rule", type=RULE)
@click.option("--on/--off", "enabled", required=True, help="Off: what is open ends, and nobody is notified.")
@of_app
@of_site
@as_json
def switch_rule(rule: str, enabled: bool, app: str | None, site: bool, json_: bool) -> None:
    """Switch a rule off, or on again."""
    with connect() as memsite:
        row = (
            memsite.change_site_alert_rule(rule, enabled=enabled)
            if site
            else memsite.change_alert_rule(app_for(memsite, app), rule, enabled=enabled)
        )
    print_json(row) if json_ else click.echo(rule_line(row))


@alerts.command("remove")
@click.argument("rule", type=RULE)
@of_app
@of_site
def remove_rule(rule: str, app: str | None, site: bool) -> None:
    """Look for it no more. What it has found goes, too."""
    with connect() as memsite:
        if site:
            memsite.delete_site_alert_rule(rule)
        else:
            memsite.delete_alert_rule(app_for(memsite, app), rule)
    click.echo("Removed.")


def alert_line(row: Mapping[str, Any]) -> str:
    state = f"over {row['ended_at']}" if row["ended_at"] else "open"
    seen = [f"seen by {one_line(row['acknowledged_by'])}"] if row["acknowledged_at"] else []
    details = [row["app_id"] or "site", row["kind"], f"begun {row['begun_at']}", state, *seen]
    return with_details(one_line(row["text"]), row["id"], details)


def rule_line(row: AlertRule) -> str:
    limit = [] if row["threshold"] is None else [f"from {row['threshold']:g}"]
    receivers = [*row["emails"], *([f"webhook {row['webhook']}"] if row["webhook"] else [])]
    state = "on" if row["enabled"] else "off"
    return with_details(row["kind"], row["id"], [row["app_id"] or "site", state, *limit, *receivers])
