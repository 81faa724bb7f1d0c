"""What is over is at odds with what was so; what is said again, half done, wished for or done by another is not."""

from __future__ import annotations

import pytest

from memories.text.relate import Relation, relate
from memories.text.relate.ended import find_end
from memories.text.relate.ends import BY_ANYONE, BY_ONESELF, BY_PEOPLE
from memories.text.relate.features import extract, lay_side_by_side
from memories.text.relate.wordlist import groups

COSINES = (None, 0.7, 0.85, 0.97)


@pytest.mark.parametrize("similarity", COSINES)
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        # Illness and fear
        ("User is allergic to peanuts", "User outgrew the peanut allergy"),
        ("User has asthma", "User got over the asthma"),
        ("User has the flu", "User is over the flu"),
        ("User's son has the measles", "User's son has recovered from the measles"),
        ("User is afraid of flying", "User overcame the fear of flying"),
        ("User is addicted to nicotine", "User overcame the addiction to nicotine"),
        ("User's wrist is broken", "User's wrist has healed"),
        # What somebody has
        ("User has a key to the office", "User returned the key to the office"),
        ("User has a rental car", "User gave the rental car back"),
        ("User borrowed Tom's ladder", "User returned Tom's ladder"),
        ("Anna has a library card", "Anna returned the library card"),
        ("User has a leased car", "User returned the leased car to the dealer"),
        ("User's manager has a key", "User's manager gave the key back"),
        ("The tenant has a key to the flat", "The tenant returned the key to the flat"),
        ("My sister Anna has a key", "My sister Anna handed the key back"),
        ("The team has a test device", "The team returned the test device"),
        ("The branch rents a printer", "The branch sent back the printer"),
        ("User owes Ben 50 euros", "User paid Ben the 50 euros back"),
        ("User has a student loan", "User paid off the student loan"),
        ("User subscribes to the Times", "User let the subscription to the Times lapse"),
        ("User is a member of the alpine club", "User let the membership of the alpine club lapse"),
        # Where somebody is
        ("User's car is at the garage", "User's car is back from the garage"),
        ("User is on holiday in Greece", "User came back from Greece"),
        ("User's mother is in the hospital", "User's mother was discharged from the hospital"),
        ("User is on parental leave", "User returned from parental leave"),
        # What is open, broken, missing, live
        ("The invoice of March is open", "The invoice of March was paid"),
        ("The invoice for May is unpaid", "User paid the invoice for May"),
        ("The bug in the parser is open", "The bug in the parser was fixed"),
        ("Ticket 12 is open", "Ticket 12 has been closed"),
        ("Incident 33 is ongoing", "Incident 33 was resolved"),
        ("The pull request for caching is open", "The pull request for caching was merged"),
        ("The request for vacation is pending", "The request for vacation was approved"),
        ("The dishwasher is broken", "User fixed the dishwasher"),
        ("The passport is missing", "The passport turned up"),
        ("Release 2.4 is live", "Release 2.4 was rolled back"),
        ("The new checkout is live", "We rolled the new checkout back"),
        ("The ban on visitors is in force", "The ban on visitors was lifted"),
        ("The offer is valid", "The offer has expired"),
        ("Ticket 42 is assigned to Ana", "Ticket 42 was reassigned from Ana to Bo"),
        ("Ticket 42 is assigned to Ana", "Ticket 42 was reassigned to Bo"),
        # What somebody used to do
        ("User runs 5 km every day", "User used to run 5 km every day"),
        ("User eats meat", "User used to eat meat"),
        ("The cron job runs at 3 am", "The cron job used to run at 3 am"),
    ],
)
def test_what_is_over_contradicts_what_was_so(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        verdict = relate(one, other, similarity)
        assert verdict.relation is Relation.CONTRADICTS, (one, other, verdict)
        assert verdict.is_shown


@pytest.mark.parametrize("similarity", COSINES)
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        # Of another, or something else
        ("User is allergic to peanuts", "Ben outgrew the peanut allergy"),
        ("User plays the violin", "User used to play the cello"),
        ("User drives to work", "User's wife used to drive to work"),
        ("User has a dentist", "User is back from the dentist"),
        ("User is scared of spiders", "User's son overcame the fear of spiders"),
        ("The boiler is broken", "The dishwasher was repaired"),
        ("The vulnerability in libxml is open", "The vulnerability in openssl has been resolved"),
        ("The window is open", "The window was fixed"),
        ("User is in Berlin on Mondays", "User returned from Berlin"),
        # Not done, not wholly, or long ago
        ("User has a cold", "User is recovering from the cold"),
        ("User had a cold", "User recovered from the cold"),
        ("User has a student loan", "User paid part of the student loan"),
        ("User is afraid of flying", "User wants to overcome the fear of flying"),
        ("User has a loan", "User will pay off the loan"),
        ("User has the flu", "If user has recovered from the flu, call the office"),
        ("User was a smoker", "User used to smoke"),
    ],
)
def test_what_ends_something_else_is_not_lost(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        sides = lay_side_by_side(one, other, "")
        assert find_end(sides, extract(sides, None)) is None
        verdict = relate(one, other, similarity)
        assert verdict.relation is not Relation.SAME, (one, other, verdict)


@pytest.mark.parametrize("similarity", [None, 0.7, 0.85])
@pytest.mark.parametrize(
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


@pytest.mark.parametrize("similarity", [None, 0.95])
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User recovered from the flu", "User has recovered from the flu"),
        ("User overcame the fear of flying", "User has overcome the fear of flying"),
        ("User returned the key to the office", "User has returned the key to the office"),
        ("User paid off the mortgage", "User has paid off the mortgage"),
        ("User paid the invoice of March", "The invoice of March was paid"),
        ("Release 2.4 was rolled back", "We rolled release 2.4 back"),
        ("The bug in the parser was fixed", "The bug in the parser has been fixed"),
        ("User closed ticket 42", "Ticket 42 was closed"),
        ("The ban was lifted", "The ban has been lifted"),
        ("User let the gym membership lapse", "User let the membership at the gym lapse"),
        ("User used to run 5 km every day", "User used to run five kilometres every day"),
        ("User used to smoke", "User formerly smoked"),
        ("The bucket is used to store backups", "The bucket stores backups"),
        ("User is on sick leave", "User is on a sick leave"),
    ],
)
def test_what_is_over_is_said_again(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.SAME


@pytest.mark.parametrize("similarity", COSINES)
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("The API has a key", "The API returned the key"),
        ("The API has an error", "The API returned an error"),
        ("The server holds the token", "The server sent back the token"),
        ("The endpoint has a result", "The endpoint gave the result back"),
        ("The cache keeps the page", "The cache handed the page back"),
        ("The package manager has the lock", "The package manager returned the lock"),
        ("The company server has a key", "The company server returned the key"),
        ("Redis has the key", "Redis returned the key"),
        ("Jellyfin has the list", "Jellyfin returned the list"),
        ("Has a key", "Returned the key"),
    ],
)
def test_what_a_machine_returns_it_still_has(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is Relation.DIFFERENT, (one, other)


@pytest.mark.parametrize("similarity", COSINES)
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User has a cold", "User has not recovered from the cold"),
        ("User has a cold", "User still hasn't fully recovered from the cold"),
        ("User has a cold", "User is not over the cold yet"),
        ("User has a cold", "User never got over the cold"),
        ("User has a cold", "User has barely recovered from the cold"),
        ("User has a cold", "User is still recovering from the cold"),
        ("User has a cough", "User has not recovered from the cold"),
        ("User is in hospital", "User is still not out of hospital"),
        ("The bug is open", "User is fixing the bug"),
        ("The contract is active", "The contract will be terminated in May"),
        ("User has a cold", "User did not recover from the cold"),
        ("User is afraid of dogs", "User has not overcome the fear of dogs"),
        ("User has a key to the office", "User has not returned the key to the office"),
        ("User has a key to the office", "User did not give the key to the office back"),
        ("User is in hospital", "User has not been discharged from hospital"),
        ("User is on parental leave", "User has not returned from parental leave"),
        ("User takes antibiotics", "User has not finished the antibiotics"),
        ("User has a gym membership", "User did not let the gym membership lapse"),
        ("User owes Ben 50 euros", "User has not paid Ben the 50 euros back"),
        ("The invoice is open", "The invoice has not been paid yet"),
        ("The bug is open", "The bug was never fixed"),
        ("The car is broken", "The car was not repaired"),
        ("The cat is missing", "The cat has not been found"),
        ("The ban is in force", "The ban was not lifted"),
        ("Release 2.4 is live", "Release 2.4 was not rolled back"),
    ],
)
def test_what_is_not_over_is_still_so(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is not Relation.CONTRADICTS, (one, other)


@pytest.mark.parametrize("similarity", COSINES)
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User has recovered from the cold", "User has not recovered from the cold"),
        ("User has healed from the flu", "User has not recovered from the flu"),
        ("User has a cold", "User does not have a cold"),
        ("User has 2 keys to the office", "User has not returned the 3 keys to the office"),
        ("The invoice was paid", "The invoice was not paid"),
        ("User uses Vim", "User did not return to Vim"),
        ("User is healthy again", "User has not recovered from the cold"),
        ("User has a degree", "User has not finished the degree"),
    ],
)
def test_what_is_denied_otherwise_is_at_odds_as_before(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@pytest.mark.parametrize("similarity", COSINES)
@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "padding",
    ["fixed ", "used to ", "gave it back ", "is open was paid ", "on Monday ", "at 8 ", "not over it not returned "],
)
def test_many_ends_and_values_cost_no_more_than_others(padding: str) -> None:
    """What is read ends after some thousands of characters."""
    assert relate("The bug is open", padding * 20_000, 0.8).relation in Relation
