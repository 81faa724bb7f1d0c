"""Summaries answer first where they can; their hits are memories one may see, and they go when one is forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Memory, Passage, RecallCount, Summary
from memories.models.vector import to_bytes
from memories.providers.embeddings import EmbedderUnavailable, HashEmbedder
from memories.services import MemoryAgent
from tests.conftest import Caller
from tests.memories.retrieve.asking import (
    change,
    contents,
    embedder_of,
    forget,
    link,
    search,
    set_policy,
    store,
)
from tests.tables import each_row


def summarise(
    caller: Caller,
    category: str,
    *lines: tuple[str, Memory],
    user_id: str = "",
    version: int = 1,
    is_current: bool = True,
    model: str | None = None,
) -> Summary:
    """A version of the category's summary, one passage per line."""
    embedder = embedder_of(caller)
    summary = Summary.objects.create(
        app=caller.app,
        category=category,
        user_id=user_id,
        version=version,
        made_by="rules",
        content="\n".join(f"- {text}" for text, _ in lines),
        memory_count=len(lines),
        archived_at=None if is_current else timezone.now(),
    )
    for text, memory in lines:
        vector = to_bytes(embedder.embed_documents([text])[0])
        Passage.objects.create(
            app=caller.app, summary=summary, memory=memory, text=text, model=model or embedder.name, data=vector
        )
    return summary


def tell(caller: Caller, query: str = "whales sing", **options: Any) -> list[str]:
    """The contents that summaries answer with; none if it was not they who answered."""
    match = search(caller, query, mode="tiered", **options)
    return contents(match) if match.tier == "summaries" else []


@pytest.fixture(autouse=True)
def _summaries_are_kept(alice: Caller) -> None:
    set_policy(alice, capture_summaries=True)


@pytest.fixture
def memory(alice: Caller) -> Memory:
    return store(alice, "whales sing at night", category="sea")


@pytest.fixture
def summary(alice: Caller, memory: Memory) -> Summary:
    return summarise(alice, "sea", ("Whales sing", memory))


# --- when they answer


@pytest.mark.usefixtures("summary")
@pytest.mark.parametrize("mode", ["auto", "tiered"])
def test_an_app_that_keeps_no_summaries_any_more_is_not_answered_by_old_ones(alice: Caller, mode: str) -> None:
    set_policy(alice, tiered=True, capture_summaries=False)
    match = search(alice, "whales sing", mode=mode)
    assert (contents(match), match.tier) == (["whales sing at night"], "items")
    set_policy(alice, capture_summaries=True)
    assert search(alice, "whales sing", mode=mode).tier == "summaries"


@pytest.mark.usefixtures("summary")
def test_a_passage_that_fits_answers_with_the_memory_it_stands_on(alice: Caller) -> None:
    body = alice.post("memories/search", {"query": "whales sing", "mode": "tiered", "explain": True}).json()
    (hit,) = body["results"]
    assert (hit["content"], body["tier_answered"], body["degraded"]) == ("whales sing at night", "summaries", [])
    assert body["summaries"] == [{"category": "sea", "version": 1, "passages": ["Whales sing"], "sources": [hit["id"]]}]
    # Cosine 1, and 0.3 for all of its words.
    assert hit["scores"] == pytest.approx({"meaning": 1.0, "words_covered": 0.3})
    assert hit["formula_score"] == pytest.approx(1.3)


@pytest.mark.usefixtures("summary")
@each_row(
    "tiered, mode, tier",
    [
        (True, "auto", "summaries"),
        (False, "auto", "items"),
        (False, "tiered", "summaries"),
        (True, "tiered", "summaries"),
        (True, "dual", "items"),
        (True, "vector", "items"),
        (True, "fulltext", "items"),
    ],
    rolled_back=True,
)
def test_the_policy_or_the_mode_lets_summaries_answer(alice: Caller, tiered: bool, mode: str, tier: str) -> None:
    set_policy(alice, tiered=tiered)
    body = alice.post("memories/search", {"query": "whales sing", "mode": mode}).json()
    assert (len(body["results"]), body["tier_answered"], bool(body["summaries"])) == (1, tier, tier == "summaries")


@pytest.mark.usefixtures("summary")
def test_where_no_passage_fits_the_items_answer(alice: Caller) -> None:
    store(alice, "trains run on schedule")
    match = search(alice, "trains schedule", mode="tiered")
    assert (contents(match), match.tier, match.summaries) == (["trains run on schedule"], "items", [])


@each_row(
    "passage, tier",
    [
        # "whales sing" against it: cosine k / √(2 · n) and 0.3 · k / 2, together at least 0.5 + 0.15.
        ("whales sing at night far away", "summaries"),  # 0.577 + 0.3
        ("whales", "summaries"),  # 0.707 + 0.15
        ("whales hum softly", "items"),  # 0.408 + 0.15
        ("krill", "items"),
    ],
    rolled_back=True,
)
def test_a_passage_has_to_be_near_and_hold_half_of_the_words(
    alice: Caller, memory: Memory, passage: str, tier: str
) -> None:
    summarise(alice, "sea", (passage, memory))
    assert search(alice, "whales sing", mode="tiered").tier == tier


def test_what_fits_less_comes_along_after_what_fits_and_what_does_not_fit_stays(alice: Caller, memory: Memory) -> None:
    second, third = store(alice, "whales hum", category="sea"), store(alice, "krill swims", category="sea")
    summarise(alice, "sea", ("Krill swims", third), ("Whales hum", second), ("Whales sing", memory))
    match = search(alice, "whales sing", mode="tiered")
    assert contents(match) == ["whales sing at night", "whales hum"]
    assert [summary.passages for summary in match.summaries] == [["Whales sing", "Whales hum"]]
    assert [hit.score for hit in match.hits] == sorted((hit.score for hit in match.hits), reverse=True)


def test_several_categories_answer_together(alice: Caller, memory: Memory) -> None:
    other = store(alice, "whales sing in zoos", category="zoo")
    summarise(alice, "sea", ("Whales sing", memory))
    summarise(alice, "zoo", ("Whales sing there", other))
    match = search(alice, "whales sing", mode="tiered")
    assert [summary.summary.category for summary in match.summaries] == ["sea", "zoo"]
    assert contents(match) == ["whales sing at night", "whales sing in zoos"]


def test_of_many_categories_three_answer(alice: Caller) -> None:
    for number in range(5):
        category = f"c{number}"
        summarise(alice, category, ("Whales sing", store(alice, f"whales sing {number}", category=category)))
    assert len(search(alice, "whales sing", mode="tiered").summaries) == 3


def test_categories_that_are_filtered_out_do_not_keep_others_from_answering(alice: Caller) -> None:
    for category in ("c1", "c2", "c3"):
        summarise(alice, category, ("Whales sing", store(alice, f"whales sing {category}", category=category)))
    summarise(alice, "sea", ("Whales sing there", store(alice, "whales sing at night", category="sea")))
    assert tell(alice, filters={"category": "sea"}) == ["whales sing at night"]


def test_a_memory_on_which_two_passages_stand_is_found_once(alice: Caller, memory: Memory) -> None:
    summarise(alice, "sea", ("Whales sing", memory), ("Whales sing loudly", memory))
    assert tell(alice) == ["whales sing at night"]


# --- limits, pages, scores


def test_limits_and_pages_hold_for_summaries(alice: Caller) -> None:
    lines = [(f"Whales sing{' on' * number}", store(alice, f"song {number}", category="sea")) for number in range(5)]
    summarise(alice, "sea", *lines)
    body: dict[str, Any] = {"query": "whales sing", "mode": "tiered", "limit": 2}
    pages, cursor = [], None
    while cursor or not pages:
        answer = alice.post("memories/search", {**body, **({"cursor": cursor} if cursor else {})}).json()
        pages.append([hit["content"] for hit in answer["results"]])
        cursor = answer["next"]
        assert answer["tier_answered"] == "summaries"
    assert pages == [["song 0", "song 1"], ["song 2", "song 3"], ["song 4"]]


@pytest.mark.usefixtures("summary")
def test_a_lowest_score_holds_for_summaries_too(alice: Caller) -> None:
    (hit,) = search(alice, "whales sing", mode="tiered").hits
    assert tell(alice, min_score=hit.score) == ["whales sing at night"]
    assert tell(alice, min_score=hit.score + 0.001) == []


# --- whose they are


@each_row(
    "how", ["private", "archived", "over", "superseded", "doubtful", "excluded", "filtered", "doe"], rolled_back=True
)
def test_no_passage_on_what_one_may_not_be_shown(alice: Caller, bob: Caller, how: str) -> None:
    options: dict[str, Any] = {}
    fields: dict[str, Any] = {"private": {"visibility": "agent"}, "doe": {"user_id": "doe"}}.get(how, {})
    memory = store(alice, "whales sing at night", category="sea", **fields)
    summarise(alice, "sea", ("Whales sing", memory))
    store(alice, "krill swims")
    if how == "archived":
        change(alice, memory, status="archived")
    elif how == "over":
        change(alice, memory, valid_until=str(timezone.now() - timedelta(days=1)))
    elif how == "superseded":
        link(alice, store(alice, "they hum"), memory, "supersedes")
    elif how == "doubtful":
        change(alice, memory, confidence=0.1)
    else:
        options = {"excluded": {"exclude": (memory.pk,)}, "filtered": {"filters": {"category": "zoo"}}}.get(how, {})
        options |= {"user_id": "roe"} if how == "doe" else {}
    match = search(bob, "whales sing", mode="tiered", **options)
    # What superseded it stands for it.
    found = (["they hum"], [], "items") if how == "superseded" else ([], [], "none")
    assert (contents(match), match.summaries, match.tier) == found


def test_passages_one_may_not_see_are_left_out_beside_those_one_may(alice: Caller, bob: Caller, memory: Memory) -> None:
    secret = store(alice, "whales sing for me", visibility="agent", category="sea")
    summarise(alice, "sea", ("Whales sing", memory), ("Whales sing for Alice", secret))
    match = search(bob, "whales sing", mode="tiered")
    assert [summary.passages for summary in match.summaries] == [["Whales sing"]]
    assert contents(match) == ["whales sing at night"]
    assert len(tell(alice)) == 2


@pytest.mark.usefixtures("summary")
def test_another_apps_summaries_do_not_exist(alice: Caller, charlie: Caller) -> None:
    store(charlie, "krill swims")
    assert tell(charlie) == []
    for caller in (alice, charlie):
        set_policy(caller, share_memories=True)
    match = search(charlie, "whales sing", mode="tiered", shared=True)
    assert (match.hits, match.summaries) == ([], [])


def test_a_users_summary_is_for_that_user(alice: Caller) -> None:
    theirs = store(alice, "whales sing for doe", category="sea", user_id="doe")
    common = store(alice, "whales sing for all", category="sea")
    summarise(alice, "sea", ("Whales sing for Doe", theirs), user_id="doe")
    summarise(alice, "sea", ("Whales sing for all of us", common))
    assert sorted(tell(alice, user_id="doe")) == ["whales sing for all", "whales sing for doe"]
    assert tell(alice, user_id="roe") == ["whales sing for all"]
    assert tell(alice) == ["whales sing for all"]
    set_policy(alice, users_apart=True)
    assert tell(alice) == ["whales sing for all"]
    assert tell(alice, filters={"user_id": "doe"}) == ["whales sing for doe"]


@pytest.mark.usefixtures("summary")
def test_only_the_current_version_answers(alice: Caller, memory: Memory) -> None:
    Summary.objects.update(archived_at=timezone.now())
    summarise(alice, "sea", ("Krill swims", memory), version=2)
    assert tell(alice) == []
    assert tell(alice, "krill swims") == ["whales sing at night"]


@pytest.mark.usefixtures("summary")
def test_summaries_say_nothing_about_the_past(alice: Caller) -> None:
    match = search(alice, "whales sing", mode="tiered", as_of=timezone.now() - timedelta(microseconds=1))
    assert (match.tier, match.summaries) == ("items", [])


# --- without vectors


def test_vectors_of_another_model_count_for_nothing(alice: Caller, memory: Memory) -> None:
    summarise(alice, "sea", ("Whales sing", memory), model="hash-32")
    assert search(alice, "whales sing", mode="tiered").tier == "items"


def test_a_passage_without_a_vector_does_no_harm(alice: Caller, memory: Memory) -> None:
    summarise(alice, "sea", ("Whales sing", memory))
    Passage.objects.update(data=None)
    assert contents(search(alice, "whales sing", mode="tiered")) == ["whales sing at night"]


@pytest.mark.usefixtures("summary")
def test_without_the_embedder_the_items_answer_by_words(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(self: HashEmbedder, text: str) -> None:
        raise EmbedderUnavailable("away")

    monkeypatch.setattr(HashEmbedder, "embed_query", away)
    match = search(alice, "whales sing", mode="tiered")
    assert (contents(match), match.tier, match.degraded) == (["whales sing at night"], "items", ["vector"])


# --- what is noted


@pytest.mark.usefixtures("summary")
def test_what_answered_is_counted_by_day_mode_and_tier(alice: Caller, charlie: Caller) -> None:
    for query in ("whales sing", "whales sing", "night", "quarterly tax declaration"):
        search(alice, query, mode="tiered")
    search(alice, "whales sing")
    search(charlie, "whales sing")
    rows = RecallCount.objects.values_list("app__app_id", "mode", "tier", "searches", "found")
    assert set(rows) == {
        ("acme", "tiered", "summaries", 2, 2),
        ("acme", "tiered", "items", 1, 1),
        ("acme", "tiered", "none", 1, 0),
        ("acme", "auto", "items", 1, 1),
        ("globex", "auto", "none", 1, 0),
    }
    assert all(count.seconds > 0 and count.day == timezone.now().date() for count in RecallCount.objects.all())


@pytest.mark.usefixtures("summary")
def test_the_day_that_is_counted_is_the_apps(alice: Caller) -> None:
    late = datetime(2027, 3, 1, 23, 30, tzinfo=UTC)
    search(alice, "whales", late)
    set_policy(alice, time_zone="Asia/Tokyo")
    search(alice, "whales", late)
    assert sorted(str(count.day) for count in RecallCount.objects.all()) == ["2027-03-01", "2027-03-02"]


@pytest.mark.usefixtures("summary")
def test_an_answer_from_summaries_is_an_access_and_has_trust_tags(alice: Caller, memory: Memory) -> None:
    (hit,) = search(alice, "whales sing", mode="tiered").hits
    memory.refresh_from_db()
    assert (memory.access_count, hit.trust) == (1, ["unconfirmed"])


@pytest.mark.usefixtures("summary")
def test_a_block_for_the_prompt_says_what_answered(alice: Caller) -> None:
    set_policy(alice, tiered=True)
    body = alice.post("context", {"query": "whales sing"}).json()
    assert (body["included"], body["tier_answered"]) == (1, "summaries")
    assert "whales sing at night" in body["text"]


# --- forgetting


def left() -> set[tuple[str, str, int]]:
    return set(Summary.objects.values_list("category", "user_id", "version"))


def test_forgetting_drops_every_version_that_may_hold_its_words(alice: Caller, memory: Memory) -> None:
    other = store(alice, "krill swims", category="zoo")
    summarise(alice, "sea", ("Whales sing", memory), is_current=False)
    summarise(alice, "sea", ("They sing", memory), version=2)
    summarise(alice, "zoo", ("Krill swims", other))
    summarise(alice, "sea", user_id="doe")
    forget(alice, memory)
    assert left() == {("zoo", "", 1), ("sea", "doe", 1)}
    assert [passage.text for passage in Passage.objects.all()] == ["Krill swims"]


def test_forgetting_drops_summaries_of_the_category_it_was_in_before(alice: Caller, memory: Memory) -> None:
    summarise(alice, "sea", ("Whales sing", memory), is_current=False)
    change(alice, memory, category="zoo")
    summarise(alice, "zoo", ("Whales sing", memory))
    summarise(alice, "work")
    forget(alice, memory)
    assert left() == {("work", "", 1)}


def test_forgetting_drops_summaries_of_the_user_it_was_of_before(alice: Caller) -> None:
    memory = store(alice, "whales sing", category="sea", user_id="doe")
    summarise(alice, "sea", ("Whales sing", memory), user_id="doe")
    change(alice, memory, user_id=None)
    summarise(alice, "sea", ("Whales sing", memory))
    summarise(alice, "sea", user_id="roe")
    forget(alice, memory)
    assert left() == {("sea", "roe", 1)}


def test_forgetting_several_at_once_drops_the_summaries_of_all(alice: Caller, memory: Memory) -> None:
    other = store(alice, "krill swims", category="zoo")
    summarise(alice, "sea", ("Whales sing", memory))
    summarise(alice, "zoo", ("Krill swims", other))
    assert alice.post("memories/delete", {"ids": [str(memory.uid), str(other.uid)]}).status_code == 200
    assert left() == set()


@pytest.mark.usefixtures("summary")
def test_forgetting_in_one_app_leaves_the_others_summaries(charlie: Caller) -> None:
    theirs = store(charlie, "whales sing", category="sea")
    summarise(charlie, "sea", ("Whales sing", theirs))
    forget(charlie, theirs)
    assert set(Summary.objects.values_list("app__app_id", flat=True)) == {"acme"}


@pytest.mark.usefixtures("summary")
def test_an_undone_category_is_remembered_when_forgetting(alice: Caller, memory: Memory) -> None:
    change(alice, memory, category="zoo")
    summarise(alice, "zoo", ("Whales sing", memory))
    with MemoryAgent(alice.app, None, "operator:olga").changing(memory) as (write, current):
        write.undo(current)
    forget(alice, memory)
    assert left() == set()
