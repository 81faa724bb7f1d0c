"""What is replaced or over is no longer so: however unlike the sentences."""

from __future__ import annotations

from memories.language.relate import Relation, relate
from memories.language.relate.features import extract, lay_side_by_side
from memories.language.relate.replacement import find_replaced
from memories.language.relate.termination import BY_ANYONE, BY_ONESELF, BY_PEOPLE, find_end
from memories.language.wordlists import groups
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of


@each_row("similarity", [None, 0.5, 0.8, 0.97])
@each_row(
    ("existing", "new"),
    [
        ("User is 40", "User turned forty"),
        ("User is forty", "User turned 40 in May"),
        ("User is one of five", "User turned two pages"),
        ("User is 39", "User's sister turned forty"),
    ],
)
def test_the_same_age_denies_nothing(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is not Relation.CONTRADICTS, (one, other)


@each_row_of("relate_now")
@each_row("similarity", [0.85, None])
def test_who_leaves_out_the_unit_means_the_same_one(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@each_row(
    ("existing", "new"),
    [
        ("Jonas weighs 20 kg", "Jonas is 6"),
        ("The backup takes 2 hours", "The backup runs at 2"),
        ("The room costs 90 euros", "The room has 90 seats"),
        ("User sleeps 8 hours", "User gets up at 8"),
        ("The timeout of port 8080 is 30 seconds", "The service listens on 8080"),
        ("The budget is 15,000 euros", "The budget is 15,000"),
    ],
)
def test_a_bare_number_said_of_something_else_has_another_unit(existing: str, new: str) -> None:
    assert relate(existing, new, 0.8).relation is not Relation.CONTRADICTS


FOSTER = "User works as an architect at Foster in London, remotely"
NOW = "User works at Zaha Hadid now, not at Foster"


@each_row_of("relate_instead")
def test_what_is_said_to_be_replaced_is_so_no_more(existing: str, new: str) -> None:
    assert find_replaced(existing, new)
    for similarity in (None, 0.3, 0.8):
        told = relate(existing, new, similarity)
        assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@each_row_of("relate_instead")
def test_what_is_not_said_to_be_replaced_is_another_matter(existing: str, new: str) -> None:
    assert find_replaced(existing, new) is None


def test_the_reason_names_both() -> None:
    assert relate(FOSTER, NOW).reason == "now otherwise: foster / zaha hadid"


@each_row("begins", ["", "User works at A", "User is not "])
@each_row("padding", ["a", " a", ", not ", " instead of ", " is not a but ", " works at A", " is a a at A"])
def test_what_is_replaced_is_looked_for_in_linear_time(padding: str, begins: str) -> None:
    assert_linear(lambda text: find_replaced(f"{begins}{text}", f"{begins}{text}"), repeated(padding), 16_000)


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
        ("User has a cold", "User is still recovering from the cold"),
        ("The bug is open", "User is fixing the bug"),
    ],
)
def test_what_is_not_over_is_not_the_same(existing: str, new: str, similarity: float | None) -> None:
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
