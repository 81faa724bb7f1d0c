"""A day, a time, a number or a limit that is added is kept; said in other words it is no addition."""

from __future__ import annotations

from memories.text.relate import Relation, relate
from memories.text.relate.features import lay_side_by_side
from memories.text.relate.values import find_added_values
from tests.tables import each_row, each_row_of

COSINES = (None, 0.85, 0.95)


@each_row("similarity", COSINES)
@each_row_of("relate_added")
def test_what_is_added_says_more(existing: str, new: str, similarity: float | None) -> None:
    verdict = relate(existing, new, similarity)
    assert (verdict.relation, verdict.reason[:10]) == (Relation.ELABORATES, "says more:"), verdict


@each_row("similarity", [None, 0.9])
@each_row_of("relate_added")
def test_what_is_told_in_other_words_is_the_same(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.SAME


@each_row(
    ("existing", "new"),
    [
        ("User goes to the gym on Mondays and Wednesdays", "User goes to the gym on Mondays"),
        ("The office is closed in July and August", "The office is closed in July"),
        ("User is free on Thursdays after 4 pm", "User is free on Thursdays"),
        ("The meeting is in rooms 4 and 5", "The meeting is in room 4"),
    ],
)
def test_who_says_less_adds_nothing(existing: str, new: str) -> None:
    assert relate(existing, new, 0.95).relation is Relation.SAME


@each_row(
    ("existing", "new"),
    [
        ("User goes climbing on Tuesdays", "On Tuesdays the user goes climbing with Jonas"),
        ("The design review is run by the team lead", "Design reviews are led by Priya"),
        ("Backups of the shop are stored offsite", "Offsite storage in Hetzner keeps the backups of the shop"),
        ("Invoices are approved by finance", "Finance (Petra) approves invoices"),
    ],
)
def test_a_name_is_not_lost(existing: str, new: str) -> None:
    for similarity in (None, 0.85, 0.95):
        assert relate(existing, new, similarity).relation is Relation.DIFFERENT
        # Who names nobody adds nothing.
        assert relate(new, existing, similarity).relation is Relation.SAME


@each_row(
    ("existing", "new", "added"),
    [
        ("Closed in July", "Closed in July and August", (["august"], True)),
        ("Closed on weekends", "Closed on Saturdays", (["saturdays"], False)),
        ("Closed on Saturdays", "Closed on weekends", (["weekends"], False)),
        ("Closed on Saturdays and Sundays", "Closed on weekends", ([], True)),
        ("Runs at 8", "Runs on Mondays", ([], False)),
        ("Runs at 8", "Runs on Mondays and Tuesdays", (["mondays", "tuesdays"], False)),
        ("Free until 4 pm", "Free until 4", ([], True)),
        ("The office closes before noon", "The office closes before 12", ([], True)),
        ("Renewed by hand every March", "Renewed by hand each year in March", ([], True)),
        ("Has a brother", "Has one brother", ([], True)),
        ("Runs on Friday", "Ran last Friday", ([], True)),
    ],
)
def test_only_what_is_beyond_the_other_is_added(existing: str, new: str, added: tuple[list[str], bool]) -> None:
    assert find_added_values(lay_side_by_side(existing, new, "")) == added
