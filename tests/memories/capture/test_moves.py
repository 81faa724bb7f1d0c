"""Who moved does not live where it was said before: the newer city counts, and both stay to be looked at."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from time_machine import travel

from memories.models import Memory
from memories.text.relate import Relation, relate
from memories.text.relate.moves import find_move
from tests.conftest import Caller
from tests.growth import assert_linear, repeated
from tests.talking import hear

NOW = datetime(2026, 11, 26, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User lives in Graz", "User moved to Linz"),
        ("User lives in Graz with two cats", "User has just moved to Linz, near the river"),
        ("User is based in New York", "User relocated to San Francisco in October 2026"),
        ("User's sister lives in Paris", "User's sister moved to Madrid in September 2026"),
        ("User is still living in Düsseldorf", "User moved back to Köln for their new job"),
        ("User lives in Berlin", "User moved from Berlin to Hamburg on 3 May 2026"),
        ("Anna lives in Rome", "In May Anna moved to Milan"),
    ],
)
def test_it_is_seen_however_little_the_sentences_have_in_common(existing: str, new: str) -> None:
    assert find_move(existing, new)
    told = relate(existing, new, 0.1)
    assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)
    assert relate(existing, new).relation == Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User lives in Graz", "User moved to Linux"),
        ("User lives in Graz", "User moved to Google"),
        ("User lives in Graz", "User moved to a new team"),
        ("User lives in Graz", "User moved to Austria in May 2026"),
        ("User lives in Germany", "User moved to Berlin"),
        ("User lives in Graz", "User's sister moved to Linz"),
        ("User lives in Graz", "User visited Linz"),
        ("User lives in Graz", "User moved to Graz in 2015"),
        ("User lives in Graz", "User moved to the Berlin office"),
        ("User lives in Graz", "User moved to London Business School"),
        ("User lives in Graz", "User moved to Berlin time"),
        ("User lives in Graz", "The server moved to Linz"),
    ],
)
def test_what_is_no_move_of_the_same_person_to_another_city(existing: str, new: str) -> None:
    assert find_move(existing, new) is None


@travel(NOW, tick=False)
def test_where_somebody_lived_is_doubted_once_they_moved(alice: Caller) -> None:
    hear(alice, "I live in Graz and work as a nurse.")
    hear(alice, "I moved to Linz last week.")
    lived, works, moved = Memory.objects.for_app(alice.app).order_by("pk")
    assert (lived.content, works.content) == ("User lives in Graz", "User works as a nurse")
    assert "moved to Linz" in moved.content
    assert lived.confidence < works.confidence == moved.confidence
    (link,) = alice.get(f"memories/{moved.uid}/links").json()["results"]
    assert (link["kind"], link["to_id"]) == ("contradicts", str(lived.uid))


@travel(NOW, tick=False)
def test_where_somebody_moved_years_ago_changes_nothing(alice: Caller) -> None:
    hear(alice, "I live in Graz.")
    hear(alice, "In 2015 I moved to London.")
    lived, moved = Memory.objects.for_app(alice.app).order_by("pk")
    assert lived.confidence == moved.confidence
    assert not alice.get(f"memories/{moved.uid}/links").json()["results"]


@pytest.mark.parametrize("padding", ["a", " a", "User lives in ", " moved to ", "User from a ", "New York "])
def test_any_text_gives_an_answer_in_linear_time(padding: str) -> None:
    assert_linear(lambda text: find_move(f"User lives in {text}", text), repeated(padding), 16_000)
