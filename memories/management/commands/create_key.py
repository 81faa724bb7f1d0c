"""`manage.py create_key`: a key for an agent or an operator. Only the key goes to stdout."""

import argparse
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from memories.management import plain_errors
from memories.management.arguments import agent_named, app_named, whole_number
from memsite.tenancy.keys import LIVE_KEYS_PER_AGENT, NewKey, TooManyKeys, create_key, rotate_key
from memsite.tenancy.models import Agent, ApiKey, Scope

MAX_DAYS = 36_500
AGENT_SCOPES = [Scope.READ, Scope.WRITE]


class Command(BaseCommand):
    help = "Makes an API key and prints it. It is shown only once: the database keeps no more than a hash."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--operator", action="store_true", help="a key for every app, of no agent")
        parser.add_argument("--app", help="the agent's app, by its app_id")
        parser.add_argument("--agent", help="the agent's name; made if there is none of it")
        parser.add_argument("--scopes", type=scopes, help="of an agent's key: read, write, operator (read,write)")
        parser.add_argument(
            "--expires-days", type=whole_number(1, MAX_DAYS), help="the key stops working after so many days"
        )

    def handle(self, *args: Any, operator: bool, app: str | None, agent: str | None, **options: Any) -> None:
        now = timezone.now()
        expires_at = now + timedelta(days=options["expires_days"]) if options["expires_days"] else None
        with plain_errors(), transaction.atomic():
            if operator:
                if app or agent or options["scopes"]:
                    raise CommandError("--operator goes without --app, --agent and --scopes.")
                key = create_key(None, [Scope.OPERATOR], expires_at=expires_at)
            elif app and agent:
                owner = agent_named(app_named(app), agent, self.stderr.write)
                key = issue(owner, options["scopes"] or AGENT_SCOPES, now, expires_at)
            else:
                raise CommandError("Whose key? Give --app and --agent, or --operator.")
        row = key.row
        end = f"until {row.expires_at:%Y-%m-%d %H:%M} UTC" if row.expires_at else "until it is revoked"
        whose = row.agent.full_name if row.agent else "operators, for every app"
        self.stderr.write(f"Key {row.prefix} of {whose}, scopes {', '.join(row.scopes)}, {end}. Shown only now:")
        self.stdout.write(key.text)


def scopes(text: str) -> list[Scope]:
    try:
        return [Scope(part.strip()) for part in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"some of {', '.join(Scope.values)}, with commas") from error


def issue(agent: Agent, wanted: list[Scope], now: datetime, expires_at: datetime | None) -> NewKey:
    try:
        return rotate_key(agent, wanted, now, expires_at=expires_at)
    except TooManyKeys as error:
        live = ApiKey.objects.filter(agent=agent).live(now).values_list("prefix", flat=True)
        raise CommandError(
            f"{agent.full_name} has {LIVE_KEYS_PER_AGENT} live keys already: {', '.join(live)}. Revoke one first, "
            f"with `DELETE /api/v1/keys/PREFIX` and an operator's key or on the page /admin/."
        ) from error
