"""How something new stands to what is known: looked at beforehand, and again under the lock as far as it changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.agent import current_embedder
from memories.capture import known
from memories.capture.embed import embed_candidates
from memories.capture.known import MET, RelatedMemories, find_related, judge
from memories.capture.outcome import OutcomeKind
from memories.capture.pipeline import remember, store
from memories.models import Link, LinkKind, Memory, Source, Status, Visibility
from memories.providers.embeddings import EmbedderUnavailable, HashEmbedder
from memories.store import Candidate, writing
from memories.text.relate import Relation, Verdict
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app


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
        self.asked: list[tuple[str, list[str]]] = []

    def relate(self, new: str, existing: Sequence[str], subject: str, cosines: Sequence[float | None]) -> list[Verdict]:
        self.asked.append((new, list(existing)))
        return [Verdict(self.relation, "because", 0.9)] * len(existing)


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

    def test_what_says_its_drawer_is_compared_in_it_alone(self, acme: App) -> None:
        know(acme, learnt("The database listens on port 5433", subject="database", category="dependency"))
        said: dict[str, Any] = {"content": "The database listens on port 5433", "source": Source.API}
        assert relations(acme, Candidate(**said, subject="database", category="dependency"))
        assert not relations(acme, Candidate(**said, subject="database", category="work"))
        assert not relations(acme, Candidate(**said, subject="web", category="dependency"))

    def test_what_lies_in_other_drawers_leaves_room_for_what_lies_in_this_one(self, acme: App) -> None:
        told: dict[str, Any] = {"source": Source.API, "subject": "database"}
        content = "The database listens on port 5433"
        know(acme, *[Candidate(content=content, category="work", **told) for _ in range(MET + 1)])
        know(acme, Candidate(content=f"{content} now", category="dependency", **told))
        assert relations(acme, Candidate(content=content, category="dependency", **told)) == {
            f"{content} now": Relation.SAME
        }

    def test_with_so_many_it_is_compared_and_no_more(self, acme: App) -> None:
        know(acme, *[learnt(f"The database listens on port {port}") for port in range(5400, 5402 + MET)])
        provider = Says(Relation.DIFFERENT)
        relations(acme, learnt("The database listens on port 5433"), provider)
        ((_, existing),) = provider.asked
        assert len(existing) == MET

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
        found = relations(acme, learnt("Listens on port 5433", subject="database"))
        assert Relation.CONTRADICTS not in found.values()

    def test_what_names_the_others_subject_is_told_of_it(self, acme: App) -> None:
        know(acme, learnt("We deploy the pricing service on Tuesday"))
        found = relations(acme, learnt("We deploy the pricing service on Friday", subject="pricing service"))
        assert found == {"We deploy the pricing service on Tuesday": Relation.CONTRADICTS}

    def test_and_so_does_what_has_no_subject_itself(self, acme: App) -> None:
        know(acme, learnt("We deploy the pricing service on Tuesday", subject="pricing service"))
        found = relations(acme, learnt("We deploy the pricing service on Friday"))
        assert found == {"We deploy the pricing service on Tuesday": Relation.CONTRADICTS}

    def test_the_nearest_of_many_is_found(self, acme: App) -> None:
        know(acme, *(learnt(f"The service{number} listens on port {8000 + number}") for number in range(200)))
        found = relations(acme, learnt("The service77 listens on port 8077"))
        assert found["The service77 listens on port 8077"] == Relation.SAME

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
        found = relations(acme, learnt("User lives in Berlin Mitte"), model)
        assert len(model.asked) == 1
        assert set(found.values()) == {Relation.ELABORATES}
        assert found.keys() == set(model.asked[0][1])

    def test_it_is_not_asked_about_nothing(self, acme: App) -> None:
        model = Says(Relation.SAME)
        assert relations(acme, learnt("User lives in Berlin"), model) == {}
        assert model.asked == []

    def test_it_is_asked_about_what_the_asker_may_see_only(self, alice: Caller, bob: Caller) -> None:
        know(alice.app, learnt("Berlin is secret", agent=bob.agent, visibility=Visibility.AGENT))
        know(alice.app, learnt("Berlin is public"))
        model = Says(Relation.DIFFERENT)
        relations(alice.app, learnt("Berlin is a city", agent=alice.agent), model)
        assert model.asked == [("Berlin is a city", ["Berlin is public"])]

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
        monkeypatch.setattr(known, "MOST_CHANGED", most)
        candidate = learnt("User lives in Berlin")
        outlook = outlook_on(acme, candidate)
        know(acme, *(learnt(f"User lives in {city}") for city in ("Berlin", "Munich", "Ulm")))
        with CaptureQueriesContext(connection) as asked:
            assert self.put(acme, candidate, outlook) == OutcomeKind.REINFORCED
        conditions = [one["sql"].partition(" WHERE ")[2] for one in asked.captured_queries]
        by_change = ['"user_id"' in one for one in conditions if '"change_number" > ' in one]
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
        found = judge(old, learnt(new), 0.8, current_embedder())
        marked = judge(old, Candidate(content=new, source=Source.MARKER), 0.8, current_embedder())
        assert (found.relation, marked.relation) == (Relation.DIFFERENT, Relation.CONTRADICTS)

    def test_without_a_vector_nobody_knows(self, acme: App) -> None:
        know(acme, learnt("User drinks coffee"))
        candidate = learnt("User does not drink coffee")
        (outlook,) = find_related(acme, [candidate], current_embedder())
        assert outlook.telling == []
