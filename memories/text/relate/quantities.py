"""Quantities, and how two of them stand to each other: "an hour and a half" equals "90 min".

Quantities are compared only within one kind: a duration never meets a clock time or a count.
"""

from dataclasses import dataclass, replace
from enum import Enum

from .measures import INFINITY

EXACT_TOLERANCE = 1e-12
"""Of addresses and versions the fourth part counts for 1e-9 of the first."""
ROUGH_TOLERANCE = 0.15
"""Share by which two values may differ when one of them is called approximate."""

_SPAN_KINDS = frozenset({"clock", "weekday", "date"})
"""Kinds whose values are stretches of a calendar: they agree when they overlap."""

UNITLESS = "number"
MINUTES_PER_DAY = 24 * 60


@dataclass(frozen=True)
class Quantity:
    """A value in its kind's base unit. `low`..`high` is what the words cover, `named` what they say."""

    kind: str
    named: float
    low: float
    high: float
    text: str
    is_rough: bool = False


class Agreement(Enum):
    """How two quantities of one kind stand to each other."""

    EQUAL = "equal"
    COMPATIBLE = "compatible"
    CONFLICT = "conflict"


def point(kind: str, value: float, text: str, *, is_rough: bool = False) -> Quantity:
    """Return the quantity that is one value."""
    return Quantity(kind, value, value, value, text, is_rough)


def span(kind: str, low: float, high: float, text: str) -> Quantity:
    """Return the quantity that covers a stretch."""
    return Quantity(kind, low, low, high, text)


def compare(left: Quantity, right: Quantity) -> Agreement:
    """Compare two quantities of one kind."""
    if left.kind in _SPAN_KINDS:
        return _compare_spans(left, right)
    if _close(left.named, right.named, rough=left.is_rough or right.is_rough):
        return Agreement.EQUAL
    left_open, right_open = left.low != left.high, right.low != right.high
    if left_open != right_open and _overlap(left, right):
        return Agreement.COMPATIBLE
    return Agreement.CONFLICT


def _compare_spans(left: Quantity, right: Quantity) -> Agreement:
    """Compare stretches; "the afternoon" is rough and agrees with any time in it, "after 14:00" is not."""
    if not _overlap(left, right):
        return Agreement.CONFLICT
    if (left.low, left.high) == (right.low, right.high) or left.is_rough or right.is_rough:
        return Agreement.EQUAL
    both_stretch = left.low != left.high and right.low != right.high
    return Agreement.CONFLICT if both_stretch else Agreement.COMPATIBLE


def are_comparable(left: Quantity, right: Quantity) -> bool:
    """Tell whether two quantities measure the same thing; a bare number may be any count or label."""
    if left.kind == right.kind:
        return True
    bare = UNITLESS in (left.kind, right.kind)
    return bare and all(kind == UNITLESS or ":" in kind or kind == "status" for kind in (left.kind, right.kind))


def _close(left: float, right: float, *, rough: bool) -> bool:
    tolerance = ROUGH_TOLERANCE if rough else EXACT_TOLERANCE
    return abs(left - right) <= tolerance * max(abs(left), abs(right))


def _overlap(left: Quantity, right: Quantity) -> bool:
    """Tell whether two stretches meet; clock times also meet across midnight."""
    shifts = (-MINUTES_PER_DAY, 0, MINUTES_PER_DAY) if left.kind == "clock" else (0,)
    return any(left.low <= right.high + shift and right.low + shift <= left.high for shift in shifts)


def bounded(quantity: Quantity, side: str) -> Quantity:
    """Open a quantity downwards ("max") or upwards ("min")."""
    if side == "max":
        return replace(quantity, low=-INFINITY, text=f"up to {quantity.text}")
    return replace(quantity, high=INFINITY, text=f"at least {quantity.text}")
