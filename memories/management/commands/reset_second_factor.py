"""`manage.py reset_second_factor NAME`: for somebody who has lost the authenticator and the recovery codes."""

import argparse
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from memsite.tenancy.second_factor import turn_off

BY = "manage.py"


class Command(BaseCommand):
    help = "Takes the second factor away from an account. Its password stays."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", help="the account's name")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account {name}.")
        if turn_off(user, BY, "second factor reset"):
            self.stdout.write(f"{name} signs in with the password alone now, and can set up a second factor anew.")
        else:
            self.stdout.write(f"{name} had no second factor.")
