"""Scope `shared`: what other apps that share have marked as shared, and nothing else of them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Memory, RecallCount
from memories.providers.embeddings import EmbedderUnavailable, HashEmbedder
from memories.retrieve import pipeline as search_module
from memsite.tenancy.models import App, AppStatus
from tests.conftest import Caller, make_app, make_caller
from tests.memories.retrieve.asking import change, contents, forget, link, search, set_domain, set_policy, store
from tests.tables import each_row

MODES = ("auto", "tiered", "dual", "vector", "fulltext", "graph")


@pytest.fixture
def sharing(alice: Caller, charlie: Caller) -> None:
    set_policy(alice, share_memories=True)
    set_policy(charlie, share_memories=True)


def share(caller: Caller, content: str, **fields: Any) -> Memory:
    return store(caller, content, visibility="shared", **fields)


def shared(caller: Caller, query: str = "whales", **options: Any) -> list[str]:
    return contents(search(caller, query, shared=True, **options))


def ask(caller: Caller, **body: Any) -> dict[str, Any]:
    answer = caller.post("memories/search", {"query": "whales", "scope": "shared", **body})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


@pytest.mark.usefixtures("sharing")
@each_row("mode", [mode for mode in MODES if mode != "graph"], rolled_back=True)
def test_what_another_app_shares_is_found_if_both_share(alice: Caller, charlie: Caller, mode: str) -> None:
    share(charlie, "whales sing")
    assert shared(alice, mode=mode) == ["whales sing"]
    assert contents(search(alice, "whales", mode=mode)) == []


@pytest.mark.usefixtures("sharing")
def test_the_graph_finds_it_through_the_names_the_other_app_knows(alice: Caller, charlie: Caller) -> None:
    share(charlie, "takes long", tags=["anna"])
    assert shared(alice, "anna", mode="graph") == ["takes long"]


@pytest.fixture
def two(alice: Caller, charlie: Caller) -> None:
    share(charlie, "whales sing", tags=["whales"])
    store(alice, "whales hum", tags=["whales"])


@each_row(
    "asker_shares, owner_shares, mode",
    [(*shares, mode) for shares in ((False, False), (True, False), (False, True)) for mode in MODES],
    rolled_back=True,
)
def test_both_apps_have_to_share(
    alice: Caller, charlie: Caller, two: None, asker_shares: bool, owner_shares: bool, mode: str
) -> None:
    set_policy(alice, share_memories=asker_shares)
    set_policy(charlie, share_memories=owner_shares)
    assert shared(alice, mode=mode) == ["whales hum"]


@pytest.fixture
def withheld(sharing: None, charlie: Caller) -> None:
    share(charlie, "krill swims")
    store(charlie, "whales of the app", visibility="app", tags=["whales"])
    store(charlie, "whales of an agent", visibility="agent", tags=["whales"])
    share(charlie, "whales of doe", user_id="doe", tags=["whales"])


@each_row("mode", MODES, rolled_back=True)
def test_only_what_is_marked_as_shared_and_of_no_user_leaves_its_app(alice: Caller, withheld: None, mode: str) -> None:
    assert shared(alice, mode=mode) == shared(alice, mode=mode, user_id="doe") == []


@pytest.mark.usefixtures("sharing")
def test_what_is_put_away_or_run_out_or_gone_is_not_shared(alice: Caller, charlie: Caller) -> None:
    memories = [share(charlie, f"whales {text}") for text in ("archived", "over", "forgotten", "replaced", "withdrawn")]
    change(charlie, memories[0], status="archived")
    change(charlie, memories[1], valid_until=str(timezone.now()))
    forget(charlie, memories[2])
    link(charlie, share(charlie, "krill swims"), memories[3], "supersedes")
    change(charlie, memories[4], visibility="app")
    share(charlie, "whales doubtful", confidence=0.1)
    # Which stands for what it replaced.
    assert shared(alice) == ["krill swims"]


@pytest.mark.usefixtures("sharing")
def test_an_uninstalled_app_shares_nothing(alice: Caller, charlie: Caller) -> None:
    share(charlie, "whales sing")
    App.objects.filter(pk=charlie.app.pk).update(status=AppStatus.UNINSTALLED)
    assert shared(alice) == []


@pytest.mark.usefixtures("sharing")
def test_each_finds_what_the_other_shares(alice: Caller, charlie: Caller) -> None:
    share(alice, "whales sing")
    share(charlie, "whales hum")
    assert sorted(shared(alice)) == sorted(shared(charlie)) == ["whales hum", "whales sing"]


@pytest.mark.usefixtures("sharing")
def test_own_private_memories_are_found_beside_shared_ones_by_their_agent_only(
    alice: Caller, bob: Caller, charlie: Caller
) -> None:
    store(alice, "whales in private", visibility="agent")
    share(charlie, "whales sing")
    assert sorted(shared(alice)) == ["whales in private", "whales sing"]
    assert shared(bob) == ["whales sing"]


# --- what is shown of it


@pytest.mark.usefixtures("sharing")
def test_a_hit_says_whose_it_is_and_nothing_that_is_that_apps_own(alice: Caller, charlie: Caller) -> None:
    session = charlie.start_session(external_id="globex-4711")["id"]
    secret = {"ticket": "G-1"}
    share(charlie, "whales sing", session_id=session, turn_number=7, external_id="x-9", metadata=secret, subject="sea")
    store(alice, "whales hum", external_id="mine", metadata={"own": 1})
    body = ask(alice)
    hits = {hit["content"]: hit for hit in body["results"]}
    theirs, mine = hits["whales sing"], hits["whales hum"]
    assert (theirs["shared_by"], mine["shared_by"]) == ("globex", None)
    assert {name: theirs[name] for name in ("session_id", "turn_number", "resource_id", "external_id", "metadata")} == {
        "session_id": None,
        "turn_number": None,
        "resource_id": None,
        "external_id": None,
        "metadata": {},
    }
    assert (mine["external_id"], mine["metadata"]) == ("mine", {"own": 1})
    assert theirs["subject"] == "sea"
    for hidden in ("globex-4711", "G-1", "x-9", session):
        assert hidden not in str(body)


@pytest.mark.usefixtures("sharing")
def test_a_shared_memory_can_be_read_but_not_touched(alice: Caller, charlie: Caller) -> None:
    memory = share(charlie, "whales sing")
    uid = ask(alice)["results"][0]["id"]
    for answer in (
        alice.get(f"memories/{uid}"),
        alice.patch(f"memories/{uid}", {"importance": 5}),
        alice.delete(f"memories/{uid}"),
        alice.get(f"memories/{uid}/history"),
    ):
        assert answer.status_code == 404
    memory.refresh_from_db()
    assert (memory.access_count, memory.accessed_at) == (0, None)


HIDDEN_FIELDS: list[tuple[str, Any, Any]] = [
    ("metadata.ticket", "G-1", "G-2"),
    ("external_id", "x-9", "x-8"),
    ("turn_number", {"gte": 7}, {"gte": 8}),
    ("agent", "charlie", "nobody"),
]


@pytest.fixture
def full_of_fields(sharing: None, charlie: Caller) -> None:
    session = charlie.start_session()["id"]
    share(charlie, "whales sing", session_id=session, turn_number=7, external_id="x-9", metadata={"ticket": "G-1"})


@each_row("field, right, wrong", HIDDEN_FIELDS, rolled_back=True)
def test_filters_do_not_tell_what_is_not_shown(
    alice: Caller, full_of_fields: None, field: str, right: Any, wrong: Any
) -> None:
    assert shared(alice, filters={field: right}) == shared(alice, filters={field: wrong})


@pytest.mark.usefixtures("sharing")
def test_filters_hold_for_what_is_shared(alice: Caller, charlie: Caller) -> None:
    share(charlie, "whales at work", category="work")
    share(charlie, "whales at home", category="home")
    assert shared(alice, filters={"category": "work"}) == ["whales at work"]


# --- how it ranks


def twins(alice: Caller, charlie: Caller, **options: Any) -> tuple[Any, Any]:
    """The hits of the same text in the own app and in the other."""
    store(alice, "whales sing", tags=["whales"])
    share(charlie, "whales sing", tags=["whales"])
    result = search(alice, "whales", shared=True, **options).hits
    assert len(result) == 2
    own = next(hit for hit in result if hit.memory.app_id == alice.app.pk)
    return own, next(hit for hit in result if hit is not own)


@pytest.mark.usefixtures("sharing")
def test_another_apps_memory_counts_as_one_of_another_domain(alice: Caller, charlie: Caller) -> None:
    own, other = twins(alice, charlie)
    assert other.parts["domain"] == pytest.approx(math.log(0.7))
    assert other.formula_score == pytest.approx(own.formula_score + math.log(0.7))


@pytest.mark.usefixtures("sharing")
@each_row("ranking", ["product", "dual"], rolled_back=True)
def test_in_the_other_formulas_too(alice: Caller, charlie: Caller, ranking: str) -> None:
    for caller in (alice, charlie):
        set_policy(caller, ranking=ranking)
    own, other = twins(alice, charlie)
    assert other.formula_score == pytest.approx(own.formula_score * 0.7)


@pytest.mark.usefixtures("sharing")
@each_row(
    "asker, writer, loses",
    [("sea", "sea", False), ("sea", "garage", True), ("sea", "", True), ("", "sea", True), ("", "", True)],
    rolled_back=True,
)
def test_unless_an_agent_of_the_same_domain_wrote_it(
    alice: Caller, charlie: Caller, asker: str, writer: str, loses: bool
) -> None:
    set_domain(alice, asker)
    set_domain(charlie, writer)
    own, other = twins(alice, charlie)
    assert ("domain" in other.parts) == loses
    assert "domain" not in own.parts


@pytest.mark.usefixtures("sharing")
def test_the_askers_penalty_counts_not_the_other_apps(alice: Caller, charlie: Caller) -> None:
    set_policy(alice, off_domain_penalty=0.5)
    set_policy(charlie, off_domain_penalty=0.0)
    own, other = twins(alice, charlie)
    assert other.formula_score == pytest.approx(own.formula_score + math.log(0.5))


@pytest.mark.usefixtures("sharing")
@each_row("mine, theirs", [("standard", "product"), ("product", "standard"), ("dual", "standard")], rolled_back=True)
def test_all_hits_are_ranked_by_the_askers_formula(alice: Caller, charlie: Caller, mine: str, theirs: str) -> None:
    set_policy(alice, ranking=mine)
    set_policy(charlie, ranking=theirs)
    own, other = twins(alice, charlie)
    assert set(other.parts) - {"domain"} == set(own.parts) - {"domain"}
    assert own.score > other.score


@pytest.mark.usefixtures("sharing")
@each_row("ranking", ["confidence", "recent"], rolled_back=True)
def test_looking_at_shared_memories_does_not_reorder_ones_own(alice: Caller, charlie: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    store(alice, "whales sing by day", confidence=0.4)
    store(alice, "whales sing at night", confidence=0.9)
    share(charlie, "krill swims")
    own = contents(search(alice, "whales sing"))
    assert own == ["whales sing at night", "whales sing by day"]
    assert shared(alice, "whales sing") == own


@pytest.mark.usefixtures("sharing")
def test_hits_of_both_are_together_no_more_than_asked_for_and_best_first(alice: Caller, charlie: Caller) -> None:
    for number in range(4):
        store(alice, f"whales sing song {number}")
        share(charlie, f"whales sing tune {number}")
    hits = search(alice, "whales sing", shared=True, limit=5).hits
    assert len(hits) == 5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(shared(alice, "whales sing", limit=100)) == 8


@pytest.mark.usefixtures("sharing")
def test_what_scores_too_little_is_left_out_of_shared_hits_too(alice: Caller, charlie: Caller) -> None:
    own, other = twins(alice, charlie)
    between = (own.score + other.score) / 2
    assert [hit.memory.app_id for hit in search(alice, "whales", shared=True, min_score=between).hits] == [alice.app.pk]


@pytest.mark.usefixtures("sharing")
def test_several_apps_share_at_once(alice: Caller, charlie: Caller) -> None:
    dora = make_caller(make_app("initech", share_memories=True), "dora")
    for caller in (charlie, dora):
        share(caller, f"whales of {caller.app.app_id}")
    assert {hit["shared_by"] for hit in ask(alice)["results"]} == {"globex", "initech"}


# --- what is noted of it


@pytest.mark.usefixtures("sharing")
def test_a_shared_search_counts_once_in_the_askers_app(alice: Caller, charlie: Caller) -> None:
    share(charlie, "whales sing")
    assert ask(alice)["tier_answered"] == "items"
    count = RecallCount.objects.get()
    assert (count.app_id, count.tier, count.searches, count.found) == (alice.app.pk, "items", 1, 1)


@pytest.mark.usefixtures("sharing")
def test_nothing_anywhere_is_none(alice: Caller, charlie: Caller) -> None:
    share(charlie, "krill swims")
    body = ask(alice)
    assert (body["results"], body["tier_answered"], body["next"], body["degraded"]) == ([], "none", None, [])


@pytest.mark.usefixtures("sharing")
def test_an_app_that_cannot_be_read_in_time_is_missed_and_said(
    alice: Caller, charlie: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(alice, "whales hum")
    share(charlie, "whales sing")
    find = search_module.recall_in_scope

    def slow_elsewhere(app: App, *rest: Any) -> Any:
        if app != alice.app:
            raise TimeoutError
        return find(app, *rest)

    monkeypatch.setattr(search_module, "recall_in_scope", slow_elsewhere)
    match = search(alice, "whales", shared=True)
    assert (contents(match), match.degraded) == (["whales hum"], ["shared"])


@pytest.mark.usefixtures("sharing")
def test_without_the_embedder_words_find_what_is_shared(
    alice: Caller, charlie: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(alice, "whales hum")
    share(charlie, "whales sing")

    def away(self: HashEmbedder, text: str) -> None:
        raise EmbedderUnavailable("away")

    monkeypatch.setattr(HashEmbedder, "embed_query", away)
    body = ask(alice)
    assert sorted(hit["content"] for hit in body["results"]) == ["whales hum", "whales sing"]
    assert body["degraded"] == ["vector"]


@pytest.mark.usefixtures("sharing")
def test_blocks_for_the_prompt_hold_ones_own_memories_only(alice: Caller, charlie: Caller) -> None:
    share(charlie, "whales sing")
    assert alice.post("context", {"query": "whales"}).json()["included"] == 0


@pytest.mark.usefixtures("sharing")
def test_trust_is_told_of_shared_hits(alice: Caller, charlie: Caller) -> None:
    share(charlie, "whales sing")
    assert ask(alice)["results"][0]["trust"] == ["unconfirmed"]


@each_row("value", ["", "all", None, 5, ["shared"]], rolled_back=True)
def test_scopes_that_are_none_are_refused(alice: Caller, value: Any) -> None:
    assert alice.post("memories/search", {"query": "whales", "scope": value}).status_code == 400
