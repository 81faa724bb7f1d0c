"""The page of one memory: why it is believed, what became of it, and putting it right."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memories.dashboard.memory_history import changes_of
from memories.models import Injection, Link, Memory, Revision, Status
from memories.services import MemoryAgent
from memsite.tenancy.models import AppPolicy, AuditEntry
from tests.conftest import Caller
from tests.dashboard.pages import HTMX, elements, fragment, links, queries_of, text_of
from tests.dashboard.test_memories import last_change, stored, toasts, typed
from tests.tables import each_row
from tests.talking import after, hear, turn

ON_PAGE = {**HTMX, "HX-Target": "one-memory"}


def page_of(memory: Memory) -> str:
    return f"/memories/{memory.uid}"


def do(client: Client, memory: Memory, action: str, version: int | None = None, **more: Any) -> Any:
    body = {"action": action, "version": version or memory.version, **more}
    return client.post(f"{page_of(memory)}/change", body, headers=ON_PAGE)


def marks(answer: Any) -> list[str]:
    """What is marked in the texts of the page."""
    return [piece.text for statement in answer.context["said"] for piece in statement.pieces if piece.memory]


def back_again(client: Client) -> None:
    """After so long one has to sign in anew."""
    client.force_login(User.objects.get(username="vera"))


# --- why it is believed


def test_the_turn_is_shown_and_what_was_said_is_marked(vera: Client, alice: Caller) -> None:
    session = alice.start_session(title="Night shift")
    message = "All is up.\n[MEMORY:timing:jellyfin] Takes 60s to start\nGood night."
    turn(alice, session, 3, "How is it going?", message)
    answer = vera.get(page_of(Memory.objects.get()))
    text = text_of(answer)
    assert marks(answer) == ["Takes 60s to start"]
    for part in (
        "noted it itself with a marker, in the session Night shift , turn 3, of the agent alice",
        "These are the words of the agent itself",
        "How is it going?",
    ):
        assert part in text
    assert "Nobody has said it again or denied it" in text
    assert [link for link in links(answer) if link.endswith(f"/sessions/{session['id']}?turn=3#turn-3")]


def test_what_is_hidden_in_a_memory_is_seen(ed: Client, alice: Caller, admin_client: Client) -> None:
    memory = stored(alice, "Safe now", subject="x")
    Memory.objects.filter(pk=memory.pk).update(content="Safe\u202e now", subject="x\u200by")
    memory.refresh_from_db()
    for page in ("/memories", page_of(memory), f"{page_of(memory)}/edit"):
        text = text_of(ed.get(page))
        assert "Safe⟨U+202E⟩ now" in text, page
        assert "x⟨U+200B⟩y" in text, page
    MemoryAgent(alice.app, None, "operator:x").edit(memory, {"content": "Safe"})
    assert "Safe⟨U+202E⟩ now → Safe" in text_of(ed.get(page_of(memory)))
    assert "Safe⟨U+202E⟩ now" in text_of(admin_client.get(f"/admin/memories/memory/{memory.pk}/change/"))


def test_a_fact_in_other_words_marks_the_sentence_it_is_from(vera: Client, alice: Caller) -> None:
    hear(alice, "Thanks a lot. By the way, I am vegan. Now to something else.", title="Lunch")
    answer = vera.get(page_of(Memory.objects.get(content__icontains="vegan")))
    assert marks(answer) == ["By the way, I am vegan."]
    assert "worded by rules" in text_of(answer)
    assert "Lunch" in text_of(answer), "the change links to the session it was learnt in"


def test_what_an_operator_added_says_so(ed: Client, alice: Caller) -> None:
    ed.post("/memories/add", typed(Memory(content="Whales sing", category="sea", kind="fact", confidence=0.9)))
    assert "An operator wrote it (operator:ed)" in text_of(ed.get(page_of(Memory.objects.get())))


def test_what_another_has_taken_the_place_of_says_so(ed: Client, alice: Caller) -> None:
    old, new = (alice.remember(f"The office is in {place}") for place in ("Graz", "Leoben"))
    text = "Another memory has taken its place: see its links."
    older = Memory.objects.get(uid=old["id"])
    assert text not in text_of(ed.get(page_of(older)))
    alice.post(f"memories/{new['id']}/links", {"to": old["id"], "kind": "supersedes"})
    older.refresh_from_db()
    assert older.is_superseded
    assert text in text_of(ed.get(page_of(older)))


def test_what_is_at_odds_with_something_believed_says_so_while_both_are_active_and_hold(
    ed: Client, alice: Caller
) -> None:
    for text in ("Must be started after WireGuard", "Can be started independently of WireGuard"):
        alice.post("memories", {"content": text, "category": "dependency", "subject": "caddy"})
    older, newer = Memory.objects.order_by("pk")
    for memory in (older, newer):
        answer = ed.get(page_of(memory))
        assert "conflicting" in answer.context["trust"]
        assert "It is at odds with what else is believed: see its links." in text_of(answer)
    assert "Nobody has said it again. It is at odds" in text_of(ed.get(page_of(newer)))
    Memory.objects.filter(pk=older.pk).update(valid_until=timezone.now() + timedelta(days=1))
    assert "conflicting" in ed.get(page_of(newer)).context["trust"]
    with after(days=2):
        assert "conflicting" not in ed.get(page_of(newer)).context["trust"]
    do(ed, older, "archive")
    answer = ed.get(page_of(newer))
    assert "conflicting" not in answer.context["trust"]
    assert "Nobody has said it again or denied it." in text_of(answer)


def test_what_agents_were_told_is_shown_with_the_verdict(vera: Client, alice: Caller) -> None:
    memory = stored(alice, "Postgres needs VACUUM weekly", subject="postgres")
    session = alice.start_session(title="Maintenance")
    turn(alice, session, 1, "What does postgres need?", "Postgres needs its weekly VACUUM.")
    row = Injection.objects.get(used=True)
    answer = vera.get(page_of(memory))
    assert "used 1 of the last 1 time that was judged" in text_of(answer)
    assert str(row.evidence) in text_of(answer)
    assert "Maintenance" in text_of(answer)
    # No number that counts those of other apps.
    assert f'<tr id="t-{row.session.uid}-{row.block}-' in answer.content.decode()
    Injection.objects.update(used=None)
    assert "of the last" not in text_of(vera.get(page_of(memory)))


# --- what became of it


def test_changes_say_what_was_before_and_what_is_after(vera: Client, alice: Caller) -> None:
    memory = stored(alice, "Takes 60s to start", subject="jellyfin", category="timing")
    agent = MemoryAgent(alice.app, None, "operator:olga")
    agent.edit(memory, {"content": "Takes 90s to start", "confidence": 0.9}, reason="measured")
    memory.refresh_from_db()
    answer = vera.get(page_of(memory))
    change, first = answer.context["changes"]
    assert set(change.fields) == {
        ("content", "Takes 60s to start", "Takes 90s to start"),
        ("confidence", "0.70", "0.90"),
        ("origin", "assistant", "operator"),
    }
    assert (change.actor, change.revision.reason, first.fields) == ("operator:olga", "measured", [])
    assert "Set back" not in text_of(answer), "viewers change nothing"


def test_what_time_and_use_did_is_folded_away(vera: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    with after(days=60):
        back_again(vera)
        alice.start_session()
        answer = vera.get(page_of(memory))
        assert [change.revision.action for change in answer.context["changes"]] == ["created"]
        assert "Show what time and use did, too" in text_of(answer)
        actions = [change.revision.action for change in vera.get(page_of(memory), {"all": 1}).context["changes"]]
    assert actions == ["decayed", "created"]


def test_the_timeline_falls_with_the_weeks_and_ends_now(vera: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing", confidence=0.8)
    with after(days=30 + 15):
        back_again(vera)
        plot = vera.get(page_of(memory)).context["timeline"]
        assert timedelta() <= timezone.now() - plot.along[-1] < timedelta(minutes=1)
    assert [round(value, 2) for value in plot.series[0].values] == [0.8, 0.7, 0.6, 0.59]
    assert list(plot.along) == sorted(plot.along)


def test_the_last_change_is_taken_back(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing", importance=2)
    alice.patch(f"memories/{memory.uid}", {"importance": 5})
    memory.refresh_from_db()
    assert "Undo the last change" in text_of(ed.get(page_of(memory)))
    assert "Taken back." in toasts(do(ed, memory, "undo"))
    memory.refresh_from_db()
    assert (memory.importance, last_change(memory).actor) == (2, "operator:ed")
    assert "undone : revision 2 (edited) taken back" in text_of(ed.get(page_of(memory)))


def test_what_was_never_found_was_not_found_last(vera: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    Memory.objects.filter(pk=memory.pk).update(accessed_at=timezone.now())
    assert "found 0 times priority" in text_of(vera.get(page_of(memory)))


def test_it_is_set_back_to_any_revision_and_found_by_its_old_words(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing", tags=["sea"])
    for change in ({"content": "Whales hum"}, {"content": "Whales moan", "tags": []}, {"confidence": 0.9}):
        alice.patch(f"memories/{memory.uid}", change)
    memory.refresh_from_db()
    answer = do(ed, memory, "back", revision=1)
    assert "As it was after revision 1." in toasts(answer)
    memory.refresh_from_db()
    assert (memory.content, memory.tags, memory.confidence, memory.version) == ("Whales sing", ["sea"], 0.7, 5)
    assert last_change(memory).reason == "set back to revision 1"
    assert alice.post("memories/search", {"query": "sing"}).json()["results"][0]["content"] == "Whales sing"
    assert do(ed, memory, "back", revision=99).status_code == 404


# --- changes, and somebody who was faster


@each_row(
    "action, state",
    [("pin", {"pinned": True}), ("archive", {"status": Status.ARCHIVED}), ("restore", {"status": Status.ACTIVE})],
    rolled_back=True,
)
def test_actions_are_revisions_in_ones_name(ed: Client, alice: Caller, action: str, state: dict[str, Any]) -> None:
    memory = stored(alice, "Whales sing", confidence=0.1 if action == "restore" else 0.7)
    answer = do(ed, memory, action)
    assert "success" in toasts(answer)
    memory.refresh_from_db()
    assert {name: getattr(memory, name) for name in state} == state
    assert last_change(memory).actor == "operator:ed"
    assert "warning" in toasts(do(ed, memory, action)), "a second time there is nothing to do"


def test_what_is_yes_or_no_is_told_in_words(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    do(ed, memory, "pin")
    (change,) = [item for item in changes_of(memory.app, memory) if item.fields]
    assert ("pinned", "no", "yes") in change.fields


@each_row("action", ["pin", "archive", "undo", "delete", "back"], rolled_back=True)
def test_who_is_second_sees_both_and_nothing_is_done(ed: Client, alice: Caller, action: str) -> None:
    memory = stored(alice, "Whales sing")
    alice.patch(f"memories/{memory.uid}", {"content": "Whales hum"})
    answer = do(ed, memory, action, version=1, revision=1)
    text = text_of(answer)
    for part in ("Somebody changed it first", "agent:alice", "Whales sing", "Whales hum", "all the same"):
        assert part in text, part
    assert Revision.objects.count() == 2
    again = elements(answer, "input", name="version")[0]["value"]
    assert do(ed, memory, action, version=int(again), revision=1).status_code in (200, 204)
    assert Revision.objects.count() != 2


def test_deleting_leads_back_to_the_list(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    answer = do(ed, memory, "delete")
    assert (answer.status_code, answer["HX-Redirect"]) == (204, "/memories")
    assert not Memory.objects.exists()
    assert do(ed, memory, "delete").status_code == 404


@each_row(
    "body", [{}, {"action": "x", "version": 1}, {"action": "pin"}, {"action": "pin", "version": "x"}], rolled_back=True
)
def test_what_makes_no_sense_is_refused(ed: Client, alice: Caller, body: dict[str, Any]) -> None:
    memory = stored(alice, "Whales sing")
    assert ed.post(f"{page_of(memory)}/change", body).status_code == 400


def test_it_is_edited_on_its_page(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    form = fragment(ed, f"{page_of(memory)}/edit", **{"HX-Target": "statement"})
    assert elements(form, "section", id="statement")[0]["data-keep"] == ""
    wrong = ed.post(f"{page_of(memory)}/edit", typed(memory, category=""), headers=ON_PAGE)
    assert (wrong["HX-Retarget"], wrong["HX-Reswap"]) == ("#statement", "outerHTML")
    done = ed.post(f"{page_of(memory)}/edit", typed(memory, content="Whales hum"), headers=ON_PAGE)
    assert elements(done, "div", id="one-memory")
    assert "Whales hum" in text_of(done)
    late = ed.post(f"{page_of(memory)}/edit", typed(memory, content="Whales moan"), headers=ON_PAGE)
    assert "Save mine over it" in text_of(late)
    assert late["HX-Retarget"] == "#statement"


def test_after_a_change_the_page_refreshes_itself_and_not_the_change(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    for answer in (
        do(ed, memory, "pin"),
        ed.post(f"{page_of(memory)}/edit", typed(memory, version=2, content="Whales hum"), headers=ON_PAGE),
        ed.get(page_of(memory)),
    ):
        assert elements(answer, "div", id="one-memory")[0]["hx-get"] == page_of(memory)


# --- links


def test_links_are_found_made_and_taken_away(ed: Client, alice: Caller) -> None:
    memory, other = stored(alice, "Caddy starts after WireGuard"), stored(alice, "WireGuard needs a resolver")
    results = ed.get(page_of(memory), {"find": "WireGuard"})
    assert [row.content for row in results.context["found"]] == [other.content]
    answer = ed.post(f"{page_of(memory)}/link", {"to": other.uid, "kind": "elaborates"}, headers=ON_PAGE)
    assert "saved" in toasts(answer)
    assert f"elaborates {other.content}" in text_of(ed.get(page_of(memory)))
    assert f"is elaborated by {memory.content}" in text_of(ed.get(page_of(other)))
    assert ed.get(page_of(memory), {"find": "WireGuard"}).context["found"] == []
    (link,) = Link.objects.all()
    answer = ed.post(f"{page_of(other)}/unlink", {"link": link.uid}, headers=ON_PAGE)
    assert "It has no links" in text_of(answer)
    assert list(AuditEntry.objects.order_by("pk").values_list("actor", "action")) == [
        ("operator:ed", "memories linked"),
        ("operator:ed", "memories unlinked"),
    ]


def test_what_the_server_knows_to_be_superseded_is_not_unlinked(ed: Client, alice: Caller) -> None:
    memory, other = stored(alice, "Takes 60s"), stored(alice, "Takes 90s")
    ed.post(f"{page_of(other)}/link", {"to": memory.uid, "kind": "supersedes"})
    (link,) = Link.objects.all()
    assert ed.post(f"{page_of(memory)}/unlink", {"link": link.uid}).status_code == 404
    memory.refresh_from_db()
    assert memory.status == Status.SUPERSEDED


@each_row("body", [{"to": "x"}, {}, {"to": "self"}, {"to": "other", "kind": "derived"}], rolled_back=True)
def test_links_that_cannot_be_are_refused(ed: Client, alice: Caller, body: dict[str, str]) -> None:
    memory, other = stored(alice, "One"), stored(alice, "Two")
    known = {"self": str(memory.uid), "other": str(other.uid)}
    answer = ed.post(f"{page_of(memory)}/link", {**body, "to": known.get(body.get("to", ""), body.get("to", ""))})
    assert answer.status_code == 400
    assert not Link.objects.exists()


# --- to whom


def test_viewers_look_and_change_nothing(vera: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    answer = vera.get(page_of(memory))
    assert not {"Edit", "Archive", "Pin", "Delete", "Link"} & set(text_of(answer).split())
    assert do(vera, memory, "pin").status_code == 403
    for endpoint in ("link", "unlink"):
        assert vera.post(f"{page_of(memory)}/{endpoint}", {}).status_code == 403


def test_memories_of_others_do_not_exist(otto: Client, ed: Client, alice: Caller, charlie: Caller) -> None:
    memory, foreign = stored(alice, "Ours"), stored(charlie, "Theirs")
    for url in (page_of(memory), f"/memories/{uuid4()}"):
        assert otto.get(url).status_code == 404
    for endpoint in ("change", "link", "unlink"):
        assert otto.post(f"{page_of(memory)}/{endpoint}", {"action": "pin", "version": 1}).status_code == 404
    assert ed.post(f"{page_of(memory)}/link", {"to": foreign.uid}).status_code == 404


@each_row(
    "zone, moment",
    product(["Europe/Berlin", "America/Los_Angeles"], ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]),
    rolled_back=True,
)
def test_times_at_the_ends_of_the_calendar_are_shown(vera: Client, alice: Caller, zone: str, moment: str) -> None:
    AppPolicy.objects.filter(app=alice.app).update(time_zone=zone)
    session = alice.start_session()["id"]
    statement = {"role": "user", "content": "We have a new cat", "at": moment}
    alice.post(f"sessions/{session}/messages", {"messages": [statement]})
    assert moment[3:10] in text_of(vera.get(f"/sessions/{session}"))
    for name in ("valid_from", "valid_until"):
        memory = alice.post("memories", {"content": f"Whales sing {name}", name: moment}).json()
        assert moment[3:10] in text_of(vera.get(f"/memories/{memory['id']}"))


@each_row("name, message", [("valid_from", "from"), ("valid_until", "until")], rolled_back=True)
def test_what_is_valid_from_or_until_a_day_says_so(vera: Client, alice: Caller, name: str, message: str) -> None:
    memory = alice.post("memories", {"content": "The fair is in town", name: "2027-01-01T00:00:00Z"}).json()
    text = text_of(vera.get(f"/memories/{memory['id']}"))
    assert f"valid {message} 2027-01-01 00:00" in text


def test_a_refresh_says_whether_there_is_news(vera: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    seen = vera.get(page_of(memory)).context["seen"]
    assert fragment(vera, page_of(memory), **{"X-Seen": seen}).status_code == 204
    alice.patch(f"memories/{memory.uid}", {"importance": 5})
    assert fragment(vera, page_of(memory), **{"X-Seen": seen}).status_code == 200


def test_a_long_story_asks_no_more_of_the_database(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    few = queries_of(ed, page_of(memory))
    for number in range(5):
        other = stored(alice, f"Fact {number}")
        alice.post(f"memories/{memory.uid}/links", {"to": str(other.uid)})
        alice.patch(f"memories/{memory.uid}", {"importance": 1 + number % 5})
        alice.start_session()
    assert queries_of(ed, page_of(memory), is_warm=True) <= few + 1 <= 17
