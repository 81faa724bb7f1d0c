"""What says itself that something is in the place of another is at odds with what tells of the other."""

from __future__ import annotations

from memories.text.relate import Relation, relate
from memories.text.relate.instead import find_other_role, find_replaced
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of

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


@each_row("existing", ["Foster is User's landlord", "Foster was founded in 1967"])
def test_who_is_denied_may_be_something_else(existing: str) -> None:
    assert find_other_role(existing, NOW) == find_other_role(NOW, existing) == "Foster in another role"
    for similarity in (None, 0.3, 0.8):
        assert relate(existing, NOW, similarity).relation is Relation.DIFFERENT
        assert relate(NOW, existing, similarity).relation is Relation.DIFFERENT


def test_the_reason_names_both() -> None:
    assert relate(FOSTER, NOW).reason == "now otherwise: foster / zaha hadid"


@each_row("begins", ["", "User works at A", "User is not "])
@each_row("padding", ["a", " a", ", not ", " instead of ", " is not a but ", " works at A", " is a a at A"])
def test_what_is_replaced_is_looked_for_in_linear_time(padding: str, begins: str) -> None:
    assert_linear(lambda text: find_replaced(f"{begins}{text}", f"{begins}{text}"), repeated(padding), 16_000)
