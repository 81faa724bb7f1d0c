"""Summaries that are not stored: put together by rule when somebody asks, and kept while all that they tell of is so.

Whatever changes a memory gives it another `change_number`; how often it was found does not, and is looked at each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from memories.maintain.summaries import MAX_CHARACTERS, at_odds_in, facts_of, first_of
from memories.providers.llm.provider import Written
from memories.providers.llm.rules.summaries import summarise
from memsite.db.lru_cache import Latest, is_committed
from memsite.tenancy.models import App

TEXTS_KEPT = 64
"""Of all apps."""


@dataclass(frozen=True, slots=True)
class ComputedSummary:
    """A text, from how many facts it was put together, and what these were."""

    written: Written
    facts: int
    state: bytes


computed_summaries: Latest[ComputedSummary] = Latest(TEXTS_KEPT)


def compute_summary(app: App, category: str, user_id: str, now: datetime) -> ComputedSummary:
    """Two queries for a few numbers of each fact; where they changed, two more and up to a second for 5,000 facts."""
    if not is_committed():
        return put_together(app, category, user_id, now, b"")
    key = app.pk, app.index_number, category, user_id
    # The state first: what is written meanwhile may be read twice, never missed.
    state = state_of(app, category, user_id, now)
    known = computed_summaries.get(key)
    if known is None or known.state != state:
        known = put_together(app, category, user_id, now, state)
        computed_summaries.put(key, known)
    return known


def put_together(app: App, category: str, user_id: str, now: datetime, state: bytes) -> ComputedSummary:
    facts = facts_of(app, category, user_id, now)
    return ComputedSummary(summarise(category, facts, "", MAX_CHARACTERS), len(facts), state)


def state_of(app: App, category: str, user_id: str, now: datetime) -> bytes:
    """The same for the same facts: which they are, in their order, as of which change, and which are at odds."""
    rows = first_of(app, category, user_id, now).values_list("pk", "change_number", "access_count")
    return sha256(repr([*rows, *at_odds_in(app, category, user_id, now)]).encode()).digest()
