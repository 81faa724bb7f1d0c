"""Before each call to a model the most it may take is set aside, and afterwards what it took is written down.

So the day's limits hold exactly, however many calls are under way: what the service tells it took is never more than
was set aside, as far as its tokeniser is no worse than any usual one and it keeps to the length it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import floor, inf

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

from memories.ledger.budget import Denial, amounts, limits, low_energy, told
from memories.ledger.days import next_midnight
from memories.ledger.spend import Spent, record, spent_today
from memories.models import Reservation
from memories.providers.llm.provider import Expected, Grant, LLMDenied, LLMTooDear, Meter, Usage
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy
from sessions.models import AgentSession

HELD_FOR = timedelta(minutes=5)
"""No call takes as long: what is still set aside then was by a process that is gone."""
SOON = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Reserved:
    """Room for an answer; `pk` of the row that holds it, None in an app without limits."""

    output_tokens: int
    pk: int | None = None


def meter_for(app: App, session: AgentSession | None = None, turn_number: int | None = None) -> Meter:
    """A meter that keeps the app within its energy and its day's limits, and tells its ledger of each call."""

    def ask(expected: Expected) -> Grant:
        reserved = reserve(app, expected, timezone.now())
        return Grant(reserved.output_tokens, partial(settle, app, reserved, session, turn_number))

    return ask


def reserve(app: App, expected: Expected, now: datetime) -> Reserved:
    """Raises LLMDenied. By what holds now: a limit or an energy level that has changed counts at once."""
    app = App.objects.select_related("policy").get(pk=app.pk)
    if low := low_energy(app):
        raise denied(low)
    if app.policy.daily_tokens is None and app.policy.daily_cost is None:
        return Reserved(expected.output_tokens)
    if beyond := beyond_a_day(app.policy, expected):
        raise LLMTooDear(f"budget: {beyond}", next_midnight(app, now))
    with transaction.atomic():
        # Taking the app's row first makes those who reserve wait for each other on every database.
        App.objects.filter(pk=app.pk).update(energy_level=F("energy_level"))
        reservations = Reservation.objects.for_app(app)
        reservations.filter(expires_at__lte=now).delete()
        held = reservations.aggregate(cost=Sum("cost", default=0.0), tokens=Sum("tokens", default=0))
        room = allow(app, expected, spent_today(app, now), Spent(held["cost"], held["tokens"]), now)
        if isinstance(room, Denial):
            raise denied(room)
        most = cost_of(expected, room)
        row = Reservation.objects.create(
            app=app, tokens=expected.input_tokens + room, cost=most, expires_at=now + HELD_FOR
        )  # fmt: skip
    return Reserved(room, row.pk)


def settle(
    app: App, reserved: Reserved, session: AgentSession | None, turn_number: int | None, usage: Usage | None
) -> None:  # fmt: skip
    """What was set aside is free again, and what was taken is in the ledger: both or neither."""
    with transaction.atomic():
        if usage is not None:
            record(app, usage, session, turn_number)
        if reserved.pk is not None:
            Reservation.objects.for_app(app).filter(pk=reserved.pk).delete()


def allow(app: App, expected: Expected, spent: Spent, held: Spent, now: datetime) -> int | Denial:
    """How many tokens the answer may have.

    A question that may take more than half of what a day allows is content with less room than it would like: else it
    might wait for ever.
    """
    half = Spent((app.policy.daily_cost or 0.0) / 2, (app.policy.daily_tokens or 0) // 2)
    half_a_day, left = (affordable(app.policy, expected, used) for used in (half, spent))
    now_left = affordable(app.policy, expected, Spent(spent.cost + held.cost, spent.tokens + held.tokens))
    needed = expected.output_tokens if half_a_day >= expected.output_tokens else expected.least_output_tokens
    if now_left >= needed:
        return min(expected.output_tokens, floor(min(now_left, expected.output_tokens)))
    most = f"a question may take {expected.input_tokens + needed:,} more"
    if left >= needed:
        return Denial("budget", f"{told(app.policy, spent)}, calls under way hold more, and {most}", now + SOON)
    return Denial("budget", f"{told(app.policy, spent)}, and {most}", next_midnight(app, now))


def beyond_a_day(policy: AppPolicy, expected: Expected) -> str:
    """Why no day can pay for a call, however short its answer; "" where one can."""
    least = Spent(cost_of(expected, expected.least_output_tokens), expected.input_tokens + expected.least_output_tokens)
    is_beyond = (policy.daily_cost is not None and least.cost > policy.daily_cost) or (
        policy.daily_tokens is not None and least.tokens > policy.daily_tokens
    )
    return f"a question may take {amounts(policy, least)} {limits(policy)}: raise the limit" if is_beyond else ""


def affordable(policy: AppPolicy, expected: Expected, used: Spent) -> float:
    """Tokens that an answer may have when so much is used; below 0 when not even the question can be paid for."""
    rooms = [inf]
    if policy.daily_tokens is not None:
        rooms.append(policy.daily_tokens - used.tokens - expected.input_tokens)
    if policy.daily_cost is not None:
        rooms.append(affordable_for(policy.daily_cost - used.cost, expected))
    return min(rooms)


def affordable_for(dollars: float, expected: Expected) -> float:
    """The same by money. Where the price is not known, as much as one likes while there is any money left."""
    dollars_in, dollars_out = expected.price or (0.0, 0.0)
    left = dollars * 1_000_000 - expected.input_tokens * dollars_in
    if dollars <= 0 or left < 0:
        return -1.0
    return left / dollars_out if dollars_out else inf


def cost_of(expected: Expected, output_tokens: int) -> float:
    """In US dollars; 0 where the price is not known."""
    dollars_in, dollars_out = expected.price or (0.0, 0.0)
    return (expected.input_tokens * dollars_in + output_tokens * dollars_out) / 1_000_000


def denied(denial: Denial) -> LLMDenied:
    return LLMDenied(str(denial), denial.until)
