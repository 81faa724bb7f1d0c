"""What was said without a subject is met by what is said of a trip, a shift or a daughter by name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone
from time_machine import travel

from memories.capture.known import Stated, is_telling, judge
from memories.capture.pipeline import SINCE
from memories.models import Action, Memory, Source
from memories.store import Candidate
from memories.text.relate import Relation
from tests.conftest import Caller
from tests.memories.capture.test_alike import Near
from tests.talking import hear
from tests.upkeep import upkeep_learn_due

MAY, JUNE = datetime(2026, 5, 1, 9, tzinfo=UTC), datetime(2026, 6, 1, 9, tzinfo=UTC)
NOW = datetime(2026, 11, 26, 9, tzinfo=UTC)


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


@pytest.mark.parametrize(
    ("existing", "new", "cosine"),
    [
        ("User's dogs play in the park in the morning", "User never lets any of the dogs down", 0.6),
        ("User loves to hike in the mountains", "User has not found the time to pack for the mountains", 0.6),
        ("User opened a shop for clothes", "User started an online shop not so long ago", 0.66),
    ],
)
def test_a_word_that_is_denied_by_the_way_puts_nothing_in_doubt(existing: str, new: str, cosine: float) -> None:
    """Each of these resembles the other and holds a "not": that alone is not enough where nobody says what it is of."""
    known = Stated(1, existing, None, None, None, timezone.now())
    assert judge(known, Candidate(content=new, source=Source.FACT), cosine, Near()).relation == Relation.DIFFERENT


def test_a_trip_is_doubted_once_it_is_called_off(alice: Caller) -> None:
    trip = alice.remember("User is going to Croatia in July, to Split")
    hear(alice, "The trip to Croatia is cancelled.")
    links = alice.get(f"memories/{trip['id']}/links").json()["results"]
    assert [link["kind"] for link in links] == ["contradicts"]


def hear_of(caller: Caller, moment: datetime, *texts: str) -> None:
    """A session of its own, told of afterwards: it was said at that moment."""
    session = caller.start_session()
    messages = [{"role": "user", "content": text, "at": moment.isoformat()} for text in texts]
    assert caller.post(f"sessions/{session['id']}/messages", {"messages": messages}).status_code == 202
    upkeep_learn_due()


def learnt(caller: Caller, word: str) -> Memory:
    return Memory.objects.for_app(caller.app).get(content__contains=word)


def against(caller: Caller, memory: Memory) -> list[tuple[str, str]]:
    """(from, to) of what contradicts it or what it contradicts."""
    links = caller.get(f"memories/{memory.uid}/links").json()["results"]
    return [(link["from_id"], link["to_id"]) for link in links if link["kind"] == "contradicts"]


@pytest.mark.parametrize(
    ("said", "word", "end", "ending"),
    [
        ("I'm going to Croatia in July 2027.", "going", "The trip to Croatia is cancelled.", "cancelled"),
        ("I work night shifts at the hospital.", "night", "I switched to day shifts in May.", "switched"),
        ("I live in Graz and work as a nurse.", "Graz", "I moved to Linz last week.", "Linz"),
    ],
)
@pytest.mark.parametrize("is_told_in_order", [True, False])
@travel(NOW, tick=False)
def test_the_one_said_later_counts_in_whatever_order_they_are_heard(
    alice: Caller, said: str, word: str, end: str, ending: str, *, is_told_in_order: bool
) -> None:
    told = [(MAY, said), (JUNE, end)]
    for moment, text in told if is_told_in_order else told[::-1]:
        hear_of(alice, moment, text)
    before, after = learnt(alice, word), learnt(alice, ending)
    assert against(alice, before) == [(str(after.uid), str(before.uid))]
    assert before.confidence < after.confidence


@travel(NOW, tick=False)
def test_why_the_older_one_is_doubted_quotes_nothing_of_the_newer(alice: Caller) -> None:
    hear_of(alice, JUNE, "The trip to Croatia is cancelled.")
    hear_of(alice, MAY, "I'm going to Croatia in July 2027.")
    reasons = learnt(alice, "going").revisions.values_list("action", "reason")
    assert dict(reasons)[Action.CONTRADICTED] == SINCE


@travel(NOW, tick=False)
def test_who_takes_up_again_what_was_off_is_believed(alice: Caller) -> None:
    hear_of(alice, MAY, "The trip to Croatia is cancelled.")
    hear_of(alice, JUNE, "I'm going to Croatia in July 2027.")
    off, trip = learnt(alice, "cancelled"), learnt(alice, "going")
    assert against(alice, off) == [(str(trip.uid), str(off.uid))]
    assert off.confidence < trip.confidence


def test_what_was_over_in_an_earlier_year_denies_nothing_that_is_said_now() -> None:
    known = Stated(1, "User switched from coffee to tea in 2019", None, None, None, timezone.now())
    heard: Any = SimpleNamespace(content_at=JUNE)
    now = Candidate(content="User drinks coffee every morning", source=Source.FACT, resource=heard)
    then = Candidate(
        content="User drinks coffee every morning", source=Source.FACT,
        resource=SimpleNamespace(content_at=JUNE - timedelta(days=2_800)),  # type: ignore[arg-type]
    )  # fmt: skip
    assert judge(known, now, 0.4, Near()).relation == Relation.DIFFERENT
    assert judge(known, then, 0.4, Near()).relation == Relation.CONTRADICTS
