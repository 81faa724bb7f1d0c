"""`/lessons`, `/lessons.md`, `/entities`: what was learnt the hard way, and the things memories mention."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from memories.models import Entity, Memory, Status
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.talking import hear, tell, turn
from tests.upkeep import upkeep_learn_due

CORRECTION = "No, I meant Postgres, not MySQL."


def corrected(caller: Caller, **session: Any) -> dict[str, Any]:
    started = caller.start_session(**session)
    turn(caller, started, 1, "Please set up a database for me.", "Done: I set up MySQL for you.")
    turn(caller, started, 2, CORRECTION, "Sorry.")
    upkeep_learn_due()
    return started


def lessons(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    answer = caller.get("lessons", **query)
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def lessons_file(caller: Caller, **query: Any) -> str:
    answer = caller.get("lessons.md", **query)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    return str(answer.content.decode())


class TestLessons:
    def test_a_correction_is_one_from_then_on(self, alice: Caller) -> None:
        session = corrected(alice)
        (lesson,) = lessons(alice)
        assert "Postgres" in lesson["content"]
        assert "MySQL" in lesson["content"]
        assert (lesson["kind"], lesson["session_id"], lesson["turn_number"]) == ("lesson", session["id"], 2)
        assert lesson["importance"] >= 4
        assert "Postgres" in lessons_file(alice)

    def test_the_next_session_starts_with_it(self, alice: Caller, bob: Caller) -> None:
        assert alice.start_session()["context"]["lessons"] == []
        corrected(alice)
        (lesson,) = lessons(alice)
        for caller in (alice, bob):
            started = caller.start_session()["context"]["lessons"]
            assert [item["id"] for item in started] == [lesson["id"]]

    @pytest.mark.parametrize(
        "said",
        ["I told you not to use sudo here!", "No, the port is 8443, not 8080.", "Actually, I prefer tea over coffee."],
    )
    def test_other_ways_to_set_right(self, alice: Caller, said: str) -> None:
        session = alice.start_session()
        turn(alice, session, 1, "Set it up.", "I used sudo, opened port 8080 and made coffee.")
        turn(alice, session, 2, said)
        upkeep_learn_due()
        assert lessons(alice)

    def test_without_any_the_file_is_empty(self, alice: Caller) -> None:
        hear(alice, "I live in Berlin.")
        assert lessons(alice) == []
        assert lessons_file(alice).strip() == ""

    def test_the_file_is_grouped_by_subject(self, alice: Caller) -> None:
        for subject in ("web", "dns", None):
            alice.remember(f"Never restart {subject} by day", kind="lesson", subject=subject)
        text = lessons_file(alice)
        for subject in ("web", "dns"):
            assert text.index(subject) < text.index(f"Never restart {subject} by day")
        assert "#" in text

    @pytest.mark.parametrize("status", [Status.ARCHIVED, Status.SUPERSEDED, Status.INACTIVE])
    def test_one_that_is_put_away_is_not_shown(self, alice: Caller, status: str) -> None:
        memory = alice.remember("Never restart web by day", kind="lesson")
        Memory.objects.filter(uid=memory["id"]).update(status=status)
        assert lessons(alice) == []
        assert lessons_file(alice).strip() == ""
        assert alice.start_session()["context"]["lessons"] == []

    def test_they_are_an_end_users(self, alice: Caller) -> None:
        corrected(alice, user_id="u1")
        assert len(lessons(alice, user_id="u1")) == len(lessons(alice)) == 1
        assert lessons(alice, user_id="u2") == []
        assert lessons_file(alice, user_id="u2").strip() == ""
        assert alice.start_session(user_id="u2")["context"]["lessons"] == []
        assert len(alice.start_session(user_id="u1")["context"]["lessons"]) == 1

    def test_another_app_sees_none_and_another_agent_no_private_one(
        self, alice: Caller, bob: Caller, charlie: Caller
    ) -> None:
        corrected(alice)
        alice.remember("Never tell bob", kind="lesson", visibility="agent")
        assert lessons(charlie) == []
        assert lessons_file(charlie).strip() == ""
        assert len(lessons(bob)) == 1
        assert "Never tell bob" not in lessons_file(bob)
        assert "Never tell bob" in lessons_file(alice)

    @pytest.mark.parametrize("path", ["lessons", "lessons.md"])
    def test_an_unknown_parameter_is_refused(self, alice: Caller, path: str) -> None:
        assert_problem(alice.get(path, subject="x"), 400, "subject")

    def test_they_come_in_pages_the_latest_first(self, alice: Caller) -> None:
        ids = [alice.remember(f"Never restart web{number}", kind="lesson", dedupe=False)["id"] for number in range(5)]
        first = alice.get("lessons", limit=2).json()
        second = alice.client.get(first["next"]).json()
        assert [row["id"] for row in first["results"] + second["results"]] == ids[:0:-1]


class TestEntities:
    def names(self, caller: Caller, **query: Any) -> dict[str, int]:
        answer = caller.get("entities", limit=200, **query)
        assert answer.status_code == 200, answer.content
        return {row["name"]: row["memories"] for row in answer.json()["results"]}

    def entity(self, caller: Caller, name: str) -> dict[str, Any]:
        (row,) = (row for row in caller.get("entities", limit=200).json()["results"] if row["name"] == name)
        return dict(row)

    def test_what_was_said_is_about_things(self, alice: Caller) -> None:
        hear(alice, "My sister Anna lives in Porto.", "I work at Siemens.")
        names = self.names(alice)
        assert names["Anna"] == names["Porto"] == names["Siemens"] == 1

    def test_each_leads_to_its_memories(self, alice: Caller) -> None:
        hear(alice, "My sister Anna lives in Porto.", "I work at Siemens.")
        entity = self.entity(alice, "Anna")
        assert entity.keys() == {"id", "name", "kind", "memories", "created_at"}
        (memory,) = alice.get(f"entities/{entity['id']}/memories").json()["results"]
        assert memory["content"] == "User's sister Anna lives in Porto"

    def test_they_are_found_by_how_they_begin_and_by_kind(self, alice: Caller) -> None:
        hear(alice, "My sister Anna lives in Porto.", "I work at Siemens.")
        assert self.names(alice, name="sie") == {"Siemens": 1}
        assert self.names(alice, name="%") == self.names(alice, name="_") == {}
        kind = self.entity(alice, "Anna")["kind"]
        assert "Anna" in self.names(alice, kind=kind)
        assert self.names(alice, kind="nonsense") == {}
        assert self.names(alice, name="Anna", kind="nonsense") == {}

    def test_only_what_the_caller_may_see_counts(self, alice: Caller, bob: Caller, charlie: Caller) -> None:
        alice.remember("Zanzibar is the secret project of Anna", visibility="agent")
        alice.remember("Anna works at Siemens")
        assert self.names(alice)["Anna"] == 2
        assert self.names(bob)["Anna"] == 1
        assert "Zanzibar" not in str(self.names(bob))
        assert self.names(charlie) == {}
        anna = self.entity(alice, "Anna")["id"]
        assert len(bob.get(f"entities/{anna}/memories").json()["results"]) == 1
        assert_problem(charlie.get(f"entities/{anna}/memories"), 404)
        assert_problem(alice.get(f"entities/{uuid4()}/memories"), 404)

    def test_one_that_only_private_memories_mention_is_not_there_for_others(self, alice: Caller, bob: Caller) -> None:
        alice.remember("Zanzibar is a project", visibility="agent")
        zanzibar = Entity.objects.get(name__icontains="Zanzibar")
        assert alice.get(f"entities/{zanzibar.uid}/memories").status_code == 200
        assert_problem(bob.get(f"entities/{zanzibar.uid}/memories"), 404)

    def test_what_is_archived_no_longer_counts(self, alice: Caller) -> None:
        memory = alice.remember("Anna works at Siemens")
        alice.patch(f"memories/{memory['id']}", {"status": "archived"})
        assert self.names(alice) == {}

    def test_what_is_forgotten_leaves_none_behind(self, alice: Caller) -> None:
        memory = alice.remember("Anna works at Siemens")
        alice.delete(f"memories/{memory['id']}")
        assert self.names(alice) == {}
        assert Entity.objects.count() == 0

    @pytest.mark.parametrize("name", ["q", "user_id", "status"])
    def test_an_unknown_parameter_is_refused(self, alice: Caller, name: str) -> None:
        assert_problem(alice.get("entities", **{name: "x"}), 400, name)

    def test_they_come_in_pages(self, alice: Caller) -> None:
        session = alice.start_session()
        tell(alice, session, "My friends are called Anna, Berta, Clara, Dora and Emil.")
        upkeep_learn_due()
        every = [row["id"] for row in alice.get("entities").json()["results"]]
        seen, answer = [], alice.get("entities", limit=2).json()
        while True:
            seen += [row["id"] for row in answer["results"]]
            if not answer["next"]:
                break
            answer = alice.client.get(answer["next"]).json()
        assert len(every) > 2
        assert seen == every
