"""`/memories` and `/memories/{id}`: store, list, read, change, forget."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from time_machine import travel

from memories.models import Link, Memory, Revision, Vector
from sessions.models import Event
from tests.api.checks import MEMORY_FIELDS, all_memories, assert_problem, say
from tests.conftest import Caller, make_app, make_caller
from tests.index_of_words import words_found
from tests.tables import each_row

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
NOBODY = "01890000-0000-7000-8000-000000000000"
EVERYTHING = {
    "content": "Deploys happen on Tuesdays",
    "kind": "decision",
    "category": "work",
    "subject": "deploys",
    "tags": ["release", "ünïcode ✓"],
    "importance": 5,
    "confidence": 0.85,
    "pinned": True,
    "user_id": "u1",
    "visibility": "shared",
    "turn_number": 3,
    "external_id": "ext-1",
    "metadata": {"source": {"url": "https://example.org", "n": [1, 2.5, None]}},
    "valid_from": "2027-01-01T00:00:00Z",
    "valid_until": "2027-12-31T23:59:59Z",
}


def contents(caller: Caller, **query: Any) -> list[str]:
    return [memory["content"] for memory in all_memories(caller, **query)]


def test_a_memory_is_stored_with_everything_that_was_said_of_it(alice: Caller) -> None:
    session = alice.start_session(tier=3)["id"]
    with travel(NOON, tick=False):
        answer = alice.post("memories", {**EVERYTHING, "session_id": session})
    assert answer.status_code == 201
    body = answer.json()
    assert {name: body[name] for name in EVERYTHING} == EVERYTHING
    assert (body["session_id"], body["tier"], body["status"]) == (session, 3, "active")
    times = [body[name] for name in ("created_at", "updated_at", "confirmed_at")]
    assert times == ["2027-03-01T12:00:00Z"] * 3
    assert (body["accessed_at"], body["access_count"], body["resource_id"]) == (None, 0, None)
    assert (body.pop("outcome"), body.pop("reason"), body.pop("contradicts")) == ("created", "", [])
    assert body.keys() == MEMORY_FIELDS
    assert alice.get(f"memories/{body['id']}").json() == body


def test_a_memory_needs_only_its_content(alice: Caller) -> None:
    body = alice.remember("The sky is blue")
    defaults = {
        "kind": "fact",
        "category": "general",
        "subject": None,
        "tags": [],
        "importance": 3,
        "confidence": 0.7,
        "sentiment": "neutral",
        "pinned": False,
        "tier": 1,
        "priority": 1.0,
        "user_id": None,
        "visibility": "app",
        "metadata": {},
    }
    assert {name: body[name] for name in defaults} == defaults
    assert UUID(body["id"]).version == 7


def test_a_new_memory_appears_in_the_events_feed(alice: Caller) -> None:
    uid = alice.remember("Takes 60s to start", category="timing", subject="jellyfin")["id"]
    (event,) = alice.get("events").json()["results"]
    assert (event["memory_id"], event["service"], event["level"]) == (uid, "jellyfin", "info")
    assert "Takes 60s to start" in event["message"]


def test_a_private_memory_is_seen_by_its_agent_alone(alice: Caller, bob: Caller) -> None:
    uid = alice.remember("My own note about whales", visibility="agent")["id"]
    assert alice.get(f"memories/{uid}").status_code == 200
    for path in (f"memories/{uid}", f"memories/{uid}/history", f"memories/{uid}/links"):
        assert_problem(bob.get(path), 404)
    assert_problem(bob.patch(f"memories/{uid}", {"content": "x"}), 404)
    assert_problem(bob.delete(f"memories/{uid}"), 404)
    assert contents(bob) == []
    assert bob.post("memories/search", {"query": "whales"}).json()["results"] == []
    assert "whales" not in str(bob.start_session())


def test_the_events_feed_does_not_tell_of_a_private_memory(alice: Caller, bob: Caller) -> None:
    alice.remember("My own note about whales", visibility="agent")
    assert "whales" not in bob.get("events").content.decode()


def test_an_apps_memories_are_shared_by_its_agents(alice: Caller, bob: Caller, charlie: Caller) -> None:
    uid = alice.remember("Everyone should know")["id"]
    assert bob.get(f"memories/{uid}").json()["content"] == "Everyone should know"
    assert_problem(charlie.get(f"memories/{uid}"), 404)


def test_the_same_said_again_reinforces_instead_of_repeating(alice: Caller, bob: Caller) -> None:
    first = alice.remember("Takes 60s to start", category="timing", subject="jellyfin")
    again = bob.post("memories", {"content": "Takes 60s to start", "category": "timing", "subject": "jellyfin"})
    assert again.status_code == 200
    body = again.json()
    assert (body["id"], body["outcome"], body["confidence"]) == (first["id"], "reinforced", 0.8)
    assert body["reason"]
    assert len(all_memories(alice)) == 1


def test_without_dedupe_the_same_is_stored_again(alice: Caller) -> None:
    alice.remember("Takes 60s to start")
    assert alice.post("memories", {"content": "Takes 60s to start", "dedupe": False}).status_code == 201
    assert [memory["confidence"] for memory in all_memories(alice)] == [0.7, 0.7]


@each_row(
    "other",
    [
        {"subject": "plex"},
        {"subject": None},
        {"category": "behavior"},
        {"user_id": "u2"},
        {"visibility": "agent"},
        {"content": "Takes 90 minutes to index the library after an upgrade"},
    ],
    rolled_back=True,
)
def test_what_is_about_something_else_gets_its_own_row(alice: Caller, other: dict[str, Any]) -> None:
    texts = {"content": "Takes 60s to start", "category": "timing", "subject": "jellyfin"}
    alice.remember(**texts)
    assert alice.post("memories", texts | other).status_code == 201
    assert [memory["confidence"] for memory in all_memories(alice)] == [0.7, 0.7]


@each_row(
    "known, more",
    [
        ("Backups run nightly", "Backups run nightly to the NAS and are encrypted with key 7"),
        ("User likes tea", "User likes tea with two spoons of sugar in the morning"),
    ],
    rolled_back=True,
)
def test_what_says_more_than_is_known_is_not_lost(alice: Caller, known: str, more: str) -> None:
    alice.remember(known, category="facts")
    alice.remember(more, category="facts")
    assert more in contents(alice)


def test_reinforcing_stops_at_full_confidence(alice: Caller) -> None:
    for _ in range(5):
        body = alice.remember("Takes 60s to start")
    assert body["confidence"] == 1.0


def test_a_whole_number_may_be_written_with_a_point(alice: Caller) -> None:
    """JSON has one kind of number, and in its schemas 5.0 is an integer."""
    stored = alice.post("memories", {"content": "Whales sing", "importance": 5.0}).json()
    assert stored["importance"] == 5
    assert isinstance(stored["importance"], int)


@each_row(
    "given, stored",
    [(1.5, 1.0), (-3, 0.0), (0, 0.0), (1, 1.0), (0.123456, 0.1235), (1e308, 1.0)],
    rolled_back=True,
)
def test_confidence_is_clamped_not_refused(alice: Caller, given: float, stored: float) -> None:
    assert alice.remember("The sky is blue", confidence=given)["confidence"] == stored


@each_row("confidence, status", [(0.29, "inactive"), (0.3, "active"), (0.0, "inactive")], rolled_back=True)
def test_below_three_tenths_a_memory_is_inactive_from_the_start(alice: Caller, confidence: float, status: str) -> None:
    assert alice.remember("The sky is blue", confidence=confidence)["status"] == status


WRONG = [
    ("content", None),
    ("content", ""),
    ("content", "   \n\t "),
    ("content", 5),
    ("content", True),
    ("content", ["x"]),
    ("content", {"text": "x"}),
    ("content", "x" * 2001),
    ("category", "Work"),
    ("category", "a b"),
    ("category", "x" * 65),
    ("category", "work\nx"),
    ("category", 5),
    ("category", None),
    ("subject", 5),
    ("subject", "x" * 201),
    ("importance", 0),
    ("importance", 6),
    ("importance", "3"),
    ("importance", 3.5),
    ("importance", True),
    ("importance", None),
    ("importance", 1e30),
    ("importance", 10**30),
    ("importance", -(10**30)),
    ("confidence", "0.5"),
    ("confidence", None),
    ("confidence", True),
    ("confidence", []),
    ("tags", "work"),
    ("tags", None),
    ("tags", {"a": 1}),
    ("tags", [5]),
    ("tags", [""]),
    ("tags", [None]),
    ("tags", ["x" * 101]),
    ("tags", [f"t{n}" for n in range(51)]),
    ("pinned", 1),
    ("pinned", "true"),
    ("pinned", None),
    ("user_id", ""),
    ("user_id", 5),
    ("user_id", "x" * 201),
    ("visibility", "world"),
    ("visibility", None),
    ("visibility", 5),
    ("visibility", ["app"]),
    ("valid_from", "soon"),
    ("valid_from", 5),
    ("valid_from", True),
    ("valid_from", "0001-01-01T00:00:00+23:00"),
    ("valid_until", "9999-12-31T23:59:59-23:00"),
    ("valid_until", {}),
    ("metadata", []),
    ("metadata", "x"),
    ("metadata", None),
    ("metadata", 5),
    ("metadata", {"a": "x" * 16_377}),
    ("metadata", {f"k{number}": number for number in range(20_000)}),
    ("id", NOBODY),
    ("created_at", "2020-01-01T00:00:00Z"),
    ("app", "globex"),
    ("unknown", 1),
    ("", 1),
]
WRONG_AT_CREATION = [
    *WRONG,
    ("kind", "rumour"),
    ("kind", None),
    ("session_id", "x"),
    ("session_id", 5),
    ("session_id", True),
    ("session_id", NOBODY),
    ("turn_number", -1),
    ("turn_number", 2**31),
    ("turn_number", 10**30),
    ("turn_number", "1"),
    ("external_id", 5),
    ("external_id", "x" * 201),
    ("dedupe", "no"),
    ("dedupe", None),
    ("status", "archived"),
]


def test_metadata_keep_the_blanks_at_the_ends_of_their_texts(alice: Caller) -> None:
    memory = alice.remember("Whales sing", metadata={"a ": [" x\n"]})
    assert memory["metadata"] == {"a ": [" x\n"]}
    assert alice.patch(f"memories/{memory['id']}", {"metadata": {"b": "y\n"}}).json()["metadata"] == {"b": "y\n"}


def test_metadata_has_as_many_characters_as_json_as_is_said(alice: Caller) -> None:
    longest = {"a": "ü" * 16_376}
    memory = alice.remember("Whales sing", metadata=longest)
    assert memory["metadata"] == longest
    answer = alice.patch(f"memories/{memory['id']}", {"metadata": {"a": "ü" * 16_377}})
    assert assert_problem(answer, 400, "metadata")["errors"][0]["detail"] == "At most 16,384 characters as JSON."


def wrongly_taken(call: Callable[[dict[str, Any]], Any], fields: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    """Those of the wrong fields that are not refused by their name."""
    taken = []
    for field, value in fields:
        answer = call({field: value})
        named = {error["field"].split(".")[0] for error in answer.json().get("errors", [])}
        if answer.status_code != 400 or named != {field}:
            taken.append((field, repr(value)[:60]))
    return taken


def test_a_wrong_field_is_named_and_nothing_is_stored(alice: Caller) -> None:
    texts = {"content": "The sky is blue"}
    assert wrongly_taken(lambda wrong: alice.post("memories", texts | wrong), WRONG_AT_CREATION) == []
    assert not Memory.objects.exists()


def test_every_wrong_field_is_named_at_once(alice: Caller) -> None:
    answer = alice.post("memories", {"importance": 9, "pinned": "yes", "colour": "red"})
    fields = {error["field"] for error in assert_problem(answer, 400)["errors"]}
    assert "colour" in fields


def test_a_memory_must_be_valid_forwards(alice: Caller) -> None:
    times = {"valid_from": "2027-02-01T00:00:00Z", "valid_until": "2027-01-31T23:59:59Z"}
    assert_problem(alice.post("memories", {"content": "x", **times}), 400, "valid_until")


def test_a_session_of_a_colleague_is_no_session(alice: Caller, bob: Caller, charlie: Caller) -> None:
    uid = alice.start_session()["id"]
    for outsider in (bob, charlie):
        assert_problem(outsider.post("memories", {"content": "x", "session_id": uid}), 400, "session_id")


def test_a_memory_of_a_session_is_of_its_end_user_unless_said_otherwise(alice: Caller) -> None:
    uid = alice.start_session(user_id="u1")["id"]
    assert alice.remember("Likes tea", session_id=uid)["user_id"] == "u1"
    assert alice.remember("Likes rain", session_id=uid, user_id=None)["user_id"] is None


def test_general_is_the_name_of_no_subject(alice: Caller) -> None:
    uid = alice.remember("The sky is blue", subject="general")["id"]
    assert alice.get(f"memories/{uid}").json()["subject"] is None
    alice.patch(f"memories/{uid}", {"subject": "sky"})
    assert alice.patch(f"memories/{uid}", {"subject": "general"}).json()["subject"] is None


JOSE, JOSE_APART = "Jos\u00e9", "Jose\u0301"


@pytest.mark.parametrize(("first", "then"), [(JOSE, JOSE_APART), (JOSE_APART, JOSE)])
def test_a_subject_is_one_however_its_accents_are_typed(alice: Caller, first: str, then: str) -> None:
    alice.remember("Is allergic to soy", subject=first)
    assert alice.remember("Is allergic to soy", subject=then)["outcome"] == "reinforced"
    (entity,) = alice.get("entities").json()["results"]
    assert entity["name"] == JOSE
    for name in (first, then):
        assert alice.get("memories", subject=name).json()["results"][0]["subject"] == JOSE
        result = alice.post("memories/search", {"query": "soy", "filters": {"subject": name}}).json()["results"]
        assert [hit["subject"] for hit in result] == [JOSE]


def test_content_stays_as_it_was_typed_and_names_the_same(alice: Caller) -> None:
    stored = alice.remember(f"We met {JOSE_APART} at Nestle\u0301")
    assert stored["content"] == f"We met {JOSE_APART} at Nestle\u0301"
    assert {entity["name"] for entity in alice.get("entities").json()["results"]} == {JOSE, "Nestl\u00e9"}


def test_a_marker_about_general_is_about_no_subject_too(alice: Caller) -> None:
    say(alice, alice.start_session(), "[MEMORY:timing:general] Backups run at night")
    assert contents(alice, subject="general") == ["Backups run at night"]


def test_content_is_trimmed_and_otherwise_untouched(alice: Caller) -> None:
    text = "<b>&amp;</b> ünïcode 🦊 'quotes' \"double\" -- $(rm) %s {0} \\n line\nbreak"
    assert alice.remember(f"  {text}\n")["content"] == text


def test_the_apps_own_limit_counts_characters_not_bytes(db: None) -> None:
    caller = make_caller(make_app("globex", max_characters=20), "gina")
    assert caller.post("memories", {"content": "🦊" * 20}).status_code == 201
    assert_problem(caller.post("memories", {"content": "x" * 21}), 400, "content")


def test_however_long_a_text_is_it_is_told_the_apps_own_limit(alice: Caller) -> None:
    uid = alice.remember("Whales sing")["id"]
    long, output = {"content": "x" * 150_000}, "This app's memories have at most 2,000 characters."
    for answer in (alice.post("memories", long), alice.patch(f"memories/{uid}", long)):
        assert assert_problem(answer, 400)["errors"] == [{"field": "content", "detail": output}]
    [item] = alice.post("memories/batch", {"memories": [long]}).json()["results"]
    assert item["error"]["errors"] == [{"field": "content", "detail": output}]


def test_times_are_utc_whatever_zone_they_came_in(alice: Caller) -> None:
    body = alice.remember("x", valid_from="2027-01-01T01:00:00+01:00", valid_until="2027-01-01T12:00:00")
    assert (body["valid_from"], body["valid_until"]) == ("2027-01-01T00:00:00Z", "2027-01-01T12:00:00Z")


def test_the_list_is_filtered_by_what_is_asked(alice: Caller) -> None:
    session = alice.start_session()["id"]
    alice.remember("in work", category="work", subject="deploys", user_id="u1", external_id="e1", tags=["a.b", "a"])
    alice.remember("a lesson", kind="lesson", pinned=True, tags=["A"])
    alice.remember("of a session", session_id=session)
    alice.remember("doubtful", confidence=0.1)
    assert contents(alice, category="work") == ["in work"]
    assert contents(alice, subject="deploys") == ["in work"]
    assert contents(alice, subject="general") == ["doubtful", "of a session", "a lesson"]
    assert contents(alice, user_id="u1") == ["in work"]
    assert contents(alice, external_id="e1") == ["in work"]
    assert contents(alice, tag="a") == contents(alice, tag="a.b", user_id="u1") == ["in work"]
    assert contents(alice, tag="b") == []
    assert contents(alice, kind="lesson") == contents(alice, pinned="true") == ["a lesson"]
    assert contents(alice, session_id=session) == ["of a session"]
    assert contents(alice, status="inactive") == ["doubtful"]
    assert contents(alice, category="work", pinned="true") == []
    assert len(contents(alice)) == 4


@each_row(
    "name, value",
    [
        ("status", "dead"),
        ("kind", "x"),
        ("pinned", "yes"),
        ("pinned", "1"),
        ("session_id", "x"),
        ("limit", "0"),
        ("limit", "-1"),
        ("limit", "201"),
        ("limit", "x"),
        ("limit", ""),
        ("limit", "1.5"),
        ("limit", "٣"),
        ("limit", "9" * 5000),
        ("order", "content"),
        ("app_id", "globex"),
        ("agent__app", "1"),
        ("content__contains", "x"),
    ],
)
def test_a_query_parameter_takes_only_what_it_says(alice: Caller, name: str, value: str) -> None:
    assert_problem(alice.get("memories", **{name: value}), 400, name)


def test_pages_hold_while_rows_come_in(alice: Caller) -> None:
    texts = [f"Fact number {number}" for number in range(7)]
    for text in texts:
        alice.remember(text, dedupe=False)
    seen, url = [], "/api/v1/memories?limit=3"
    while url:
        body = alice.client.get(url).json()
        seen += [memory["content"] for memory in body["results"]]
        alice.remember(f"Came in later {len(seen)}", dedupe=False)
        url = body["next"]
    assert seen == texts[::-1]


def test_a_page_has_fifty_rows_unless_asked_otherwise(alice: Caller) -> None:
    batch = [{"content": f"Fact number {number}"} for number in range(51)]
    alice.post("memories/batch", {"memories": batch})
    assert len(alice.get("memories").json()["results"]) == 50
    assert len(alice.get("memories", limit=1).json()["results"]) == 1


def test_a_confidence_has_four_digits_wherever_it_is_shown(alice: Caller) -> None:
    uid = alice.remember("The backup goes to Hetzner.")["id"]
    alice.patch(f"memories/{uid}", {"confidence": 0.499999966981})
    session = alice.start_session()
    displayed = [
        alice.get(f"memories/{uid}").json(),
        alice.get("memories").json()["results"][0],
        alice.post("memories/search", {"query": "backup"}).json()["results"][0],
        session["context"]["memories"][0],
        alice.get(f"memories/{uid}/history").json()["results"][-1]["after"],
    ]
    assert [item["confidence"] for item in displayed] == [0.5] * 5
    assert Memory.objects.get().confidence == pytest.approx(0.499999966981, abs=1e-12)


def test_a_patch_changes_what_it_names_and_nothing_else(alice: Caller) -> None:
    with travel(NOON, tick=False):
        before = alice.remember(**EVERYTHING)
    with travel(NOON + timedelta(days=1), tick=False):
        after = alice.patch(f"memories/{before['id']}", {"importance": 1}).json()
    changed = {name for name in MEMORY_FIELDS if before[name] != after[name]}
    assert changed == {"importance", "updated_at", "version"}
    assert after["updated_at"] == "2027-03-02T12:00:00Z"
    assert alice.get(f"memories/{before['id']}").json() == after


@each_row(
    "field, value",
    [
        ("content", "Deploys happen on Mondays"),
        ("confidence", 0.4),
        ("importance", 2),
        ("category", "health"),
        ("subject", None),
        ("tags", []),
        ("pinned", False),
        ("status", "archived"),
        ("user_id", None),
        ("visibility", "agent"),
        ("valid_from", None),
        ("valid_until", None),
        ("metadata", {}),
    ],
    rolled_back=True,
)
def test_every_field_of_the_small_print_can_be_changed(alice: Caller, field: str, value: Any) -> None:
    uid = alice.remember(**EVERYTHING)["id"]
    assert alice.patch(f"memories/{uid}", {field: value}).json()[field] == value
    assert alice.get(f"memories/{uid}").json()[field] == value


WRONG_CHANGES = [
    *WRONG,
    ("status", "superseded"),
    ("status", "dead"),
    ("status", None),
    ("kind", "lesson"),
    ("session_id", None),
    ("external_id", "x"),
    ("priority", 2),
    ("tier", 3),
    ("access_count", 9),
    ("strength", "explicit"),
    ("dedupe", True),
]


def test_a_wrong_change_is_refused_and_changes_nothing(alice: Caller) -> None:
    before = alice.remember("The sky is blue")
    path = f"memories/{before['id']}"
    assert (
        wrongly_taken(
            lambda wrong: alice.patch(path, {"importance": 5} | wrong),
            [row for row in WRONG_CHANGES if row[0] != "importance"],
        )
        == []
    )
    assert wrongly_taken(lambda wrong: alice.patch(path, wrong), WRONG_CHANGES) == []
    after = alice.get(path).json()
    assert after == {name: before[name] for name in after}
    assert Revision.objects.count() == 1


def test_a_change_must_leave_the_memory_valid_forwards(alice: Caller) -> None:
    uid = alice.remember(**EVERYTHING)["id"]
    assert_problem(alice.patch(f"memories/{uid}", {"valid_until": "2026-01-01T00:00:00Z"}), 400, "valid_until")
    assert_problem(alice.patch(f"memories/{uid}", {"valid_from": "2028-01-01T00:00:00Z"}), 400, "valid_until")


def test_a_change_of_nothing_leaves_no_trace(alice: Caller) -> None:
    uid = alice.remember("The sky is blue")["id"]
    first = alice.get(f"memories/{uid}")
    for body in ({}, {"content": "The sky is blue"}, {"importance": 3}):
        again = alice.patch(f"memories/{uid}", body)
        assert (again.json(), again["ETag"]) == (first.json(), first["ETag"])
    assert Revision.objects.count() == 1


def test_changed_content_is_found_by_its_new_words_and_no_more_by_the_old(alice: Caller) -> None:
    uid = alice.remember("Whales sing in the deep")["id"]
    alice.patch(f"memories/{uid}", {"content": "Trains run on schedule"})
    for mode in ("fulltext", "vector"):
        result = alice.post("memories/search", {"query": "trains schedule", "mode": mode}).json()["results"]
        assert [hit["id"] for hit in result] == [uid]
        assert alice.post("memories/search", {"query": "whales", "mode": mode}).json()["results"] == []


def test_changed_content_leaves_the_confidence_alone(alice: Caller) -> None:
    uid = alice.remember("Whales sing", confidence=0.55)["id"]
    assert alice.patch(f"memories/{uid}", {"content": "Whales hum"}).json()["confidence"] == 0.55


def test_an_inactive_memory_is_not_made_active_without_the_confidence_it_takes(alice: Caller) -> None:
    uid = alice.remember("Whales sing", confidence=0.1)["id"]
    assert_problem(alice.patch(f"memories/{uid}", {"status": "active"}), 400, "status")
    both = alice.patch(f"memories/{uid}", {"status": "active", "confidence": 0.3}).json()
    assert (both["status"], both["confidence"]) == ("active", 0.3)


def test_an_archived_memory_stays_for_audit_and_out_of_sight(alice: Caller) -> None:
    uid = alice.remember("Whales sing in the deep")["id"]
    alice.patch(f"memories/{uid}", {"status": "archived"})
    assert alice.get(f"memories/{uid}").json()["status"] == "archived"
    assert alice.post("memories/search", {"query": "whales"}).json()["results"] == []
    assert alice.post("context", {}).json()["text"] == ""
    assert alice.patch(f"memories/{uid}", {"status": "active"}).json()["status"] == "active"
    assert len(alice.post("memories/search", {"query": "whales"}).json()["results"]) == 1


def test_deleting_removes_the_memory_and_all_that_was_kept_of_it(alice: Caller) -> None:
    other = alice.remember("Bears sleep in winter")["id"]
    uid = alice.remember("Whales sing in the deep")["id"]
    alice.post(f"memories/{uid}/links", {"to": other})
    alice.start_session()
    assert alice.delete(f"memories/{uid}").json() == {"success": True, "deleted_count": 1}
    assert_problem(alice.get(f"memories/{uid}"), 404)
    assert_problem(alice.delete(f"memories/{uid}"), 404)
    assert contents(alice) == ["Bears sleep in winter"]
    assert (Vector.objects.count(), Link.objects.count(), Event.objects.count()) == (1, 0, 1)
    assert "Whales" not in str(list(Revision.objects.values_list("before", "after")))
    assert words_found("whales") == 0


def test_many_are_deleted_at_once_and_ids_of_nothing_are_passed_over(alice: Caller, charlie: Caller) -> None:
    ids = [alice.remember(f"Fact number {number}", dedupe=False)["id"] for number in range(3)]
    foreign = charlie.remember("Of globex")["id"]
    body = {"ids": [ids[0], ids[2], ids[0], str(uuid4()), foreign]}
    assert alice.post("memories/delete", body).json() == {"success": True, "deleted_count": 2}
    assert [memory["id"] for memory in all_memories(alice)] == [ids[1]]
    assert charlie.get(f"memories/{foreign}").status_code == 200


@each_row("ids", [None, [], "x", {}, 5, [5], [True], [None], ["x"], [[]], [NOBODY] * 501])
def test_ids_to_delete_are_a_list_of_ids(alice: Caller, ids: Any) -> None:
    assert_problem(alice.post("memories/delete", {"ids": ids}), 400)


@each_row("address", ["x", "123", "0", NOBODY[:-1], f"{NOBODY}x", "%00", "..%2f..", "ä"])
def test_what_is_no_id_is_no_address(alice: Caller, address: str) -> None:
    for method in (alice.client.get, alice.client.delete):
        assert_problem(method(f"/api/v1/memories/{address}"), 404)
