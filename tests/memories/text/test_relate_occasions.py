"""What somebody does now and then they may have done twice; where they live is one place, whatever it is called."""

from __future__ import annotations

from memories.text.relate import Relation, relate
from tests.tables import each_row, each_row_of


@each_row_of("relate_occasions")
@each_row("similarity", [None, 0.65, 0.73])
def test_an_occasion_leaves_room_for_another(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.DIFFERENT


@each_row(
    ("existing", "new"),
    [
        ("User has a meeting with Anna at 9:00", "User has a meeting with Anna at 10:00"),
        ("User's favourite lunch is soup", "User's favourite lunch is salad"),
        ("User's flight to Rome is on Monday", "User's flight to Rome is on Friday"),
        ("Project Apollo deadline is March 1", "Project Apollo deadline is April 1"),
    ],
)
@each_row("similarity", [None, 0.8])
def test_what_is_one_thing_at_a_time_is_otherwise_now(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@each_row(
    ("existing", "new"),
    [("User lives in Graz", "User lives in Linz"), ("User lives in Graz with Erik", "User lives in Linz now")],
)
@each_row("similarity", [None, 0.3, 0.8])
def test_who_lives_in_another_city_lives_there(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).is_certain


@each_row(
    ("existing", "new"),
    [
        ("User lives in Graz in winter", "User lives in Linz in summer"),
        ("User's brother lives in Graz", "User's sister lives in Linz"),
        ("User lives in Graz", "User's brother lives in Linz"),
    ],
)
def test_two_homes_are_two_homes(existing: str, new: str) -> None:
    assert not relate(existing, new, 0.54).is_certain
