"""Who said something that is remembered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models


class Origin(models.TextChoices):
    """Whose words a memory takes over: the one who said it first, or the least trusted of those that it comes from."""

    OPERATOR = "operator", "an operator"
    USER = "user", "a user"
    ASSISTANT = "assistant", "the agent itself"
    AGENT = "agent", "another agent or program"
    TOOL = "tool", "a tool"
    WEB = "web", "something read on the web"


FROM_OUTSIDE = (Origin.TOOL, Origin.WEB)
"""Words of strangers: what brings an address, a command or an order along is not told before a person has seen it."""
OF_AGENTS = (Origin.ASSISTANT, Origin.AGENT, *FROM_OUTSIDE)
SAYABLE_ORIGINS = (Origin.ASSISTANT, Origin.AGENT, Origin.TOOL, Origin.WEB)
"""What an agent may call a memory that it stores: whoever holds no more than an agent's key is no user or operator."""


def least_trusted(origins: Iterable[str]) -> Origin:
    """Return the least trusted of at least one; the order of `Origin` is that of trust."""
    ranks = list(Origin)
    return max(map(Origin, origins), key=ranks.index)


def default_review_origins() -> list[str]:
    return [Origin.AGENT.value, Origin.TOOL.value, Origin.WEB.value]


def check_origins(value: Any) -> None:
    """Raise ValidationError unless it is a list of different origins, without the operator's."""
    choices = [origin.value for origin in Origin if origin != Origin.OPERATOR]
    if not isinstance(value, list) or any(name not in choices for name in value) or len(value) != len(set(value)):
        raise ValidationError(f"A list of different ones of {', '.join(choices)}.")
