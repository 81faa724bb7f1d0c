"""What a reader should know before believing a hit: tags, and the one query they cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from memories.models import Link, LinkKind
from memories.retrieve.hits import Hit
from memsite.tenancy.models import App

CONFLICTING, UNCERTAIN, STALE = "conflicting", "uncertain", "stale"


def tag_hits(app: App, hits: Sequence[Hit], now: datetime) -> None:
    """Tags each hit: at odds with another of them, less than sure, or not confirmed for long."""
    at_odds = conflicting_pks(app, [hit.memory.pk for hit in hits])
    stale_since = now - timedelta(days=app.policy.stale_after_days)
    for hit in hits:
        reasons = {
            CONFLICTING: hit.memory.pk in at_odds,
            UNCERTAIN: hit.memory.confidence < app.policy.inactive_below,
            STALE: hit.memory.confirmed_at < stale_since,
        }
        hit.trust = [tag for tag, holds in reasons.items() if holds]


def conflicting_pks(app: App, pks: Sequence[int]) -> set[int]:
    """Those of these memories that contradict another of them."""
    links = Link.objects.for_app(app).filter(kind=LinkKind.CONTRADICTS, from_memory__in=pks, to_memory__in=pks)
    return {pk for pair in links.values_list("from_memory", "to_memory") for pk in pair} if len(pks) > 1 else set()
