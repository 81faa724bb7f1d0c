"""The ranker: numbers by hand, parts that add up, and what makes a memory fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from memories.index.app_index import IndexView
from memories.index.columns import Codes, Subjects, empty_columns, grow
from memories.index.similarity import ExactCosines
from memories.language.surface import Look, look_of
from memories.models import Memory, Source
from memories.providers.embeddings import Embedder, HashEmbedder, Thresholds, Vectors
from memories.providers.embeddings.base import USUAL
from memories.retrieve.calibration import COMPETING
from memories.retrieve.hits import Recall
from memories.retrieve.pipeline import SearchRequest
from memories.retrieve.ranking import FEW, MOST_AGE, NAMES, best_first, learnt_weights, rank_by, scale_of
from memories.retrieve.retrievers.fulltext import idf
from memories.retrieve.scoped_view import ScopedView
from memories.services import MemoryAgent
from memories.services import base as agent_module
from memories.store import Candidate
from tests.conftest import Caller


def search(caller: Caller, text: str, **options: object) -> Recall:
    return MemoryAgent(caller.app, caller.agent, "test").search(SearchRequest(text=text, **options))  # type: ignore[arg-type]


def contents(result: Recall) -> list[str]:
    return [hit.memory.content for hit in result.hits]


def test_the_weights_are_of_features_that_exist(alice: Caller) -> None:
    alice.remember("whales sing at night")
    (hit,) = search(alice, "do whales sing").hits
    assert set(hit.parts) <= {*learnt_weights(), "importance", "priority", "age"}
    assert len(learnt_weights()) >= 30


def test_parts_add_up_to_the_score_to_the_last_digit_that_counts(alice: Caller) -> None:
    for text in ("whales sing at night", "whales swim", "a choir sings"):
        alice.remember(text)
    for hit in search(alice, "do whales sing").hits:
        assert math.isclose(math.fsum(hit.parts.values()), hit.formula_score, abs_tol=1e-9)


def test_idf_by_hand() -> None:
    expected = [math.log(1 + 9.5 / 1.5), math.log(1 + 0.5 / 10.5)]
    assert idf(10, np.array([1.0, 10.0], np.float32)) == pytest.approx(expected, rel=1e-5)


def test_cosines_are_told_in_spreads_from_the_mean_of_the_app() -> None:
    many = np.r_[np.full(5000, 0.1), np.full(5000, 0.3)].astype(np.float32)
    scale = scale_of(ExactCosines(many), len(many), (0.12, 0.1))
    assert scale(many)[[0, -1]] == pytest.approx([-1, 1], abs=0.01)
    few = np.array([0.5], np.float32)
    assert 2 < scale_of(ExactCosines(few), 1, (0.12, 0.1))(few)[0] < 4


def test_importance_and_priority_multiply_and_so_their_logarithms_add(alice: Caller) -> None:
    alice.remember("whales sing loudly", importance=5)
    alice.remember("whales sing softly", importance=1)
    Memory.objects.filter(importance=1).update(priority=2.0)
    first, second = search(alice, "whales sing").hits
    assert (first.parts["importance"], second.parts["importance"]) == pytest.approx((math.log(5 / 3), math.log(1 / 3)))
    assert second.parts["priority"] == pytest.approx(math.log(2))


def test_age_costs_a_little_a_day_and_never_hides_an_exact_old_match(alice: Caller) -> None:
    with time_machine.travel("2020-01-01T00:00:00Z", tick=False):
        alice.remember("the orchid gets water on Mondays")
    for number in range(20):
        alice.remember(f"note {number} about trains", dedupe=False)
    (hit,) = search(alice, "when does the orchid get water").hits[:1]
    assert hit.memory.content == "the orchid gets water on Mondays"
    assert hit.parts["age"] == -MOST_AGE
    Memory.objects.filter(pk=hit.memory.pk).update(created_at=hit.memory.created_at + timedelta(days=365 * 7))


def test_nothing_fits_nothing_is_found(alice: Caller) -> None:
    alice.remember("whales sing at night")
    assert search(alice, "quarterly tax declaration").hits == []


def test_a_subjects_name_alone_finds_what_is_about_it(alice: Caller) -> None:
    alice.remember("takes a minute", subject="jellyfin")
    alice.remember("runs at night", subject="backup")
    assert contents(search(alice, "jellyfin?"))[0] == "takes a minute"


def talk(caller: Caller, *texts: str) -> None:
    """Turns of one session, one memory each."""
    session = caller.start_session()["id"]
    for number, text in enumerate(texts, 1):
        caller.remember(text, session_id=session, turn_number=number, dedupe=False)


def test_a_turn_beside_what_fits_is_found_too(alice: Caller) -> None:
    talk(alice, "Which colour has the new boat?", "Bright yellow!")
    for number in range(30):
        alice.remember(f"note {number} about trains", dedupe=False)
    assert "Bright yellow!" in contents(search(alice, "colour of the boat"))


def test_a_statement_beside_what_fits_is_not(alice: Caller) -> None:
    agent = MemoryAgent(alice.app, alice.agent, "test")
    session, _ = agent.open_session(None, {})
    statements = ["The new boat is yellow", "Trains leave at noon"]
    agent.remember(
        [Candidate(content=text, session=session, agent=alice.agent, source=Source.MARKER) for text in statements]
    )
    assert contents(search(alice, "colour of the boat")) == ["The new boat is yellow"]


def test_private_neighbours_lend_nothing(alice: Caller, bob: Caller) -> None:
    session = alice.start_session()["id"]
    alice.remember("Which colour has the boat?", session_id=session, turn_number=1, visibility="agent")
    alice.remember("Bright yellow!", session_id=session, turn_number=2)
    for number in range(30):
        alice.remember(f"note {number} about trains", dedupe=False)
    seen = {"covered_nearby", "answers_meaning", "answers_words"}
    assert seen & parts_of(search(alice, "colour of the boat"), "Bright yellow!").keys()
    assert not seen & parts_of(search(bob, "colour of the boat"), "Bright yellow!").keys()


def test_what_an_assistant_said_counts_less_unless_it_is_asked_for(alice: Caller) -> None:
    for name in ("User", "Assistant"):
        alice.remember(f"{name}: the boat shall be painted yellow", subject=name, dedupe=False)
    answers = "Assistant: the boat shall be painted yellow"
    plain = search(alice, "which colour shall the boat be")
    assert parts_of(plain, answers)["of_assistant"] < -1
    assert contents(plain)[1] == answers
    assert "answers_asked" not in parts_of(plain, answers)
    expressly = search(alice, "which colour of the boat did you recommend")
    assert parts_of(expressly, answers)["answers_asked"] > 1


def parts_of(result: Recall, content: str) -> dict[str, float]:
    return next((hit.parts for hit in result.hits if hit.memory.content == content), {})


@pytest.mark.parametrize("mode", ["vector", "fulltext"])
def test_one_retriever_alone_explains_itself_by_one_part(alice: Caller, mode: str) -> None:
    alice.remember("whales sing at night")
    (hit,) = search(alice, "whales sing at night", mode=mode).hits
    assert hit.parts == {"meaning" if mode == "vector" else "words": hit.formula_score}


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("Mel: I went there yesterday", Look.SPOKEN | Look.FIRST_PERSON | Look.PAST | Look.TIMES),
        ("Hey! How are you?", Look.GREETING | Look.ASKS),
        ("It costs 12 euros [photo: a shop]", Look.NUMBERS),
        ("It costs [so to say] 12 euros [photo: a shop ", Look.NUMBERS),
        ("It costs 12 euros? [photo: a shop]]", Look.NUMBERS),
        ("Does it? [photo: a shop] ", Look.ASKS),
        ("We saw Paris", Look.FIRST_PERSON | Look.PAST | Look.NAMES),
        ("Her colleague starts at 8am", Look.PERSONS | Look.TIMES | Look.NUMBERS),
        ("Mel: Her colleague starts at 8am", Look.SPOKEN | Look.PERSONS),
        ("Pods have 512Mi, says User", Look.NUMBERS),
        ("Boxes come on Tuesdays, says Assistant", Look.TIMES),
    ],
)
def test_how_a_text_looks(text: str, looks: Look) -> None:
    assert look_of(text, "Mel") == looks | Look.READ


def set_ranking(caller: Caller, ranking: str) -> None:
    caller.app.policy.ranking = ranking
    caller.app.policy.save()


@pytest.mark.parametrize(("age_days", "recency"), [(0, 1.0), (7, 1.0), (48.5, 0.75), (90, 0.5), (900, 0.5)])
def test_the_product_formula_by_hand(alice: Caller, age_days: float, recency: float) -> None:
    set_ranking(alice, "product")
    with time_machine.travel("2026-01-01T00:00:00Z", tick=False) as clock:
        alice.remember("whales sing at night", importance=5)
        clock.shift(timedelta(days=age_days))
        match = search(alice, "whales sing at night")
    (hit,) = match.hits
    assert hit.parts == pytest.approx({"similarity": 1.0, "importance": 5 / 3, "recency": recency}, abs=1e-6)
    assert hit.formula_score == pytest.approx(1.0 * 5 / 3 * recency, abs=1e-6)
    assert match.combined == "product"


ASKED = {
    "How many boats lie in the harbour?": "512 boats lie in the harbour",
    "When do boats lie in the harbour?": "Boats lie in the harbour until Sundays",
    "Who says that boats lie in the harbour?": "Boats lie in the harbour, says Mr Falk",
    "Where do boats lie in a harbour?": "Boats lie in the harbour of Bergen",
}


@pytest.mark.parametrize("ranking", ["standard", "product", "dual"])
@pytest.mark.parametrize(("question", "answer"), ASKED.items())
def test_a_statement_that_holds_what_is_asked_for_counts_more(
    alice: Caller, question: str, answer: str, ranking: str
) -> None:
    set_ranking(alice, ranking)
    for text in (answer, "boats lie in the harbour"):
        alice.remember(text, dedupe=False)
    parts = {hit.memory.content: hit.parts.keys() for hit in search(alice, question).hits}
    gained = {text: [name for name in names if name.startswith(("asked", "stated_"))] for text, names in parts.items()}
    assert gained[answer]
    assert not gained["boats lie in the harbour"]


def test_of_the_best_few_a_product_asks_no_more_than_the_standard_ranking(alice: Caller) -> None:
    set_ranking(alice, "product")
    for number in range(FEW + 2):
        alice.remember(f"whales sing {' '.join(f'{letter}{number}' for letter in 'abcdefg')}", dedupe=False)
    assert len(search(alice, "harbour yellow whales boats").hits) == FEW


def test_what_was_learnt_of_talk_opens_no_session(alice: Caller) -> None:
    talk(alice, "boats are yellow", "whales sing at night")
    assert "opens_session" not in search(alice, "yellow boats").hits[0].parts


@pytest.mark.parametrize(("source", "lends"), [(Source.FACT, False), (Source.API, True)])
def test_only_turns_are_lent_something_by_what_stands_beside_them(
    alice: Caller, source: Source, *, lends: bool
) -> None:
    agent = MemoryAgent(alice.app, alice.agent, "test")
    session, _ = agent.open_session(None, {})
    boats = ("The new boat is yellow", "The boat leaves at noon")
    agent.remember([Candidate(content=text, session=session, agent=alice.agent, source=source) for text in boats])
    hits = search(alice, "when does the boat leave?").hits
    assert len(hits) == 2
    assert all(("near_meaning" in hit.parts) == lends for hit in hits)


WHERE = ("User's older brother Erik lives in Oslo", "User lives in Gothenburg, in a small flat by the harbour")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where do I live?", 1),
        ("where does the user live?", 1),
        ("where does my brother live?", 0),
    ],
)
def test_who_asks_of_themself_is_told_of_themself_first(alice: Caller, question: str, first: int) -> None:
    for text in WHERE:
        alice.remember(text, dedupe=False)
    match = search(alice, question)
    assert contents(match)[0] == WHERE[first]
    parts = {hit.memory.content: hit.parts for hit in match.hits}
    assert ("of_another" in parts[WHERE[0]]) == (first == 1)
    assert all(sum(hit.parts.values()) == pytest.approx(hit.formula_score) for hit in match.hits)


def test_the_product_also_ranks_what_holds_the_words_of_the_question(alice: Caller) -> None:
    """As every ranking does, it lets in what resembles the question too little and has its words."""
    set_ranking(alice, "product")
    others = " ".join(f"w{number}" for number in range(400))
    alice.remember(f"whales {others}", dedupe=False)
    (hit,) = search(alice, "whales").hits
    assert 0 < hit.parts["similarity"] < 0.2


def test_confidence_first_among_what_fits_equally_well(alice: Caller) -> None:
    alice.remember("whales sing yearly", confidence=0.9, dedupe=False)
    alice.remember("whales sing weekly", confidence=0.4, dedupe=False)
    assert contents(search(alice, "whales sing"))[0] == "whales sing weekly"
    alice.remember("quarterly tax declaration", confidence=1.0)
    set_ranking(alice, "confidence")
    assert contents(search(alice, "whales sing")) == ["whales sing yearly", "whales sing weekly"]


def test_latest_updated_first_among_what_fits(alice: Caller) -> None:
    with time_machine.travel("2026-01-01T00:00:00Z", tick=False) as clock:
        item = alice.remember("whales sing at night")["id"]
        clock.shift(60)
        alice.remember("whales sing all day", dedupe=False)
        clock.shift(60)
        set_ranking(alice, "recent")
        assert contents(search(alice, "whales sing"))[0] == "whales sing all day"
        alice.patch(f"memories/{item}", {"importance": 4})
        assert contents(search(alice, "whales sing"))[0] == "whales sing at night"


def test_an_explanation_says_how_parts_are_combined(alice: Caller) -> None:
    alice.remember("whales sing at night")
    body = alice.post("memories/search", {"query": "whales sing", "explain": True}).json()
    assert body["scores_combined"] == "sum"


def reading_of(size: int) -> ScopedView:
    """Memories that were written one after the other."""
    columns = empty_columns(4).each(lambda column: grow(column, size))
    columns.pk[:] = range(10, 10 + size)
    everything = np.ones(size, bool)
    return ScopedView(IndexView(columns, Codes(), Subjects()), everything, everything)


@given(st.lists(st.tuples(st.integers(-3, 3), st.floats(-1e6, 1e6)), max_size=30))
def test_whatever_the_parts_are_the_best_comes_first_and_of_equals_the_later(rows: list[tuple[int, float]]) -> None:
    worth, tone = (np.array([row[column] for row in rows], np.float64) for column in (0, 1))
    scoped = reading_of(len(rows))
    ranked = best_first(scoped, scoped.rows, {"worth": worth, "tone": tone}, "standard")
    assert sorted(ranked.places.tolist()) == list(range(len(rows)))
    answer = list(zip(ranked.scores.tolist(), ranked.places.tolist(), strict=True))
    assert answer == sorted(answer, reverse=True)
    for number, score in enumerate(ranked.scores):
        assert math.isclose(math.fsum(ranked.parts_of(number).values()), score, rel_tol=1e-12, abs_tol=1e-9)


@given(st.lists(st.integers(-3, 5), max_size=60), st.integers(1, 20))
def test_the_best_of_one_retriever_are_those_of_all_in_order(told: list[int], most: int) -> None:
    scoped, scores = reading_of(len(told)), np.array(told, np.float32)
    above = np.flatnonzero(scores > 0)
    every = rank_by(scoped, "words", above, scores[above], len(told) + 1)
    ranked = rank_by(scoped, "words", above, scores[above], most)
    assert sorted(every.places) == above.tolist()
    retained = max(most, COMPETING)
    assert ranked.places.tolist()[:retained] == every.places.tolist()[:retained]
    assert all(scores[place] == ranked.scores[retained - 1] for place in ranked.places[retained:])
    assert ranked.calibration == every.calibration


# What is stored years after the day that is asked for is no longer near it at all.
@time_machine.travel(datetime(2026, 11, 26, 9, tzinfo=UTC), tick=False)
def test_every_feature_that_has_a_weight_is_known_and_so_is_every_one_that_is_found(alice: Caller) -> None:
    assert set(learnt_weights()) <= set(NAMES)
    session = alice.start_session()["id"]
    for turn, text in enumerate(("What do whales do on Friday?", "Anna saw 3 whales singing in May 2024", "x" * 900)):
        alice.remember(text, session_id=session, turn_number=turn, subject="anna", dedupe=False)
    results: set[str] = set()
    for question in ("When did whales sing in May 2024?", "who saw whales", "what did anna say"):
        for hit in search(alice, question).hits:
            results |= hit.parts.keys()
    assert results <= {*NAMES, "importance", "priority", "age"}
    assert {"meaning", "day_named", "near_meaning", "long_words"} <= results


ALIKE = 0.75
"""What two texts that share no word are alike in `Lifted`."""
TEXTS = (
    "whales sing at night",
    "whales swim north in spring",
    "a choir sings every Tuesday",
    "bears sleep in winter",
    "the red bicycle has a flat tyre",
    "nobody feeds the neighbours' cat",
)
QUESTIONS = ("do whales sing", "where do bears sleep in winter", "who repairs a tyre", "quantum computers", "cat")


class Lifted(HashEmbedder):
    """The same vectors with a direction that all share: cosines are 0.75 + 0.25 · theirs."""

    def __init__(self) -> None:
        super().__init__(1024)
        self.name = "lifted"
        self.plain, self.dim = HashEmbedder(1024), 1025
        answer = self.plain.thresholds
        mean, spread = answer.usual
        same, related, relevant = map(lifted, (answer.same, answer.related, answer.relevant))
        self.thresholds = Thresholds(same, related, relevant, (lifted(mean), (1 - ALIKE) * spread))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        rows = math.sqrt(1 - ALIKE) * self.plain.embed_documents(texts)
        shared = np.full((len(rows), 1), math.sqrt(ALIKE), np.float32)
        return np.ascontiguousarray(np.concatenate([rows, shared], axis=1), np.float32)


class Deaf(Lifted):
    """Finds all texts alike, as a model does in a language that it hardly knows."""

    def __init__(self) -> None:
        super().__init__()
        self.thresholds = self.plain.thresholds


def lifted(cosine: float) -> float:
    return ALIKE + (1 - ALIKE) * cosine


def found_with(embedder: Embedder, caller: Caller, monkeypatch: pytest.MonkeyPatch, text: str) -> Recall:
    monkeypatch.setattr(agent_module, "current_embedder", lambda: embedder)
    return MemoryAgent(caller.app, caller.agent, "test").search(SearchRequest(text=text))


@pytest.mark.parametrize("ranking", ["standard", "product", "dual", "confidence"])
def test_the_same_is_found_with_a_model_that_calls_everything_alike(
    alice: Caller, charlie: Caller, ranking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer: dict[str, list[Any]] = {}
    for caller, embedder in ((alice, HashEmbedder(1024)), (charlie, Lifted())):
        monkeypatch.setattr(agent_module, "current_embedder", lambda embedder=embedder: embedder)
        caller.app.policy.ranking = ranking
        caller.app.policy.save()
        for text in TEXTS:
            caller.remember(text)
        for question in QUESTIONS:
            hits = found_with(embedder, caller, monkeypatch, question).hits
            scores = pytest.approx([hit.formula_score for hit in hits], abs=2e-3)
            answer.setdefault(question, []).append(([hit.memory.content for hit in hits], scores, hits))
    for (item, _, hits), (other, scores, _) in answer.values():
        assert item == other
        assert [hit.formula_score for hit in hits] == scores
    assert [len(value[0][0]) for value in answer.values()].count(0) == 1
    assert any(0 < len(value[0][0]) < len(TEXTS) for value in answer.values())


def test_a_cosine_is_as_many_spreads_from_what_is_usual() -> None:
    answer = Thresholds(same=0.95, related=0.87, relevant=0.79, usual=(0.74, 0.02))
    assert answer.likened(0.74) == pytest.approx(USUAL[0])
    assert answer.likened(0.78) == pytest.approx(USUAL[0] + 2 * USUAL[1])
    assert Thresholds(same=0.85, related=0.45, relevant=0.25).likened(0.3333) == 0.3333


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Wann ist die Oper und wer singt da nicht?", []),
        ("Wann kommt der Schornsteinfeger?", ["Der Schornsteinfeger kommt am Dienstag"]),
        ("Who has written Fidelio?", ["Der Schornsteinfeger kommt am Dienstag"]),
    ],
)
def test_what_is_asked_in_another_language_has_to_stand_out_where_all_is_alike(
    question: str, first: list[str], alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_module, "current_embedder", Deaf)
    for text in ("Unsere Mieter zahlen bar", "Das Rad steht im Keller", "Der Schornsteinfeger kommt am Dienstag"):
        alice.remember(text)
    assert contents(found_with(Deaf(), alice, monkeypatch, question))[:1] == first
