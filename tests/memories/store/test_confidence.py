"""Confidence is a function of time: it never rises by itself, has bounds, and is the same however often it is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.models import Memory
from memories.store.confidence import confidence_at, settle
from memsite.tenancy.policy import AppPolicy

START = datetime(2027, 1, 1, tzinfo=UTC)
SHARES = st.floats(0, 1)
SPANS = st.timedeltas(timedelta(0), timedelta(days=2000))
POLICIES = st.builds(
    AppPolicy,
    stale_after_days=st.integers(0, 400),
    decay_per_week=SHARES,
    decay_exempt_from=st.none() | SHARES,
)


def known(base: float, pinned: bool = False) -> Memory:
    return Memory(confidence=base, confidence_base=base, anchored_at=START, pinned=pinned)


@given(SHARES, SPANS, SPANS, POLICIES)
def test_it_never_rises_by_itself_and_stays_within_0_and_1(
    base: float, one: timedelta, other: timedelta, policy: AppPolicy
) -> None:
    memory = known(base)
    sooner, later = sorted((one, other))
    before, after = (confidence_at(memory, START + span, policy) for span in (sooner, later))
    assert 0 <= after <= before <= 1


@given(SHARES, SPANS, POLICIES)
def test_within_its_grace_nothing_is_lost(base: float, span: timedelta, policy: AppPolicy) -> None:
    inside = min(span, timedelta(days=policy.stale_after_days))
    assert confidence_at(known(base), START + inside, policy) == pytest.approx(base, abs=1e-12)


@given(SHARES, st.lists(SPANS, max_size=6), SPANS, POLICIES)
def test_setting_it_to_what_it_is_changes_nothing_of_what_comes(
    base: float, spans: list[timedelta], last: timedelta, policy: AppPolicy
) -> None:
    """Once or seven times: no grace anew, and nothing decays twice."""
    once, often = known(base), known(base)
    moments = sorted([*spans, last])
    # From where what is written is exempt, it stays.
    policy.decay_exempt_from = None
    for span in moments:
        settle(often, confidence_at(often, START + span, policy), START + span, policy)
    for further in (timedelta(0), timedelta(days=3), timedelta(days=300)):
        at = START + moments[-1] + further
        assert confidence_at(often, at, policy) == pytest.approx(confidence_at(once, at, policy), abs=1e-9)


@given(SHARES, SPANS, POLICIES)
def test_what_is_pinned_stays_as_it_is(base: float, span: timedelta, policy: AppPolicy) -> None:
    assert confidence_at(known(base, pinned=True), START + span, policy) == pytest.approx(base, abs=1e-12)
