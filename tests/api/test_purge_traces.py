"""What purges leave: nothing late brings it back, and nothing that was made of it stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories.capture import extraction_queue, related_memories
from memories.capture.extraction import learn
from memories.language.relate import Relation, Verdict
from memories.models import Extraction, HealthReport, Link, LinkKind, Memory, Revision, Source, Summary
from memories.providers.llm.rules import extraction
from memories.services import MemoryAgent, administration, current_embedder
from memories.store import AppGone, Candidate, Writer, writing
from memsite.tenancy.models import App, AppPolicy, Residue
from memsite.tenancy.row_level_security import site_wide
from sessions.models import Resource
from sessions.recording import SessionGone
from tests.api.checks import assert_problem
from tests.api.test_purge import NEEDLE, NEIGHBOUR
from tests.conftest import Caller, make_app
from tests.talking import hear, row_of, tables_with, tell
from tests.upkeep import upkeep_embed_missing, upkeep_learn_due, upkeep_purge


@pytest.fixture
def acme(db: None) -> App:
    return make_app("acme", capture_summaries=True, capture_digest=True)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is small enough to be deleted at once."""
    monkeypatch.setattr(administration, "PURGE_BATCH", -1)


def test_erasing_somebody_unknown_finds_nothing_and_says_so(operator: APIClient, acme: App) -> None:
    answer = operator.delete("/api/v1/apps/acme/users/a/b%20c@example.org")
    assert (answer.status_code, answer.json()["deleted_count"]) == (200, 0)
    assert answer.json()["purge"]["status"] == "done"
    assert_problem(operator.delete("/api/v1/apps/nobody/users/x"), 404)


# --- what is late


def test_a_session_that_is_gone_answers_404_to_whatever_still_arrives(alice: Caller) -> None:
    session = alice.start_session()
    agent, row = MemoryAgent(alice.app, alice.agent, "agent:alice"), row_of(alice.app, session)
    alice.delete(f"sessions/{session['id']}")
    turn_body = {"user_input": NEEDLE, "tool_calls": [], "llm_output": "", "internal_state": {}}
    for late in (
        lambda: agent.checkpoint(row, 1, turn_body),
        lambda: agent.heartbeat(row),
        lambda: agent.remember([Candidate(content=NEEDLE, session=row, agent=alice.agent)]),
    ):
        with pytest.raises(SessionGone):
            late()
    assert tables_with(NEEDLE) == set()
    assert_problem(alice.post(f"sessions/{session['id']}/messages", {"messages": []}), 404)


def test_a_late_extraction_brings_nothing_back(alice: Caller, operator: APIClient) -> None:
    session = alice.start_session(user_id="u1")
    tell(alice, session, f"I live in {NEEDLE.title()}ville.")
    now = timezone.now()
    claim = extraction_queue.claim(alice.app, row_of(alice.app, session).pk, now)
    assert claim is not None
    operator.delete("/api/v1/apps/acme/users/u1")
    agent = MemoryAgent(alice.app, None, "system:extraction")
    learn(claim, agent.rules, current_embedder(), now)
    assert tables_with(NEEDLE) == set()


@pytest.mark.parametrize("is_purge", [True, False])
def test_a_writer_that_began_before_its_app_was_uninstalled_writes_nothing(
    alice: Caller, operator: APIClient, is_purge: bool
) -> None:
    app = App.objects.select_related("policy").get(app_id="acme")
    operator.delete(f"/api/v1/apps/acme?purge_memories={str(is_purge).lower()}")
    with pytest.raises(AppGone):
        MemoryAgent(app, alice.agent, "agent:alice").remember([Candidate(content=NEEDLE, agent=alice.agent)])
    assert not Memory.objects.exists()


def test_the_backlog_of_vectors_passes_over_what_is_hidden(large: None, alice: Caller, operator: APIClient) -> None:
    alice.remember(NEEDLE, user_id="u1")
    Memory.objects.for_app(alice.app).get().vectors.all().delete()
    operator.delete("/api/v1/apps/acme/users/u1")
    assert upkeep_embed_missing() == 0


def test_an_agent_that_comes_back_begins_anew(large: None, alice: Caller, operator: APIClient) -> None:
    old = alice.start_session(external_id="chat-1", user_id="u1")
    operator.delete("/api/v1/apps/acme/users/u1")
    new = alice.post("sessions", {"external_id": "chat-1", "user_id": "u1"})
    assert new.status_code == 201
    assert new.json()["id"] != old["id"]
    tell(alice, new.json(), "hello")
    upkeep_purge()
    assert Resource.objects.for_app(alice.app).count() == 1


# --- what was made of it


def test_words_that_another_sessions_memory_took_over_go_with_the_session(alice: Caller) -> None:
    first, second = alice.start_session(user_id="u1"), alice.start_session(user_id="u1")
    tell(alice, first, "I live in Lisbon.")
    upkeep_learn_due()
    memory = Memory.objects.for_app(alice.app).get()
    row = row_of(alice.app, second)
    with writing(alice.app, f"system:extraction:{row.uid}", timezone.now()) as write:
        write.edit(memory, {"content": f"User lives in Lisbon, in {NEEDLE} street"})
    tell(alice, second, "hello there")
    Extraction.objects.for_app(alice.app).filter(session=row).update(reinforced=1)
    alice.delete(f"sessions/{second['id']}")
    assert tables_with(NEEDLE) == set()


def test_another_wording_of_it_that_was_said_in_another_session_goes_with_that(alice: Caller) -> None:
    first, second = alice.start_session(), alice.start_session()
    alice.remember("The gate opens at 7:00", session_id=first["id"])
    assert alice.remember("At 7:00 the gate opens", session_id=second["id"])["outcome"] == "reinforced"
    alice.delete(f"sessions/{second['id']}")
    assert tables_with("00 the gate") == set()
    assert Memory.objects.for_app(alice.app).get().content == "The gate opens at 7:00"


def test_what_it_was_tagged_with_in_another_session_goes_with_that(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear(alice, "I work at Acme Systems.")
    monkeypatch.setattr(extraction, "_tags", lambda category, names: (f"tag-{NEEDLE}",))
    second = hear(alice, "I work at Acme Systems.")
    assert [row.action for row in Memory.objects.for_app(alice.app).get().revisions.all()] == ["created", "reinforced"]
    alice.delete(f"sessions/{second['id']}")
    assert tables_with(NEEDLE) == set()


@pytest.mark.parametrize("way", ["memories/{memory}", "sessions/{session}"])
def test_why_a_memory_was_doubted_goes_with_what_doubted_it(way: str, alice: Caller) -> None:
    rome = alice.remember("The office is in Rome", category="work")
    session = alice.start_session()
    stated = {"content": f"The office is in {NEEDLE.title()}", "category": "work", "session_id": session["id"]}
    memory = alice.remember(**stated)
    assert memory["outcome"] == "contradicted"
    alice.remember(**stated)
    alice.remember(**stated | {"session_id": alice.start_session()["id"]})
    alice.delete(way.format(memory=memory["id"], session=session["id"]))
    assert tables_with(NEEDLE) == set()
    history = alice.get(f"memories/{rome['id']}/history").json()["results"]
    assert [row["action"] for row in history] == ["created", "contradicted", "contradicted"]


def test_why_a_memory_was_doubted_goes_also_where_that_was_taken_back(alice: Caller, operator: APIClient) -> None:
    alice.remember("The office is in Rome", category="work")
    session = alice.start_session()
    stated = {"content": f"The office is in {NEEDLE.title()}", "category": "work", "session_id": session["id"]}
    assert alice.remember(**stated)["outcome"] == "contradicted"
    operator.post("/api/v1/apps/acme/rollbacks", {"what": "session", "source": session["id"]}, format="json")
    assert not Link.objects.for_app(alice.app).exists()
    alice.delete(f"sessions/{session['id']}")
    assert tables_with(NEEDLE) == set()


def test_why_a_memory_was_doubted_goes_however_much_other_apps_recorded_meanwhile(
    alice: Caller, charlie: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL counts the revisions of all apps together, and two apps are written to at once."""
    for place in ("Rome", "Oslo"):
        alice.remember(f"The office is in {place}", category="work", dedupe=False)
    others = Memory.objects.get(uid=charlie.remember("Whales sing")["id"])
    contradict = Writer.contradict

    def contradict_late(*given: Any, **options: Any) -> None:
        was = others.version
        rows = [Revision(app=charlie.app, memory=others, number=was + more, action="used") for more in range(1, 251)]
        with site_wide():
            others.version += len(Revision.objects.bulk_create(rows))
        contradict(*given, **options)

    monkeypatch.setattr(Writer, "contradict", contradict_late)
    memory = alice.remember(f"The office is in {NEEDLE.title()}", category="work")
    assert len(memory["contradicts"]) == 2
    alice.delete(f"memories/{memory['id']}")
    assert tables_with(NEEDLE) == set()


def test_why_a_memory_was_doubted_stays_with_what_was_stated_right_after(alice: Caller) -> None:
    rome = alice.remember("The office is in Rome", category="work")
    both = [
        {"content": "Whales sing"},
        {"content": f"The office is in {NEEDLE.title()}", "category": "work"},
    ]
    stored = alice.post("memories/batch", {"memories": both, "dedupe": True}).json()["results"]
    assert [item["outcome"] for item in stored] == ["created", "contradicted"]
    alice.delete(f"memories/{stored[0]['id']}")
    history = alice.get(f"memories/{rome['id']}/history").json()["results"]
    assert history[-1]["reason"] == f"other value: rome / {NEEDLE}"


def test_why_a_memory_is_doubted_once_more_quotes_nothing_of_another_session(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(existing: str, *_: Any) -> Verdict:
        is_contrary = existing.endswith("Rome")
        relation = Relation.CONTRADICTS if is_contrary else Relation.SAME
        return Verdict(relation, f"other value: rome / {NEEDLE}" if is_contrary else "the same", 0.9)

    for place in ("Rome", "Oslo"):
        alice.remember(f"The office is in {place}", category="work", subject="office", dedupe=False)
    monkeypatch.setattr(related_memories, "relate", judge)
    session = alice.start_session()
    stated = {"content": f"Oslo has the office, or {NEEDLE}", "category": "work", "subject": "office"}
    assert alice.remember(**stated, session_id=session["id"])["outcome"] == "reinforced"
    assert Revision.objects.filter(action="contradicted", reason="the contrary was said again").exists()
    alice.delete(f"sessions/{session['id']}")
    assert tables_with(NEEDLE) == set()


def test_why_a_memory_was_doubted_stays_with_what_else_doubted_it(alice: Caller) -> None:
    rome = alice.remember("The office is in Rome", category="work")
    for place in (NEEDLE, NEIGHBOUR):
        last = alice.remember(f"The office is in {place.title()}", category="work")
    alice.delete(f"memories/{last['id']}")
    assert tables_with(NEIGHBOUR) == set()
    reasons = {row["reason"] for row in alice.get(f"memories/{rome['id']}/history").json()["results"]}
    assert reasons == {"", f"other value: rome / {NEEDLE}"}


def test_an_insight_goes_with_what_it_was_written_from(alice: Caller, operator: APIClient) -> None:
    source = alice.remember(f"{NEEDLE} in winter", user_id="u1")
    with writing(alice.app, "system:upkeep", timezone.now()) as write:
        insight = write.create(Candidate(content=f"{NEEDLE} all year", source=Source.INSIGHT))
        write.link(insight, Memory.objects.get(uid=source["id"]), LinkKind.DERIVED)
    operator.delete("/api/v1/apps/acme/users/u1")
    assert tables_with(NEEDLE) == set()


def test_a_category_that_a_memory_has_left_loses_its_old_summaries(alice: Caller, operator: APIClient) -> None:
    memory = alice.remember(f"{NEEDLE} in winter", category="work")
    AppPolicy.objects.filter(app=alice.app).update(capture_summaries=True)
    Summary.objects.create(app=alice.app, category="work", content=NEEDLE, made_by="rules")
    Summary.objects.create(app=alice.app, category="other", content=NEIGHBOUR, made_by="rules")
    alice.patch(f"memories/{memory['id']}", {"category": "home", "user_id": "u1"})
    operator.delete("/api/v1/apps/acme/users/u1")
    assert tables_with(NEEDLE) == set()
    assert Summary.objects.for_app(alice.app).get().content == NEIGHBOUR


def test_every_deletion_waits_to_be_swept(alice: Caller) -> None:
    memory = alice.remember(NEEDLE)
    alice.delete(f"memories/{memory['id']}")
    assert Residue.objects.get().purges == 1


@pytest.mark.parametrize("path", ["apps/{app}/users/u1", f"apps/{{app}}/sessions/{UUID(int=7)}", "apps/{app}/purges"])
def test_only_operators_purge(alice: Caller, path: str) -> None:
    ask: Callable[..., Any] = alice.get if path.endswith("purges") else alice.delete
    assert_problem(ask(path.format(app="acme")), 403)


def test_a_health_report_names_no_category_that_nothing_is_in_any_more(alice: Caller, operator: APIClient) -> None:
    alice.remember("Whales sing", category="work")
    alice.remember(NEEDLE, category=NEEDLE, user_id="u1")
    HealthReport.objects.create(app=alice.app, period="2027-03", content={"categories": {NEEDLE: 1, "work": 1}})
    operator.delete("/api/v1/apps/acme/users/u1")
    assert HealthReport.objects.get().content == {"categories": {"work": 1}}
