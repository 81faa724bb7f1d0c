"""How people are said to be: in other words for the same, of another one, or of something else."""

from __future__ import annotations

from memories.text.relate import Relation, relate
from tests.tables import each_row, each_row_of

COSINES = (None, 0.8, 0.98)


@each_row("similarity", COSINES)
@each_row_of("relate_people")
def test_another_word_for_the_same_is_the_same(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is Relation.SAME, (one, other)


@each_row("similarity", COSINES)
@each_row_of("relate_people")
def test_another_state_or_another_object_is_another_matter(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is not Relation.SAME, (one, other)


@each_row("similarity", COSINES)
@each_row(
    ("existing", "new"),
    [
        ("User is afraid of dogs", "User is fond of dogs"),
        ("User is afraid of dogs", "User is not scared of dogs"),
        ("User is unmarried", "User is not single"),
        ("User is single", "User is married"),
        ("User's mum is vegan", "User's mother is not vegan"),
    ],
)
def test_a_word_for_the_same_is_denied_like_the_same(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is Relation.CONTRADICTS, (one, other)


@each_row("similarity", COSINES)
@each_row(
    ("existing", "new"),
    [
        ("User is afraid of dogs", "User is afraid of cats"),
        ("User is afraid of dogs", "User is scared of cats"),
        ("User is fond of jazz", "User is fond of opera"),
    ],
)
def test_who_is_afraid_or_fond_of_one_may_be_of_another(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.DIFFERENT


@each_row("similarity", COSINES)
@each_row_of("relate_people")
def test_what_is_said_of_a_relative_is_not_said_of_the_user(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is Relation.DIFFERENT, (one, other)


@each_row("similarity", [None, 0.98])
@each_row(
    ("existing", "new", "relation"),
    [
        ("User's boss Tim is strict", "User's manager Tim is strict", Relation.SAME),
        ("User's son Tim is 5", "Tim is 5", Relation.SAME),
        ("User has a son who plays chess", "User's son plays chess", Relation.SAME),
        ("User's parents are divorced", "User's mother and father are divorced", Relation.SAME),
        ("User's brother is a smoker", "User's brother does not smoke", Relation.CONTRADICTS),
        ("User's wife is vegan", "User's partner is not vegan", Relation.CONTRADICTS),
        ("User's dog is 5", "User's dog is 6", Relation.CONTRADICTS),
        ("User has no siblings", "User's older brother lives next door", Relation.CONTRADICTS),
        ("User is an only child", "User's younger sister is visiting for Easter", Relation.CONTRADICTS),
    ],
)
def test_one_relative_may_be_called_in_several_ways(
    existing: str, new: str, relation: Relation, similarity: float | None
) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is relation, (one, other)


@each_row("similarity", [None, 0.64, 0.8])
@each_row(
    ("existing", "new"),
    [
        ("User's brother Erik lives in Oslo", "User's brother Erik is not a carpenter any more"),
        ("User's brother Erik is not a carpenter any more", "User's brother Erik lives in Oslo"),
        ("User's sister Anna does not eat meat", "User's sister Anna plays the cello"),
        ("User's mother is no longer a nurse", "User's mother grows roses"),
    ],
)
def test_what_is_denied_of_somebody_denies_nothing_else_of_them(
    existing: str, new: str, similarity: float | None
) -> None:
    assert relate(existing, new, similarity).relation is Relation.DIFFERENT


@each_row("similarity", [None, 0.74, 0.85])
@each_row(
    ("existing", "new"),
    [
        ("User's brother Erik is a carpenter", "User's brother Erik is not a carpenter any more"),
        ("User's sister Anna eats meat", "User's sister Anna does not eat meat"),
        ("User's mother smokes", "User's mother does not smoke"),
    ],
)
def test_what_is_denied_of_somebody_is_at_odds_with_the_same(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@each_row("similarity", [None, 0.74, 0.85])
@each_row(
    ("existing", "new"),
    [
        ("User lives in Gothenburg with their partner Erik", "User's brother Erik lives in Oslo"),
        ("User lives in Graz with their wife", "User's sister lives in Linz"),
        ("User's brother Erik lives in Oslo", "User moved to Malmö because Erik got a new job there"),
        ("User works at Acme with their cousin Tim", "User's father works at Initech"),
    ],
)
def test_who_is_with_the_user_is_not_told_of(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.DIFFERENT
