"""What looks alike and is not the same is never merged away; what is true beside another is no contrary of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memories.text.relate import Relation, relate
from memories.text.relate.tokens import canonical_text
from tests.tables import each_row, each_row_of

DATA = Path(__file__).parents[2] / "data"


def pairs(name: str) -> Iterator[tuple[str, str]]:
    """Each in both orders."""
    for line in (DATA / f"relation-{name}.txt").read_text(encoding="utf-8").splitlines():
        if " | " in line:
            one, other = line.split(" | ")
            yield one, other
            yield other, one


@each_row_of("relate_lookalikes")
def test_what_only_looks_alike_is_not_the_same(existing: str, new: str) -> None:
    for similarity in (None, 0.85, 0.95, 0.99):
        assert relate(existing, new, similarity).relation is not Relation.SAME


@each_row_of("relate_lookalikes")
def test_what_may_be_true_beside_it_is_neither_the_same_nor_its_contrary(existing: str, new: str) -> None:
    for similarity in (None, 0.7, 0.85):
        assert relate(existing, new, similarity).relation is Relation.DIFFERENT


@each_row("similarity", [None, 0.75, 0.85])
def test_what_says_nothing_that_is_not_there_denies_nothing(similarity: float | None) -> None:
    existing = "Mira is the user's sister, she likes climbing and visits on 28 November"
    assert relate(existing, "User's sister Mira is into climbing", similarity, "mira").relation is Relation.DIFFERENT
    # Another number is another word.
    assert relate("Takes 2 pills a day", "Takes 3 pills a day", similarity).relation is Relation.CONTRADICTS


@each_row_of("relate_lookalikes")
def test_what_cannot_be_true_beside_it_is_its_contrary(existing: str, new: str) -> None:
    for similarity in (0.7, 0.85):
        assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@each_row(("existing", "new"), [*pairs("restated")])
def test_what_is_said_again_in_other_words_is_the_same(existing: str, new: str) -> None:
    assert relate(existing, new, 0.95).relation is Relation.SAME


@each_row(
    ("one", "other"),
    [
        ("  The NAS is at  /mnt/nas.", "the nas is at /mnt/nas"),
        ('"Deploy on Friday"', "Deploy on Friday!"),
        ("Ask first (always); then deploy", "ask first always then deploy"),
        ("It\u2019s 5\u2026", "it's 5"),
    ],
)
def test_the_punctuation_of_sentences_says_nothing(one: str, other: str) -> None:
    assert canonical_text(one) == canonical_text(other)


@each_row(
    ("one", "other"),
    [
        ("-5", "5"),
        (".5", "5"),
        ("a != b", "a = b"),
        ("✅", "❌"),
        ("A → B", "A ← B"),
        ("¥5", "₹5"),
        ("my_var", "my var"),
    ],
)
def test_signs_say_something(one: str, other: str) -> None:
    assert canonical_text(one) != canonical_text(other)
