"""What somebody reports, calls off or switches to is at odds with what was said before; with little else."""

from __future__ import annotations

import pytest

from memories.text.relate import Relation, relate
from memories.text.relate.reported import say_plainly
from memories.text.relate.switches import find_switch
from memories.text.relate.trips import find_trip_off
from tests.growth import assert_linear, repeated

EMMA, CROATIA = "User's daughter Emma is allergic to peanuts", "User is going to Croatia in July 2027, to Split"
PORTUGAL = "User is planning a trip to Portugal in May 2027"
NIGHTS = "User works night shifts at the hospital, as a nurse on the cardiology ward"


@pytest.mark.parametrize("similarity", [None, 0.4, 0.65, 0.8])
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (EMMA, "The doctor says Emma outgrew the peanut allergy"),
        (EMMA, "The doctor says that Emma has outgrown the peanut allergy"),
        (EMMA, "User's doctor told them that Emma outgrew the peanut allergy"),
        (EMMA, "Apparently, Emma outgrew the peanut allergy"),
        (EMMA, "It turns out that Emma outgrew the peanut allergy"),
        (EMMA, "The allergist confirmed that Emma outgrew the peanut allergy"),
        (EMMA, "Emma outgrew the peanut allergy"),
        (EMMA, "User's daughter Emma outgrew the peanut allergy"),
        ("Emma, User's daughter, is allergic to peanuts", "Emma outgrew the peanut allergy"),
        ("Emma is allergic to peanuts", "The doctor says User's daughter Emma outgrew the peanut allergy"),
        ("User has asthma", "The doctor says User got over the asthma"),
        ("User's daughter Emma is 7", "Emma turned 8"),
        ("User's daughter Emma is 7", "Apparently Emma turned 8"),
        ("User's younger son Max is 3 years old", "Max has just turned 4"),
        ("User's wife Anna works for Acme", "Anna now works for Initech"),
        ("User's brother Ben lives in Graz", "Ben moved to Linz"),
        ("User's dog Rex is 5 years old", "The vet says Rex turned 6"),
    ],
)
def test_who_reports_it_and_whose_daughter_it_is_changes_nothing(
    existing: str, new: str, similarity: float | None
) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (EMMA, "The doctor says Ben outgrew the peanut allergy"),
        (EMMA, "The doctor says Emma may have outgrown the peanut allergy"),
        (EMMA, "The doctor says Emma will outgrow the peanut allergy"),
        (EMMA, "The doctor hopes Emma outgrew the peanut allergy"),
        (EMMA, "The doctor says Emma's brother outgrew the peanut allergy"),
        (EMMA, "The doctor says Aunt Emma outgrew the peanut allergy"),
        (EMMA, "User's colleague Emma outgrew the peanut allergy"),
        (EMMA, "Emma Stone outgrew the peanut allergy"),
        (EMMA, "The doctor says Emma outgrew the egg allergy"),
        (EMMA, "Apparently, many children outgrow a peanut allergy"),
        ("User's daughter Emma is 7", "Ben turned 8"),
        ("User's daughter Emma is 7", "Emma's cousin turned 8"),
        ("User's daughter Emma is 7", "Emma turned 7"),
    ],
)
@pytest.mark.parametrize("similarity", [0.5, 0.65])
def test_what_is_reported_of_another_or_in_doubt_denies_nothing(existing: str, new: str, similarity: float) -> None:
    told = relate(existing, new, similarity)
    assert told.relation is not Relation.CONTRADICTS, told


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (CROATIA, "The trip to Croatia is cancelled"),
        (CROATIA, "The trip to Croatia in July was called off"),
        (CROATIA, "Unfortunately, the trip to Croatia is off"),
        (CROATIA, "User's trip to Croatia isn't happening"),
        (CROATIA, "User cancelled the trip to Croatia"),
        (CROATIA, "The holiday to Croatia fell through because of work"),
        (CROATIA, "The planned trip to Croatia will not take place"),
        (CROATIA, "Their flight to Croatia has been cancelled"),
        ("User flies to Oslo on 3 May 2027", "The flight to Oslo was cancelled"),
        ("User travels to New York in March", "User has called off the trip to New York"),
        ("User plans to go to Rome", "The trip to Rome is not happening after all"),
        ("User booked a flight to Lisbon", "The trip to Lisbon is cancelled"),
        ("User and Anna are going to Japan in autumn", "The trip to Japan was called off"),
        ("Anna is going to Rome", "Anna's trip to Rome is cancelled"),
        ("User's brother is flying to Oslo", "User's brother's flight to Oslo was cancelled"),
    ],
)
def test_a_trip_that_is_called_off_is_not_made(existing: str, new: str) -> None:
    told = relate(existing, new, 0.3)
    assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (CROATIA, "The trip to Norway is cancelled"),
        (CROATIA, "The trip to Croatia is not cancelled"),
        (CROATIA, "The trip to Croatia may be cancelled"),
        (CROATIA, "The trip to Croatia was nearly cancelled"),
        (CROATIA, "If the trip to Croatia is cancelled, User goes to Rome"),
        (CROATIA, "The trip to Croatia is cancelled unless Anna comes"),
        (CROATIA, "The trip to Croatia in March is cancelled"),
        (CROATIA, "The trip to Croatia was cancelled in 2020"),
        (CROATIA, "The flight to Croatia was cancelled but rebooked"),
        (CROATIA, "The school trip to Croatia is cancelled"),
        (CROATIA, "Anna's trip to Croatia is cancelled"),
        (CROATIA, "User's sister cancelled the trip to Croatia"),
        (CROATIA, "The trip to Croatia is booked"),
        (CROATIA, "The dinner is cancelled"),
        (CROATIA, "The trip to Croatia is off to a good start"),
        ("User is going to York", "The trip to New York is cancelled"),
        ("User is driving to Anna's wedding", "The trip to Anna's is cancelled"),
        ("User was going to Croatia", "The trip to Croatia is cancelled"),
        ("User went to Croatia in July", "The trip to Croatia is cancelled"),
        ("User wants to go to Croatia", "The trip to Croatia is cancelled"),
        ("User is not going to Croatia", "The trip to Croatia is cancelled"),
        ("User's brother is going to Croatia", "User's trip to Croatia is cancelled"),
        ("User travels to Berlin every week", "The trip to Berlin is cancelled"),
        ("User travels to Berlin for work", "The trip to Berlin is cancelled"),
        ("User flies to Berlin on Mondays", "The flight to Berlin is cancelled"),
        ("User lives in Croatia", "The trip to Croatia is cancelled"),
    ],
)
def test_another_trip_is_another_matter(existing: str, new: str) -> None:
    assert find_trip_off(existing, new) is None


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (PORTUGAL, "The Portugal trip is off"),
        (PORTUGAL, "The trip to Portugal is off"),
        (PORTUGAL, "User is not going to Portugal after all"),
        (PORTUGAL, "We're not going to Portugal after all"),
        (PORTUGAL, "User and Anna are not going to Portugal in May after all"),
        (PORTUGAL, "User is no longer going to Portugal"),
        (PORTUGAL, "User won't be going to Portugal, because the flights are too expensive"),
        (PORTUGAL, "User decided not to go to Portugal after all"),
        (PORTUGAL, "The Portugal trip is off, User is going to Croatia in June instead"),
        (PORTUGAL, "User's Portugal trip has been cancelled"),
        (PORTUGAL, "User cancelled the Portugal trip"),
        ("User is going to Rome in May", "Our Rome holiday fell through"),
        ("User and Anna are planning a holiday to Rome", "Their Rome holiday is cancelled"),
        ("User booked a flight to New York", "The New York trip isn't happening"),
        ("User is planning to go to Lisbon", "The planned Lisbon visit is called off"),
        ("Anna is going to Rome", "Anna's Rome trip is cancelled"),
        ("Anna is going to Rome", "Anna is not going to Rome after all"),
        ("User is planning a Rome holiday in May", "The Rome holiday in May is off"),
        ("User has booked a family trip to Oslo", "User is not travelling to Oslo any more"),
        (PORTUGAL, "User is not going to Portugal after all, but to Croatia"),
    ],
)
def test_a_trip_is_called_off_by_its_place_or_by_not_going(existing: str, new: str) -> None:
    assert find_trip_off(existing, new)
    told = relate(existing, new, 0.3)
    assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (PORTUGAL, "The Spain trip is off"),
        (PORTUGAL, "The Portugal trip is on"),
        (PORTUGAL, "The Portugal trip in June is off"),
        (PORTUGAL, "The Portugal trip may be off"),
        (PORTUGAL, "The Portugal trip is off to a good start"),
        (PORTUGAL, "Anna's Portugal trip is off"),
        (PORTUGAL, "The Portugal school trip is cancelled"),
        (PORTUGAL, "The Portugal office is closed"),
        (PORTUGAL, "Anna is not going to Portugal after all"),
        (PORTUGAL, "User is not going to Portugal alone"),
        (PORTUGAL, "User is not going to Portugal by car"),
        (PORTUGAL, "User is not going to Portugal in June"),
        (PORTUGAL, "User is not going to Portugal Street"),
        (PORTUGAL, "If the Portugal trip is off, User goes to Croatia"),
        (PORTUGAL, "User is not sure about going to Portugal"),
        (PORTUGAL, "The Portugal trip is not off"),
        (PORTUGAL, "The Portugal trip was nearly cancelled"),
        (PORTUGAL, "User is not going to Portugal until June"),
        (PORTUGAL, "User is not only going to Portugal"),
        (PORTUGAL, "The Portugal trip is off, User is going to Portugal in June instead"),
        ("User went to Portugal in May", "The Portugal trip is off"),
        ("User likes Portugal", "User is not going to Portugal after all"),
        ("User wants to go to Portugal", "The Portugal trip is off"),
        ("User travels to Portugal every year", "The Portugal trip is off"),
        (PORTUGAL, "User is not going to Portugal but to Portugal's islands"),
    ],
)
def test_another_trip_to_the_place_is_not_called_off(existing: str, new: str) -> None:
    assert find_trip_off(existing, new) is None
    assert not relate(existing, new, 0.3).is_certain


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (NIGHTS, "User switched to day shifts, no more nights"),
        (NIGHTS, "User switched to day shifts"),
        (NIGHTS, "User has just switched from night shifts to day shifts"),
        (NIGHTS, "User switched to the early shift in May"),
        (NIGHTS, "User no longer works nights"),
        (NIGHTS, "User no longer works night shifts at the hospital"),
        ("User works nights", "User changed to days, no more night shifts"),
        ("User works full-time at the bank", "User switched to part-time"),
        ("User works remotely", "User switched back to the office"),
        ("User works from home", "User switched to working in the office"),
        ("User is a vegetarian", "User switched back to meat"),
        ("User is a vegetarian", "User is no longer a vegetarian"),
        ("User drinks coffee every morning", "User switched from coffee to tea"),
        ("User drinks coffee", "User switched to tea, no more coffee"),
        ("User uses Firefox", "User switched to Chrome"),
        ("User uses Vim as the editor", "User has switched to Emacs"),
        ("The team uses Jira", "The team switched from Jira to Linear"),
        ("The API uses REST", "The API switched from REST to GraphQL"),
        ("User's brother works night shifts", "User's brother switched to day shifts"),
        ("User's wife Anna works full-time", "Anna switched to part-time"),
    ],
)
def test_who_switched_does_it_no_more(existing: str, new: str) -> None:
    told = relate(existing, new, 0.3)
    assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (NIGHTS, "User's brother switched to day shifts"),
        (NIGHTS, "Anna switched to day shifts, no more nights"),
        (NIGHTS, "User wants to switch to day shifts"),
        (NIGHTS, "User may have switched to day shifts"),
        (NIGHTS, "User switched to day shifts for a week"),
        (NIGHTS, "User switched to day shifts but went back to nights"),
        (NIGHTS, "User switched to another ward"),
        (NIGHTS, "User switched to green tea"),
        (NIGHTS, "User no longer works on weekends"),
        (NIGHTS, "User no longer works night shifts at the airport"),
        (NIGHTS, "User switched from Vim to Emacs"),
        ("User likes working nights", "User switched to day shifts"),
        ("User does not work nights", "User switched to day shifts"),
        ("User used to work nights", "User switched to day shifts"),
        ("User works nights and day shifts", "User switched to day shifts"),
        ("User works at a night club", "User switched to day shifts"),
        ("User wrote a book on night shifts", "User switched to day shifts"),
        ("User has a coffee table", "User switched from coffee to tea"),
        ("User is allergic to coffee", "User switched from coffee to tea"),
        ("User knows Python", "User switched from Python to Rust"),
        ("User uses Python and Rust", "User switched from Python to Rust"),
        ("User uses Python 3.11", "User switched from Python 3.10 to 3.12"),
        ("User drinks coffee", "User no longer drinks coffee after noon"),
        ("User eats meat", "User no longer eats red meat"),
        ("User has a dog allergy", "User no longer has a dog"),
        ("User drinks tea", "User switched to coffee for breakfast"),
        ("User uses Firefox", "User switched to Thunderbird"),
        ("User plays the violin", "User switched to the cello teacher"),
        ("User works full-time at the bank", "The bank switched to part-time contracts"),
        ("User uses Vim at work", "User switched to Emacs at home"),
        ("User lives in Graz", "User no longer lives with Anna"),
        ("User is a nurse", "User is no longer a nurse at the Linz hospital"),
    ],
)
def test_who_switched_something_else_still_does_it(existing: str, new: str) -> None:
    assert find_switch(existing, new) is None
    assert not relate(existing, new, 0.3).is_certain


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "padding",
    [
        "a",
        " a",
        "A ",
        "User's daughter Emma ",
        "The doctor says ",
        " to A",
        " trip to Rome",
        " the Rome trip is off, we are going to",
        " is not going to Rome after all",
        " no more ",
        " from a to b",
    ],
)
def test_any_text_is_read_in_linear_time(padding: str) -> None:
    for read in (say_plainly, find_trip_off, find_switch):
        for begins in ("", "User is going to ", "User's daughter Emma is "):
            assert_linear(
                lambda text, read=read, begins=begins: read(f"{begins}{text}", text), repeated(padding), 8_000
            )


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User's brother is allergic to nuts", "User is not allergic to anything"),
        ("User is not allergic to anything", "User's son is allergic to nuts"),
        ("User is not allergic to anything", "User is afraid of spiders"),
    ],
)
def test_nothing_of_one_is_something_of_another(existing: str, new: str) -> None:
    assert not relate(existing, new, 0.6).is_certain


@pytest.mark.parametrize("similarity", [0.2, 0.3, 0.4])
@pytest.mark.parametrize(
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
