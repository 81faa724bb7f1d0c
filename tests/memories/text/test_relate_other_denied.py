"""What one statement says of one thing and another denies of another leaves both as they are."""

from __future__ import annotations

from memories.text.relate import Relation, relate
from tests.tables import each_row

APART = [
    ("User likes tea", "User does not like coffee"),
    ("User does not like coffee", "User likes tea"),
    ("User loves jazz", "User hates pop"),
    ("User eats fish", "User does not eat meat"),
    ("User speaks French", "User does not speak German"),
    ("User is allergic to penicillin", "User is not allergic to cats"),
    ("User is afraid of spiders", "User isn't afraid of dogs"),
    ("User has a car", "User does not have a bike"),
    ("User has a dog", "User has no cat"),
    ("User plays the guitar", "User can't play the piano"),
    ("User avoids dairy", "User does not avoid gluten"),
    ("User works on Mondays", "User does not work on Fridays"),
    ("User works night shifts", "User does not work day shifts"),
    ("User wants to move to Spain", "User does not want to move to Italy"),
    ("User got the job at Siemens", "User did not get the job at Bosch"),
    ("User no longer lives in Graz", "User lives in Linz"),
    ("User uses vim", "User does not use emacs any more"),
    ("User smokes", "User does not smoke in the house"),
    ("Requires a VPN", "Does not require Docker"),
    ("The service depends on Redis", "The service does not depend on Kafka"),
    ("Never deploy on Fridays", "Deploy on Mondays"),
    ("Don't use print in tests", "Use print for debugging"),
    ("The cache is not shared between users", "The cache is shared between threads"),
]


@each_row(("existing", "new"), APART)
@each_row("similarity", [None, 0.7, 0.8])
def test_who_denies_one_thing_says_nothing_of_another(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.DIFFERENT


AT_ODDS = [
    ("User is interested in jazz", "User is not interested in jazz"),
    ("User hates jazz", "User loves jazz"),
    ("User smokes", "User does not smoke"),
    ("User drives to work", "User does not drive"),
    ("User lives in Graz", "User no longer lives in Graz"),
    # Of a kind, or of all there is.
    ("User eats chicken", "User does not eat meat"),
    ("User drinks beer", "User does not drink alcohol"),
    ("User has a brother", "User has no siblings"),
    ("User drinks espresso", "User does not drink coffee"),
    ("User has worries about the exam", "User has no worries about the exam"),
    ("User gives a talk at the conference", "User gives no talk at the conference"),
    ("The job waits for the lock", "The job cannot wait for the lock"),
    ("User plays piano", "User does not play an instrument"),
    ("User lives in Berlin", "User does not live in Germany any more"),
    ("User is afraid of dogs", "User is not afraid of any animals"),
    ("User goes climbing twice a week", "User no longer goes climbing since the injury"),
    ("Index is rebuilt when the schema changes", "The index is never rebuilt automatically"),
]


@each_row(("existing", "new"), AT_ODDS)
@each_row("similarity", [None, 0.8])
def test_who_denies_all_of_it_denies_it(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


def test_what_one_is_and_another_is_not_may_be_the_same() -> None:
    assert relate("The port is open", "The port is not closed", 0.85).relation is Relation.SAME


def test_it_is_told_what_was_denied_instead() -> None:
    assert relate("User likes tea", "User does not like coffee").reason == "denies something else: tea / coffee"
    assert relate("User smokes", "User does not smoke in the house").reason == "denies it in house alone"


@each_row(
    ("existing", "new", "relation"),
    [
        ("Standup is at 9:30", "Standup is at 10", Relation.CONTRADICTS),
        ("Standup is at 10", "Standup is at 9:30 now", Relation.CONTRADICTS),
        ("The shop opens at 9 am", "The shop opens at 10", Relation.CONTRADICTS),
        ("Dinner is at 19:00", "Dinner is at 7", Relation.SAME),
        ("User works from 9:00 to 17:00", "User works 40 hours a week", Relation.DIFFERENT),
    ],
)
def test_a_number_beside_a_time_is_an_hour(existing: str, new: str, relation: Relation) -> None:
    assert relate(existing, new, 0.78).relation is relation


@each_row(
    ("existing", "new"),
    [
        ("User is going on the hike in May", "User can't wait for the hike in May"),
        ("User helps Sam with the garden", "No worries, User helps Sam with the garden"),
        ("User likes to walk in the rain", "User likes to walk no matter the rain"),
    ],
)
def test_a_turn_of_phrase_denies_nothing(existing: str, new: str) -> None:
    assert relate(existing, new, 0.75).relation is not Relation.CONTRADICTS


@each_row(
    ("existing", "new"),
    [
        ("User has never been fishing", "User has gone fishing with Ben"),
        ("User lives in Rome", "User left Rome for good"),
        ("User works at Acme", "User left Acme for Beta"),
        ("User prefers tea to coffee", "User prefers coffee to tea"),
        ("The old server runs nginx", "The old server is gone"),
    ],
)
def test_what_is_denied_is_at_odds(existing: str, new: str) -> None:
    assert relate(existing, new, 0.65).relation is Relation.CONTRADICTS


@each_row(
    ("existing", "new"),
    [
        ("User goes fishing on Sundays", "User has gone fishing every Sunday since spring"),
        ("Michelin is a French company", "Michelin is a French tire company if User is not mistaken"),
        ("User started their own online clothing store", "User opened an online clothing store not so long ago"),
        ("User enjoys being busy", "User enjoys being busy and prefers having the possibility to meet people"),
        ("User went on a hiking vacation in Norway", "User just left for a hiking vacation in Norway"),
    ],
)
def test_words_that_deny_nothing_where_they_stand(existing: str, new: str) -> None:
    assert relate(existing, new, 0.65).relation is not Relation.CONTRADICTS
