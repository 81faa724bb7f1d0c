"""What was said without a subject is met by what is said of a trip, a shift or a daughter by name."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memories.capture.known import Stated, is_telling, judge
from memories.models import Source
from memories.store import Candidate
from memories.text.relate import Relation
from tests.conftest import Caller
from tests.memories.capture.test_alike import Near
from tests.talking import hear


@pytest.mark.parametrize(
    ("existing", "subject", "new", "told_of", "cosine"),
    [
        (
            "User is going to Croatia in July 2027, to Split", None,
            "The trip to Croatia is cancelled", "trip to croatia", 0.5,
        ),
        ("User works night shifts at the hospital", None, "User switched to day shifts, no more nights", None, 0.4),
        ("User's daughter Emma is 7", "emma", "Emma turned 8", "emma", 0.4),
        (
            "User's daughter Emma is allergic to peanuts", "emma",
            "The doctor says Emma outgrew the peanut allergy", "emma", 0.6,
        ),
    ],
)  # fmt: skip
def test_what_is_found_in_talk_is_at_odds_with_it(
    existing: str, subject: str | None, new: str, told_of: str | None, cosine: float
) -> None:
    known = Stated(1, existing, subject, None, None, timezone.now())
    candidate = Candidate(content=new, subject=told_of, source=Source.FACT)
    verdict = judge(known, candidate, cosine, Near())
    assert verdict.relation == Relation.CONTRADICTS
    assert is_telling(known, verdict, candidate, timezone.now())


def test_a_trip_is_doubted_once_it_is_called_off(alice: Caller) -> None:
    trip = alice.remember("User is going to Croatia in July, to Split")
    hear(alice, "The trip to Croatia is cancelled.")
    links = alice.get(f"memories/{trip['id']}/links").json()["results"]
    assert [link["kind"] for link in links] == ["contradicts"]
