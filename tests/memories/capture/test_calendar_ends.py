"""What is said at the ends of the calendar is learnt from as well: a day that falls out of it is no date."""

from __future__ import annotations

from typing import Any

import pytest

from memories.models import ExtractionStatus, Memory
from memsite.tenancy.models import AppPolicy
from tests.conftest import Caller
from tests.talking import contents, extractions, statuses
from tests.upkeep import upkeep_learn_due

SAID = (
    "I live in Berlin. I am on leave until tomorrow. My flight to Rome is on Friday. We met Ann recently. "
    "The contract runs until 31 December 9999. I moved here the day before yesterday. "
    "My exam is next week and the party is tonight."
)
ENDS = ["0001-01-01T00:00:00Z", "0001-01-03T12:00:00Z", "9999-12-29T00:00:00Z", "9999-12-31T23:59:59Z"]
ZONES = ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]


def say(caller: Caller, moment: str, **session: Any) -> dict[str, Any]:
    started = caller.start_session(**session)
    messages = [{"role": role, "content": SAID, "at": moment} for role in ("user", "assistant")]
    assert caller.post(f"sessions/{started['id']}/messages", {"messages": messages}).status_code == 202
    return started


@pytest.mark.parametrize("moment", ENDS)
@pytest.mark.parametrize("zone", ZONES)
def test_facts_are_found_there(alice: Caller, moment: str, zone: str) -> None:
    AppPolicy.objects.filter(app=alice.app).update(time_zone=zone)
    say(alice, moment)
    upkeep_learn_due()
    assert [row.reason for row in extractions(alice.app)] == ["", ""]
    assert set(statuses(alice.app)) == {ExtractionStatus.DONE}
    assert "User lives in Berlin" in contents(alice.app)
    contract = Memory.objects.for_app(alice.app).filter(content="The contract runs until 31 December 9999")
    assert set(contract.values_list("valid_until", flat=True)) == {None}


@pytest.mark.parametrize("moment", [ENDS[0], ENDS[-1]])
def test_a_digest_is_written_there(alice: Caller, moment: str) -> None:
    AppPolicy.objects.filter(app=alice.app).update(
        time_zone="Pacific/Kiritimati", capture_facts=False, capture_digest=True
    )
    session = say(alice, moment)
    alice.post(f"sessions/{session['id']}/end", {})
    upkeep_learn_due()
    assert set(statuses(alice.app)) == {ExtractionStatus.DONE}
    assert len(contents(alice.app)) == 1
