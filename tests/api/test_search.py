"""`/memories/search`: what fits the query, best first."""

from datetime import UTC, datetime
from typing import Any

import pytest
from time_machine import travel

from memories.models import Memory, Status
from memories.providers.embeddings import EmbedderUnavailable, HashEmbedder
from tests.api.checks import MEMORY_FIELDS, assert_problem
from tests.conftest import Caller
from tests.index_of_words import check_index_of_words

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
MODES = ("auto", "vector", "fulltext")


def search(caller: Caller, query: str, **more: Any) -> dict[str, Any]:
    answer = caller.post("memories/search", {"query": query, **more})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def find(caller: Caller, query: str, **more: Any) -> list[str]:
    return [hit["content"] for hit in search(caller, query, **more)["results"]]


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "graph"])
def test_the_best_match_comes_first_and_the_unrelated_not_at_all(alice: Caller, mode: str) -> None:
    for text in ("whales sing", "whales sing in the deep blue ocean", "trains run on schedule"):
        alice.remember(text, dedupe=False)
    assert find(alice, "whales sing", mode=mode) == ["whales sing", "whales sing in the deep blue ocean"]


def test_a_hit_is_a_memory_with_a_score(alice: Caller) -> None:
    alice.remember("whales sing", subject="sea", tags=["song"])
    body = search(alice, "whales", touch=False)
    assert body.keys() == {
        "results", "summaries", "next", "tier_answered", "coverage", "took_ms", "degraded", "asked_time",
    }  # fmt: skip
    assert body["degraded"] == []
    (hit,) = body["results"]
    assert hit.keys() == MEMORY_FIELDS | {"score", "trust", "shared_by", "validity", "document", "passage"}
    assert alice.get(f"memories/{hit['id']}").json() == {name: hit[name] for name in MEMORY_FIELDS}


def test_a_long_hit_shows_its_passage(alice: Caller) -> None:
    text = "We spoke of the weather for a while. " * 20 + "The port of the relay is 2525."
    alice.remember(text)
    alice.remember("The relay is blue")
    passages = {hit["content"]: hit["passage"] for hit in search(alice, "which port has the relay?")["results"]}
    assert passages.pop("The relay is blue") is None
    passage = passages[text]
    assert passage["text"].endswith("The port of the relay is 2525.")
    assert text[passage["start"] : passage["end"]] in passage["text"]


def test_scores_fall_and_their_parts_add_up(alice: Caller) -> None:
    for text in ("whales sing", "whales swim far", "the whales and the bears sleep"):
        alice.remember(text)
    hits = search(alice, "whales sing", explain=True)["results"]
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(hit["formula_score"] == pytest.approx(sum(hit["scores"].values()), abs=1e-9) for hit in hits)


def test_nothing_fits_means_nothing_is_found(alice: Caller) -> None:
    alice.remember("whales sing")
    assert find(alice, "quarterly tax declaration") == []
    assert find(alice, "whales", min_score=1) == []


def test_no_more_than_the_limit_is_found(alice: Caller) -> None:
    for number in range(12):
        alice.remember(f"whale {number}", dedupe=False)
    assert len(find(alice, "whale")) == 10
    assert len(find(alice, "whale", limit=3)) == 3
    assert len(find(alice, "whale", limit=100)) == 12


def test_subjects_and_tags_are_words_too(alice: Caller) -> None:
    alice.remember("takes a minute", subject="jellyfin")
    alice.remember("takes an hour", tags=["nightly", "backup"])
    assert find(alice, "jellyfin", mode="fulltext") == ["takes a minute"]
    assert find(alice, "backup", mode="fulltext") == ["takes an hour"]


def test_only_active_memories_are_found(alice: Caller) -> None:
    alice.remember("whales sing", confidence=0.1)
    archived = alice.remember("whales swim")["id"]
    alice.patch(f"memories/{archived}", {"status": "archived"})
    for mode in MODES:
        assert find(alice, "whales", mode=mode) == []


def test_what_is_put_away_does_not_push_out_what_is_active(alice: Caller) -> None:
    old = [{"content": "whale"} for _ in range(450)]
    alice.post("memories/batch", {"memories": old})
    Memory.objects.update(status=Status.ARCHIVED)
    alice.remember("A single whale was seen off the coast of Portugal by a fishing boat last summer")
    for mode in MODES:
        assert len(find(alice, "whale", mode=mode)) == 1, mode


def test_the_end_users_own_and_common_memories_are_found(alice: Caller) -> None:
    for user in ("doe", "roe", None):
        alice.remember(f"whale of {user}", user_id=user, dedupe=False)
    assert sorted(find(alice, "whale", user_id="doe")) == ["whale of None", "whale of doe"]
    assert len(find(alice, "whale")) == 3


def test_a_search_counts_as_an_access_unless_told_otherwise(alice: Caller) -> None:
    uid = alice.remember("whales sing")["id"]
    search(alice, "whales", touch=False)
    assert alice.get(f"memories/{uid}").json()["access_count"] == 0
    with travel(NOON, tick=False):
        search(alice, "whales")
        search(alice, "bears")
    displayed = alice.get(f"memories/{uid}").json()
    assert (displayed["access_count"], displayed["accessed_at"]) == (1, "2027-03-01T12:00:00Z")


def test_an_access_is_no_change(alice: Caller) -> None:
    uid = alice.remember("whales sing")["id"]
    before = alice.get(f"memories/{uid}")
    search(alice, "whales")
    after = alice.get(f"memories/{uid}")
    assert after["ETag"] == before["ETag"]
    assert after.json()["updated_at"] == before.json()["updated_at"]
    assert after.json()["confirmed_at"] == before.json()["confirmed_at"]


def test_without_its_embedder_the_words_still_answer_and_say_so(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    alice.remember("whales sing")

    def away(self: HashEmbedder, text: str) -> None:
        raise EmbedderUnavailable("away")

    monkeypatch.setattr(HashEmbedder, "embed_query", away)
    body = search(alice, "whales")
    assert ([hit["content"] for hit in body["results"]], body["degraded"]) == (["whales sing"], ["vector"])
    assert search(alice, "whales", mode="fulltext")["degraded"] == []


def test_a_memory_stored_without_its_embedder_is_kept_and_found_by_words(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(self: HashEmbedder, texts: list[str]) -> None:
        raise EmbedderUnavailable("away")

    with monkeypatch.context() as patched:
        patched.setattr(HashEmbedder, "embed_documents", away)
        alice.remember("whales sing")
    assert find(alice, "whales") == ["whales sing"]


SYNTAX = [
    '"',
    "'",
    "*",
    "(",
    ")",
    "AND",
    "OR NOT",
    "NEAR(a b)",
    "content:x",
    "app : app1",
    '" OR app:app2 OR "',
    "-",
    "_",
    "__",
    "²",
    "½",
    "ß",
    "ǅ",
    "🦊",
    "٣",
    "İ",
    "a" * 10_000,
    "w " * 5_000,
    "%s",
    "{0}",
    "; DROP TABLE memories_memory; --",
    "x\u0301",
    "\U0010ffff",
    "_a_ OR _",
]


def test_no_query_is_syntax(alice: Caller) -> None:
    alice.remember("whales sing")
    for query in SYNTAX:
        assert find(alice, query, mode="fulltext") == [], query
        for mode in MODES:
            assert len(find(alice, query, mode=mode)) <= 1, query


@pytest.mark.parametrize("query", ["", " \n", "\u200b", "\ufeff \u2060"])
def test_a_query_that_nobody_can_see_is_none(alice: Caller, query: str) -> None:
    assert_problem(alice.post("memories/search", {"query": query}), 400, "query")


def test_a_search_never_leaves_the_app(alice: Caller, charlie: Caller) -> None:
    charlie.remember("whales sing", visibility="shared")
    for query in ("whales", f"app{charlie.app.pk}", f"app{charlie.app.pk} whales"):
        for mode in MODES:
            assert find(alice, query, mode=mode) == []


def test_hits_at_odds_with_each_other_are_flagged_on_both_sides(alice: Caller) -> None:
    item = alice.remember("The whales sing at night", dedupe=False)["id"]
    two = alice.remember("The whales never sing", dedupe=False)["id"]
    alice.remember("whales are large")
    alice.post(f"memories/{two}/links", {"to": item, "kind": "contradicts"})
    tags = {hit["id"]: hit["trust"] for hit in search(alice, "whales")["results"]}
    assert {uid for uid, trust in tags.items() if "conflicting" in trust} == {item, two}
    assert len(tags) == 3


def test_scores_do_not_tell_of_other_apps(alice: Caller, charlie: Caller) -> None:
    alice.remember("whales and dolphins sing")
    alice.remember("whales swim to the north pole every single summer")
    alice.remember("dolphins jump")
    before = search(alice, "whales dolphins", explain=True, touch=False)["results"]
    charlie.post("memories/batch", {"memories": [{"content": f"dolphins {n}"} for n in range(200)]})
    assert search(alice, "whales dolphins", explain=True, touch=False)["results"] == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query", None),
        ("query", ""),
        ("query", "   "),
        ("query", 5),
        ("query", ["x"]),
        ("query", "x" * 10_001),
        ("limit", 0),
        ("limit", 101),
        ("limit", "5"),
        ("limit", 1.5),
        ("limit", True),
        ("limit", None),
        ("limit", 10**30),
        ("mode", "magic"),
        ("mode", 5),
        ("mode", None),
        ("mode", ["auto"]),
        ("min_score", -0.01),
        ("min_score", 1.01),
        ("min_score", "0"),
        ("min_score", True),
        ("user_id", ""),
        ("user_id", 5),
        ("user_id", "x" * 201),
        ("explain", 1),
        ("explain", "true"),
        ("touch", 0),
        ("touch", None),
        ("app", "globex"),
    ],
)
def test_a_question_takes_only_what_it_says(alice: Caller, field: str, value: Any) -> None:
    assert_problem(alice.post("memories/search", {"query": "whales", field: value}), 400, field)


def test_the_index_agrees_with_the_memories_after_every_kind_of_change(alice: Caller) -> None:
    ids = [alice.remember(f"whale {n}", subject="sea", tags=["song"], dedupe=False)["id"] for n in range(4)]
    alice.patch(f"memories/{ids[0]}", {"content": "bear"})
    alice.patch(f"memories/{ids[1]}", {"subject": None, "tags": []})
    alice.delete(f"memories/{ids[2]}")
    check_index_of_words()
    assert sorted(find(alice, "whale", mode="fulltext")) == ["whale 1", "whale 3"]
    assert sorted(find(alice, "song", mode="fulltext")) == ["bear", "whale 3"]
