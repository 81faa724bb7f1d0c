"""What one statement says of one thing and another denies of another leaves both as they are."""

from __future__ import annotations

from memories.language.relate import Relation, relate
from memories.language.relate.features import lay_side_by_side
from memories.language.relate.figures import find_added_values
from tests.tables import each_row, each_row_of

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


COSINES_OF_PEOPLE = (None, 0.8, 0.98)


@each_row("similarity", COSINES_OF_PEOPLE)
@each_row_of("relate_people")
def test_another_word_for_the_same_is_the_same(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is Relation.SAME, (one, other)


@each_row("similarity", COSINES_OF_PEOPLE)
@each_row_of("relate_people")
def test_another_state_or_another_object_is_another_matter(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is not Relation.SAME, (one, other)


@each_row("similarity", COSINES_OF_PEOPLE)
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


@each_row("similarity", COSINES_OF_PEOPLE)
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


@each_row("similarity", COSINES_OF_PEOPLE)
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


@each_row_of("relate_occasions")
@each_row("similarity", [None, 0.65, 0.73])
def test_an_occasion_leaves_room_for_another(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.DIFFERENT


@each_row(
    ("existing", "new"),
    [
        ("User has a meeting with Anna at 9:00", "User has a meeting with Anna at 10:00"),
        ("User's favourite lunch is soup", "User's favourite lunch is salad"),
        ("User's flight to Rome is on Monday", "User's flight to Rome is on Friday"),
        ("Project Apollo deadline is March 1", "Project Apollo deadline is April 1"),
    ],
)
@each_row("similarity", [None, 0.8])
def test_what_is_one_thing_at_a_time_is_otherwise_now(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


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
