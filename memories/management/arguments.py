"""Arguments of commands: whole numbers, apps, agents and end users by name."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from memsite.tenancy.models import AGENT_NAME_PATTERN, Agent, App, AppStatus

USER_CHARACTERS = 200


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return the value of an argument."""

    def read(text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if not is_number or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"a whole number from {least} to {most}")
        return int(text)

    return read


def app_named(app_id: str) -> App:
    app = App.objects.filter(app_id=app_id).first()
    if app is None:
        known = ", ".join(App.objects.values_list("app_id", flat=True)) or "none yet"
        raise CommandError(f"There is no app {app_id}. Known apps: {known}.")
    if app.status != AppStatus.ACTIVE:
        raise CommandError(f"The app {app_id} is uninstalled: no key of it works.")
    return app


def agent_named(app: App, name: str, say: Callable[[str], object]) -> Agent:
    """Return the agent; made, and reported, if there is none of this name."""
    agent = Agent.objects.for_app(app).filter(name=name).first()
    if agent and agent.deleted_at:
        raise CommandError(f"--agent {name}: it was deleted; what it wrote keeps the name. Choose another one.")
    if agent:
        return agent
    agent = Agent(app=app, name=name)
    try:
        agent.clean_fields()
    except ValidationError as error:
        raise CommandError(f"--agent {name}: {' '.join(error.messages)}") from error
    agent.save(force_insert=True)
    say(f"Made the agent {name} in {app}.")
    return agent


def agent_name(text: str) -> str:
    """Return the agent of an argument, for an agent that is made when it is needed."""
    if not re.fullmatch(AGENT_NAME_PATTERN, text):
        raise argparse.ArgumentTypeError("letters, digits, . - and _, 64 at most")
    return text


def end_user(text: str) -> str:
    """Return the value of an argument."""
    if not 0 < len(text) <= USER_CHARACTERS:
        raise argparse.ArgumentTypeError(f"1 to {USER_CHARACTERS} characters")
    return text
