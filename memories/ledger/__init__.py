"""What the server spends, and whether it may."""

from memories.ledger.budget import Denial, economises, may_learn, meter_for
from memories.ledger.days import day_of, next_midnight
from memories.ledger.energy import UNITS, Consumption, consumed, is_low, note_energy, set_level, units_of
from memories.ledger.spend import Spent, Total, record, spent_today, totals

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
    "may_learn",
    "meter_for",
    "next_midnight",
    "note_energy",
    "record",
    "set_level",
    "spent_today",
    "totals",
    "units_of",
]
