"""Tell whether an app may spend, and reserve before each call to a model the most it may take."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import floor, inf
from typing import Literal

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

from memories.ledger.days import next_midnight
from memories.ledger.energy import is_low
from memories.ledger.spend import Spent, record, spent_today
from memories.models import Reservation
from memories.providers.llm.provider import Expected, Grant, LLMDenied, LLMTooDear, Meter, Usage
from memsite.config.conf import get_conf
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy
from sessions.models import AgentSession

# From this share of a day's budget on, recall is content with less, so that the rest lasts longer.
PRESSURE = 0.8
HELD_FOR = timedelta(minutes=5)
"""No call takes as long: what is still set aside then was by a process that is gone."""
SOON = timedelta(seconds=30)
BUDGET = "budget:"
"""How the reason of a text begins that waits for the next day."""


@dataclass(frozen=True, slots=True)
class Denial:
    """Hold why not, in words for an operator in `detail`, and until when: None until the agents report more energy."""

    reason: Literal["energy", "budget"]
    detail: str
    until: datetime | None = None

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


def asks_models(policy: AppPolicy) -> bool:
    """Tell whether the app's questions may go to a model: there is one, and no limit of 0 leaves them to the rules."""
    return get_conf().llm != "rules" and policy.daily_cost != 0 and policy.daily_tokens != 0


def may_learn(app: App, now: datetime) -> Denial | None:
    """Return why the app may not learn now; None when it may. At most one query."""
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
    """Tell whether recall is to be cheaper: energy is low, or the day's budget is nearly spent. One query at most."""
    return is_low(app) or used_up(app, now, PRESSURE) is not None


def used_up(app: App, now: datetime, share: float) -> str | None:
    """Return which of the day's limits is used up to `share`, in words.

    None if none is, or nothing is limited or spent.
    """
    most_dollars, most_tokens = app.policy.daily_cost, app.policy.daily_tokens
    if (most_dollars is None and most_tokens is None) or not asks_models(app.policy):
        return None
    spent = spent_today(app, now)
    is_full = (most_dollars is not None and spent.cost >= share * most_dollars) or (
        most_tokens is not None and spent.tokens >= share * most_tokens
    )
    return usage_text(app.policy, spent) if is_full else None


def usage_text(policy: AppPolicy, spent: Spent) -> str:
    """Return how much of the day's limits is spent, in words."""
    return f"{amounts(policy, spent)} are spent {limits(policy)}"


def limits(policy: AppPolicy) -> str:
    """Return the day's limits in words, as every reason has them that makes a text wait for the next day."""
    return f"(of {amounts(policy, Spent(policy.daily_cost or 0.0, policy.daily_tokens or 0))} a day)"


def amounts(policy: AppPolicy, of: Spent) -> str:
    """Format dollars, tokens, or both, as the policy limits them."""
    dollars = f"${of.cost:.4f}".removesuffix("00")
    counted = [(policy.daily_cost, dollars), (policy.daily_tokens, f"{of.tokens:,} tokens")]
    return " and ".join(amount for limit, amount in counted if limit is not None)


@dataclass(frozen=True, slots=True)
class Reserved:
    """Hold the tokens an answer may have; `pk` of the row that reserves them, None in an app without limits."""

    output_tokens: int
    pk: int | None = None


def meter_for(app: App, session: AgentSession | None = None, turn_number: int | None = None) -> Meter:
    """Return a meter that keeps the app within its energy and its day's limits, and records each call."""

    def ask(expected: Expected) -> Grant:
        reserved = reserve(app, expected, timezone.now())
        return Grant(reserved.output_tokens, partial(settle_reservation, app, reserved, session, turn_number))

    return ask


def reserve(app: App, expected: Expected, now: datetime) -> Reserved:
    """Reserve what a call may take, by the limits and energy level of now. Raises LLMDenied."""
    app = App.objects.select_related("policy").get(pk=app.pk)
    if low := low_energy(app):
        raise LLMDenied(str(low), low.until)
    if app.policy.daily_tokens is None and app.policy.daily_cost is None:
        return Reserved(expected.output_tokens)
    least = Spent(cost_of(expected, expected.least_output_tokens), expected.input_tokens + expected.least_output_tokens)
    is_beyond = (app.policy.daily_cost is not None and least.cost > app.policy.daily_cost) or (
        app.policy.daily_tokens is not None and least.tokens > app.policy.daily_tokens
    )
    if is_beyond:
        # No day can pay for the call, however short its answer.
        reason = f"budget: a question may take {amounts(app.policy, least)} {limits(app.policy)}: raise the limit"
        raise LLMTooDear(reason, next_midnight(app, now))
    with transaction.atomic():
        # Taking the app's row first makes those who reserve wait for each other on every database.
        App.objects.filter(pk=app.pk).update(energy_level=F("energy_level"))
        reservations = Reservation.objects.for_app(app)
        reservations.filter(expires_at__lte=now).delete()
        reserved = reservations.aggregate(cost=Sum("cost", default=0.0), tokens=Sum("tokens", default=0))
        output_tokens = allow(app, expected, spent_today(app, now), Spent(reserved["cost"], reserved["tokens"]), now)
        if isinstance(output_tokens, Denial):
            raise LLMDenied(str(output_tokens), output_tokens.until)
        most = cost_of(expected, output_tokens)
        row = Reservation.objects.create(
            app=app, tokens=expected.input_tokens + output_tokens, cost=most, expires_at=now + HELD_FOR
        )
    return Reserved(output_tokens, row.pk)


def settle_reservation(
    app: App, reserved: Reserved, session: AgentSession | None, turn_number: int | None, usage: Usage | None
) -> None:
    """Free what was reserved, and record what was taken: both or neither."""
    with transaction.atomic():
        if usage is not None:
            record(app, usage, session, turn_number)
        if reserved.pk is not None:
            Reservation.objects.for_app(app).filter(pk=reserved.pk).delete()


def allow(app: App, expected: Expected, spent: Spent, reserved: Spent, now: datetime) -> int | Denial:
    """Return how many tokens the answer may have.

    A question that may take more than half of what a day allows is content with less room than it would like: else it
    might wait for ever.
    """
    half = Spent((app.policy.daily_cost or 0.0) / 2, (app.policy.daily_tokens or 0) // 2)
    half_a_day, left = (affordable(app.policy, expected, used) for used in (half, spent))
    now_left = affordable(app.policy, expected, Spent(spent.cost + reserved.cost, spent.tokens + reserved.tokens))
    needed = expected.output_tokens if half_a_day >= expected.output_tokens else expected.least_output_tokens
    if now_left >= needed:
        return min(expected.output_tokens, floor(min(now_left, expected.output_tokens)))
    most = f"a question may take {expected.input_tokens + needed:,} more"
    if left >= needed:
        return Denial("budget", f"{usage_text(app.policy, spent)}, calls under way hold more, and {most}", now + SOON)
    return Denial("budget", f"{usage_text(app.policy, spent)}, and {most}", next_midnight(app, now))


def affordable(policy: AppPolicy, expected: Expected, used: Spent) -> float:
    """Return the tokens an answer may have when so much is used; below 0 when not even the question can be paid for."""
    limits_left = [inf]
    if policy.daily_tokens is not None:
        limits_left.append(policy.daily_tokens - used.tokens - expected.input_tokens)
    if policy.daily_cost is not None:
        dollars = policy.daily_cost - used.cost
        dollars_in, dollars_out = expected.price or (0.0, 0.0)
        left = dollars * 1_000_000 - expected.input_tokens * dollars_in
        # Where the price is unknown, no limit while there is any money left.
        if dollars <= 0 or left < 0:
            limits_left.append(-1.0)
        elif dollars_out:
            limits_left.append(left / dollars_out)
    return min(limits_left)


def cost_of(expected: Expected, output_tokens: int) -> float:
    """Return the cost in US dollars; 0 where the price is not known."""
    dollars_in, dollars_out = expected.price or (0.0, 0.0)
    return (expected.input_tokens * dollars_in + output_tokens * dollars_out) / 1_000_000
