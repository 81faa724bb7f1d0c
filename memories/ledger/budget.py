"""Whether an app may spend: on learning, and on the more expensive ways of recall.

Limits are asked before each question, of what earlier calls have told. So a day may end over its limit by the questions
that were under way when it was reached. A question that is answered badly is asked once more, with up to twice the
room: each takes at most 2 × its own tokens + 3 × `max_tokens`, and what the service lets its model think. Whoever asks
one at a time, and only where that is within `remaining_tokens`, never goes over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.utils import timezone

from memories.ledger.days import next_midnight
from memories.ledger.energy import is_low
from memories.ledger.spend import spent_today
from memsite.tenancy.models import App

# From this share of a day's budget on, recall is content with less, so that the rest lasts longer.
PRESSURE = 0.8


@dataclass(frozen=True, slots=True)
class Denial:
    """Why not, in words for an operator in `detail`, and until when: None until the app's agents report more energy."""

    reason: Literal["energy", "budget"]
    detail: str
    until: datetime | None = None


def may_learn(app: App, now: datetime) -> Denial | None:
    """None when it may. At most one query."""
    if is_low(app):
        level, floor = app.energy_level, app.policy.energy_floor
        return Denial("energy", f"energy is at {level:.0%}, and memory work waits below {floor:.0%}")
    if full := used_up(app, now, 1.0):
        return Denial("budget", full, next_midnight(app, now))
    return None


def may_call_for(app: App) -> Callable[[], str | None]:
    """A question to be asked before each call to a model: why it may not be made, None when it may.

    Two queries each time: a limit or an energy level that changes while the work is under way counts at once.
    """

    def reason() -> str | None:
        denial = may_learn(App.objects.select_related("policy").get(pk=app.pk), timezone.now())
        return denial.detail if denial else None

    return reason


def economises(app: App, now: datetime) -> bool:
    """Whether recall takes the cheaper ways: energy is low, or the day's budget is nearly spent. One query at most."""
    return is_low(app) or used_up(app, now, PRESSURE) is not None


def remaining_tokens(app: App, now: datetime) -> int | None:
    """What is left of the day's tokens, never less than 0; None without a limit."""
    limit = app.policy.daily_tokens
    return None if limit is None else max(limit - spent_today(app, now).tokens, 0)


def used_up(app: App, now: datetime, share: float) -> str | None:
    """Which of the day's limits is used up to `share`, in words; None if none is, or there are none."""
    most_dollars, most_tokens = app.policy.daily_cost, app.policy.daily_tokens
    if most_dollars is None and most_tokens is None:
        return None
    spent = spent_today(app, now)
    if most_dollars is not None and spent.cost >= share * most_dollars:
        return f"${spent.cost:.2f} of the day's ${most_dollars:.2f} are spent"
    if most_tokens is not None and spent.tokens >= share * most_tokens:
        return f"{spent.tokens:,} of the day's {most_tokens:,} tokens are spent"
    return None
