"""Purges: an app, an end user, a session, all memories. Gone for everyone at once, and nothing late brings it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.utils import timezone
from rest_framework.test import APIClient

from memories.agent import MemoryAgent, current_embedder, purging
from memories.capture import known, work
from memories.capture.learning import learn
from memories.maintain.purge import apps_to_purge, purge
from memories.maintain.run import Unclaimed
from memories.models import Extraction, HealthReport, Link, LinkKind, Memory, Purge, Revision, Source, Summary
from memories.providers.llm.rules import facts
from memories.store import AppGone, Candidate, Writer, erase, writing
from memories.store.purge import purge_session as hide
from memories.text.relate import Relation, Verdict
from memsite.tenancy.models import App, AppPolicy, Residue
from memsite.tenancy.scoping import Scoped
from memsite.tenancy.wall import site_wide
from sessions.life import SessionGone
from sessions.models import AgentSession, Resource
from tests.api.checks import assert_problem, assistant, ndjson, user
from tests.conftest import Caller
from tests.talking import hear, row_of, tables_with, tell, turn
from tests.upkeep import upkeep_embed_missing, upkeep_learn_due, upkeep_purge, upkeep_summaries

NEEDLE, NEIGHBOUR = "zqneedle", "zqneighbour"


@pytest.fixture
def acme(acme: App) -> App:
    AppPolicy.objects.filter(app=acme).update(capture_summaries=True, capture_digest=True)
    return App.objects.select_related("policy").get(pk=acme.pk)


def key_of(word: str) -> str:
    return sha256(word.encode()).hexdigest()


def furnish(caller: Caller, word: str, user_id: str) -> dict[str, Any]:
    """Something of everything, all of it marked with a word; answers the session."""
    session = caller.start_session(
        title=f"about {word}", external_id=f"chat-{word}", user_id=user_id, environment={"of": word}
    )
    said = f"[EVENT:info:svc] saw {word}\n[MEMORY:timing:{word}] Takes 5s with {word}"
    tools = [{"name": "look", "input": {"for": word}}]
    turn(caller, session, 1, f"I work at {word.title()} Systems.", said, tool_calls=tools, internal_state={"k": word})
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


@pytest.fixture
def rooms(alice: Caller) -> dict[str, dict[str, Any]]:
    """Two end users of one app, with all that is learnt and written of them."""
    rooms = {word: furnish(alice, word, f"user-{word}@example.org") for word in (NEEDLE, NEIGHBOUR)}
    upkeep_learn_due()
    for category in (NEEDLE, NEIGHBOUR, "timing"):
        for word in (NEEDLE, NEIGHBOUR):
            alice.post(f"categories/{category}/rewrite?user_id=user-{word}@example.org")
    upkeep_summaries()
    assert len(tables_with(NEEDLE)) > 12
    return rooms


def erase_needle(operator: APIClient) -> Any:
    return operator.delete(f"/api/v1/apps/acme/users/user-{NEEDLE}@example.org")


def test_an_end_user_is_erased_and_the_neighbour_is_untouched(
    alice: Caller, operator: APIClient, rooms: dict[str, dict[str, Any]]
) -> None:
    before = tables_with(NEIGHBOUR)
    answer = erase_needle(operator)
    assert answer.status_code == 200, answer.content
    purged = answer.json()
    assert purged["success"] is True
    assert purged["deleted_count"] > 2
    assert {name: purged["purge"][name] for name in ("what", "status", "sessions", "turns")} == {
        "what": "user", "status": "done", "sessions": 1, "turns": 2,
    }  # fmt: skip
    assert tables_with(NEEDLE) == set()
    assert tables_with(NEIGHBOUR) >= before


def test_a_session_is_deleted_with_what_was_learnt_in_it(alice: Caller, rooms: dict[str, dict[str, Any]]) -> None:
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
    alice: Caller, charlie: Caller, operator: APIClient, rooms: dict[str, dict[str, Any]]
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
    alice: Caller, operator: APIClient, rooms: dict[str, dict[str, Any]]
) -> None:
    known = Memory.objects.for_app(alice.app).count()
    answer = operator.delete("/api/v1/apps/acme/memories")
    assert answer.json() == {"success": True, "deleted_count": known}
    assert not Memory.objects.exists()
    assert tables_with(NEEDLE) <= {
        "agent_sessions_agentsession", "agent_sessions_resource", "agent_sessions_turn", "agent_sessions_event",
        "agent_sessions_cooldown",
        "memories_futuretrigger", "memories_rejection", "memories_summarydue", "tenancy_idempotentanswer",
    }  # fmt: skip
    assert App.objects.get(app_id="acme").memory_count == 0
    assert Resource.objects.exists()


def test_erasing_somebody_unknown_finds_nothing_and_says_so(operator: APIClient, acme: App) -> None:
    answer = operator.delete("/api/v1/apps/acme/users/a/b%20c@example.org")
    assert (answer.status_code, answer.json()["deleted_count"]) == (200, 0)
    assert answer.json()["purge"]["status"] == "done"
    assert_problem(operator.delete("/api/v1/apps/nobody/users/x"), 404)


def test_purges_are_listed_without_a_word_of_what_is_gone(operator: APIClient, rooms: dict[str, Any]) -> None:
    erase_needle(operator)
    (row,) = operator.get("/api/v1/apps/acme/purges").json()["results"]
    assert (row["what"], row["status"], row["sessions"]) == ("user", "done", 1)
    assert row["asked_by"].startswith("operator:")
    assert NEEDLE not in str(row)


# --- large ones


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is small enough to be deleted at once."""
    monkeypatch.setattr(purging, "MOST_AT_ONCE", -1)


LISTS = (
    "memories", "sessions", "resources", "events", "extractions", "rejections", "triggers", "entities", "categories",
    "lessons",
)  # fmt: skip


def everything_shown(caller: Caller, session: dict[str, Any]) -> str:
    user = f"user-{NEEDLE}@example.org"
    answers = [caller.get(name, limit=200) for name in LISTS]
    answers += [caller.get("categories", user_id=user), caller.get(f"categories/{NEEDLE}", user_id=user)]
    answers += [caller.post("memories/search", {"query": "takes 5s whales tea", "mode": mode, "user_id": user})
                for mode in ("auto", "tiered", "dual", "vector", "fulltext", "graph")]  # fmt: skip
    answers += [
        caller.post("context", {"query": "what takes 5s", "user_id": user}),
        caller.get(f"sessions/{session['id']}"),
    ]
    answers += [caller.get(f"sessions/{session['id']}/turns"), caller.post("sessions", {"user_id": user})]
    return "".join(answer.content.decode() for answer in answers).casefold().replace(user, "")


def test_a_large_purge_is_hidden_at_once_and_finished_by_the_job(
    large: None, alice: Caller, operator: APIClient, rooms: dict[str, dict[str, Any]]
) -> None:
    assert NEEDLE in everything_shown(alice, rooms[NEEDLE])
    assert erase_needle(operator).json()["purge"]["status"] == "open"
    assert "memories_memory" in tables_with(NEEDLE)
    assert NEEDLE not in everything_shown(alice, rooms[NEEDLE])
    assert NEIGHBOUR in everything_shown(alice, rooms[NEIGHBOUR])
    count = App.objects.get(app_id="acme").memory_count
    assert count == Memory.objects.for_app(alice.app).live().count()
    # Asking has opened a session for the user, as if they had come back.
    AgentSession.objects.for_app(alice.app).filter(user_id__contains=NEEDLE).delete()
    upkeep_purge()
    assert tables_with(NEEDLE) == set()
    assert Purge.objects.for_app(alice.app).get().status == "done"
    assert App.objects.get(app_id="acme").memory_count == count


def test_a_large_app_is_locked_until_its_purge_is_done(
    large: None, alice: Caller, operator: APIClient, rooms: dict[str, Any]
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
    large: None, alice: Caller, operator: APIClient, rooms: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.store.erase.BATCH", 1)  # of memories
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
    alice: Caller, rooms: dict[str, dict[str, Any]], stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is hidden when its stage is over already, waits for the next round."""
    one, other = (AgentSession.objects.get(uid=room["id"]) for room in rooms.values())
    in_order = erase.stages

    def stages(app: App) -> Iterator[tuple[str, erase.Delete]]:
        for name, delete in in_order(app):
            yield name, delete
            if name == stage and AgentSession.objects.for_app(app).filter(pk=other.pk).exists():
                hide(other, "test", timezone.now())

    monkeypatch.setattr("memories.maintain.purge.stages", stages)
    assert alice.delete(f"sessions/{one.uid}").status_code == 200
    upkeep_purge()
    assert (AgentSession.objects.count(), Resource.objects.count(), Purge.objects.open().count()) == (0, 0, 0)


# --- what is late


def test_a_stream_in_flight_brings_nothing_back(alice: Caller, operator: APIClient, rooms: dict[str, Any]) -> None:
    session = alice.start_session(user_id=f"user-{NEEDLE}@example.org")
    row = row_of(alice.app, session)

    def lines() -> Any:
        yield ndjson(user(f"{NEEDLE} one", "s1"), assistant(f"{NEEDLE} two", "s2")).encode()
        erase_needle(operator)
        yield ndjson(user(f"{NEEDLE} three", "s3"), assistant(f"[MEMORY:timing:x] {NEEDLE} four", "s4")).encode()

    with pytest.raises(SessionGone):
        MemoryAgent(alice.app, alice.agent, "agent:alice").capture_stream(row).run(lines())
    assert tables_with(NEEDLE) == set()


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
    claim = work.claim(alice.app, row_of(alice.app, session).pk, now)
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


def test_a_repeated_request_is_told_that_what_it_made_is_gone(
    alice: Caller, operator: APIClient, rooms: dict[str, Any]
) -> None:
    erase_needle(operator)
    body = {
        "content": f"Whales are known to {NEEDLE}", "user_id": f"user-{NEEDLE}@example.org", "tags": [f"tag-{NEEDLE}"],
        "category": NEEDLE,
    }  # fmt: skip
    again = alice.post("memories", body, **{"Idempotency-Key": key_of(NEEDLE)})
    assert again.status_code == 410
    assert not Memory.objects.filter(content__contains=NEEDLE).exists()


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
    monkeypatch.setattr(facts, "_tags", lambda category, names: (f"tag-{NEEDLE}",))
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
    assert [one["outcome"] for one in stored] == ["created", "contradicted"]
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
    monkeypatch.setattr(known, "relate", judge)
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


DELETED = {
    "AgentSession", "ColdText", "Cooldown", "Delivery", "Entity", "Event", "Extraction", "FutureTrigger",
    "HealthReport", "Import", "ImportPart", "Injection", "Link", "Memory", "Mention", "Passage", "Preload",
    "RecallCount", "Rejection", "Resource", "Revision", "Rollback", "Summary", "SummaryDue", "Turn", "Vector",
}  # fmt: skip
# Numbers, names of agents, and who did what: nothing that anybody said. Of deliveries what is still to be told stays.
KEPT = {
    "Agent",
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
    alice: Caller, operator: APIClient, rooms: dict[str, Any]
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


def test_a_health_report_names_no_category_that_nothing_is_in_any_more(alice: Caller, operator: APIClient) -> None:
    alice.remember("Whales sing", category="work")
    alice.remember(NEEDLE, category=NEEDLE, user_id="u1")
    HealthReport.objects.create(app=alice.app, period="2027-03", content={"categories": {NEEDLE: 1, "work": 1}})
    operator.delete("/api/v1/apps/acme/users/u1")
    assert HealthReport.objects.get().content == {"categories": {"work": 1}}
