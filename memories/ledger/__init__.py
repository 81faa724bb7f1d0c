"""What the server spends, and whether it may."""

from memories.ledger.budget import Denial, economises, may_call_for, may_learn, remaining_tokens
from memories.ledger.days import day_of, next_midnight
from memories.ledger.energy import UNITS, Consumption, consumed, is_low, note_energy, set_level, units_of
from memories.ledger.spend import Spent, Total, meter_for, spent_today, totals

__all__ = [
    "UNITS",
    "Consumption",
    "Denial",
    "Spent",
    "Total",
    "consumed",
    "day_of",
    "economises",
    "is_low",
    "may_call_for",
    "may_learn",
    "meter_for",
    "next_midnight",
    "note_energy",
    "remaining_tokens",
    "set_level",
    "spent_today",
    "totals",
    "units_of",
]
