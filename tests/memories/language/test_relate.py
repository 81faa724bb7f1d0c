"""What `relate` says of single pairs."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.relate import Relation, Thresholds, relate
from memories.language.relate.termination import find_trip_off
from memories.language.relate.verdict import REASON_MAX_CHARS
from tests.growth import assert_linear, assert_quadratic, repeated
from tests.tables import each_row, each_row_of

SAME, CONTRADICTS, DIFFERENT = Relation.SAME, Relation.CONTRADICTS, Relation.DIFFERENT


def relation(existing: str, new: str, similarity: float | None = 0.8, subject: str = "") -> Relation:
    return relate(existing, new, similarity, subject).relation


class TestTheScenariosOfTheSpecification:
    def test_a_repeated_measure_is_the_same(self) -> None:
        assert relation("Takes 60s to start after restart", "Takes about 60 seconds to start after a restart") is SAME

    def test_an_order_denied_is_a_contradiction(self) -> None:
        new = "Can be started independently of WireGuard"
        assert relation("Must be started after WireGuard", new) is CONTRADICTS

    def test_another_measure_is_a_contradiction(self) -> None:
        assert relation("Takes 60s to start", "Takes 90s to start", 0.97) is CONTRADICTS

    def test_a_paraphrase_is_the_same_even_when_the_vectors_disagree(self) -> None:
        """The cosine is that of the texts with their subject before them, as they are embedded."""
        assert relation("Takes 60s to start", "Startup takes about a minute", 0.5, "jellyfin") is SAME
        assert relation("Takes 60s to start", "Startup takes about a minute", None, "jellyfin") is SAME


@each_row(
    "new",
    ["The team deploys on Fridays", "the team  deploys on fridays.", "THE TEAM DEPLOYS ON FRIDAYS!"],
)
def test_identical_text_is_the_same_whatever_the_vectors_say(new: str) -> None:
    verdict = relate("The team deploys on Fridays", new, -1.0)
    assert (verdict.relation, verdict.reason, verdict.score) == (SAME, "identical text", 1.0)


class TestQuantities:
    @each_row_of("relate")
    def test_one_value_in_other_words_is_the_same(self, existing: str, new: str) -> None:
        assert relation(existing, new) is SAME

    @each_row_of("relate")
    def test_another_value_contradicts_even_at_a_very_high_cosine(self, existing: str, new: str) -> None:
        verdict = relate(existing, new, 0.98)
        assert verdict.relation is CONTRADICTS, verdict

    def test_the_reason_names_both_values(self) -> None:
        verdict = relate("A full build takes 12 minutes", "A full build takes 35 minutes", 0.9)
        assert verdict.reason == "number of minutes differs: 12 / 35"

    def test_a_clock_time_never_meets_a_duration(self) -> None:
        assert relation("Backup runs at 02:00", "Restoring a backup takes two hours", 0.5) is DIFFERENT

    def test_the_number_of_another_part_is_another_fact(self) -> None:
        assert relation("Unit tests take 4 minutes", "Integration tests take 18 minutes", 0.75) is DIFFERENT


class TestNegation:
    @each_row(
        ("existing", "new"),
        [
            ("The staging database is read-only", "Staging database accepts no writes"),
            ("Cannot start without the mount", "Requires the mount to start"),
            ("Will not start unless Redis is available", "Starts only when Redis is available"),
            ("The user never works on Sundays", "The user doesn't work on Sundays"),
            ("The user quit smoking in 2019", "The user stopped smoking in 2019"),
            ("Pushing to main is forbidden", "It is not allowed to push to main"),
        ],
    )
    def test_two_ways_to_deny_are_the_same(self, existing: str, new: str) -> None:
        assert relation(existing, new) is SAME

    @each_row_of("relate")
    def test_affirmed_against_denied_contradicts(self, existing: str, new: str) -> None:
        verdict = relate(existing, new, 0.85)
        assert verdict.relation is CONTRADICTS, verdict

    @each_row("similarity", [None, 0.75, 0.9])
    @each_row_of("relate")
    def test_a_plain_denial_of_light_words_contradicts(
        self, subject: str, existing: str, new: str, similarity: float | None
    ) -> None:
        for one, other in ((existing, new), (new, existing)):
            verdict = relate(one, other, similarity, subject)
            assert verdict.relation is CONTRADICTS, (one, other, verdict)
            assert "negated" in verdict.reason

    @each_row("similarity", [None, 0.75, 0.9])
    @each_row(
        ("subject", "existing", "new"),
        [
            ("backup", "The backup runs at night", "Runs at night"),
            ("backup", "The backup does not run at night", "Doesn't run at night"),
            ("backup", "Runs at night, not by day", "The backup runs at night"),
            ("backup", "Does not only run at night", "Runs at night"),
            ("gateway", "The gateway cannot be used without a key", "Can be used with a key"),
            ("gateway", "The gateway does not start without redis", "Needs redis to start"),
        ],
    )
    def test_a_denial_that_denies_nothing_of_it_stays_the_same(
        self, subject: str, existing: str, new: str, similarity: float | None
    ) -> None:
        for one, other in ((existing, new), (new, existing)):
            assert relate(one, other, similarity, subject).relation is SAME, (one, other)

    def test_a_denial_at_another_time_is_left_to_the_model(self) -> None:
        """Run at 9 and not run at night: both may be true."""
        assert (
            relation("The backup does not run at night", "Runs at 9 in the morning", 0.8, "backup") is not CONTRADICTS
        )

    def test_what_comes_first_may_be_told_from_either_end(self) -> None:
        existing = "The share has to be mounted before docker starts"
        assert relation(existing, "Start docker only after the share is mounted") is SAME
        assert relation(existing, "Docker has to start before the share is mounted", 0.97) is CONTRADICTS

    def test_kept_for_a_time_is_deleted_after_it(self) -> None:
        assert relation("Logs are kept for 14 days", "Logs are deleted after two weeks") is SAME
        assert relation("Logs are kept for 14 days", "Logs are deleted after two days") is CONTRADICTS


class TestWhatIsImplied:
    @each_row(
        ("existing", "new"),
        [
            ("User is vegetarian", "User loves a good steak"),
            ("User drinks no alcohol", "User enjoys a glass of wine"),
            ("User is vegan", "User eats cheese every day"),
        ],
    )
    def test_a_trait_excludes_what_it_denies(self, existing: str, new: str) -> None:
        assert relation(existing, new, 0.45) is CONTRADICTS

    def test_a_trait_in_other_words_is_the_same(self) -> None:
        assert relation("User is vegetarian", "User does not eat meat") is SAME


class TestValues:
    @each_row(
        ("existing", "new"),
        [
            ("The user's sister lives in Lisbon", "The user's sister lives in Berlin"),
            ("The project is led by Maria", "The project is led by Tom"),
            ("The favourite colour of the user is blue", "The favourite colour of the user is green"),
            ("Flags are stored in Redis", "Flags are kept in PostgreSQL"),
            ("Runs on node-a", "Runs on node-b"),
            ("The office is in Berlin", "The office moved to Hamburg"),
        ],
    )
    def test_another_filler_of_one_slot_contradicts(self, existing: str, new: str) -> None:
        verdict = relate(existing, new, 0.8)
        assert verdict.relation is CONTRADICTS, verdict

    @each_row(
        ("existing", "new"),
        [
            ("The user likes jazz", "The user likes hiking"),
            ("The user has a cat", "The user has a garden"),
            ("The user plays chess", "The user plays the violin"),
        ],
    )
    def test_another_object_of_a_predicate_with_many_is_different(self, existing: str, new: str) -> None:
        assert relation(existing, new, 0.6) is DIFFERENT


class TestAnotherMatter:
    @each_row(
        ("existing", "new"),
        [
            ("User's brother lives in Madrid", "User's mother lives in Oslo"),
            ("The frontend is written in TypeScript", "The backend is written in Go"),
            ("Returns 429 when the quota is exceeded", "Returns 401 when the token is missing"),
            ("Listens on port 9000", "Stores objects on the ZFS pool"),
        ],
    )
    def test_another_person_thing_or_case_is_different(self, existing: str, new: str) -> None:
        assert relation(existing, new, 0.6) is DIFFERENT

    def test_a_high_cosine_alone_is_not_enough(self) -> None:
        assert relation("Uses the family account", "Exports metrics for prometheus", 0.9) is not SAME


class TestOtherLanguages:
    def test_a_near_copy_is_the_same(self) -> None:
        assert relation("Der Dienst startet nach dem Neustart", "Der Dienst startet nach einem Neustart", 0.98) is SAME

    def test_a_denial_is_not(self) -> None:
        new = "Der Dienst startet nicht nach dem Neustart"
        assert relation("Der Dienst startet nach dem Neustart", new, 0.97) is not SAME

    def test_another_number_is_not(self) -> None:
        assert relation("Der Build dauert 12 Minuten", "Der Build dauert 35 Minuten", 0.98) is not SAME

    @each_row_of("relate")
    def test_another_word_or_order_is_not(self, existing: str, new: str) -> None:
        assert relation(existing, new, 0.99) is DIFFERENT
        assert relation(new, existing, 0.99) is DIFFERENT

    @each_row_of("relate")
    def test_where_no_word_but_a_borrowed_one_is_known_none_is_taken_for_english(self, existing: str, new: str) -> None:
        assert relation(existing, new, 0.9) is DIFFERENT
        assert relation(new, existing, 0.9) is DIFFERENT

    def test_english_in_capitals_is_english(self) -> None:
        assert relation("NGINX LISTENS ON PORT 80", "NGINX LISTENS ON PORT 81", 0.95) is CONTRADICTS


class TestThresholds:
    def test_the_bands_of_another_embedder_can_be_given(self) -> None:
        existing, new = "The nightly export is slow", "The export in the night is slow as well"
        strict = Thresholds(same=0.99, related=0.95)
        verdicts = [relate(existing, new, 0.9, thresholds=bands).relation for bands in (Thresholds(), strict)]
        assert verdicts == [SAME, DIFFERENT]

    @each_row("missing", [None, math.nan, math.inf])
    def test_without_a_vector_words_alone_decide(self, missing: float | None) -> None:
        assert relation("Takes 60s to start", "Takes 90s to start", missing) is CONTRADICTS
        assert relation("Takes 60s to start", "Takes 60 seconds to start", missing) is SAME


WORDS_THAT_MATTER = """
    not no never without before after 60 s 2 am 02:00 a half an hour and november 1 of every only the user likes tea
    over coffee from lisbon to is on off port 8080 3.12 $ % , . -- unless when up
    """
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS_THAT_MATTER.split()), max_size=40).map(" ".join),
)
COSINES = st.one_of(st.none(), st.floats())


@settings(max_examples=300)
@given(TEXTS, TEXTS, COSINES, st.text(max_size=20))
def test_any_texts_get_a_verdict(existing: str, new: str, similarity: float | None, subject: str) -> None:
    verdict = relate(existing, new, similarity, subject)
    assert 0.0 <= verdict.score <= 1.0
    assert 0 < len(verdict.reason) <= REASON_MAX_CHARS
    assert verdict == relate(existing, new, similarity, subject)


@given(TEXTS, COSINES)
def test_any_text_is_the_same_as_itself(text: str, similarity: float | None) -> None:
    assert relation(text, text, similarity) is SAME


FRAMES = (
    "A full build takes {} minutes",
    "The service listens on port {}",
    "The user has {} children",
    "The limit is {} requests per second",
    "Snapshots are kept for {} days",
    "The disk is {} GB large",
    "Version {} of the client is installed",
)


@given(st.sampled_from(FRAMES), st.integers(2, 99_999), st.integers(2, 99_999), st.floats(-1, 1))
def test_another_number_in_one_sentence_is_never_the_same(frame: str, old: int, new: int, similarity: float) -> None:
    if old != new:
        assert relation(frame.format(old), frame.format(new), similarity) is not SAME


HOSTILE = {
    "numbers": "1 " * 1_000,
    "negations": "not " * 500,
    "hyphens": "a-" * 1_000,
    "orders": "a before b " * 180,
    "opposites": "enabled disabled " * 117,
    "clocks": "half past " * 200,
    "bars": "every " * 330,
    "letters": "日本" * 1_000,
    "superscripts": "half past ² " * 160,
    "nothing": "",
    "blank": " ",
}


@each_row("one", HOSTILE)
@each_row("other", ["numbers", "negations", "orders", "opposites", "blank"])
def test_hostile_texts_are_judged_in_quadratic_time(one: str, other: str) -> None:
    """Not linear: words are compared in pairs. The texts are as long as memories may be."""
    assert relation(HOSTILE[one], HOSTILE[other] + " x", 0.9) in Relation
    assert_quadratic(
        lambda pair: relation(*pair, 0.9), lambda size: (HOSTILE[one][:size], HOSTILE[other][:size] + " x"), 2_000
    )


@each_row("similarity", [0.2, 0.3, 0.4])
@each_row(
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


@each_row("similarity", [None, 0.5, 0.8, 0.97])
@each_row(
    ("existing", "new"),
    [
        ("User is 40", "User turned forty"),
        ("User is forty", "User turned 40 in May"),
        ("User is one of five", "User turned two pages"),
        ("User is 39", "User's sister turned forty"),
    ],
)
def test_the_same_age_denies_nothing(existing: str, new: str, similarity: float | None) -> None:
    for one, other in ((existing, new), (new, existing)):
        assert relate(one, other, similarity).relation is not Relation.CONTRADICTS, (one, other)


@each_row_of("relate_now")
@each_row("similarity", [0.85, None])
def test_who_leaves_out_the_unit_means_the_same_one(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.CONTRADICTS


@each_row(
    ("existing", "new"),
    [
        ("Jonas weighs 20 kg", "Jonas is 6"),
        ("The backup takes 2 hours", "The backup runs at 2"),
        ("The room costs 90 euros", "The room has 90 seats"),
        ("User sleeps 8 hours", "User gets up at 8"),
        ("The timeout of port 8080 is 30 seconds", "The service listens on 8080"),
        ("The budget is 15,000 euros", "The budget is 15,000"),
    ],
)
def test_a_bare_number_said_of_something_else_has_another_unit(existing: str, new: str) -> None:
    assert relate(existing, new, 0.8).relation is not Relation.CONTRADICTS


@each_row("similarity", [None, 0.7, 0.85])
@each_row(
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


@each_row_of("relate_at_odds")
def test_another_trip_is_another_matter(existing: str, new: str) -> None:
    assert find_trip_off(existing, new) is None


@each_row_of("relate_at_odds")
def test_a_trip_is_called_off_by_its_place_or_by_not_going(existing: str, new: str) -> None:
    assert find_trip_off(existing, new)


@each_row_of("relate_at_odds")
def test_another_trip_to_the_place_is_not_called_off(existing: str, new: str) -> None:
    assert find_trip_off(existing, new) is None


@each_row("padding", ["a", " a", "User's ", " trip to ", "User is going to "])
def test_a_trip_is_looked_for_in_linear_time(padding: str) -> None:
    assert_linear(lambda text: find_trip_off(f"User is going to {text}", text), repeated(padding), 8_000)
