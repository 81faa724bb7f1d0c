"""How something new stands to what is known: looked at beforehand, and again under the lock as far as it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings
from django.utils import timezone
from time_machine import travel

from memories.capture import related_memories
from memories.capture.candidates import embed_candidates
from memories.capture.pipeline import remember, store
from memories.capture.quarantine import OutcomeKind
from memories.capture.related_memories import MET, MemoryText, RelatedMemories, find_related, judge
from memories.language.relate import Relation, Verdict, relate
from memories.models import Action, Link, LinkKind, Memory, Revision, Source, Status, Visibility
from memories.providers.embeddings import EmbedderUnavailable, HashEmbedder, MiniLMEmbedder
from memories.providers.llm.provider import Comparison
from memories.providers.relation import MOST_PAIRS
from memories.services import current_embedder
from memories.store import Candidate, writing
from memories.store.revisions import learnt_in
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app
from tests.talking import contents, hear, row_of, tell
from tests.upkeep import do, upkeep_learn_due


def learnt(content: str, **fields: Any) -> Candidate:
    """As it is found in talk."""
    return Candidate(content=content, source=Source.FACT, confidence=0.9, **fields)


def know(app: App, *candidates: Candidate) -> list[Memory]:
    outcomes = remember(app, candidates, current_embedder(), "test", timezone.now(), dedupe=False)
    return [outcome.memory for outcome in outcomes if outcome.memory]


def outlook_on(app: App, candidate: Candidate, provider: Any = None) -> RelatedMemories:
    embed_candidates([candidate], current_embedder())
    (outlook,) = find_related(app, [candidate], current_embedder(), provider)
    return outlook


def relations(app: App, candidate: Candidate, provider: Any = None) -> dict[str, Relation]:
    return {item.memory.content: item.verdict.relation for item in outlook_on(app, candidate, provider).telling}


class Says:
    """A provider that has one verdict on everything, and keeps what it was asked."""

    name = "fake:one-verdict"

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.requests: list[tuple[str, list[str]]] = []

    def relate(self, new: str, existing: Sequence[str], subject: str, cosines: Sequence[float | None]) -> list[Verdict]:
        self.requests.append((new, list(existing)))
        return [Verdict(self.relation, "because", 0.9)] * len(existing)

    def relate_many(self, questions: Sequence[Comparison]) -> list[list[Verdict]]:
        return [self.relate(item.new, item.existing, item.subject, item.cosines) for item in questions]


class TestWhatIsLookedAt:
    def test_the_same_is_the_same(self, acme: App) -> None:
        know(acme, learnt("User lives in Berlin"))
        assert relations(acme, learnt("User lives in Berlin")) == {"User lives in Berlin": Relation.SAME}

    def test_another_matter_tells_nothing(self, acme: App) -> None:
        know(acme, learnt("User lives in Berlin"))
        assert relations(acme, learnt("The database listens on port 5433")) == {}

    def test_a_guessed_category_does_not_keep_apart(self, acme: App) -> None:
        know(acme, learnt("The database listens on port 5433", category="dependency"))
        assert relations(acme, learnt("The database listens on port 5433", category="work"))

    def test_a_guessed_subject_meets_what_has_none(self, acme: App) -> None:
        know(acme, learnt("The database listens on port 5433"))
        assert relations(acme, learnt("The database listens on port 5433", subject="database"))

    def test_what_says_its_category_and_subject_is_compared_within_them_alone(self, acme: App) -> None:
        know(acme, learnt("The database listens on port 5433", subject="database", category="dependency"))
        text: dict[str, Any] = {"content": "The database listens on port 5433", "source": Source.API}
        assert relations(acme, Candidate(**text, subject="database", category="dependency"))
        assert not relations(acme, Candidate(**text, subject="database", category="work"))
        assert not relations(acme, Candidate(**text, subject="web", category="dependency"))

    def test_what_has_another_subject_takes_no_place_of_what_has_this_one(self, acme: App) -> None:
        answer: dict[str, Any] = {"source": Source.API, "subject": "database"}
        content = "The database listens on port 5433"
        know(acme, *[Candidate(content=content, category="work", **answer) for _ in range(MET + 1)])
        know(acme, Candidate(content=f"{content} now", category="dependency", **answer))
        assert relations(acme, Candidate(content=content, category="dependency", **answer)) == {
            f"{content} now": Relation.SAME
        }

    def test_with_so_many_it_is_compared_and_no_more(self, acme: App) -> None:
        know(acme, *[learnt(f"The database listens on port {port}") for port in range(5400, 5402 + MET)])
        provider = Says(Relation.DIFFERENT)
        relations(acme, learnt("The database listens on port 5433"), provider)
        ((_, existing),) = provider.requests
        assert len(existing) == MOST_PAIRS

    @pytest.mark.parametrize("status", [Status.ARCHIVED, Status.SUPERSEDED, Status.INACTIVE])
    def test_what_is_put_away_is_not_looked_at(self, acme: App, status: str) -> None:
        (memory,) = know(acme, learnt("User lives in Berlin"))
        with writing(acme, "test", timezone.now()) as write:
            write.edit(memory, {"status": status})
        assert relations(acme, learnt("User lives in Berlin")) == {}

    def test_another_apps_memory_is_not_looked_at(self, acme: App) -> None:
        know(make_app("globex"), learnt("User lives in Berlin"))
        assert relations(acme, learnt("User lives in Berlin")) == {}

    @pytest.mark.parametrize(("theirs", "ours"), [("u1", "u2"), ("u1", None), (None, "u1")])
    def test_another_users_memory_is_not_looked_at(self, acme: App, theirs: str | None, ours: str | None) -> None:
        know(acme, learnt("User lives in Berlin", user_id=theirs))
        assert relations(acme, learnt("User lives in Berlin", user_id=ours)) == {}

    def test_another_agents_private_memory_is_not_looked_at(self, alice: Caller, bob: Caller) -> None:
        private = {"visibility": Visibility.AGENT}
        know(alice.app, learnt("User lives in Berlin", agent=bob.agent, **private))
        assert relations(alice.app, learnt("User lives in Berlin", agent=alice.agent)) == {}
        assert relations(alice.app, learnt("User lives in Berlin", agent=alice.agent, **private)) == {}
        assert relations(alice.app, learnt("User lives in Berlin", agent=bob.agent, **private))

    def test_nothing_contradicts_what_is_told_of_somebody_else(self, acme: App) -> None:
        know(acme, learnt("Listens on port 5432"))
        results = relations(acme, learnt("Listens on port 5433", subject="database"))
        assert Relation.CONTRADICTS not in results.values()

    def test_what_names_the_others_subject_is_told_of_it(self, acme: App) -> None:
        know(acme, learnt("We deploy the pricing service on Tuesday"))
        results = relations(acme, learnt("We deploy the pricing service on Friday", subject="pricing service"))
        assert results == {"We deploy the pricing service on Tuesday": Relation.CONTRADICTS}

    def test_and_so_does_what_has_no_subject_itself(self, acme: App) -> None:
        know(acme, learnt("We deploy the pricing service on Tuesday", subject="pricing service"))
        results = relations(acme, learnt("We deploy the pricing service on Friday"))
        assert results == {"We deploy the pricing service on Tuesday": Relation.CONTRADICTS}

    def test_the_nearest_of_many_is_found(self, acme: App) -> None:
        know(acme, *(learnt(f"The service{number} listens on port {8000 + number}") for number in range(200)))
        results = relations(acme, learnt("The service77 listens on port 8077"))
        assert results["The service77 listens on port 8077"] == Relation.SAME

    def test_things_with_numbers_in_their_names_are_different_things(self, acme: App) -> None:
        know(acme, learnt("The web1 service listens on port 8081"), learnt("The web2 service listens on port 8082"))
        assert relations(acme, learnt("The web3 service listens on port 8083")) == {}

    def test_without_an_embedder_the_newest_are_compared_by_words(
        self, acme: App, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(self: Any, texts: Any) -> Any:
            raise EmbedderUnavailable("away")

        monkeypatch.setattr(HashEmbedder, "embed_documents", away)
        know(acme, learnt("User lives in Berlin"))
        assert relations(acme, learnt("User lives in Berlin")) == {"User lives in Berlin": Relation.SAME}


class TestAModelsVerdict:
    def test_it_is_asked_once_for_all_that_is_near(self, acme: App) -> None:
        know(acme, learnt("User lives in Berlin"), learnt("User lives in Porto"))
        model = Says(Relation.ELABORATES)
        results = relations(acme, learnt("User lives in Berlin Mitte"), model)
        assert len(model.requests) == 1
        assert set(results.values()) == {Relation.ELABORATES}
        assert results.keys() == set(model.requests[0][1])

    def test_it_is_not_asked_about_nothing(self, acme: App) -> None:
        model = Says(Relation.SAME)
        assert relations(acme, learnt("User lives in Berlin"), model) == {}
        assert model.requests == []

    def test_it_is_asked_about_what_the_asker_may_see_only(self, alice: Caller, bob: Caller) -> None:
        know(alice.app, learnt("Berlin is secret", agent=bob.agent, visibility=Visibility.AGENT))
        know(alice.app, learnt("Berlin is public"))
        model = Says(Relation.DIFFERENT)
        relations(alice.app, learnt("Berlin is a city", agent=alice.agent), model)
        assert model.requests == [("Berlin is a city", ["Berlin is public"])]

    @pytest.mark.parametrize(
        ("relation", "statuses", "links"),
        [
            (Relation.SUPERSEDES, [Status.SUPERSEDED, Status.ACTIVE], [LinkKind.SUPERSEDES]),
            (Relation.ELABORATES, [Status.ACTIVE, Status.ACTIVE], [LinkKind.ELABORATES]),
            (Relation.CONTRADICTS, [Status.ACTIVE, Status.ACTIVE], [LinkKind.CONTRADICTS]),
            (Relation.DIFFERENT, [Status.ACTIVE, Status.ACTIVE], []),
            (Relation.SAME, [Status.ACTIVE], []),
        ],
    )
    def test_it_decides_what_becomes_of_both(
        self, acme: App, relation: Relation, statuses: list[str], links: list[str]
    ) -> None:
        know(acme, learnt("User lives in Berlin"))
        candidate = learnt("User lives in Munich")
        outlook = outlook_on(acme, candidate, Says(relation))
        with writing(acme, "test", timezone.now()) as write:
            store(write, candidate, outlook, current_embedder())
        assert [memory.status for memory in Memory.objects.for_app(acme).order_by("pk")] == statuses
        assert [link.kind for link in Link.objects.for_app(acme)] == links
        for link in Link.objects.for_app(acme):
            assert link.from_memory.content == "User lives in Munich"


class TestUnderTheLock:
    def put(self, app: App, candidate: Candidate, outlook: RelatedMemories) -> OutcomeKind:
        with writing(app, f"session {id(candidate)}", timezone.now()) as write:
            return store(write, candidate, outlook, current_embedder()).kind

    def test_two_who_looked_before_either_wrote_make_one(self, acme: App) -> None:
        candidates = [learnt("User lives in Berlin") for _ in range(5)]
        outlooks = [outlook_on(acme, candidate) for candidate in candidates]
        kinds = [self.put(acme, *pair) for pair in zip(candidates, outlooks, strict=True)]
        assert kinds == [OutcomeKind.CREATED] + [OutcomeKind.REINFORCED] * 4
        assert Memory.objects.for_app(acme).count() == 1

    @pytest.mark.parametrize("most", [2, 3])
    def test_much_that_changed_meanwhile_is_one_statement_of_few_parameters(
        self, acme: App, monkeypatch: pytest.MonkeyPatch, most: int
    ) -> None:
        monkeypatch.setattr(related_memories, "MOST_CHANGED", most)
        candidate = learnt("User lives in Berlin")
        outlook = outlook_on(acme, candidate)
        know(acme, *(learnt(f"User lives in {city}") for city in ("Berlin", "Munich", "Ulm")))
        with CaptureQueriesContext(connection) as requests:
            assert self.put(acme, candidate, outlook) == OutcomeKind.REINFORCED
        conditions = [item["sql"].partition(" WHERE ")[2] for item in requests.captured_queries]
        by_change = ['"user_id"' in item for item in conditions if '"change_number" > ' in item]
        assert any(by_change) == (most < 3)

    def test_two_of_one_transaction_make_one(self, acme: App) -> None:
        candidates = [learnt("User lives in Berlin"), learnt("User lives in Berlin")]
        outlooks = [outlook_on(acme, candidate) for candidate in candidates]
        with writing(acme, "test", timezone.now()) as write:
            for pair in zip(candidates, outlooks, strict=True):
                store(write, *pair, current_embedder())
        assert Memory.objects.for_app(acme).count() == 1

    def test_what_was_seen_and_is_gone_by_now_is_passed_over(self, acme: App) -> None:
        (memory,) = know(acme, learnt("User lives in Berlin"))
        candidate = learnt("User lives in Berlin")
        outlook = outlook_on(acme, candidate)
        with writing(acme, "test", timezone.now()) as write:
            write.forget([memory])
        assert self.put(acme, candidate, outlook) == OutcomeKind.CREATED

    def test_what_was_seen_and_put_away_by_now_is_passed_over(self, acme: App) -> None:
        (memory,) = know(acme, learnt("User lives in Berlin"))
        candidate = learnt("User lives in Berlin")
        outlook = outlook_on(acme, candidate)
        with writing(acme, "test", timezone.now()) as write:
            write.archive(memory)
        assert self.put(acme, candidate, outlook) == OutcomeKind.CREATED
        memory.refresh_from_db()
        assert memory.status == Status.ARCHIVED

    def test_what_was_seen_and_says_something_else_by_now_is_not_confirmed(self, acme: App) -> None:
        (memory,) = know(acme, learnt("User lives in Berlin"))
        candidate = learnt("User lives in Berlin")
        outlook = outlook_on(acme, candidate, Says(Relation.SAME))
        with writing(acme, "test", timezone.now()) as write:
            write.edit(memory, {"content": "The database listens on port 5433"})
        assert self.put(acme, candidate, outlook) == OutcomeKind.CREATED

    def test_what_was_only_confirmed_meanwhile_is_confirmed_again(self, acme: App) -> None:
        (memory,) = know(acme, Candidate(content="User lives in Berlin", source=Source.FACT, confidence=0.5))
        candidates = [learnt("User lives in Berlin") for _ in range(3)]
        outlooks = [outlook_on(acme, candidate) for candidate in candidates]
        for pair in zip(candidates, outlooks, strict=True):
            assert self.put(acme, *pair) == OutcomeKind.REINFORCED
        memory.refresh_from_db()
        assert memory.confidence == pytest.approx(0.8)


class TestWhatWasFoundInTalk:
    """Its subject is guessed, so it is compared with all that is known: most of that is another matter."""

    @pytest.mark.parametrize(
        ("known", "new"),
        [
            ("The team is not a bank", "Tomasz left for the data team"),
            ("User can only play the first half of it", "User is always late so nudge User at half seven"),
            ("User does not read anything with a dead child in it", "User is on 75 mg of the eltroxin"),
        ],
    )
    def test_is_not_at_odds_with_what_only_has_a_word_in_common(self, acme: App, known: str, new: str) -> None:
        know(acme, learnt(known))
        assert relations(acme, learnt(new)) == {}

    @pytest.mark.parametrize(
        ("known", "new"),
        [
            ("User drinks coffee", "User no longer drinks coffee"),
            ("The staging server listens on port 8080", "The staging server listens on port 8081"),
        ],
    )
    def test_is_at_odds_with_what_is_of_the_same_matter(self, acme: App, known: str, new: str) -> None:
        know(acme, learnt(known))
        assert relations(acme, learnt(new))[known] in (Relation.CONTRADICTS, Relation.SUPERSEDES)

    @pytest.mark.parametrize(
        ("known", "new"),
        [
            ("Lena starts at the clinic in May", "Lena is a new doctor at the clinic"),
            ("Billing's certificate expires on 2 April", "Chidi renews billing's certificate by hand"),
        ],
    )
    def test_is_not_at_odds_with_what_no_word_of_it_opposes(self, known: str, new: str) -> None:
        """However much of the same matter they are; of one fixed subject it mostly is."""
        old = Memory(content=known)
        results = judge(old, learnt(new), 0.8, current_embedder())
        marked = judge(old, Candidate(content=new, source=Source.MARKER), 0.8, current_embedder())
        assert (results.relation, marked.relation) == (Relation.DIFFERENT, Relation.CONTRADICTS)

    def test_without_a_vector_nobody_knows(self, acme: App) -> None:
        know(acme, learnt("User drinks coffee"))
        candidate = learnt("User does not drink coffee")
        (outlook,) = find_related(acme, [candidate], current_embedder())
        assert outlook.telling == []


# With the cosines that all-MiniLM-L6-v2 has of them.
OTHER_FACTS = [
    (0.616, "User finds it hard to eat well on night shifts", "User works night shifts at the hospital"),
    (
        0.664, "A baking show asked User for a dairy-free recipe",
        "User's first dairy-free cake fell apart, but tasted great",
    ),
    (
        0.713, "A producer liked User's second screenplay, but wants another ending",
        "Finishing the screenplay made User realise how much they like writing",
    ),
    (
        0.673, "User designed a limited edition of hoodies for the clothing store",
        "A fashion editor wrote about User's clothing store",
    ),
    (
        0.698, "User has also started learning how to play the piano",
        "User loves playing all kinds of songs on the piano",
    ),
    (
        0.74, "User's family is the reason why they never give up",
        "User's family motivates them to keep up the fight for change",
    ),
    (
        0.691, "User loves going on road trips with friends, exploring and hiking or playing board games",
        "User loves travelling, too",
    ),
]  # fmt: skip
PARAPHRASES = [
    (0.929, "User is learning German, and it is tough", "Learning German is tough for User"),
    (0.954, "User picks up the kids at three", "At three User picks up the kids"),
    (0.929, "User is nervous about the exam", "The exam makes User nervous"),
    (0.915, "User goes running before work", "Before work, User goes for a run"),
    (0.82, "The thesis has to be handed in by the end of March", "Thesis submission is due no later than March 31"),
]


class Near(MiniLMEmbedder):
    """Its bounds, without loading the model."""

    def __init__(self) -> None:
        self.name, self.dim = "near", 384


def verdict(existing: str, new: str, cosine: float | None, *, subject: str | None = None, source: str = "") -> Relation:
    known = MemoryText(1, existing, subject, None, None, timezone.now())
    candidate = Candidate(content=new, subject=subject, source=source or Source.API)
    return judge(known, candidate, cosine, Near()).relation


@pytest.mark.parametrize("source", [Source.API, Source.FACT])
@pytest.mark.parametrize(("cosine", "existing", "new"), OTHER_FACTS)
def test_another_fact_of_one_matter_is_kept(cosine: float, existing: str, new: str, source: str) -> None:
    assert relate(existing, new, cosine).relation == Relation.SAME, "of one subject and category it would be"
    assert verdict(existing, new, cosine, source=source) == Relation.DIFFERENT


@pytest.mark.parametrize("source", [Source.API, Source.FACT])
@pytest.mark.parametrize(("cosine", "existing", "new"), PARAPHRASES)
def test_the_same_in_other_words_is_the_same(cosine: float, existing: str, new: str, source: str) -> None:
    assert verdict(existing, new, cosine, source=source) == Relation.SAME


@pytest.mark.parametrize(("cosine", "existing", "new"), OTHER_FACTS)
def test_who_names_the_subject_knows_what_is_about_one_thing(cosine: float, existing: str, new: str) -> None:
    assert verdict(existing, new, cosine, subject="user") == relate(existing, new, cosine, "user").relation


@pytest.mark.parametrize(
    ("existing", "new", "relation"),
    [
        ("Takes 60s to start after restart", "Takes about 60 seconds to start after a restart", Relation.SAME),
        (
            "User finds it hard to eat well on night shifts",
            "User works night shifts at the hospital",
            Relation.DIFFERENT,
        ),
    ],
)
def test_without_a_vector_words_alone_tell(existing: str, new: str, relation: Relation) -> None:
    assert verdict(existing, new, None) == relation


def test_what_an_agent_stores_about_nothing_in_particular_is_not_lost(alice: Caller) -> None:
    alice.remember("The roof of the neighbourhood's school leaks, and User reports on it")
    stored = alice.remember("User wants to improve the schools of the neighbourhood")
    assert stored["outcome"] == "created"
    assert Memory.objects.count() == 2


MAY, JUNE = datetime(2026, 5, 1, 9, tzinfo=UTC), datetime(2026, 6, 1, 9, tzinfo=UTC)
NOW = datetime(2026, 11, 26, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("existing", "new", "cosine"),
    [
        ("User's dogs play in the park in the morning", "User never lets any of the dogs down", 0.6),
        ("User loves to hike in the mountains", "User has not found the time to pack for the mountains", 0.6),
        ("User opened a shop for clothes", "User started an online shop not so long ago", 0.66),
    ],
)
def test_a_word_that_is_denied_by_the_way_puts_nothing_in_doubt(existing: str, new: str, cosine: float) -> None:
    """Each of these resembles the other and holds a "not": that alone is not enough where nobody says what it is of."""
    known = MemoryText(1, existing, None, None, None, timezone.now())
    assert judge(known, Candidate(content=new, source=Source.FACT), cosine, Near()).relation == Relation.DIFFERENT


def hear_of(caller: Caller, moment: datetime, *texts: str) -> None:
    """A session of its own, told of afterwards: it was said at that moment."""
    session = caller.start_session()
    messages = [{"role": "user", "content": text, "at": moment.isoformat()} for text in texts]
    assert caller.post(f"sessions/{session['id']}/messages", {"messages": messages}).status_code == 202
    upkeep_learn_due()


@pytest.mark.parametrize(
    ("statement", "end"),
    [
        ("I'm going to Croatia in July 2027.", "The trip to Croatia is cancelled."),
        ("I work night shifts at the hospital.", "I switched to day shifts in May."),
        ("I live in Graz and work as a nurse.", "I moved to Linz last week."),
    ],
)
@pytest.mark.parametrize("is_told_in_order", [True, False])
@travel(NOW, tick=False)
def test_the_one_said_later_counts_in_whatever_order_they_are_heard(
    alice: Caller, statement: str, end: str, *, is_told_in_order: bool
) -> None:
    with override_settings(MEMSITE=replace(settings.MEMSITE, embedder="minilm", relations="learned")):
        answer = [(MAY, statement), (JUNE, end)]
        for moment, text in answer if is_told_in_order else answer[::-1]:
            hear_of(alice, moment, text)
    over = Memory.objects.for_app(alice.app).exclude(status=Status.ACTIVE)
    assert [memory.resource.content_at for memory in over if memory.resource] == [MAY]


MONDAYS = "The team meets in Oslo on Mondays."


@pytest.mark.parametrize("place", ["Basel", "Galway", "Tromsø", "Zabbix", "Ulm"])
def test_a_name_that_is_taken_for_the_subject_tells_of_another_value(alice: Caller, place: str) -> None:
    alice.remember(MONDAYS, category="work")
    hear(alice, MONDAYS.replace("Oslo", place))
    text = contents(alice.app)
    assert len(text) == 2
    assert any(place in item for item in text)


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("My sister bakes bread on Sundays", "My brother bakes bread on Sundays"),
        ("User is allergic to nuts", "User is allergic to nuts and eggs"),
        ("User has a sister", "User has a sister called Mira"),
    ],
)
def test_nothing_of_it_is_lost(alice: Caller, known: str, text: str) -> None:
    alice.remember(known)
    assert alice.remember(text)["outcome"] in ("created", "contradicted")
    assert {known, text} <= set(contents(alice.app))


def test_what_says_more_is_linked_to_what_it_says_more_about(alice: Caller) -> None:
    first = alice.remember("User works as a nurse")
    second = alice.remember("User works as a nurse at Charité")
    (link,) = alice.get(f"memories/{second['id']}/links").json()["results"]
    assert (link["kind"], link["to_id"]) == ("elaborates", first["id"])
    assert alice.remember("User works as a nurse")["outcome"] == "reinforced"


def test_what_is_said_more_fully_where_it_was_learnt_is_taken_over(alice: Caller) -> None:
    session = hear(alice, "I work as a nurse.")
    tell(alice, session, "I work as a nurse at Charité.")
    upkeep_learn_due()
    assert contents(alice.app) == ["User works as a nurse at Charité"]
    hear(alice, "I work as a nurse at Charité in Berlin.")
    assert len(contents(alice.app)) == 2


NURSE, FULLER = "User works as a nurse", "User works as a nurse at Charité"


@pytest.mark.parametrize(
    ("changed", "remaining"),
    [
        ({}, [FULLER]),
        ({"valid_until": datetime(2199, 5, 1, tzinfo=UTC)}, [NURSE, FULLER]),
        ({"origin": "assistant"}, [NURSE, FULLER]),
        ({"source": "digest"}, [NURSE, FULLER]),
    ],
)
def test_it_is_taken_over_only_from_the_same_for_the_same_time(
    alice: Caller, changed: dict[str, Any], remaining: list[str]
) -> None:
    session = row_of(alice.app, alice.start_session())
    first = Candidate(content=NURSE, source="fact", origin="user", session=session)
    for candidate in (first, replace(first, content=FULLER, **changed)):
        remember(alice.app, [candidate], current_embedder(), learnt_in(session), timezone.now())
    assert contents(alice.app) == remaining


def test_nor_from_another_session_that_has_confirmed_it(alice: Caller) -> None:
    """It would go with that one."""
    hear(alice, "I work as a nurse.")
    second = hear(alice, "I work as a nurse.")
    tell(alice, second, "I work as a nurse at Charité.")
    upkeep_learn_due()
    alice.delete(f"sessions/{second['id']}")
    assert contents(alice.app) == [NURSE]


def test_what_says_less_goes_into_what_says_more_by_night(alice: Caller) -> None:
    for text in ("User works as a nurse", "User works as a nurse at Charité"):
        assert alice.remember(text)["outcome"] == "created"
    assert do("nightly")["merged"] == 1
    assert contents(alice.app) == ["User works as a nurse at Charité"]


@travel(NOW, tick=False)
def test_where_somebody_moved_years_ago_changes_nothing(alice: Caller) -> None:
    hear(alice, "I live in Graz.")
    hear(alice, "In 2015 I moved to London.")
    lived, moved = Memory.objects.for_app(alice.app).order_by("pk")
    assert lived.confidence == moved.confidence
    assert not alice.get(f"memories/{moved.uid}/links").json()["results"]


LONG_AGO, SAID_SINCE = "2023-05-01T09:00:00Z", "2025-05-01T09:00:00Z"


def hear_at(caller: Caller, moment: str, text: str) -> None:
    session = caller.start_session()
    message = {"role": "user", "content": text, "at": moment}
    assert caller.post(f"sessions/{session['id']}/messages", {"messages": [message]}).status_code == 202
    upkeep_learn_due()


def confidences(caller: Caller) -> dict[str, float]:
    return dict(Memory.objects.for_app(caller.app).values_list("content", "confidence"))


@pytest.fixture
def moved(alice: Caller) -> Caller:
    """What was said since is learnt first: exports of chats begin with the latest."""
    hear_at(alice, SAID_SINCE, "I live in Vienna.")
    hear_at(alice, LONG_AGO, "I live in Berlin.")
    return alice


def test_what_was_said_since_stays_as_sure_and_the_old_one_is_doubted(moved: Caller) -> None:
    assert confidences(moved) == {"User lives in Vienna": 0.9, "User lives in Berlin": pytest.approx(0.7)}
    link = Link.objects.for_app(moved.app).get(kind=LinkKind.CONTRADICTS)
    assert (link.from_memory.content, link.to_memory.content) == ("User lives in Vienna", "User lives in Berlin")


def test_it_is_found_first(moved: Caller) -> None:
    results = moved.post("memories/search", {"query": "Where do I live?"}).json()["results"]
    assert [hit["content"] for hit in results] == ["User lives in Vienna", "User lives in Berlin"]


def test_why_the_old_one_is_doubted_outlives_no_word_of_the_other(moved: Caller) -> None:
    """Its reason is noted behind the old one's own statement, where a purge of the newer one does not look for it."""
    doubted = Revision.objects.for_app(moved.app).get(action=Action.CONTRADICTED)
    assert doubted.memory.content == "User lives in Berlin"
    assert doubted.reason == "the contrary was said since"


def test_it_says_nothing_against_what_was_said_since_when_the_old_one_is_said_again(moved: Caller) -> None:
    hear_at(moved, LONG_AGO, "I live in Berlin.")
    known = confidences(moved)
    assert known["User lives in Vienna"] == 0.9
    assert known["User lives in Berlin"] <= 0.9


def test_what_an_agent_has_stored_since_counts_by_when_that_was(alice: Caller) -> None:
    alice.remember("User lives in Vienna")
    hear_at(alice, LONG_AGO, "I live in Berlin.")
    assert confidences(alice)["User lives in Vienna"] == 0.7


def test_what_is_said_now_goes_before_what_was_said_long_ago(alice: Caller) -> None:
    hear_at(alice, LONG_AGO, "I live in Berlin.")
    hear_at(alice, SAID_SINCE, "I live in Vienna.")
    assert confidences(alice) == {"User lives in Berlin": pytest.approx(0.7), "User lives in Vienna": 0.9}


def test_nothing_was_said_after_it_was_stored(alice: Caller) -> None:
    """A clock that is wrong, or a date of the future, makes no statement the last word for ever."""
    hear_at(alice, "2199-01-01T00:00:00Z", "I live in Berlin.")
    session = alice.start_session()
    alice.post(f"sessions/{session['id']}/messages", {"messages": [{"role": "user", "content": "I live in Vienna."}]})
    upkeep_learn_due()
    assert confidences(alice) == {"User lives in Berlin": pytest.approx(0.7), "User lives in Vienna": 0.9}
