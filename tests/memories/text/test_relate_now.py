"""Who turned 35 is no longer 34, and who now works for one is no longer with another: however unlike the sentences."""

from __future__ import annotations

import pytest

from memories.text.relate import Relation, relate
from memories.text.relate.now import find_new_value
from tests.growth import assert_linear, repeated


@pytest.mark.parametrize(
    ("existing", "new", "values"),
    [
        ("User is 34 years old", "User turned 35", ("34", "35")),
        ("User's daughter is 5", "User's daughter has just turned 6 in May", ("5", "6")),
        ("Anna turned 29", "Anna is 30 years old", ("29", "30")),
        ("User works for Acme as a nurse", "User now works for Initech", ("acme", "initech")),
        ("User works at Siemens", "User is now working for Bosch as an engineer", ("siemens", "bosch")),
        ("User works for Acme", "User started working for Initech", ("acme", "initech")),
        ("User reports to Anna", "Now user reports to Ben", ("anna", "ben")),
        ("User studies at TU Wien", "User now studies at ETH Zurich", ("tu wien", "eth zurich")),
    ],
)
def test_what_is_otherwise_now_contradicts(existing: str, new: str, values: tuple[str, str]) -> None:
    if new.startswith("Now"):
        existing = existing.replace("User", "user")
    assert find_new_value(existing, new) == values
    for similarity in (None, 0.3, 0.8):
        told = relate(existing, new, similarity)
        assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User is 34 years old", "User turned 34"),
        ("User is 34 years old", "User's sister turned 35"),
        ("User is 34 years old", "User turned 35 pages into a book"),
        ("User is 34 minutes late", "User turned 35"),
        ("User's house is 34 years old", "User turned 35"),
        ("User works for Acme", "User works for Initech"),
        ("User works for Acme", "User now works for Acme Europe"),
        ("User works for Acme", "User now works for a bank"),
        ("User works for Acme", "User now works in Berlin"),
        ("User works for Acme", "User's brother now works for Initech"),
        ("User works for Acme", "User now works with React"),
        ("User reports to Ana", "User now reports bugs to Ben"),
        ("User studies at TU Wien", "User now works for Initech"),
    ],
)
def test_what_is_no_other_value_of_the_same_one(existing: str, new: str) -> None:
    assert find_new_value(existing, new) is None


@pytest.mark.parametrize("padding", ["a", " a", "User is 34 ", " turned 35", " now works for A", "A ", "now "])
def test_another_value_is_looked_for_in_linear_time(padding: str) -> None:
    assert_linear(
        lambda text: find_new_value(f"User works for {text}", f"{text} turned {text}"), repeated(padding), 16_000
    )
    assert_linear(lambda text: find_new_value(f"User works for {text}", f"User now {text}"), repeated(padding), 16_000)
