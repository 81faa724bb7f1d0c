"""Whether an app may spend: on learning, and on the more expensive ways of recall.

This is asked before a piece of work begins. Each call to a model then sets aside what it may take (`purse`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memories.ledger.days import next_midnight
from memories.ledger.energy import is_low
from memories.ledger.spend import Spent, spent_today
from memsite.config.conf import get_conf
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy

# From this share of a day's budget on, recall is content with less, so that the rest lasts longer.
PRESSURE = 0.8


@dataclass(frozen=True, slots=True)
class Denial:
    """Why not, in words for an operator in `detail`, and until when: None until the app's agents report more energy."""

    reason: Literal["energy", "budget"]
    detail: str
    until: datetime | None = None

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


def asks_models(policy: AppPolicy) -> bool:
    """Whether the app's questions may go to a model: there is one, and no limit of 0 leaves them to the rules."""
    return get_conf().llm != "rules" and policy.daily_cost != 0 and policy.daily_tokens != 0


def may_learn(app: App, now: datetime) -> Denial | None:
    """None when it may. At most one query."""
    if low := low_energy(app):
        return low
    if full := used_up(app, now, 1.0):
        return Denial("budget", full, next_midnight(app, now))
    return None


def low_energy(app: App) -> Denial | None:
    if not is_low(app):
        return None
    level, floor = app.energy_level, app.policy.energy_floor
    return Denial("energy", f"energy is at {level:.0%}, and memory work waits below {floor:.0%}")


def economises(app: App, now: datetime) -> bool:
    """Whether recall takes the cheaper ways: energy is low, or the day's budget is nearly spent. One query at most."""
    return is_low(app) or used_up(app, now, PRESSURE) is not None


def used_up(app: App, now: datetime, share: float) -> str | None:
    """Which of the day's limits is used up to `share`, in words; None if none is, or nothing is limited or spent."""
    most_dollars, most_tokens = app.policy.daily_cost, app.policy.daily_tokens
    if (most_dollars is None and most_tokens is None) or not asks_models(app.policy):
        return None
    spent = spent_today(app, now)
    is_full = (most_dollars is not None and spent.cost >= share * most_dollars) or (
        most_tokens is not None and spent.tokens >= share * most_tokens
    )
    return told(app.policy, spent) if is_full else None


def told(policy: AppPolicy, spent: Spent) -> str:
    """How much of the day's limits is spent, in words."""
    return f"{amounts(policy, spent)} are spent {limits(policy)}"


def limits(policy: AppPolicy) -> str:
    """The day's limits in words, as every reason has them that makes a text wait for the next day."""
    return f"(of {amounts(policy, Spent(policy.daily_cost or 0.0, policy.daily_tokens or 0))} a day)"


def amounts(policy: AppPolicy, of: Spent) -> str:
    """Dollars, tokens, or both, as the policy limits them."""
    dollars = f"${of.cost:.4f}".removesuffix("00")
    counted = [(policy.daily_cost, dollars), (policy.daily_tokens, f"{of.tokens:,} tokens")]
    return " and ".join(amount for limit, amount in counted if limit is not None)
