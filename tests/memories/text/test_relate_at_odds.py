"""What somebody reports, calls off or switches to is at odds with what was said before; with little else."""

from __future__ import annotations

from memories.text.relate import Relation, relate
from memories.text.relate.reported import say_plainly
from memories.text.relate.switches import find_switch
from memories.text.relate.trips import find_trip_off
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of

CROATIA = "User is going to Croatia in July 2027, to Split"
NIGHTS = "User works night shifts at the hospital, as a nurse on the cardiology ward"


@each_row("similarity", [None, 0.4, 0.65, 0.8])
@each_row_of("relate_at_odds")
def test_who_reports_it_and_whose_daughter_it_is_changes_nothing(
    existing: str, new: str, similarity: float | None
) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@each_row_of("relate_at_odds")
@each_row("similarity", [0.5, 0.65])
def test_what_is_reported_of_another_or_in_doubt_denies_nothing(existing: str, new: str, similarity: float) -> None:
    told = relate(existing, new, similarity)
    assert told.relation is not Relation.CONTRADICTS, told


@each_row_of("relate_at_odds")
def test_a_trip_that_is_called_off_is_not_made(existing: str, new: str) -> None:
    told = relate(existing, new, 0.3)
    assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@each_row_of("relate_at_odds")
def test_another_trip_is_another_matter(existing: str, new: str) -> None:
    assert find_trip_off(existing, new) is None


@each_row_of("relate_at_odds")
def test_a_trip_is_called_off_by_its_place_or_by_not_going(existing: str, new: str) -> None:
    assert find_trip_off(existing, new)
    told = relate(existing, new, 0.3)
    assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@each_row_of("relate_at_odds")
def test_another_trip_to_the_place_is_not_called_off(existing: str, new: str) -> None:
    assert find_trip_off(existing, new) is None
    assert not relate(existing, new, 0.3).is_certain


@each_row_of("relate_at_odds")
def test_who_switched_does_it_no_more(existing: str, new: str) -> None:
    told = relate(existing, new, 0.3)
    assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@each_row_of("relate_at_odds")
def test_who_switched_something_else_still_does_it(existing: str, new: str) -> None:
    assert find_switch(existing, new) is None
    assert not relate(existing, new, 0.3).is_certain


@each_row(
    ("said", "end"),
    [
        (CROATIA, "The trip to Croatia is cancelled"),
        ("Anna is going to Rome", "Anna's trip to Rome is cancelled"),
        (NIGHTS, "User switched to day shifts, no more nights"),
        ("User drinks coffee every morning", "User switched from coffee to tea"),
        ("User is a vegetarian", "User is no longer a vegetarian"),
        ("User's brother Ben uses Firefox", "Ben switched to Chrome"),
    ],
)
def test_what_is_over_is_at_odds_with_it_in_whatever_order_they_come(said: str, end: str) -> None:
    for similarity in (None, 0.3, 0.8):
        told = relate(said, end, similarity), relate(end, said, similarity)
        assert [one.relation for one in told] == [Relation.CONTRADICTS] * 2
        assert [one.is_certain for one in told] == [True, True]
        assert [one.ended_before for one in told] == [False, True]


@each_row(
    ("said", "end"),
    [
        (CROATIA, "The trip to Norway is cancelled"),
        (CROATIA, "The trip to Croatia in March is cancelled"),
        (CROATIA, "The school trip to Croatia is cancelled"),
        (NIGHTS, "User's brother switched to day shifts"),
        (NIGHTS, "User switched to day shifts but went back to nights"),
        ("User works nights and day shifts", "User switched to day shifts"),
        ("User is a nurse", "User is no longer a nurse at the Linz hospital"),
    ],
)
def test_what_ends_something_else_is_no_more_at_odds_where_it_came_first(said: str, end: str) -> None:
    told = relate(end, said, 0.3)
    assert (told.is_certain, told.ended_before) == (False, False)


@each_row_of("relate_at_odds")
def test_any_text_is_read_in_linear_time(padding: str) -> None:
    for read in (say_plainly, find_trip_off, find_switch):
        for begins in ("", "User is going to ", "User's daughter Emma is "):
            assert_linear(
                lambda text, read=read, begins=begins: read(f"{begins}{text}", text), repeated(padding), 8_000
            )


@each_row(
    ("existing", "new"),
    [
        ("User is not allergic to anything as far as they know", "Turns out User is allergic to penicillin"),
        ("User is allergic to penicillin", "User is not allergic to anything"),
        ("User's son Leo is not afraid of anyone", "User's son Leo is afraid of clowns"),
    ],
)
def test_who_is_so_of_something_is_not_so_of_nothing(existing: str, new: str) -> None:
    verdict = relate(existing, new, 0.4)
    assert (verdict.relation, verdict.is_certain) == (Relation.CONTRADICTS, True)


@each_row(
    ("existing", "new"),
    [
        ("User's brother is allergic to nuts", "User is not allergic to anything"),
        ("User is not allergic to anything", "User's son is allergic to nuts"),
        ("User is not allergic to anything", "User is afraid of spiders"),
    ],
)
def test_nothing_of_one_is_something_of_another(existing: str, new: str) -> None:
    assert not relate(existing, new, 0.6).is_certain


@each_row("similarity", [0.2, 0.3, 0.4])
@each_row(
    ("one", "other"),
    [
        ("Retries are limited to 3", "The status page needs no token"),
        ("User quit smoking in 2019", "User takes tea with milk"),
        ("User wears hearing aids in both ears", "User is single"),
        ("User reads only non-fiction", "User has every record by Nina Simone"),
        ("User hates long meetings", "User drinks coffee only before noon"),
    ],
)
def test_what_shares_no_word_and_is_far_apart_denies_nothing(one: str, other: str, similarity: float) -> None:
    assert relate(one, other, similarity).relation is Relation.DIFFERENT
    assert relate(other, one, similarity).relation is Relation.DIFFERENT


def test_contraries_may_share_no_word() -> None:
    assert relate("User is vegan", "User has scrambled eggs every day", 0.37).relation is Relation.CONTRADICTS
    assert relate("User is single", "User is married to Julia", 0.42).relation is Relation.CONTRADICTS
