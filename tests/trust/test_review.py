"""What nobody has reviewed: tagged wherever it is shown, left out of prompts where the policy says so, until somebody
looks at it."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.models import Memory, Revision
from memories.services import MemoryAgent
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.mcp.asking import use
from tests.memories.retrieve.asking import search, set_policy, store
from tests.tables import each_row

WHALES = "Whales sing in the sea"


@pytest.fixture
def doubted(alice: Caller) -> Memory:
    return store(alice, WHALES, origin="web")


def review(caller: Caller, *memories: Memory) -> Any:
    return MemoryAgent(caller.app, None, "operator:olga").review_each([memory.pk for memory in memories])


def tags(caller: Caller, text: str = "whales") -> dict[str, list[str]]:
    return {hit.memory.content: hit.trust for hit in search(caller, text).hits}


class TestTags:
    def test_it_is_tagged_until_somebody_has_looked_at_it(self, alice: Caller, doubted: Memory) -> None:
        assert tags(alice) == {WHALES: ["unconfirmed", "unreviewed"]}
        review(alice, doubted)
        assert tags(alice) == {WHALES: ["unconfirmed"]}

    @pytest.mark.parametrize(("origin", "is_tagged"), [("assistant", False), ("agent", True), ("tool", True)])
    def test_whose_word_it_takes_is_policy(self, alice: Caller, origin: str, is_tagged: bool) -> None:
        store(alice, WHALES, origin=origin)
        assert ("unreviewed" in tags(alice)[WHALES]) == is_tagged
        set_policy(alice, review_origins=["assistant"] if origin != "assistant" else ["assistant", "user"])
        assert ("unreviewed" in tags(alice)[WHALES]) != is_tagged

    def test_over_rest_and_mcp_in_the_same_words(self, alice: Caller, doubted: Memory) -> None:
        (hit,) = alice.post("memories/search", {"query": "whales"}).json()["results"]
        assert (hit["trust"], hit["trust_level"], hit["origin"]) == (["unconfirmed", "unreviewed"], "unreviewed", "web")
        (answer,) = use(alice, "search", query="whales")["memories"]
        assert answer["trust"] == hit["trust"]
        for question in ({"query": "whales"}, {}):
            (displayed,) = alice.post("context", question).json()["memories"]
            assert displayed["trust"] == hit["trust"]
        (greeted,) = alice.start_session()["context"]["memories"]
        assert greeted["trust"] == hit["trust"]

    def test_a_past_search_tells_what_was_so_then(self, alice: Caller, doubted: Memory) -> None:
        doubted.refresh_from_db()
        before = doubted.created_at
        review(alice, doubted)
        assert tags(alice) == {WHALES: ["unconfirmed"]}
        (hit,) = search(alice, "whales", as_of=before).hits
        assert "unreviewed" in hit.trust

    def test_another_apps_policy_is_no_business_of_the_reader(self, alice: Caller, charlie: Caller) -> None:
        store(charlie, WHALES, origin="web", visibility="shared")
        for caller in (alice, charlie):
            set_policy(caller, share_memories=True)
        MemoryAgent(charlie.app, None, "operator:their-own").review_each([Memory.objects.get().pk])
        (hit,) = alice.post("memories/search", {"query": "whales", "scope": "shared"}).json()["results"]
        assert (hit["trust_level"], hit["reviewed_by"]) == ("reviewed", "")


class TestPrompts:
    @each_row(
        "block, line",
        [
            ("ops", f"- [general] {WHALES} (confidence: 0.7; unreviewed)"),
            ("turn", f"~ {WHALES} (confidence: 0.7; age: 0d; category: general; unreviewed)"),
        ],
        rolled_back=True,
    )
    def test_the_line_says_so(self, alice: Caller, doubted: Memory, block: str, line: str) -> None:
        assert line in alice.post("context", {"format": block}).json()["text"]
        review(alice, doubted)
        assert "unreviewed" not in alice.post("context", {"format": block}).json()["text"]

    def test_the_app_block_says_so_beside_the_day(self, alice: Caller, doubted: Memory) -> None:
        assert f"; unreviewed] {WHALES}" in alice.post("context", {"format": "app"}).json()["text"]

    @each_row(
        "question",
        [{"query": "whales"}, {}, {"messages": [{"role": "user", "content": "Do whales sing?"}]}],
        rolled_back=True,
    )
    def test_a_policy_may_keep_it_out(self, alice: Caller, doubted: Memory, question: dict[str, Any]) -> None:
        store(alice, "Whales sing to their young")
        set_policy(alice, inject_unreviewed=False)
        answer = alice.post("context", question).json()
        assert [row["content"] for row in answer["memories"]] == ["Whales sing to their young"]
        review(alice, doubted)
        assert len(alice.post("context", question).json()["memories"]) == 2

    def test_it_takes_no_place_from_what_may_be_shown(self, alice: Caller) -> None:
        for number in range(12):
            store(alice, f"Whales sing in the sea number {number}", origin="web")
        store(alice, "Whales sing in winter, too, all of them", origin="assistant")
        set_policy(alice, inject_unreviewed=False)
        answer = alice.post("context", {"query": "whales sing sea", "limit": 3}).json()
        assert [row["origin"] for row in answer["memories"]] == ["assistant"]

    def test_searches_find_it_all_the_same(self, alice: Caller, doubted: Memory) -> None:
        set_policy(alice, inject_unreviewed=False)
        assert list(tags(alice)) == [WHALES]

    def test_lessons_and_greetings_keep_it_out_too(self, alice: Caller) -> None:
        store(alice, "Never sing to whales", kind="lesson", origin="tool")
        assert alice.start_session()["context"]["lessons"][0]["trust"] == ["unconfirmed", "unreviewed"]
        set_policy(alice, inject_unreviewed=False)
        context = alice.start_session()["context"]
        assert (context["lessons"], context["memories"], context["text"]) == ([], [], "")


class TestReviewing:
    def test_it_is_a_change_like_any_other(self, alice: Caller, doubted: Memory) -> None:
        assert review(alice, doubted).done == 1
        last = Revision.objects.filter(memory=doubted).latest("number")
        assert (last.action, last.actor, last.after["reviewed_by"]) == ("reviewed", "operator:olga", "operator:olga")
        MemoryAgent(alice.app, None, "operator:olga").undo_each([doubted.pk])
        assert "unreviewed" in tags(alice)[WHALES]

    def test_once_is_enough(self, alice: Caller, doubted: Memory) -> None:
        review(alice, doubted)
        assert review(alice, doubted).left == {"reviewed already": 1}

    def test_operators_do_it_over_rest(self, alice: Caller, doubted: Memory, operator: APIClient) -> None:
        there, ids = "/api/v1/apps/acme/memories/review", {"ids": [str(doubted.uid), str(alice.app.pk).zfill(32)]}
        answer = operator.post(there, ids, format="json")
        assert answer.json() == {"reviewed": 1, "left": {}}
        assert operator.post(there, ids, format="json").json() == {"reviewed": 0, "left": {"reviewed already": 1}}
        assert alice.get(f"memories/{doubted.uid}").json()["trust_level"] == "reviewed"

    def test_agents_do_not(self, alice: Caller, doubted: Memory) -> None:
        assert_problem(alice.post("apps/acme/memories/review", {"ids": [str(doubted.uid)]}), 403)
        assert_problem(alice.patch(f"memories/{doubted.uid}", {"reviewed_by": "me"}), 400)
        assert_problem(alice.patch(f"memories/{doubted.uid}", {"origin": "assistant"}), 400)
        assert_problem(alice.post("memories", {"content": "x", "reviewed_by": "me"}), 400)
        assert "unreviewed" in tags(alice)[WHALES]
