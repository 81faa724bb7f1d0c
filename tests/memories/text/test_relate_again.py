"""Who has started to do something, or does it again, does what they were said not to do."""

from __future__ import annotations

import pytest

from memories.text.relate import Relation, relate
from memories.text.relate.again import find_begun
from tests.growth import assert_linear, repeated

COFFEE = "User does not drink coffee"


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (COFFEE, "User has started drinking coffee, one cup in the morning"),
        ("User no longer drinks coffee", "User is drinking coffee again"),
        ("User is vegetarian", "User eats meat again"),
        ("User is a vegetarian", "User has started eating meat"),
        ("User is a strict vegetarian", "User is eating fish again"),
        ("User is vegan", "User has started eating cheese again"),
        (COFFEE, "User drinks coffee again"),
        (COFFEE, "User now drinks coffee at work"),
        (COFFEE, "User drinks coffee now"),
        (COFFEE, "User has started to drink coffee"),
        (COFFEE, "User has gone back to drinking coffee"),
        (COFFEE, "User is back to drinking coffee"),
        ("User never drinks coffee", "User started drinking iced coffee"),
        ("User quit smoking", "User is smoking again"),
        ("User quit coffee", "User is drinking coffee again"),
        ("User has given up alcohol", "User drinks alcohol again"),
        ("User stopped smoking in 2020", "User has started smoking again"),
        ("User does not smoke", "User smokes again"),
        ("User no longer works", "User is working again"),
        ("User stopped playing the piano", "User plays the piano again"),
        ("User does not eat meat", "User has started eating meat again"),
        ("User's brother no longer smokes", "User's brother is smoking again"),
        ("Anna doesn't eat meat", "Anna eats meat again"),
        ("User no longer works at Acme", "User works at Acme again"),
        ("User does not drive to work", "User drives to work again"),
        ("User does not use Docker", "User now uses Docker"),
    ],
)
def test_who_has_begun_does_what_they_did_not(existing: str, new: str) -> None:
    assert find_begun(existing, new)
    for similarity in (None, 0.3, 0.8):
        told = relate(existing, new, similarity), relate(new, existing, similarity)
        assert [one.relation for one in told] == [Relation.CONTRADICTS] * 2
        assert [one.is_certain for one in told] == [True, True]


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (COFFEE, "User has started drinking tea"),
        (COFFEE, "User has started drinking decaf coffee"),
        (COFFEE, "User's brother is drinking coffee again"),
        ("User drinks coffee", COFFEE),
        ("User does not drink coffee after noon", "User has started drinking coffee"),
        ("User does not drink much coffee", "User is drinking coffee again"),
        ("User does not like coffee", "User is drinking coffee again"),
        ("User does not drink coffee every day", "User drinks coffee again"),
        (COFFEE, "User wants to start drinking coffee"),
        (COFFEE, "User might start drinking coffee again"),
        (COFFEE, "User has not started drinking coffee again"),
        (COFFEE, "User will not drink coffee again"),
        (COFFEE, "User has started brewing coffee"),
        (COFFEE, "User drinks coffee liqueur again"),
        ("User is vegetarian", "User eats vegan meat again"),
        ("User is vegetarian", "User cooks meat again for the dog"),
        ("User is vegetarian", "User eats breakfast again"),
        ("User is tired", "User eats meat again"),
        ("User's wife is vegetarian", "User eats meat again"),
        ("User is vegetarian", "User drinks milk again"),
        ("User did not drink coffee yesterday", "User is drinking coffee again"),
        ("User does not work on Fridays", "User is working again"),
        ("User stopped smoking", "User has started jogging again"),
        (COFFEE, "User has started drinking coffee substitutes"),
        ("User does not eat red meat", "User eats meat again"),
        ("User no longer works nights", "User is working again"),
        ("User does not only drink coffee", "User drinks coffee again"),
        ("User stopped to drink coffee", "User is drinking coffee again"),
        ("User quit", "User is smoking again"),
        ("User quit the gym", "User is drinking coffee again"),
        ("User gave up coffee", "User works at the coffee shop again"),
        (COFFEE, "If stressed, User is drinking coffee again"),
        (COFFEE, "Is User drinking coffee again?"),
        ("User does not play the violin", "User has started playing the violin concerto record"),
        ("User never reads at night", "User is reading a novel again"),
    ],
)
def test_who_has_begun_something_else_still_does_not(existing: str, new: str) -> None:
    assert find_begun(existing, new) is None
    assert not relate(existing, new, 0.3).is_certain


@pytest.mark.parametrize("begins", ["", "User does not drink ", "User has started drinking "])
@pytest.mark.parametrize("padding", ["a", " a", " drinks coffee again", " has started drinking coffee", " is ", " no "])
def test_what_has_begun_is_looked_for_in_linear_time(padding: str, begins: str) -> None:
    assert_linear(lambda text: find_begun(f"{begins}{text}", f"{begins}{text}"), repeated(padding), 16_000)
