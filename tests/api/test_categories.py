"""`/categories`: what is known in each, written down, in all its versions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories.maintain.summaries import rewrite_due
from memories.models import Summary, SummaryDue
from memories.providers.llm.provider import Noted, Written
from memories.providers.llm.rules import summaries as rules
from memories.services.base import current_embedder
from memories.store.revisions import mark_due
from tests.api.checks import assert_problem
from tests.conftest import Caller, client_with, make_caller
from tests.memories.retrieve.asking import change, forget, set_policy, store

FIRST = "# Work\n\n- Standup is at nine"


class ByRule:
    def summarise(self, *requested: Any) -> Written:
        return rules.summarise(*requested)


class AsTold:
    def __init__(self, text: str) -> None:
        self.text = text

    def summarise(self, category: str, facts: list[Noted], previous: str, most: int) -> Written:
        return Written(self.text, "model-x")


def write(caller: Caller, category: str = "work", user_id: str = "", provider: Any = None) -> None:
    now = timezone.now()
    mark_due(caller.app, [(category, user_id)], now)
    later = now + timedelta(minutes=2)
    rewrite_due(caller.app, provider or ByRule(), current_embedder(), "test", later)


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [row["category"] for row in answer.json()["results"]]


@pytest.fixture(autouse=True)
def _summaries_are_kept(alice: Caller) -> None:
    set_policy(alice, capture_summaries=True)


@pytest.fixture
def work(alice: Caller) -> Caller:
    """Alice, with two versions of the summary of "work"."""
    store(alice, "Standup is at nine", category="work")
    write(alice)
    store(alice, "Lunch is at noon", category="work")
    write(alice)
    return alice


# --- the list


def test_categories_are_listed_with_what_is_known_of_each(work: Caller) -> None:
    store(work, "Sleeps badly", category="health")
    health, row = work.get("categories").json()["results"]
    updated = row.pop("updated_at")
    assert updated.endswith("Z")
    assert row == {"category": "work", "memories": 2, "has_summary": True, "version": 2, "made_by": "rules"}
    assert health == {
        "category": "health",
        "memories": 1,
        "has_summary": False,
        "version": None,
        "updated_at": None,
        "made_by": None,
    }


def test_a_category_whose_memories_are_gone_is_listed_while_it_has_a_summary(alice: Caller) -> None:
    memory = store(alice, "Standup is at nine", category="work")
    write(alice)
    change(alice, memory, status="archived")
    row = alice.get("categories").json()["results"][0]
    assert (row["category"], row["memories"], row["has_summary"]) == ("work", 0, True)
    write(alice)
    assert names(alice.get("categories")) == []


def test_what_only_one_agent_may_see_counts_for_nobody_else(alice: Caller, bob: Caller) -> None:
    store(alice, "Everybody knows", category="work")
    store(alice, "My secret", category="work", visibility="agent")
    store(alice, "My other secret", category="secrets", visibility="agent")
    assert {row["category"]: row["memories"] for row in bob.get("categories").json()["results"]} == {"work": 1}
    assert {row["category"]: row["memories"] for row in alice.get("categories").json()["results"]} == {
        "secrets": 1,
        "work": 2,
    }


def test_other_apps_have_other_categories(work: Caller, charlie: Caller) -> None:
    assert names(charlie.get("categories")) == []
    for path in ("", ".md", "/versions", "/versions/1", "/diff?from=1&to=2"):
        assert_problem(charlie.client.get(f"/api/v1/categories/work{path}"), 404)


def test_the_list_comes_in_pages(alice: Caller) -> None:
    for name in "edcba":
        store(alice, "A fact", category=name)
    first = alice.get("categories", limit=2)
    assert (names(first), first.json()["previous"]) == (["a", "b"], None)
    second = alice.client.get(first.json()["next"])
    third = alice.client.get(second.json()["next"])
    assert (names(second), names(third), third.json()["next"]) == (["c", "d"], ["e"], None)
    assert names(alice.client.get(third.json()["previous"])) == ["c", "d"]
    assert names(alice.client.get(second.json()["previous"])) == ["a", "b"]
    assert names(alice.get("categories", cursor="no-such-one", limit=9)) == []


@pytest.mark.parametrize("cursor", ["", "AAAA", "no such one", "a" * 65])
def test_what_is_no_name_is_no_cursor(alice: Caller, cursor: str) -> None:
    assert_problem(alice.get("categories", cursor=cursor), 400, "cursor")


def test_the_list_costs_the_same_for_many_as_for_few(alice: Caller, django_assert_max_num_queries: Any) -> None:
    for number in range(9):
        store(alice, "A fact", category=f"c{number}")
    with django_assert_max_num_queries(5):
        assert len(names(alice.get("categories"))) == 9


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "x"}, {"category": "work"}, {"user_id": "a\0b"}])
def test_odd_questions_are_refused(alice: Caller, query: dict[str, str]) -> None:
    assert_problem(alice.get("categories", **query), 400, *query)


# --- one category


def test_a_summary_is_shown_with_its_version(work: Caller, bob: Caller) -> None:
    body = bob.get("categories/work").json()
    assert body.pop("created_at").endswith("Z")
    assert body.pop("content").split("\n")[2:] == ["- Lunch is at noon", "- Standup is at nine"]
    assert body == {"category": "work", "version": 2, "made_by": "rules", "memory_count": 2, "stored": True}


def test_without_a_stored_one_it_is_written_for_the_answer(alice: Caller) -> None:
    set_policy(alice, capture_summaries=False)
    store(alice, "Standup is at nine", category="work")
    body = alice.get("categories/work").json()
    assert (body["content"], body["version"], body["made_by"], body["stored"]) == (FIRST, None, "rules", False)
    text = alice.get("categories/work.md")
    assert (text.content.decode(), text["Summary-Stored"]) == (f"{FIRST}\n", "false")
    assert Summary.objects.count() == 0


def test_an_old_summary_is_not_shown_once_none_are_kept(work: Caller) -> None:
    set_policy(work, capture_summaries=False)
    store(work, "Gates close at ten", category="work")
    body = work.get("categories/work").json()
    assert (body["stored"], "Gates" in body["content"]) == (False, True)
    assert work.get("categories").json()["results"][0]["has_summary"] is False


@pytest.mark.parametrize("name", ["nothing", "Work", "wo rk", "a" * 65, "work.txt", "%00", "..", "-x", "work/none"])
def test_what_is_no_known_category_is_not_found(work: Caller, name: str) -> None:
    for path in (f"categories/{name}", f"categories/{name}.md", f"categories/{name}/versions"):
        assert_problem(work.get(path), 404)


def test_what_only_one_agent_may_see_is_in_no_summary(alice: Caller) -> None:
    store(alice, "My secret", category="secrets", visibility="agent")
    store(alice, "Everybody knows", category="work")
    store(alice, "My other secret", category="work", visibility="agent")
    assert_problem(alice.get("categories/secrets"), 404)
    assert_problem(alice.get("categories/secrets.md"), 404)
    assert alice.get("categories/work").json()["content"] == "# Work\n\n- Everybody knows"
    write(alice)
    assert alice.get("categories/work").json()["content"] == "# Work\n\n- Everybody knows"


def test_each_end_user_has_summaries_of_their_own(alice: Caller) -> None:
    store(alice, "Gates close at ten", category="work")
    store(alice, "Rob sits by the gate", category="work", user_id="rob")
    store(alice, "Eve is away", category="work", user_id="eve")
    for write_first in (False, True):
        if write_first:
            write(alice)
            write(alice, user_id="rob")
        texts = {
            user: alice.get("categories/work.md", **({"user_id": user} if user else {})).content.decode()
            for user in ("", "rob")
        }
        assert texts == {"": "# Work\n\n- Gates close at ten\n", "rob": "# Work\n\n- Rob sits by the gate\n"}
    assert_problem(alice.get("categories/work", user_id="nobody"), 404)
    assert alice.get("categories", user_id="rob").json()["results"][0]["memories"] == 1
    assert names(alice.get("categories", user_id="nobody")) == []
    assert names(alice.get("categories/work/versions", user_id="rob")) == ["work"]


def test_what_is_forgotten_is_in_no_version(work: Caller) -> None:
    memory = store(work, "The alarm hangs by the hunter's window", category="work")
    write(work)
    assert "hunter" in work.get("categories/work.md").content.decode()
    forget(work, memory)
    assert "hunter" not in work.get("categories/work.md").content.decode()
    write(work)
    rows = work.get("categories/work/versions").json()["results"]
    for number in [row["version"] for row in rows]:
        assert "hunter" not in work.get(f"categories/work/versions/{number}").json()["content"]


# --- as a file


def test_the_file_is_markdown_with_an_etag(work: Caller) -> None:
    answer = work.client.get("/api/v1/categories/work.md", headers={"Accept": "text/markdown"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/markdown; charset=utf-8")
    assert answer.content.decode().endswith("\n- Lunch is at noon\n- Standup is at nine\n")
    assert (answer["Summary-Stored"], answer["Cache-Control"]) == ("true", "private, no-cache")
    for tag in (answer["ETag"], f"W/{answer['ETag']}", f'"other", {answer["ETag"]}', "*"):
        same = work.client.get("/api/v1/categories/work.md", headers={"If-None-Match": tag})
        assert (same.status_code, same.content, same["ETag"]) == (304, b"", answer["ETag"])
    store(work, "Gates close at ten", category="work")
    write(work)
    news = work.client.get("/api/v1/categories/work.md", headers={"If-None-Match": answer["ETag"]})
    assert (news.status_code, news["ETag"] != answer["ETag"]) == (200, True)


def test_problems_are_told_as_everywhere_whatever_is_accepted(work: Caller) -> None:
    answer = work.client.get("/api/v1/categories/nothing.md", headers={"Accept": "text/markdown"})
    assert_problem(answer, 404)


# --- versions


def test_versions_are_listed_latest_first(work: Caller) -> None:
    rows = work.get("categories/work/versions").json()["results"]
    assert [(row["version"], row["memory_count"], row["archived_at"] is None) for row in rows] == [
        (2, 2, True),
        (1, 1, False),
    ]
    assert rows[0].keys() == {"category", "version", "made_by", "memory_count", "created_at", "archived_at"}
    page = work.get("categories/work/versions", limit=1).json()
    assert [row["version"] for row in work.client.get(page["next"]).json()["results"]] == [1]


def test_a_category_without_a_stored_summary_has_no_versions(alice: Caller) -> None:
    store(alice, "Standup is at nine", category="work")
    assert names(alice.get("categories/work/versions")) == []


def test_a_version_is_shown_as_it_was(work: Caller) -> None:
    body = work.get("categories/work/versions/1").json()
    assert (body["content"], body["version"], body["memory_count"]) == (FIRST, 1, 1)
    assert body["archived_at"]
    for number in ("3", "0", "9999999999", "x", "-1"):
        assert_problem(work.get(f"categories/work/versions/{number}"), 404)


def test_two_versions_are_compared(work: Caller) -> None:
    answer = work.client.get("/api/v1/categories/work/diff?from=1&to=2", headers={"Accept": "text/x-diff"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/x-diff; charset=utf-8")
    old, new, *lines = answer.content.decode().split("\n")
    assert old.startswith("--- work.md v1\t20")
    assert new.startswith("+++ work.md v2\t20")
    assert lines == ["@@ -1,3 +1,4 @@", " # Work", " ", "+- Lunch is at noon", " - Standup is at nine", ""]
    assert work.get("categories/work/diff", **{"from": 2, "to": 2}).content == b""


def test_versions_to_compare_have_to_be_there(work: Caller) -> None:
    assert_problem(work.get("categories/work/diff", **{"from": 1, "to": 3}), 404)
    assert_problem(work.get("categories/work/diff", **{"from": 1}), 400, "to")
    for odd in ("", "x", "-1", "1.5", "²", "9" * 30):
        assert_problem(work.get("categories/work/diff", **{"from": odd, "to": 2}), 400, "from")


def test_a_model_is_named_as_the_writer(work: Caller) -> None:
    write(work, provider=AsTold("# Work\n\n- Standup is at nine, lunch at noon"))
    body = work.get("categories/work").json()
    assert (body["version"], body["made_by"]) == (3, "model-x")


# --- asked for


def test_a_rewrite_can_be_asked_for(work: Caller) -> None:
    SummaryDue.objects.all().delete()
    answer = work.post("categories/work/rewrite")
    assert (answer.status_code, answer.json()) == (202, {"category": "work", "due": True})
    provider = AsTold("# Work\n\n- All new")
    assert rewrite_due(work.app, provider, current_embedder(), "test", timezone.now()) == 1
    assert work.get("categories/work").json()["content"] == "# Work\n\n- All new"


def test_a_rewrite_of_nothing_is_refused(work: Caller, charlie: Caller) -> None:
    before = SummaryDue.objects.count()
    assert_problem(work.post("categories/nothing/rewrite"), 404)
    assert_problem(work.client.post("/api/v1/categories/work/rewrite?user_id=eve"), 404)
    set_policy(charlie, capture_summaries=True)
    assert_problem(charlie.post("categories/work/rewrite"), 404)
    set_policy(work, capture_summaries=False)
    assert_problem(work.post("categories/work/rewrite"), 422)
    assert SummaryDue.objects.count() == before


def test_a_rewrite_counts_as_a_write(work: Caller) -> None:
    set_policy(work, writes_per_minute=1)
    answers = [work.post("categories/work/rewrite").status_code for _ in range(3)]
    assert 429 in answers


def test_reading_needs_read_and_a_rewrite_needs_write(work: Caller) -> None:
    reader = make_caller(work.app, "reader", ("read",))
    writer = make_caller(work.app, "writer", ("write",))
    assert reader.get("categories/work").status_code == 200
    assert_problem(reader.post("categories/work/rewrite"), 403)
    assert writer.post("categories/work/rewrite").status_code == 202
    assert_problem(writer.get("categories"), 403)
    assert_problem(client_with("mst_nothing").get("/api/v1/categories/work.md"), 401)


# --- in the admin


def test_operators_see_summaries_with_their_lines_and_versions(work: Caller, admin_client: Client) -> None:
    row = Summary.objects.current().get()
    listed = admin_client.get("/admin/memories/summary/").content.decode()
    page = admin_client.get(f"/admin/memories/summary/{row.pk}/change/").content.decode()
    assert "acme" in listed
    assert page.count("Standup is at nine") >= 3
    assert "rules" in page
    assert "_save" not in page
    assert admin_client.get("/admin/memories/summary/add/").status_code == 403
    mark_due(work.app, [("work", "")], timezone.now())
    assert "work" in admin_client.get("/admin/memories/summarydue/").content.decode()


def test_the_admin_shows_a_summary_as_text(alice: Caller, admin_client: Client) -> None:
    Summary.objects.create(app=alice.app, category="work", content="<script>alert(1)</script>", made_by="<b>x</b>")
    row = Summary.objects.get()
    page = admin_client.get(f"/admin/memories/summary/{row.pk}/change/").content.decode()
    assert "<script>alert(1)" not in page
    assert "<b>x</b>" not in page
