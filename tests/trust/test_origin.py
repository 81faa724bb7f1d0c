"""Who said it: what each door notes, and what becomes of it in edits, merges and files."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from memories.compat.mcp_memory import import_graph
from memories.maintain.insights import candidate_of
from memories.models import Memory, Revision, Source, Status
from memories.services import MemoryAgent
from memories.store import Candidate, writing
from memsite.tenancy.models import App
from memsite.tenancy.origin import Origin, check_origins, least_trusted
from tests.api.checks import assert_problem
from tests.compat.test_mem0 import Mem0
from tests.conftest import Caller, make_app
from tests.mcp.asking import refused, use
from tests.memories.import_export.moving import export, joined, lines, take_in
from tests.tables import each_row
from tests.talking import hear, turn
from tests.upkeep import upkeep_learn_due

BIRTHDAY = "My birthday is on the 4th of May."


def origins(app: App) -> dict[str, str]:
    return dict(Memory.objects.for_app(app).values_list("content", "origin"))


def stored(caller: Caller, content: str, **fields: Any) -> Memory:
    return Memory.objects.get(uid=caller.remember(content, dedupe=False, **fields)["id"])


def operator_of(app: App) -> MemoryAgent:
    return MemoryAgent(app, None, "operator:olga")


class TestEndpoints:
    def test_facts_are_whose_text_they_were_found_in(self, alice: Caller) -> None:
        hear(alice, BIRTHDAY)
        hear(alice, "The backup runs every night at 02:30 on the host atlas.", role="assistant")
        assert sorted(origins(alice.app).values()) == ["assistant", "user"]

    def test_markers_are_the_agents_own(self, alice: Caller) -> None:
        turn(alice, alice.start_session(), 1, "How is it?", "[MEMORY:timing:jellyfin] Takes 60s to start")
        assert origins(alice.app) == {"Takes 60s to start": "assistant"}

    def test_a_digest_is_as_little_trusted_as_the_least_trusted_who_spoke(self, alice: Caller) -> None:
        alice.app.policy.capture_digest = True
        alice.app.policy.save()
        session = alice.start_session()
        turn(alice, session, 1, BIRTHDAY, "I will remember that you were born on the 4th of May.")
        alice.post(f"sessions/{session['id']}/end")
        upkeep_learn_due()
        assert Memory.objects.get(source=Source.DIGEST).origin == "assistant"

    @each_row("origin", ["assistant", "agent", "tool", "web"], rolled_back=True)
    def test_an_agent_says_whose_word_it_stores(self, alice: Caller, origin: str) -> None:
        assert alice.remember("Whales sing", origin=origin)["origin"] == origin

    def test_unsaid_it_is_the_agents_own(self, alice: Caller) -> None:
        answer = alice.remember("Whales sing")
        assert (answer["origin"], answer["trust_level"], answer["reviewed_by"], answer["reviewed_at"]) == (
            "assistant", "unreviewed", "", None,
        )  # fmt: skip

    @each_row("origin", ["user", "operator", "pope"], rolled_back=True)
    def test_an_agent_is_no_user_and_no_operator(self, alice: Caller, origin: str) -> None:
        assert_problem(alice.post("memories", {"content": "Whales sing", "origin": origin}), 400)
        (item,) = alice.post("memories/batch", {"memories": [{"content": "x", "origin": origin}]}).json()["results"]
        assert item["error"]["status"] == 400
        assert not Memory.objects.exists()

    def test_over_mcp_as_well(self, alice: Caller) -> None:
        use(alice, "store", content="Whales sing", origin="web")
        assert origins(alice.app) == {"Whales sing": "web"}
        assert "origin" in refused(alice, "store", content="Whales dance", origin="operator")

    def test_messages_handed_over_word_for_word_are_whose_role_it_was(self, alice: Caller) -> None:
        roles = {"user": "I like whales", "assistant": "You like whales", "tool": "whales: 3"}
        messages = [{"role": role, "content": text} for role, text in roles.items()]
        Mem0(alice).ask("post", "memories", {"messages": messages, "user_id": "u1", "infer": False})
        texts = {"I like whales": "user", "You like whales": "assistant", "whales: 3": "tool"}
        assert origins(alice.app) == texts

    def test_what_another_program_kept_is_another_programs(self, alice: Caller) -> None:
        take_in(alice.app, b'[{"id": "1", "memory": "Likes green tea"}]', "mem0")
        import_graph(
            MemoryAgent(alice.app, alice.agent, "agent:alice"),
            ['{"type": "entity", "name": "Ada", "entityType": "person", "observations": ["codes"]}'],
        )
        assert set(origins(alice.app).values()) == {"agent"}

    def test_what_an_operator_writes_is_an_operators(self, alice: Caller) -> None:
        operator_of(alice.app).remember([Candidate(content="Whales sing", source=Source.OPERATOR)])
        memory = Memory.objects.get()
        assert (memory.origin, memory.trust_level) == ("operator", "trusted")


class TestOtherWords:
    @each_row("text, after", [("assistant", "assistant"), ("web", "web"), ("tool", "tool")], rolled_back=True)
    def test_an_agent_that_rewords_is_trusted_no_more_than_who_said_it(
        self, alice: Caller, text: str, after: str
    ) -> None:
        memory = stored(alice, "Whales sing", origin=text)
        assert alice.patch(f"memories/{memory.uid}", {"content": "Whales sing loud"}).json()["origin"] == after

    def test_what_an_agent_makes_of_a_users_words_is_the_agents(self, alice: Caller) -> None:
        hear(alice, BIRTHDAY)
        memory = Memory.objects.get()
        alice.patch(f"memories/{memory.uid}", {"content": "The user's birthday is in June."})
        memory.refresh_from_db()
        assert (memory.origin, memory.trust_level) == ("assistant", "unreviewed")

    def test_an_operators_words_are_an_operators(self, alice: Caller) -> None:
        memory = stored(alice, "Whales sing", origin="web")
        edited = operator_of(alice.app).edit(memory, {"content": "Some whales sing"})
        assert (edited.origin, edited.trust_level) == ("operator", "trusted")

    def test_other_fields_change_nothing_of_it(self, alice: Caller) -> None:
        memory = stored(alice, "Whales sing", origin="web")
        edited = operator_of(alice.app).edit(memory, {"importance": 5, "content": "Whales sing"})
        assert edited.origin == "web"

    def test_other_words_have_to_be_reviewed_again(self, alice: Caller) -> None:
        memory = stored(alice, "Whales sing", origin="web")
        operator_of(alice.app).review_each([memory.pk])
        answer = alice.patch(f"memories/{memory.uid}", {"content": "Whales sing loud"}).json()
        assert (answer["trust_level"], answer["reviewed_by"], answer["reviewed_at"]) == ("unreviewed", "", None)

    def test_setting_it_back_brings_back_who_said_it_and_who_reviewed_it(self, alice: Caller) -> None:
        memory = stored(alice, "Whales sing", origin="web")
        operator = operator_of(alice.app)
        operator.review_each([memory.pk])
        back = operator.set_back(operator.edit(memory, {"content": "Some whales sing"}), 2)
        assert (back.content, back.origin, back.trust_level) == ("Whales sing", "web", "reviewed")

    @pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere no test can change what a revision says")
    def test_a_revision_from_before_it_was_noted_can_be_gone_back_to(self, alice: Caller) -> None:
        memory = stored(alice, "Whales sing", origin="web")
        first = Revision.objects.get(memory=memory)
        known = {name: value for name, value in first.after.items() if name not in ("origin", "reviewed_by")}
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER memories_revision_refuse_update")
        Revision.objects.filter(pk=first.pk).update(after=known)
        operator = operator_of(alice.app)
        back = operator.set_back(operator.edit(memory, {"content": "Some whales sing"}), 1)
        assert (back.content, back.origin) == ("Whales sing", "operator")


class TestOneOfSeveral:
    def unite(self, app: App, content: str | None, *origins_of: str) -> Memory:
        with writing(app, "system:merge", timezone.now()) as write:
            into, *losers = (
                write.create(Candidate(content=f"Whales sing {number} songs", origin=origin))
                for number, origin in enumerate(origins_of)
            )
            write.review(into)
            write.unite(into, [(loser, "the same") for loser in losers], content=content, made_by="rules")
        return into

    def test_new_words_are_as_little_trusted_as_the_least_trusted(self, acme: App) -> None:
        memory = self.unite(acme, "Whales sing many songs", "user", "web", "assistant")
        assert (memory.origin, memory.trust_level) == ("web", "unreviewed")

    def test_one_of_the_texts_is_still_whose_it_was(self, acme: App) -> None:
        assert self.unite(acme, "Whales sing 1 songs", "web", "user").origin == "user"

    def test_the_same_words_are_still_whose_they_were_and_reviewed(self, acme: App) -> None:
        memory = self.unite(acme, None, "tool", "web")
        assert (memory.origin, memory.trust_level) == ("tool", "reviewed")

    def test_an_insight_is_as_little_trusted_as_the_least_of_its_sources(self, acme: App) -> None:
        answer = [Memory(content="x", origin=origin, category="work") for origin in ("user", "tool", "assistant")]
        assert candidate_of(answer, "All of it", "rules").origin == "tool"

    def test_the_order_of_trust(self) -> None:
        order = [Origin.OPERATOR, Origin.USER, Origin.ASSISTANT, Origin.AGENT, Origin.TOOL, Origin.WEB]
        for place, origin in enumerate(order):
            assert least_trusted(order[: place + 1]) == origin


class TestFiles:
    def test_an_apps_file_tells_it(self, alice: Caller) -> None:
        memory = stored(alice, "Whales sing", origin="web")
        operator_of(alice.app).review_each([memory.pk])
        other = make_app("copy")
        assert take_in(other, export(alice.app)).status == "done"
        copy = Memory.objects.for_app(other).get()
        memory.refresh_from_db()
        assert (copy.origin, copy.reviewed_by, copy.reviewed_at) == ("web", "operator:olga", memory.reviewed_at)

    def test_a_file_from_before_it_was_noted_can_be_taken_in(self, alice: Caller) -> None:
        stored(alice, "Whales sing", origin="web")
        operator_of(alice.app).remember([Candidate(content="Pinned to the fence", source=Source.OPERATOR)])
        later = {
            "origin",
            "reviewed_by",
            "reviewed_at",
            "review_origins",
            "inject_unreviewed",
            "users_apart",
            "redact_raw",
        }
        old = [{name: value for name, value in row.items() if name not in later} for row in lines(export(alice.app))]
        other = make_app("copy")
        row = take_in(other, joined(old), trust=True)
        assert (row.status, row.reason) == ("done", "")
        assert origins(other) == {"Whales sing": "assistant", "Pinned to the fence": "operator"}

    def test_a_file_cannot_invent_an_origin(self, alice: Caller) -> None:
        stored(alice, "Whales sing")
        rows = [row | ({"origin": "pope"} if row["type"] == "memory" else {}) for row in lines(export(alice.app))]
        with pytest.raises(Exception, match="origin cannot be 'pope'"):
            take_in(make_app("copy"), joined(rows))


def test_memories_are_listed_by_who_said_them_and_by_trust(alice: Caller, operator: APIClient) -> None:
    web, own = stored(alice, "Whales sing", origin="web"), stored(alice, "Ships sail")
    operator_of(alice.app).review_each([web.pk])
    operator_of(alice.app).remember([Candidate(content="Pinned to the fence", source=Source.OPERATOR)])

    def listed(answer: Any) -> list[str]:
        assert answer.status_code == 200, answer.content
        return [row["content"] for row in answer.json()["results"]]

    assert listed(alice.get("memories", origin="web")) == ["Whales sing"]
    assert listed(alice.get("memories", trust_level="reviewed")) == ["Whales sing"]
    assert listed(alice.get("memories", trust_level="unreviewed")) == ["Ships sail"]
    assert listed(alice.get("memories", trust_level="trusted")) == ["Pinned to the fence"]
    there = "/api/v1/apps/acme/memories"
    assert listed(operator.get(there, {"trust_level": "unreviewed"})) == [own.content]
    assert listed(operator.get(there, {"origin": "operator"})) == ["Pinned to the fence"]
    assert operator.get(there, {"origin": "pope"}).status_code == 400
    assert alice.get("memories", trust_level="blind").status_code == 400


@each_row("wrong", ["web", ["pope"], ["web", "web"], ["operator"], [1], {"web": 1}, None])
def test_a_policy_names_origins_each_once_and_never_the_operator(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        check_origins(wrong)


def test_nothing_is_a_list_of_origins_too() -> None:
    check_origins([])
    check_origins(["user", "web"])


def test_memories_keep_status_when_reviewed(acme: App) -> None:
    operator = operator_of(acme)
    operator.remember([Candidate(content="Whales sing", confidence=0.1)])
    memory = Memory.objects.get()
    operator.review_each([memory.pk])
    memory.refresh_from_db()
    assert (memory.status, memory.trust_level) == (Status.INACTIVE, "reviewed")
