"""Confidence as a pure function of absolute times: computed once or fifty times, the numbers are the same.

    confidence(now) = base − decay_per_week × weeks since (anchor + stale_after_days), within 0 and 1

The anchor is the last confirmation, or the later day from which on it holds. What changes confidence without confirming
(a contradiction) sets the base, and moves an anchor that lies further back than the grace period to its end: no grace
anew, and nothing decays twice.
"""

from datetime import datetime, timedelta

from memories.models import Memory
from memsite.tenancy.policy import AppPolicy

WEEK = timedelta(weeks=1)
# Confidence is spoken of in tenths; twelve digits keep 0.7 − 0.2 at 0.5 without losing anything real.
DIGITS = 12


def clamp(value: float) -> float:
    return min(1.0, max(0.0, round(value, DIGITS)))


def decay_amount(anchored_at: datetime, now: datetime, policy: AppPolicy) -> float:
    """What has been lost since the anchor: 0 within the grace period, then continuous."""
    overdue = now - anchored_at - timedelta(days=policy.stale_after_days)
    return max(0.0, policy.decay_per_week * (overdue / WEEK))


def is_exempt(memory: Memory, policy: AppPolicy) -> bool:
    threshold = policy.decay_exempt_from
    return memory.pinned or (threshold is not None and memory.confidence_base >= threshold)


def decays_from(memory: Memory) -> datetime:
    """The anchor; of what holds from a later day on, that day: before it there is nothing to confirm."""
    return max(memory.anchored_at, memory.valid_from or memory.anchored_at)


def confidence_at(memory: Memory, now: datetime, policy: AppPolicy) -> float:
    if is_exempt(memory, policy):
        return clamp(memory.confidence_base)
    return clamp(memory.confidence_base - decay_amount(decays_from(memory), now, policy))


def settle(memory: Memory, value: float, now: datetime, policy: AppPolicy) -> None:
    """Makes `value` the confidence of now without confirming anything: what decays goes on decaying from there."""
    memory.confidence = memory.confidence_base = clamp(value)
    overdue_since = now - timedelta(days=policy.stale_after_days)
    memory.anchored_at = max(memory.anchored_at, overdue_since)
