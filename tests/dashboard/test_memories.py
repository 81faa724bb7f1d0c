"""The memories table: what it shows, finds, changes, and to whom."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from memories.dashboard.views import memories as bulk_page
from memories.models import Memory, Rejection, Revision, Status
from memories.services import MemoryAgent
from memsite.tenancy.models import AppPolicy
from tests.conftest import Caller
from tests.dashboard.pages import HTMX, elements, fragment, links, queries_of, read, text_of
from tests.tables import each_row
from tests.talking import hear

LIST = "/memories"
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}'


def stored(caller: Caller, content: str, **fields: Any) -> Memory:
    return Memory.objects.get(uid=caller.remember(content, dedupe=False, **fields)["id"])


def show(answer: Any) -> list[str]:
    """The texts of the rows, top to bottom."""
    assert answer.status_code == 200
    return [memory.content for memory in answer.context["slice"].rows]


def edit_url(memory: Memory) -> str:
    return f"/memories/{memory.uid}/edit"


def typed(memory: Memory, **changes: Any) -> dict[str, Any]:
    """What a browser sends for the edit form of this memory after `changes`."""
    fields = {
        "content": memory.content,
        "subject": memory.subject or "",
        "category": memory.category,
        "kind": memory.kind,
        "visibility": memory.visibility,
        "importance": memory.importance,
        "confidence": round(memory.confidence, 2),
        "version": memory.version,
    }
    return fields | changes


def last_change(memory: Memory) -> Revision:
    revision = Revision.objects.filter(memory=memory).order_by("-number").first()
    assert revision is not None
    return revision


def toasts(answer: Any) -> str:
    return str(answer.headers.get("HX-Trigger", ""))


# --- what is shown


def test_a_row_tells_all_of_a_memory(vera: Client, alice: Caller) -> None:
    session = alice.start_session(title="Night shift")
    stored(
        alice, "Backups run at night", category="timing", subject="postgres", confidence=0.9, session_id=session["id"]
    )
    stored(alice, "Coffee is out")
    text = text_of(vera.get(LIST))
    for part in ("postgres", "timing", "Backups run at night", "0.90", "active", "UTC", "Night shift", "general"):
        assert part in text


def test_the_latest_come_first_and_inactive_ones_are_greyed(vera: Client, alice: Caller) -> None:
    stored(alice, "Old")
    stored(alice, "Doubtful", confidence=0.1)
    answer = vera.get(LIST)
    assert show(answer) == ["Doubtful", "Old"]
    assert [row.get("class", "") for row in elements(answer, "tr") if row.get("id")] == ["away", ""]


def test_an_empty_app_says_what_to_do(vera: Client) -> None:
    assert "Nothing is known yet" in text_of(vera.get(LIST))
    assert "Nothing fits these filters" in text_of(vera.get(LIST, {"q": "x"}))


def test_viewers_get_nothing_to_change_with(vera: Client, ed: Client, alice: Caller) -> None:
    stored(alice, "Whales sing")
    for client, allowed in ((vera, False), (ed, True)):
        html = client.get(LIST).content.decode()
        assert ("/memories/bulk" in html) is ("data-pick" in html) is ("/edit" in html) is ("/memories/add" in html)
        assert ("/memories/bulk" in html) is allowed


@pytest.mark.usefixtures("short_pages")
def test_long_lists_are_turned_page_by_page(vera: Client, alice: Caller) -> None:
    for number in range(12):
        stored(alice, f"Fact {number}")
    first = vera.get(LIST)
    assert (len(show(first)), show(first)[0], first.context["slice"].newer) == (5, "Fact 11", None)
    second = vera.get(LIST, {"after": first.context["slice"].older})
    third = vera.get(LIST, {"after": second.context["slice"].older})
    assert (show(second)[0], show(third)[-1], third.context["slice"].older) == ("Fact 6", "Fact 0", None)
    back = vera.get(LIST, {"before": third.context["slice"].newer})
    assert show(back) == show(second)
    stored(alice, "Fact 12")
    assert show(vera.get(LIST, {"after": first.context["slice"].older})) == show(second), "new rows move nothing"


@pytest.mark.usefixtures("short_pages")
def test_a_page_whose_last_row_is_gone_leads_back(ed: Client, alice: Caller) -> None:
    oldest = stored(alice, "Oldest")
    for number in range(5):
        stored(alice, f"Fact {number}")
    last_page = f"{LIST}?category=general&after={ed.get(LIST).context['slice'].older}"
    assert show(ed.get(last_page)) == ["Oldest"]
    bulk(ed, "archive", oldest)
    answer = fragment(ed, last_page)
    assert "Nothing further here" in text_of(answer)
    assert len(show(ed.get(LIST + next(link for link in links(answer) if link.startswith("?"))))) == 5


@pytest.fixture
def whales(alice: Caller) -> Memory:
    return stored(alice, "Whales sing")


@pytest.mark.usefixtures("whales")
@each_row("cursor", ["x", "1", "\0", "' OR 1=1", "a" * 500])
def test_a_cursor_that_is_none_is_passed_over(vera: Client, cursor: str) -> None:
    assert show(vera.get(LIST, {"after": cursor, "before": cursor})) == ["Whales sing"]


# --- what is found


@pytest.fixture
def library(alice: Caller, bob: Caller) -> None:
    stored(alice, "Postgres needs VACUUM weekly", category="maintenance", subject="postgres")
    stored(alice, "Caddy starts after WireGuard", category="dependency", subject="caddy")
    stored(bob, "Lunch is at noon", category="office", subject="resolver")
    stored(alice, "Never sure", confidence=0.1, category="office")
    archived = stored(alice, "Long gone", category="office")
    MemoryAgent(alice.app, None, "operator:x").archive_each([archived.pk])


@pytest.mark.usefixtures("library")
@each_row(
    "filters, results",
    [
        ({"subject": "caddy"}, ["Caddy starts after WireGuard"]),
        ({"subject": "General"}, ["Never sure"]),
        ({"category": "maintenance"}, ["Postgres needs VACUUM weekly"]),
        ({"agent": "bob"}, ["Lunch is at noon"]),
        ({"status": "inactive"}, ["Never sure"]),
        ({"status": "archived"}, ["Long gone"]),
        ({"status": "any", "category": "office"}, ["Long gone", "Never sure", "Lunch is at noon"]),
        ({"source": "api", "agent": "bob"}, ["Lunch is at noon"]),
        ({"source": "marker"}, []),
        ({"q": "vacuum"}, ["Postgres needs VACUUM weekly"]),
        ({"q": "Resol"}, ["Lunch is at noon"]),
        ({"q": "100%_"}, []),
        ({"q": "noon", "status": "archived"}, []),
        ({"status": "nonsense", "q": "noon"}, ["Lunch is at noon"]),
        ({"agent": "nobody", "q": "noon"}, ["Lunch is at noon"]),
    ],
)
def test_filters_narrow_the_list_and_stay_in_the_form(
    vera: Client, filters: dict[str, str], results: list[str]
) -> None:
    answer = vera.get(LIST, filters)
    assert show(answer) == results
    for name, value in filters.items():
        if name in ("q", "subject", "category"):
            assert elements(answer, "input", name=name)[0]["value"] == value
    (clear,) = elements(answer, "a", **{"data-clears": ""})
    assert "hidden" not in clear


def test_without_a_filter_there_is_none_to_clear(vera: Client) -> None:
    (clear,) = elements(vera.get(LIST), "a", **{"data-clears": ""})
    assert "hidden" in clear


def test_what_is_known_of_an_end_user_is_found_by_them(vera: Client, alice: Caller) -> None:
    stored(alice, "Whales sing")
    nina = stored(alice, "Nina likes whales", user_id="nina+1@example.org")
    stored(alice, "Ninas likes whales", user_id="nina")
    for filters in ({}, {"q": "likes"}, {"q": "who likes whales?", "by": "meaning"}):
        answer = vera.get(LIST, {"user": "nina+1@example.org", **filters})
        assert show(answer) == ["Nina likes whales"]
        assert "of nina+1@example.org" in text_of(answer)
    assert show(vera.get(LIST, {"user": "nin"})) == []
    (there,) = [link for link in links(vera.get(f"{LIST}/{nina.uid}")) if "user=" in link]
    assert show(vera.get(there)) == ["Nina likes whales"]
    session = alice.start_session(user_id="nina+1@example.org")["id"]
    (there,) = [link for link in links(vera.get(f"/sessions/{session}")) if "user=" in link]
    assert show(vera.get(there)) == ["Nina likes whales"]


@pytest.mark.usefixtures("library")
def test_a_question_finds_by_meaning_and_counts_nothing(vera: Client) -> None:
    answer = vera.get(LIST, {"q": "when does postgres need VACUUM", "by": "meaning"})
    assert show(answer)[0] == "Postgres needs VACUUM weekly"
    assert show(vera.get(LIST, {"q": "Postgres VACUUM", "by": "meaning", "subject": "caddy"})) != show(answer)
    assert set(Memory.objects.values_list("access_count", flat=True)) == {0}


@pytest.mark.usefixtures("library")
@each_row("status", ["", "active", "any"])
def test_by_meaning_only_active_ones_are_found_and_the_list_says_so(vera: Client, status: str) -> None:
    answer = vera.get(LIST, {"q": "what is long gone from the office?", "by": "meaning", "status": status})
    assert show(answer)
    assert {memory.status for memory in answer.context["slice"].rows} == {"active"}
    assert "Only what is active and holds now is found by its meaning." in text_of(answer)


@pytest.mark.usefixtures("library")
@each_row("status", ["inactive", "archived", "cold", "withdrawn"])
def test_none_of_another_status_is_found_by_meaning(vera: Client, status: str) -> None:
    answer = vera.get(LIST, {"q": "postgres VACUUM", "by": "meaning", "status": status})
    assert show(answer) == []
    assert f"What is {status} is not found by its meaning. Look for its words." in text_of(answer)
    assert "Only what is active" not in text_of(vera.get(LIST, {"by": "meaning", "status": status})), "nothing is asked"


@pytest.mark.usefixtures("library")
def test_the_form_suggests_services_and_categories_that_there_are(vera: Client, otto: Client) -> None:
    suggested = {option["value"] for option in elements(vera.get(LIST), "option")}
    assert {"postgres", "caddy", "office", "maintenance", "bob"} <= suggested
    assert not {"postgres", "office", "bob"} & {option["value"] for option in elements(otto.get(LIST), "option")}


# --- staying up to date


def test_a_refresh_answers_with_the_list_alone_or_with_nothing_new(vera: Client, alice: Caller) -> None:
    stored(alice, "Whales sing")
    page = vera.get(f"{LIST}?category=general")
    [section] = elements(page, "section", id="memory-list")
    assert section["hx-get"] == f"{LIST}?category=general"
    seen = re.findall(r'"X-Seen": "(\w+)"', section["hx-headers"])[0]
    assert fragment(vera, LIST, **{"X-Seen": seen}).status_code == 204
    stored(alice, "Bears sleep")
    answer = fragment(vera, LIST, **{"X-Seen": seen})
    assert show(answer) == ["Bears sleep", "Whales sing"]
    assert not elements(answer, "main")
    assert "HX-Request" in answer["Vary"]


def test_going_back_in_the_browser_gives_the_whole_page(vera: Client) -> None:
    answer = fragment(vera, LIST, **{"HX-History-Restore-Request": "true"})
    assert elements(answer, "main")


# --- editing


def test_an_edit_is_a_revision_in_ones_name(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Backups run at night", category="timing", confidence=0.6)
    form = fragment(ed, edit_url(memory))
    assert elements(form, "tr", id=f"m-{memory.uid}")[0]["data-keep"] == ""
    answer = ed.post(edit_url(memory), typed(memory, content="Backups run at noon", reason="It moved"), headers=HTMX)
    assert answer.status_code == 200
    assert "Backups run at noon" in text_of(answer)
    assert "Saved." in toasts(answer)
    memory.refresh_from_db()
    change = last_change(memory)
    assert (memory.content, memory.confidence) == ("Backups run at noon", 0.6)
    assert (change.action, change.actor, change.reason) == ("edited", "operator:ed", "It moved")


def test_the_slider_sets_confidence_and_wakes_what_was_inactive(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Doubtful", confidence=0.1)
    ed.post(edit_url(memory), typed(memory, confidence="0.95"), headers=HTMX)
    memory.refresh_from_db()
    assert (memory.confidence, memory.status) == (0.95, Status.ACTIVE)


def test_what_the_slider_cannot_show_is_not_changed(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Measured", confidence=0.73333)
    answer = ed.post(edit_url(memory), typed(memory), headers=HTMX)
    assert "Nothing was changed" in toasts(answer)
    memory.refresh_from_db()
    assert (memory.confidence, memory.version) == (0.73333, 1)


@each_row(
    "changes, problem",
    [
        ({"content": ""}, "required"),
        ({"content": "x" * 2001}, "at most 2,000 characters"),
        ({"category": "Not A Category"}, "Lower-case"),
        ({"importance": 9}, "valid choice"),
        ({"confidence": "much"}, "number"),
        ({"subject": "x" * 201}, "200 characters"),
    ],
)
def test_what_cannot_be_is_said_beside_the_field(ed: Client, whales: Memory, changes: Any, problem: str) -> None:
    memory = whales
    answer = ed.post(edit_url(memory), typed(memory, **changes), headers=HTMX)
    assert problem in text_of(answer)
    field = next(iter(changes))
    wrong = [element for tag in ("input", "select", "textarea") for element in elements(answer, tag, name=field)]
    assert wrong[0]["aria-invalid"] == "true"
    assert f"edit-{memory.uid}-{field}" == wrong[0]["id"]
    memory.refresh_from_db()
    assert memory.version == 1


def test_who_comes_second_sees_both_and_decides(ed: Client, olga: Client, alice: Caller) -> None:
    memory = stored(alice, "Backups run at night", subject="postgres")
    olga.post(edit_url(memory), typed(memory, content="Backups run at dawn", reason="As seen"), headers=HTMX)
    answer = ed.post(edit_url(memory), typed(memory, content="Backups run at noon"), headers=HTMX)
    text = text_of(answer)
    for part in ("operator:olga", "As seen", "Backups run at dawn", "Backups run at noon", "Save mine over it"):
        assert part in text
    assert "postgres" not in read(answer).texts, "what is the same on both sides is not told"
    memory.refresh_from_db()
    assert memory.content == "Backups run at dawn", "nothing is lost"
    [version] = elements(answer, "input", name="version")
    again = typed(memory, content="Backups run at noon", version=version["value"])
    ed.post(edit_url(memory), again, headers=HTMX)
    memory.refresh_from_db()
    assert memory.content == "Backups run at noon"


def test_cancelling_shows_the_row_as_it_is(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    answer = fragment(ed, f"/memories/{memory.uid}/row")
    assert elements(answer, "tr", id=f"m-{memory.uid}")
    assert "data-keep" not in answer.content.decode()


def test_a_memory_forgotten_meanwhile_is_gone(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    MemoryAgent(alice.app, None, "operator:x").forget_each([memory.pk])
    for answer in (ed.post(edit_url(memory), typed(memory), headers=HTMX), fragment(ed, f"/memories/{memory.uid}")):
        assert answer.status_code == 404
        assert "Somebody has deleted it since" in answer.json()["detail"]
    page = ed.get(edit_url(memory), headers={"Accept": "text/html"})
    assert (page.status_code, len(elements(page, "h1"))) == (404, 1)


def test_pages_work_without_scripts(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    assert elements(ed.get(edit_url(memory)), "main")
    answer = ed.post(edit_url(memory), typed(memory, content="Whales hum"))
    assert (answer.status_code, answer["Location"]) == (303, f"/memories/{memory.uid}")
    assert "Saved." in text_of(ed.get(answer["Location"]))
    assert ed.post("/memories/bulk", {"action": "archive", "memory": memory.uid})["Location"] == "/memories"


def test_pages_that_stand_for_a_dialog_are_pages(ed: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    hear(alice, "I think Python is the best language ever.")
    refused = Rejection.objects.get()
    for page, back in (
        ("/memories/add", "/memories"),
        ("/knowledge/triggers/add", "/knowledge/triggers"),
        (edit_url(memory), f"/memories/{memory.uid}"),
        (f"/upkeep/review/{refused.uid}/edit", "/upkeep/review"),
    ):
        answer = ed.get(page)
        (form,) = elements(answer, "form", action=page)
        assert not [name for name in form if name.startswith("hx-")], page
        assert not elements(answer, "button", **{"data-closes": ""}), page
        (cancel,) = [link for link in elements(answer, "a", href=back) if link.get("class") == "button"]
        assert not [name for name in cancel if name.startswith(("hx-", "data-"))], page


def test_a_form_is_sent_once_at_a_time(ed: Client, alice: Caller) -> None:
    for page in ("/memories/add", "/knowledge/triggers/add", edit_url(stored(alice, "Whales sing"))):
        (form,) = elements(fragment(ed, page), "form", action=page)
        assert form["hx-sync"] == "this:drop", page


# --- adding


NEW = {
    "content": "Needs manual VACUUM FULL weekly",
    "subject": "postgres",
    "category": "maintenance",
    "kind": "fact",
    "importance": 3,
    "confidence": "0.9",
}


def test_what_an_operator_knows_is_added(ed: Client, alice: Caller) -> None:
    assert elements(fragment(ed, "/memories/add"), "form", id="add-memory-form")
    answer = ed.post("/memories/add", NEW, headers=HTMX)
    assert (answer.status_code, "Added." in toasts(answer), "saved" in toasts(answer)) == (204, True, True)
    memory = Memory.objects.get()
    assert (memory.content, memory.subject, memory.category, memory.confidence) == (
        NEW["content"],
        "postgres",
        "maintenance",
        0.9,
    )
    assert (memory.session, memory.status, memory.source) == (None, "active", "operator")
    assert last_change(memory).actor == "operator:ed"


def test_the_same_can_be_added_twice_by_hand(ed: Client) -> None:
    for _ in "12":
        ed.post("/memories/add", NEW, headers=HTMX)
    assert Memory.objects.count() == 2


def test_a_full_app_says_so(ed: Client, alice: Caller) -> None:
    stored(alice, "Pinned", pinned=True)
    AppPolicy.objects.update(memory_limit=1)
    answer = ed.post("/memories/add", NEW | {"pinned": "on"}, headers=HTMX)
    assert answer.status_code == 200
    assert "raise memory_limit" in text_of(answer)
    assert Memory.objects.count() == 1


# --- many at once


def bulk(client: Client, action: str, *memories: Memory) -> Any:
    data = {"action": action, "memory": [memory.uid for memory in memories]}
    return client.post("/memories/bulk", data, headers=HTMX)


def undo_in(answer: Any) -> Any:
    """What the toast offers to take back."""
    return json.loads(answer["HX-Trigger"])["toast"]["undo"]


def undo(client: Client, answer: Any) -> Any:
    offered = undo_in(answer)
    return client.post(offered["href"], {"changes": offered["changes"]}, headers=HTMX)


def test_a_full_app_takes_none_back_and_says_so_in_one_sentence(ed: Client, alice: Caller) -> None:
    stored(alice, "Pinned", pinned=True)
    memory = stored(alice, "Put away")
    bulk(ed, "archive", memory)
    AppPolicy.objects.update(memory_limit=1)
    memory.refresh_from_db()
    response = ed.post(f"/memories/{memory.uid}/change", {"action": "restore", "version": memory.version}, headers=HTMX)
    for answer in (bulk(ed, "restore", memory), response):
        assert "or raise memory_limit." in toasts(answer)
        assert ".." not in toasts(answer)


def test_what_is_ticked_is_archived_and_restored(ed: Client, alice: Caller) -> None:
    rows = [stored(alice, text) for text in ("Whales sing", "Bears sleep")]
    assert "2 memories archived." in toasts(bulk(ed, "archive", *rows))
    assert set(Memory.objects.values_list("status", flat=True)) == {"archived"}
    output = toasts(bulk(ed, "archive", *rows))
    assert "2 memories left as they are: archived already" in output
    assert "warning" in output
    assert "2 memories restored." in toasts(bulk(ed, "restore", *rows))
    assert {last_change(row).actor for row in rows} == {"operator:ed"}


def test_what_is_ticked_becomes_one(ed: Client, alice: Caller) -> None:
    rows = [stored(alice, text, confidence=sure) for text, sure in (("Whales sing", 0.5), ("Whales do sing", 0.8))]
    merged = bulk(ed, "merge", *rows)
    assert "2 memories merged into one." in toasts(merged)
    assert dict(Memory.objects.values_list("content", "status")) == {
        "Whales sing": "superseded",
        "Whales do sing": "active",
    }
    assert "already" in toasts(bulk(ed, "merge", *rows))
    refused = toasts(bulk(ed, "merge", rows[0]))
    assert "two or more" in refused
    assert '"saved"' not in refused, "it stays ticked"
    assert "The merge is undone: 2 memories stand for themselves again." in toasts(undo(ed, merged))
    assert set(Memory.objects.values_list("status", flat=True)) == {"active"}


@each_row(
    "action, field, values",
    [("archive", "status", {"archived", "active"}), ("pin", "pinned", {True, False})],
    rolled_back=True,
)
def test_what_was_done_to_many_is_taken_back_from_its_toast(
    ed: Client, alice: Caller, action: str, field: str, values: Any
) -> None:
    first, second, third = (stored(alice, text) for text in ("Whales sing", "Bears sleep", "Birds fly"))
    bulk(ed, action, third)
    done = bulk(ed, action, first, second, third)
    alice.patch(f"memories/{second.uid}", {"importance": 5})
    output = toasts(undo(ed, done))
    assert "1 memory set back as before." in output
    assert "1 memory left as it is: changed by somebody since." in output
    now = dict(Memory.objects.values_list("content", field))
    assert now["Bears sleep"] == now["Birds fly"] != now["Whales sing"]
    assert {now["Bears sleep"], now["Whales sing"]} == values


def test_deleting_and_what_is_too_much_for_a_header_are_not_offered_to_be_taken_back(
    ed: Client, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_page, "UNDONE_AT_MOST", 3)
    rows = [stored(alice, f"Fact {number}") for number in range(4)]
    assert undo_in(bulk(ed, "pin", *rows)) is None
    assert undo_in(bulk(ed, "unpin", *rows[1:])) is not None
    assert undo_in(bulk(ed, "delete", *rows)) is None


@each_row(
    "change",
    [
        "x",
        "x:1",
        "01890000-0000-7000-8000-000000000000",
        ":",
        "01890000-0000-7000-8000-000000000000:x",
        "01890000-0000-7000-8000-000000000000:-1",
        f"01890000-0000-7000-8000-000000000000:{'9' * 5_000}",
    ],
)
def test_nonsense_is_not_taken_back(ed: Client, alice: Caller, change: str) -> None:
    assert ed.post("/memories/undo", {"changes": [change]}, headers=HTMX).status_code == 400


def test_what_is_ticked_is_deleted_for_good(ed: Client, alice: Caller) -> None:
    rows = [stored(alice, f"Fact {number}") for number in range(6)]
    assert "5 memories deleted for good." in toasts(bulk(ed, "delete", *rows[:5]))
    assert list(Memory.objects.values_list("content", flat=True)) == ["Fact 5"]
    assert Revision.objects.count() == 1


@pytest.mark.usefixtures("whales")
@each_row("data", [{"action": "x"}, {}, {"action": "delete", "memory": ["x"]}])
def test_what_makes_no_sense_is_refused(ed: Client, data: Any) -> None:
    assert ed.post("/memories/bulk", data, headers=HTMX).status_code == 400
    assert Memory.objects.get().status == "active"


# --- who may, and where


def test_viewers_change_nothing(vera: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    assert vera.get(edit_url(memory)).status_code == 403
    assert vera.post(edit_url(memory), typed(memory, content="x")).status_code == 403
    assert vera.get("/memories/add").status_code == 403
    assert vera.post("/memories/add", NEW).status_code == 403
    for action in ("archive", "delete", "merge"):
        assert bulk(vera, action, memory).status_code == 403
    assert (Memory.objects.get().version, Memory.objects.count()) == (1, 1)


def test_memories_of_other_apps_do_not_exist(otto: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    assert "Whales" not in text_of(otto.get(LIST, {"q": "Whales", "status": "any"}))
    assert "Whales" not in text_of(otto.get(LIST, {"q": "Whales sing", "by": "meaning"}))
    absent = otto.get("/memories/01890000-0000-7000-8000-000000000000/edit", headers=HTMX)
    for answer in (
        otto.get(edit_url(memory), headers=HTMX),
        otto.post(edit_url(memory), typed(memory), headers=HTMX),
        otto.get(f"/memories/{memory.uid}/row", headers=HTMX),
    ):
        assert (answer.status_code, answer.json()["detail"]) == (404, absent.json()["detail"])
    for action in ("archive", "delete"):
        assert bulk(otto, action, memory).status_code == 204
    assert "two or more" in toasts(bulk(otto, "merge", memory))
    assert Memory.objects.get().version == 1
    assert otto.get(LIST, {"app": "acme"}).status_code == 404


def test_a_form_of_another_site_is_refused(alice: Caller, ed: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = ed.cookies
    memory = stored(alice, "Whales sing")
    assert bulk(strict, "delete", memory).status_code == 403
    assert Memory.objects.exists()


# --- hostile texts, and how much is asked


def test_hostile_texts_are_texts(ed: Client, alice: Caller) -> None:
    session = alice.start_session(title=HOSTILE, external_id=HOSTILE)
    memory = stored(alice, HOSTILE, subject=HOSTILE[:190], session_id=session["id"], tags=[HOSTILE])
    ed.post(edit_url(memory), typed(memory, reason=HOSTILE, content=HOSTILE + "!"), headers=HTMX)
    pages = [
        ed.get(LIST),
        ed.get(LIST, {"q": HOSTILE, "subject": HOSTILE, "agent": HOSTILE, "category": HOSTILE}),
        fragment(ed, edit_url(memory)),
        ed.post(edit_url(memory), typed(memory, content=HOSTILE), headers=HTMX),
        ed.get("/events", {"message": HOSTILE, "service": HOSTILE}),
        ed.get("/events"),
    ]
    for answer in pages:
        html = answer.content.decode()
        assert "<script>alert" not in html
        assert not elements(answer, "img", src="x")
    assert HOSTILE + "!" in text_of(pages[0])


def test_more_rows_ask_no_more_of_the_database(ed: Client, alice: Caller) -> None:
    stored(alice, "Whales sing", session_id=alice.start_session()["id"])
    few = queries_of(ed, LIST)
    for number in range(5):
        stored(alice, f"Fact {number}", session_id=alice.start_session()["id"])
    assert queries_of(ed, LIST, is_warm=True) == few <= 10


@each_row("by", ["text", "meaning"])
def test_what_held_at_a_time_can_be_listed(vera: Client, alice: Caller, by: str) -> None:
    if not Memory.objects.exists():
        stored(alice, "Whales sing", valid_from="2025-05-01", valid_until="2025-06-01")
        stored(alice, "Whales hum", valid_from="2025-06-01")
    assert show(vera.get(LIST, {"q": "whales", "by": by, "valid_at": "2025-05-09T00:00"})) == ["Whales sing"]
