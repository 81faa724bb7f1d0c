"""Purges: an app, an end user, a session, all memories. Gone for everyone at once, and nothing late brings it back."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone
from rest_framework.test import APIClient

from memories.maintain.housekeeping import apps_to_purge, purge
from memories.models import Memory, Purge
from memories.services import MemoryAgent, administration
from memories.store import purge as store_purge
from memories.store.purge import purge_session as hide
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from memsite.tenancy.scoping import Scoped
from sessions.models import AgentSession, Resource
from sessions.recording import SessionGone
from tests.api.checks import assert_problem, assistant, ndjson, user
from tests.conftest import Caller, fresh_caller, make_app, make_caller
from tests.shared_data import module_fixture
from tests.talking import row_of, tables_with, tell, turn
from tests.upkeep import upkeep_learn_due, upkeep_purge, upkeep_summaries

NEEDLE, NEIGHBOUR = "zqneedle", "zqneighbour"


def key_of(word: str) -> str:
    return sha256(word.encode()).hexdigest()


def furnish(caller: Caller, word: str, user_id: str) -> dict[str, Any]:
    """Something of everything, all of it marked with a word; answers the session."""
    session = caller.start_session(
        title=f"about {word}", external_id=f"chat-{word}", user_id=user_id, environment={"of": word}
    )
    text = f"[EVENT:info:svc] saw {word}\n[MEMORY:timing:{word}] Takes 5s with {word}"
    tools = [{"name": "look", "input": {"for": word}}]
    turn(caller, session, 1, f"I work at {word.title()} Systems.", text, tool_calls=tools, internal_state={"k": word})
    tell(caller, session, f"I think {word} is the best tea ever.", f"Remind me of {word} on 2199-05-01.")
    caller.stream(
        session["id"], ndjson(user(f"And {word} again", f"u-{word}"), assistant(f"Yes, {word}.", f"a-{word}"))
    )
    key = {"Idempotency-Key": key_of(word)}
    body = {"content": f"Whales are known to {word}", "user_id": user_id, "tags": [f"tag-{word}"], "category": word}
    memory = caller.post("memories", body, **key).json()
    caller.patch(f"memories/{memory['id']}", {"metadata": {"m": word}, "subject": word})
    caller.post("triggers", {"trigger_date": "2199-01-01", "message": f"dentist {word}", "user_id": user_id})
    caller.post("context", {"query": f"what takes 5s with {word}", "session_id": session["id"]})
    waits = {"action": "restart", "service": word, "seconds": 600, "reason": f"saw {word}", "session_id": session["id"]}
    caller.post("cooldowns", waits)
    caller.post(f"sessions/{session['id']}/end", {"reason": f"{word} left"})
    return session


def build_talks() -> tuple[Caller, dict[str, dict[str, Any]]]:
    """Return an agent of an app with two end users, and their sessions: all is learnt and written of them."""
    alice = make_caller(make_app("acme", capture_summaries=True, capture_digest=True), "alice")
    talks = {word: furnish(alice, word, f"user-{word}@example.org") for word in (NEEDLE, NEIGHBOUR)}
    upkeep_learn_due()
    for category in (NEEDLE, NEIGHBOUR, "timing"):
        for word in (NEEDLE, NEIGHBOUR):
            alice.post(f"categories/{category}/rewrite?user_id=user-{word}@example.org")
    upkeep_summaries()
    assert len(tables_with(NEEDLE)) > 12
    return alice, talks


built = module_fixture(build_talks)


@pytest.fixture
def alice(built: tuple[Caller, dict[str, dict[str, Any]]], db: None) -> Caller:
    return fresh_caller(built[0])


@pytest.fixture
def talks(built: tuple[Caller, dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    return built[1]


def erase_needle(operator: APIClient) -> Any:
    return operator.delete(f"/api/v1/apps/acme/users/user-{NEEDLE}@example.org")


def test_an_end_user_is_erased_and_the_neighbour_is_untouched(
    alice: Caller, operator: APIClient, talks: dict[str, dict[str, Any]]
) -> None:
    before = tables_with(NEIGHBOUR)
    answer = erase_needle(operator)
    assert answer.status_code == 200, answer.content
    purged = answer.json()
    assert purged["success"] is True
    assert purged["deleted_count"] > 2
    assert {name: purged["purge"][name] for name in ("what", "status", "sessions", "turns")} == {
        "what": "user",
        "status": "done",
        "sessions": 1,
        "turns": 2,
    }
    assert tables_with(NEEDLE) == set()
    assert tables_with(NEIGHBOUR) >= before


def test_a_session_is_deleted_with_what_was_learnt_in_it(alice: Caller, talks: dict[str, dict[str, Any]]) -> None:
    session = alice.start_session(title=NEEDLE + "2")
    turn(alice, session, 1, f"I live in {NEEDLE.title()}ville2.", f"[MEMORY:timing:x] Takes 7s in {NEEDLE}2")
    upkeep_learn_due()
    answer = alice.delete(f"sessions/{session['id']}")
    assert answer.status_code == 200
    assert (answer.json()["deleted_count"], answer.json()["purge"]["turns"]) == (2, 1)
    assert tables_with(f"{NEEDLE}2") == tables_with(f"{NEEDLE}ville2") == set()
    assert "memories_memory" in tables_with(NEEDLE)
    assert_problem(alice.get(f"sessions/{session['id']}"), 404)
    assert_problem(alice.delete(f"sessions/{session['id']}"), 404)


def test_an_app_is_purged_with_everything_and_its_name_agents_and_keys_stay(
    alice: Caller, charlie: Caller, operator: APIClient, talks: dict[str, dict[str, Any]]
) -> None:
    furnish(charlie, "zqglobex", "user-1")
    before = tables_with("zqglobex")
    known = Memory.objects.for_app(alice.app).count()
    answer = operator.delete("/api/v1/apps/acme?purge_memories=true")
    assert answer.json() == {"success": True, "deleted_count": known}
    for word in (NEEDLE, NEIGHBOUR):
        assert tables_with(word) == set()
    assert tables_with("zqglobex") == before
    app = App.objects.get(app_id="acme")
    assert (app.status, app.memory_count) == ("uninstalled", 0)
    assert_problem(alice.get("memories"), 401)
    operator.patch("/api/v1/apps/acme", {"status": "active"})
    assert alice.get("memories").json()["results"] == []
    assert alice.remember("A new life")["outcome"] == "created"


def test_all_memories_are_deleted_and_what_was_said_stays(
    alice: Caller, operator: APIClient, talks: dict[str, dict[str, Any]]
) -> None:
    known = Memory.objects.for_app(alice.app).count()
    answer = operator.delete("/api/v1/apps/acme/memories")
    assert answer.json() == {"success": True, "deleted_count": known}
    assert not Memory.objects.exists()
    assert tables_with(NEEDLE) <= {
        "agent_sessions_agentsession",
        "agent_sessions_resource",
        "agent_sessions_turn",
        "agent_sessions_event",
        "agent_sessions_cooldown",
        "memories_futuretrigger",
        "memories_rejection",
        "memories_summarydue",
        "tenancy_idempotentanswer",
    }
    assert App.objects.get(app_id="acme").memory_count == 0
    assert Resource.objects.exists()


def test_purges_are_listed_without_a_word_of_what_is_gone(operator: APIClient, talks: dict[str, Any]) -> None:
    erase_needle(operator)
    (row,) = operator.get("/api/v1/apps/acme/purges").json()["results"]
    assert (row["what"], row["status"], row["sessions"]) == ("user", "done", 1)
    assert row["asked_by"].startswith("operator:")
    assert NEEDLE not in str(row)


# --- large ones


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is small enough to be deleted at once."""
    monkeypatch.setattr(administration, "PURGE_BATCH", -1)


LISTS = (
    "memories",
    "sessions",
    "resources",
    "events",
    "extractions",
    "rejections",
    "triggers",
    "entities",
    "categories",
    "lessons",
)


def everything_shown(caller: Caller, session: dict[str, Any]) -> str:
    user = f"user-{NEEDLE}@example.org"
    answers = [caller.get(name, limit=200) for name in LISTS]
    answers += [caller.get("categories", user_id=user), caller.get(f"categories/{NEEDLE}", user_id=user)]
    answers += [
        caller.post("memories/search", {"query": "takes 5s whales tea", "mode": mode, "user_id": user})
        for mode in ("auto", "tiered", "dual", "vector", "fulltext", "graph")
    ]
    answers += [
        caller.post("context", {"query": "what takes 5s", "user_id": user}),
        caller.get(f"sessions/{session['id']}"),
    ]
    answers += [caller.get(f"sessions/{session['id']}/turns"), caller.post("sessions", {"user_id": user})]
    return "".join(answer.content.decode() for answer in answers).casefold().replace(user, "")


def test_a_large_purge_is_hidden_at_once_and_finished_by_the_job(
    large: None, alice: Caller, operator: APIClient, talks: dict[str, dict[str, Any]]
) -> None:
    assert NEEDLE in everything_shown(alice, talks[NEEDLE])
    assert erase_needle(operator).json()["purge"]["status"] == "open"
    assert "memories_memory" in tables_with(NEEDLE)
    assert NEEDLE not in everything_shown(alice, talks[NEEDLE])
    assert NEIGHBOUR in everything_shown(alice, talks[NEIGHBOUR])
    count = App.objects.get(app_id="acme").memory_count
    assert count == Memory.objects.for_app(alice.app).live().count()
    # Asking has opened a session for the user, as if they had come back.
    AgentSession.objects.for_app(alice.app).filter(user_id__contains=NEEDLE).delete()
    upkeep_purge()
    assert tables_with(NEEDLE) == set()
    assert Purge.objects.for_app(alice.app).get().status == "done"
    assert App.objects.get(app_id="acme").memory_count == count


def test_a_large_app_is_locked_until_its_purge_is_done(
    large: None, alice: Caller, operator: APIClient, talks: dict[str, Any]
) -> None:
    known = Memory.objects.for_app(alice.app).count()
    assert operator.delete("/api/v1/apps/acme?purge_memories=true").json()["deleted_count"] == known
    assert operator.get("/api/v1/apps/acme").json()["status"] == "purging"
    assert operator.get("/api/v1/apps/acme/memories").json()["memories"] == []
    assert_problem(operator.patch("/api/v1/apps/acme", {"status": "active"}), 409)
    assert_problem(alice.get("memories"), 401)
    operator.delete("/api/v1/apps/acme?purge_memories=true")
    assert Purge.objects.for_app(alice.app).count() == 1
    upkeep_purge()
    assert operator.get("/api/v1/apps/acme").json()["status"] == "uninstalled"
    assert tables_with(NEEDLE) == set()


class Killed(Exception):
    pass


def test_a_purge_that_is_killed_anywhere_goes_on_where_it_was(
    large: None, alice: Caller, operator: APIClient, talks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.store.purge.BATCH", 1)  # of memories
    erase_needle(operator)

    class OneBatch(Unclaimed):
        """Dies in the second batch, and takes that one back."""

        def done(self, counts: Any, **cursor: Any) -> None:
            if self.counts:
                raise Killed
            super().done(counts, **cursor)

    kills = 0
    while waiting := list(apps_to_purge()):
        try:
            purge(waiting[0], timezone.now(), OneBatch(until=timezone.now()))
        except Killed:
            kills += 1
        assert kills < 200
    assert kills > 4
    assert tables_with(NEEDLE) == set()
    assert "memories_memory" in tables_with(NEIGHBOUR)


@pytest.mark.parametrize("stage", ["extractions", "memories", "resources"])
def test_another_purge_in_the_middle_of_one_is_no_obstacle(
    alice: Caller, talks: dict[str, dict[str, Any]], stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is hidden when its stage is over already, waits for the next round."""
    item, other = (AgentSession.objects.get(uid=capacity["id"]) for capacity in talks.values())
    in_order = store_purge.stages

    def stages(app: App) -> Iterator[tuple[str, store_purge.Delete]]:
        for name, delete in in_order(app):
            yield name, delete
            if name == stage and AgentSession.objects.for_app(app).filter(pk=other.pk).exists():
                hide(other, "test", timezone.now())

    monkeypatch.setattr("memories.maintain.housekeeping.stages", stages)
    assert alice.delete(f"sessions/{item.uid}").status_code == 200
    upkeep_purge()
    assert (AgentSession.objects.count(), Resource.objects.count(), Purge.objects.open().count()) == (0, 0, 0)


# --- what is late


def test_a_stream_in_flight_brings_nothing_back(alice: Caller, operator: APIClient, talks: dict[str, Any]) -> None:
    session = alice.start_session(user_id=f"user-{NEEDLE}@example.org")
    row = row_of(alice.app, session)

    def lines() -> Any:
        yield ndjson(user(f"{NEEDLE} one", "s1"), assistant(f"{NEEDLE} two", "s2")).encode()
        erase_needle(operator)
        yield ndjson(user(f"{NEEDLE} three", "s3"), assistant(f"[MEMORY:timing:x] {NEEDLE} four", "s4")).encode()

    with pytest.raises(SessionGone):
        MemoryAgent(alice.app, alice.agent, "agent:alice").capture_stream(row).run(lines())
    assert tables_with(NEEDLE) == set()


def test_a_repeated_request_is_told_that_what_it_made_is_gone(
    alice: Caller, operator: APIClient, talks: dict[str, Any]
) -> None:
    erase_needle(operator)
    body = {
        "content": f"Whales are known to {NEEDLE}",
        "user_id": f"user-{NEEDLE}@example.org",
        "tags": [f"tag-{NEEDLE}"],
        "category": NEEDLE,
    }
    again = alice.post("memories", body, **{"Idempotency-Key": key_of(NEEDLE)})
    assert again.status_code == 410
    assert not Memory.objects.filter(content__contains=NEEDLE).exists()


# --- nothing is forgotten


DELETED = {
    "Alert",
    "AgentSession",
    "ColdText",
    "Cooldown",
    "Delivery",
    "Document",
    "Entity",
    "Event",
    "Extraction",
    "FutureTrigger",
    "HealthReport",
    "Import",
    "ImportPart",
    "Injection",
    "Link",
    "Memory",
    "Mention",
    "Passage",
    "Preload",
    "RecallCount",
    "Rejection",
    "Resource",
    "Revision",
    "Rollback",
    "SavedView",
    "Summary",
    "SummaryDue",
    "Turn",
    "Vector",
}
# Numbers, names of agents, and who did what: nothing that anybody said. Of deliveries what is still to be told stays.
KEPT = {
    "Agent",
    "AlertRule",
    "AuditEntry",
    "Bridge",
    "EnergyUse",
    "Forgotten",
    "LedgerEntry",
    "Membership",
    "Purge",
    "Reservation",
    "Webhook",
}


def test_nothing_of_an_app_is_forgotten_to_be_deleted(
    alice: Caller, operator: APIClient, talks: dict[str, Any]
) -> None:
    """A new kind of row has to be deleted with its app, or to be named above."""
    operator.delete("/api/v1/apps/acme?purge_memories=true")
    left = {
        model.__name__
        for model in apps.get_models()
        if issubclass(model, Scoped) and model._base_manager.filter(app=alice.app).exists()
    }
    assert left <= KEPT
    assert {model.__name__ for model in apps.get_models() if issubclass(model, Scoped)} - KEPT == DELETED
