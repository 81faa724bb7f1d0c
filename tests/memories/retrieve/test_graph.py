"""The graph arm: 1 where a named entity is mentioned, half of it a hop further, and nothing that is not one's own."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Entity, Memory, Mention, Vector
from memories.providers.embeddings import EmbedderUnavailable, HashEmbedder
from memories.retrieve.pipeline import indexes
from memories.retrieve.retrievers import derived
from memories.retrieve.scoped_view import Scope, scoped_view
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, contents, embedder_of, forget, link, search, set_domain, store


def near(caller: Caller, question: str, **scope: Any) -> dict[str, float]:
    """Proximity by content, as this caller's agent may see it; 0 is left out."""
    embedder = embedder_of(caller)
    view = indexes.of(caller.app, embedder.name, embedder.dim).view()
    scoped = scoped_view(view, Scope(caller.agent.pk, scope.pop("users", None), timezone.now().timestamp(), **scope))
    result = derived.graph_proximity(caller.app, question, scoped)
    texts = dict(Memory.objects.for_app(caller.app).values_list("pk", "content"))
    return {texts[int(pk)]: float(value) for pk, value in zip(scoped.pks, result, strict=True) if value}


def chain(caller: Caller, *texts: str, **first: Any) -> None:
    """Memories of which each is linked to the next; only the first has tags."""
    memories = [store(caller, text, **(first if number == 0 else {})) for number, text in enumerate(texts)]
    for item, other in pairwise(memories):
        link(caller, item, other)


@pytest.mark.parametrize(
    "question",
    ["what about node_a", "NODE-A?", "is node a's disk full", "Node A", "(node_a)", "node_a/etc", "“Node-A”, please"],
)
def test_an_entity_is_found_however_the_question_spells_it(alice: Caller, question: str) -> None:
    store(alice, "takes a minute", subject="Node_A")
    store(alice, "takes an hour", subject="Node_B")
    assert near(alice, question) == {"takes a minute": 1.0}


@pytest.mark.parametrize(
    "name", ["Bank of America", "postgres.example.com", "10.0.0.7", "GITHUB_TOKEN", "v3.11.2", "Zoë"]
)
def test_names_hosts_and_versions_are_found_in_a_question_in_lower_case(alice: Caller, name: str) -> None:
    store(alice, "takes a minute", tags=[name])
    assert near(alice, f"what do we know about {name.lower()}, then?") == {"takes a minute": 1.0}


def test_a_name_of_five_words_is_found_too(alice: Caller) -> None:
    store(alice, "takes a minute", subject="living room ceiling light switch")
    assert near(alice, "does the living room ceiling light switch work?") == {"takes a minute": 1.0}


def test_each_hop_halves_and_the_third_is_not_taken(alice: Caller) -> None:
    chain(alice, "one", "two", "three", "four", tags=["anna"])
    assert near(alice, "what of anna?") == {"one": 1.0, "two": 0.5, "three": 0.25}


@pytest.mark.parametrize("kind", ["related", "contradicts", "elaborates"])
def test_links_are_walked_both_ways_whatever_they_say(alice: Caller, kind: str) -> None:
    hub, item, other = store(alice, "hub", tags=["anna"]), store(alice, "one"), store(alice, "other")
    link(alice, hub, item, kind)
    link(alice, other, hub, kind)
    assert near(alice, "anna") == {"hub": 1.0, "one": 0.5, "other": 0.5}


def test_the_shortest_way_counts(alice: Caller) -> None:
    item, two, three = store(alice, "one", tags=["anna"]), store(alice, "two"), store(alice, "three", tags=["anna"])
    for start, end in ((item, two), (two, three), (three, item), (two, item)):
        link(alice, start, end)
    assert near(alice, "anna") == {"one": 1.0, "three": 1.0, "two": 0.5}


def test_of_several_names_the_mean_counts(alice: Caller) -> None:
    both, anna = store(alice, "both", tags=["anna", "berta"]), store(alice, "anna's", tags=["anna"])
    store(alice, "berta's", tags=["berta"])
    link(alice, anna, both)
    assert near(alice, "anna or berta") == {"both": 1.0, "anna's": 0.75, "berta's": 0.5}


def test_a_name_that_is_unknown_takes_nothing_from_one_that_is_known(alice: Caller) -> None:
    store(alice, "takes a minute", tags=["anna"])
    assert near(alice, "anna or xerxes") == {"takes a minute": 1.0}


def test_a_name_within_a_name_is_a_name_as_well(alice: Caller) -> None:
    store(alice, "long", tags=["home assistant"])
    store(alice, "short", tags=["home"])
    assert near(alice, "home assistant") == {"long": 0.5, "short": 0.5}


@pytest.mark.parametrize(
    "question", ["", " ", "?", "what about it?", "🦊", "\x00", "a " * 3000, "x" * 10_000, "%' OR 1=1"]
)
def test_a_question_that_names_nothing_is_near_to_nothing(alice: Caller, question: str) -> None:
    store(alice, "takes a minute", tags=["anna", "about", "what"])
    assert near(alice, question) == {}


def test_a_name_that_many_mention_leads_no_further(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "MOST_STARTS", 2)
    far = store(alice, "far")
    for number in range(3):
        link(alice, store(alice, f"start {number}", tags=["anna"]), far)
    assert near(alice, "anna") == {f"start {number}": 1.0 for number in range(3)}


def test_hops_cost_a_query_each_and_memories_none(alice: Caller, django_assert_num_queries: Any) -> None:
    chain(alice, "one", "two", "three", tags=["anna"])
    for number in range(20):
        store(alice, f"more {number}", tags=["anna"])
    embedder = embedder_of(alice)
    scoped = scoped_view(indexes.of(alice.app, embedder.name, embedder.dim).view(), Scope(None, None, 4e9))
    with django_assert_num_queries(4):
        derived.graph_proximity(alice.app, "anna", scoped)
    with django_assert_num_queries(1):
        derived.graph_proximity(alice.app, "nobody known", scoped)


# --- through the search


def test_the_graph_alone_explains_itself_by_one_part(alice: Caller) -> None:
    chain(alice, "one", "two", "three", tags=["anna"])
    match = search(alice, "anna", mode="graph")
    assert [(hit.memory.content, hit.formula_score, hit.parts) for hit in match.hits] == [
        (text, value, {"graph": value}) for text, value in (("one", 1.0), ("two", 0.5), ("three", 0.25))
    ]


def test_the_graph_alone_needs_no_embedder(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    store(alice, "takes a minute", tags=["anna"])

    def away(self: HashEmbedder, text: str) -> None:
        raise EmbedderUnavailable("away")

    monkeypatch.setattr(HashEmbedder, "embed_query", away)
    Vector.objects.all().delete()
    match = search(alice, "anna", mode="graph")
    assert (contents(match), match.degraded) == (["takes a minute"], [])


def test_what_is_out_of_date_is_not_found_but_what_stands_for_it_is(alice: Caller) -> None:
    old, new = store(alice, "old", tags=["anna"]), store(alice, "new")
    link(alice, new, old, "supersedes")
    assert near(alice, "anna") == {"new": 0.5}


def test_what_is_put_away_or_run_out_is_not_found(alice: Caller) -> None:
    change(alice, store(alice, "archived", tags=["anna"]), status="archived")
    store(alice, "doubtful", tags=["anna"], confidence=0.1)
    store(alice, "over", tags=["anna"], valid_until=str(timezone.now() - timedelta(days=1)))
    store(alice, "to come", tags=["anna"], valid_from=str(timezone.now() + timedelta(days=1)))
    assert near(alice, "anna") == {}


def test_a_forgotten_memory_is_no_way_to_another(alice: Caller) -> None:
    item, two, three = store(alice, "one", tags=["anna"]), store(alice, "two"), store(alice, "three")
    link(alice, item, two)
    link(alice, two, three)
    forget(alice, two)
    assert near(alice, "anna") == {"one": 1.0}
    forget(alice, item)
    assert near(alice, "anna") == {}
    assert not Mention.objects.exists()
    assert not Entity.objects.exists()


def test_an_edited_memory_is_near_to_what_it_names_now(alice: Caller) -> None:
    memory = store(alice, "We asked Anna")
    change(alice, memory, content="We asked Berta")
    assert (near(alice, "anna"), near(alice, "berta")) == ({}, {"We asked Berta": 1.0})


def test_the_graph_of_another_app_does_not_exist(alice: Caller, charlie: Caller) -> None:
    chain(charlie, "one", "two", tags=["anna"], visibility="shared")
    store(alice, "mine")
    assert near(alice, "anna") == {}
    assert contents(search(alice, "anna", mode="graph")) == []
    store(alice, "mine too", tags=["anna"])
    assert near(alice, "anna") == {"mine too": 1.0}


def test_private_memories_and_another_users_are_not_found(alice: Caller, bob: Caller) -> None:
    store(alice, "private", tags=["anna"], visibility="agent")
    store(alice, "doe's", tags=["anna"], user_id="doe")
    store(alice, "common", tags=["anna"])
    assert near(bob, "anna", users=("roe",)) == {"common": 1.0}
    assert near(alice, "anna", users=("doe",)) == {"private": 1.0, "doe's": 1.0, "common": 1.0}


def test_a_private_memory_is_no_way_to_another_for_those_who_may_not_see_it(alice: Caller, bob: Caller) -> None:
    chain(alice, "one", "two", tags=["anna"], visibility="agent")
    assert near(alice, "anna") == {"one": 1.0, "two": 0.5}
    assert near(bob, "anna") == {}


def test_another_users_memory_is_no_way_to_a_common_one(alice: Caller) -> None:
    chain(alice, "one", "two", tags=["anna"], user_id="doe")
    assert near(alice, "anna", users=("doe",)) == {"one": 1.0, "two": 0.5}
    assert near(alice, "anna", users=("roe",)) == {}


def test_scores_do_not_tell_that_a_name_stands_in_private_memories(alice: Caller, bob: Caller) -> None:
    store(alice, "common", tags=["anna"])
    before = near(bob, "anna and zorro")
    store(alice, "private", tags=["zorro"], visibility="agent")
    assert near(bob, "anna and zorro") == before == {"common": 1.0}


def test_filters_and_exclusions_hold(alice: Caller) -> None:
    item, two = store(alice, "one", tags=["anna"], category="work"), store(alice, "two", tags=["anna"])
    assert contents(search(alice, "anna", mode="graph", filters={"category": "work"})) == ["one"]
    assert contents(search(alice, "anna", mode="graph", exclude=(item.pk,))) == [two.content]


def test_domains_do_not_disturb_the_graph_alone(alice: Caller, bob: Caller) -> None:
    set_domain(alice, "kitchen")
    set_domain(bob, "garage")
    store(bob, "takes a minute", tags=["anna"])
    (hit,) = search(alice, "anna", mode="graph").hits
    assert hit.formula_score == 1.0
