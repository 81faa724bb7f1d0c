"""Who has started to do something, or does it again, does what they were said not to do."""

from __future__ import annotations

from memories.text.relate import Relation, relate
from memories.text.relate.again import find_begun
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of


@each_row_of("relate_again")
def test_who_has_begun_does_what_they_did_not(existing: str, new: str) -> None:
    assert find_begun(existing, new)
    for similarity in (None, 0.3, 0.8):
        told = relate(existing, new, similarity), relate(new, existing, similarity)
        assert [one.relation for one in told] == [Relation.CONTRADICTS] * 2
        assert [one.is_certain for one in told] == [True, True]


@each_row_of("relate_again")
def test_who_has_begun_something_else_still_does_not(existing: str, new: str) -> None:
    assert find_begun(existing, new) is None
    assert not relate(existing, new, 0.3).is_certain


@each_row("begins", ["", "User does not drink ", "User has started drinking "])
@each_row("padding", ["a", " a", " drinks coffee again", " has started drinking coffee", " is ", " no "])
def test_what_has_begun_is_looked_for_in_linear_time(padding: str, begins: str) -> None:
    assert_linear(lambda text: find_begun(f"{begins}{text}", f"{begins}{text}"), repeated(padding), 16_000)
