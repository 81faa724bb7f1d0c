"""What is over is at odds with what was so; what is said again, half done, wished for or done by another is not."""

from __future__ import annotations

from memories.text.relate import Relation, relate
from memories.text.relate.ended import find_end
from memories.text.relate.ends import BY_ANYONE, BY_ONESELF, BY_PEOPLE
from memories.text.relate.features import extract, lay_side_by_side
from memories.text.relate.wordlist import groups
from tests.tables import each_row, each_row_of

COSINES = (None, 0.7, 0.85, 0.97)


@each_row("similarity", COSINES)
@each_row_of("relate_ended")
def test_what_is_over_contradicts_what_was_so(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        verdict = relate(one, other, similarity)
        assert verdict.relation is Relation.CONTRADICTS, (one, other, verdict)
        assert verdict.is_shown


@each_row("similarity", COSINES)
@each_row_of("relate_ended")
def test_what_ends_something_else_is_not_lost(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        sides = lay_side_by_side(one, other, "")
        assert find_end(sides, extract(sides, None)) is None
        verdict = relate(one, other, similarity)
        assert verdict.relation is not Relation.SAME, (one, other, verdict)


@each_row("similarity", [None, 0.7, 0.85])
@each_row(
    ("existing", "new"),
    [
        ("User plays the violin", "User used to play the cello"),
        ("User drives to work", "User's wife used to drive to work"),
        ("User gets on well with the mother-in-law", "The mother-in-law used to be a judge"),
        ("User was a smoker", "User used to smoke"),
    ],
)
def test_what_another_used_to_do_denies_nothing(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.DIFFERENT


@each_row("similarity", [None, 0.95])
@each_row_of("relate_ended")
def test_what_is_over_is_said_again(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.SAME


@each_row("similarity", COSINES)
@each_row_of("relate_ended")
def test_what_a_machine_returns_it_still_has(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is Relation.DIFFERENT, (one, other)


@each_row("similarity", COSINES)
@each_row_of("relate_ended")
def test_what_is_not_over_is_still_so(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is not Relation.CONTRADICTS, (one, other)


@each_row("similarity", COSINES)
@each_row_of("relate_ended")
def test_what_is_denied_otherwise_is_at_odds_as_before(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@each_row("similarity", COSINES)
@each_row(
    ("existing", "new"),
    [
        ("User does not have a cold", "User has not recovered from the cold"),
        ("User has a cold", "User is still recovering from the cold"),
        ("The bug is open", "User is fixing the bug"),
    ],
)
def test_what_is_not_over_is_neither_what_is_not_so_nor_the_same(
    existing: str, new: str, similarity: float | None
) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is not Relation.SAME


def test_every_deed_ends_something() -> None:
    for group in (*groups(BY_ONESELF), *groups(BY_PEOPLE), *groups(BY_ANYONE)):
        deeds, bar, states = group.partition("|")
        assert [deeds.strip() != "", bar, states.strip() != ""] == [True, "|", True], group


@each_row(
    "padding",
    ["fixed ", "used to ", "gave it back ", "is open was paid ", "on Monday ", "at 8 ", "not over it not returned "],
)
def test_many_ends_and_values_cost_no_more_than_others(padding: str) -> None:
    """What is read ends after some thousands of characters."""
    assert relate("The bug is open", padding * 4_000, 0.8).relation in Relation
