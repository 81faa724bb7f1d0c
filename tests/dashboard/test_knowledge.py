"""Knowledge: categories with their versions, the graph, lessons, the calendar of what is to come."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from memories.dashboard.calendar import days_of, in_words, read_month
from memories.dashboard.views.knowledge import FAR, NEAR, compare, graph_around
from memories.models import Entity, FutureTrigger, Memory, Summary, SummaryDue, TriggerStatus
from memories.services import MemoryAgent
from memsite.tenancy.models import AppPolicy
from tests.conftest import Caller
from tests.dashboard.pages import HTMX, elements, fragment, links, queries_of, text_of
from tests.tables import each_row
from tests.talking import at_time
from tests.upkeep import upkeep_summaries

PAGES = ("/knowledge", "/knowledge/entities", "/knowledge/lessons", "/knowledge/triggers")
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> & \"'"
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def stored(caller: Caller, content: str, **fields: Any) -> Memory:
    return Memory.objects.get(uid=caller.remember(content, dedupe=False, **fields)["id"])


def write_summaries() -> None:
    SummaryDue.objects.update(since=timezone.now() - timedelta(hours=1))
    upkeep_summaries()


# --- two versions side by side


def show(old: str, new: str) -> list[tuple[str, str]]:
    return [(line.what, "".join(statement for _, statement in line.parts)) for line in compare(old, new)]


def test_lines_that_came_and_went_are_told() -> None:
    assert show("a cat\nb dog", "b dog\nc cow") == [("gone", "a cat"), ("same", "b dog"), ("new", "c cow")]
    assert show("", "") == []
    assert show("same", "same") == [("same", "same")]


def test_of_a_line_that_was_reworded_the_words_are_marked() -> None:
    gone, new = compare("- Takes 60 seconds to start", "- Takes 90 seconds to start")
    assert [statement for what, statement in gone.parts if what == "gone"] == ["60"]
    assert [statement for what, statement in new.parts if what == "new"] == ["90"]
    assert "".join(statement for _, statement in new.parts) == "- Takes 90 seconds to start"


# --- categories


@pytest.fixture
def summaries(alice: Caller) -> None:
    AppPolicy.objects.update(capture_summaries=True)
    alice.app.policy.refresh_from_db()
    stored(alice, "Takes 60 seconds to start", category="timing", subject="jellyfin")
    write_summaries()


@pytest.mark.usefixtures("summaries")
def test_a_category_is_told_with_its_versions_and_what_changed(vera: Client, alice: Caller) -> None:
    assert "version 1" in text_of(vera.get("/knowledge"))
    item = text_of(vera.get("/knowledge/categories/timing"))
    assert "Takes 60 seconds to start" in item
    assert "one version so far" in item
    stored(alice, "Needs its cache emptied on Mondays", category="timing", subject="jellyfin")
    write_summaries()
    answer = vera.get("/knowledge/categories/timing")
    assert Summary.objects.count() == 2
    assert elements(answer, "ins")
    assert (answer.context["old"].version, answer.context["new"].version) == (1, 2)
    back = vera.get("/knowledge/categories/timing", {"from": 2, "to": 1})
    assert elements(back, "del")
    assert not elements(back, "ins")
    assert "Both say the same" in text_of(vera.get("/knowledge/categories/timing", {"from": 1, "to": 1}))
    odd = vera.get("/knowledge/categories/timing", {"from": "x", "to": "999"})
    assert odd.context["old"].version == 1


@pytest.mark.usefixtures("summaries")
def test_an_editor_has_a_summary_written_anew(ed: Client, vera: Client, alice: Caller) -> None:
    assert "Write anew" in text_of(ed.get("/knowledge/categories/timing"))
    assert "Write anew" not in text_of(vera.get("/knowledge/categories/timing"))
    url = "/knowledge/categories/timing/rewrite"
    assert vera.post(url).status_code == 403
    assert ed.get(url).status_code == 405
    answer = ed.post(url)
    assert (answer.status_code, answer["Location"]) == (303, "/knowledge/categories/timing")
    assert SummaryDue.objects.get().category == "timing"
    assert ed.post("/knowledge/categories/nothing/rewrite").status_code == 404


def test_an_app_without_summaries_says_so_and_tells_by_rule(vera: Client, alice: Caller) -> None:
    stored(alice, "Lunch is at noon", category="office")
    assert "keeps no written summaries" in text_of(vera.get("/knowledge"))
    text = text_of(vera.get("/knowledge/categories/office"))
    why = "No version is kept: the policy of this app has capture_summaries off."
    for part in ("Lunch is at noon", "Put together just now", why):
        assert part in text
    assert vera.get("/knowledge/categories/nowhere").status_code == 404


def test_a_text_of_many_facts_comes_after_its_page(ed: Client, alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.services.recall.AT_A_GLANCE", 1)
    AppPolicy.objects.update(capture_summaries=True)
    for text in ("Lunch is at noon", "The cellar is locked at night"):
        stored(alice, text, category="office")
    page = ed.get("/knowledge/categories/office")
    assert "Lunch is at noon" not in text_of(page)
    assert "Write anew" in text_of(page)
    (later,) = elements(page, "section", id="written")
    assert later["hx-trigger"] == "load"
    (without_scripts,) = [link for link in links(page) if "wait" in link]
    assert without_scripts == later["hx-get"]
    output = fragment(ed, f"/knowledge/categories/office{later['hx-get']}")
    assert "Lunch is at noon" in text_of(output)
    assert [*elements(output, "main"), *elements(output, "section", **{"hx-trigger": "load"})] == []
    assert "Lunch is at noon" in text_of(ed.get("/knowledge/categories/office?wait=yes"))


def test_from_a_category_one_comes_to_the_memories_of_its_end_user(vera: Client, alice: Caller) -> None:
    stored(alice, "Is vegan", category="health", user_id="nina")
    displayed = links(vera.get("/knowledge/categories/health?user=nina"))
    assert "/memories?category=health&user=nina" in displayed


def test_end_users_have_their_own(vera: Client, alice: Caller) -> None:
    stored(alice, "Is vegan", category="health", user_id="nina")
    assert "health" not in text_of(vera.get("/knowledge"))
    assert "What belongs to an end user is not counted here" in text_of(vera.get("/knowledge"))
    answer = vera.get("/knowledge", {"user": "nina"})
    assert "not counted here" not in text_of(answer)
    assert "/knowledge/categories/health?user=nina" in links(answer)
    assert "Is vegan" in text_of(vera.get("/knowledge/categories/health?user=nina"))
    assert vera.get("/knowledge/categories/health").status_code == 404
    assert "Nothing is known of them" in text_of(vera.get("/knowledge", {"user": "otto"}))


# --- entities and the graph


def named(caller: Caller, name: str) -> Entity:
    return Entity.objects.for_app(caller.app).get(name=name)


def test_entities_are_found_and_counted(vera: Client, alice: Caller) -> None:
    stored(alice, "Starts after WireGuard", subject="caddy")
    stored(alice, "Needs port 443", subject="caddy")
    answer = vera.get("/knowledge/entities")
    assert {item.name: number for item, number in answer.context["lines"]}["caddy"] == 2
    assert answer.context["most"][0][0].name == "caddy"
    assert [item.name for item, _ in vera.get("/knowledge/entities", {"q": "cad"}).context["lines"]] == ["caddy"]
    assert "No such entities" in text_of(vera.get("/knowledge/entities", {"q": "zzz"}))
    kind = named(alice, "caddy").kind
    assert "caddy" in text_of(vera.get("/knowledge/entities", {"kind": kind}))
    Memory.objects.update(status="archived")
    assert "No names yet" in text_of(vera.get("/knowledge/entities"))


def test_one_walks_from_entity_to_memory_to_entity(vera: Client, alice: Caller) -> None:
    first = stored(alice, "Must be started after WireGuard", subject="caddy")
    second = stored(alice, "Carries the traffic of the office", subject="WireGuard")
    caddy, wireguard = named(alice, "caddy"), named(alice, "WireGuard")
    answer = vera.get(f"/knowledge/entities/{caddy.uid}")
    assert "is mentioned in Must be started after WireGuard" in text_of(answer)
    assert {f"/knowledge/memories/{first.uid}", f"/knowledge/entities/{wireguard.uid}"} <= set(links(answer))
    answer = vera.get(f"/knowledge/memories/{first.uid}")
    assert "mentions caddy" in text_of(answer)
    assert f"/knowledge/memories/{second.uid}" in links(answer)


def test_links_are_told_from_either_end(vera: Client, alice: Caller) -> None:
    old, new = stored(alice, "Lunch is at noon"), stored(alice, "Supper is late")
    alice.post(f"memories/{new.uid}/links", {"to": str(old.uid), "kind": "elaborates"})
    assert "elaborates Lunch is at noon" in text_of(vera.get(f"/knowledge/memories/{new.uid}"))
    assert "is elaborated by Supper is late" in text_of(vera.get(f"/knowledge/memories/{old.uid}"))
    lonely = stored(alice, "whales sing")
    assert "Linked to nothing" in text_of(vera.get(f"/knowledge/memories/{lonely.uid}"))


def test_the_drawing_is_bounded_and_nothing_lies_on_anything(alice: Caller) -> None:
    for number in range(NEAR + 5):
        stored(alice, f"Works with Tool{number} and Part{number}", subject="hub")
    graph = graph_around(alice.app, named(alice, "hub"))
    assert (len(graph.near), graph.more) == (NEAR, 5)
    assert 0 < len(graph.far) <= FAR
    places = [(node.x, node.y) for node in graph.nodes]
    assert len(set(places)) == len(places)
    for node in graph.nodes:
        assert node.top >= 0
        assert node.top + 28 <= graph.height
        assert (node.text_x - node.x) * 2 + node.text_width == node.width
    assert len(graph.curves) >= NEAR


def test_the_graph_asks_as_much_however_much_there_is(vera: Client, alice: Caller) -> None:
    stored(alice, "Works with Tool0", subject="hub")
    url = f"/knowledge/entities/{named(alice, 'hub').uid}"
    few = queries_of(vera, url)
    for number in range(1, 5):
        stored(alice, f"Works with Tool{number}", subject="hub")
    assert queries_of(vera, url, is_warm=True) == few <= 13


def test_a_category_shows_what_was_said_and_no_escapes_of_it(vera: Client, alice: Caller) -> None:
    text = "Write <script> and snake_case, 100% *sure* [here]"
    stored(alice, text, category="style", subject="docs_site")
    answer = vera.get("/knowledge/categories/style")
    assert text in text_of(answer)
    assert "docs_site" in text_of(answer)
    assert "\\" not in text_of(answer)


# --- lessons


def test_lessons_are_added_and_retired(ed: Client, alice: Caller) -> None:
    stored(alice, "Whales sing")
    form = fragment(ed, "/memories/add?kind=lesson").context["form"]
    assert (form["kind"].value(), form["importance"].value()) == ("lesson", 4)
    data = {
        "content": "Never restart during a backup",
        "category": "behavior",
        "kind": "lesson",
        "importance": 4,
        "confidence": 0.9,
    }
    assert "Added" in ed.post("/memories/add", data, headers=HTMX)["HX-Trigger"]
    answer = ed.get("/knowledge/lessons")
    text = text_of(answer)
    assert "Never restart during a backup" in text
    assert "Whales sing" not in text
    assert "As agents read them" in text
    lesson = Memory.objects.get(kind="lesson")
    ed.post("/memories/bulk", {"action": "archive", "memory": lesson.uid}, headers=HTMX)
    assert "No lessons yet" in text_of(ed.get("/knowledge/lessons"))
    assert "Never restart" in text_of(ed.get("/knowledge/lessons", {"status": "archived"}))
    assert "No such memories" in text_of(ed.get("/knowledge/lessons", {"q": "zzz"}))


def test_lessons_of_any_status_are_listed(vera: Client, alice: Caller) -> None:
    stored(alice, "Stop it first", kind="lesson")
    away = stored(alice, "Start it last", kind="lesson")
    MemoryAgent(alice.app, None, "operator:x").archive_each([away.pk])
    for status, results in (("", ["Stop it first"]), ("any", ["Start it last", "Stop it first"])):
        rows = vera.get("/knowledge/lessons", {"status": status}).context["slice"].rows
        assert [row.content for row in rows] == results
    options = vera.get("/knowledge/lessons").context["filters"].fields["status"].choices
    assert [label for _, label in options][:: len(options) - 1] == ["active", "any"]


def test_lessons_are_found_by_their_words_and_their_service(vera: Client, alice: Caller) -> None:
    stored(alice, "Ask before you restart", kind="lesson", subject="caddy")
    stored(alice, "Look at the logs first", kind="lesson")
    for text, results in (("CADDY", "Ask before you restart"), ("Logs", "Look at the logs first")):
        rows = vera.get("/knowledge/lessons", {"q": text}).context["slice"].rows
        assert [row.content for row in rows] == [results]


def test_the_list_of_lessons_refreshes_itself(vera: Client, alice: Caller) -> None:
    seen = elements(vera.get("/knowledge/lessons"), "section", id="memory-list")[0]["hx-headers"].split('"')[3]
    assert fragment(vera, "/knowledge/lessons", **{"X-Seen": seen}).status_code == 204
    stored(alice, "Never restart during a backup", kind="lesson")
    assert "Never restart" in text_of(fragment(vera, "/knowledge/lessons", **{"X-Seen": seen}))


# --- what is to come


def trigger(caller: Caller, day: str, message: str = "The certificate runs out", **fields: Any) -> FutureTrigger:
    answer = caller.post("triggers", {"trigger_date": day, "message": message, **fields})
    assert answer.status_code == 201, answer.content
    return FutureTrigger.objects.get(uid=answer.json()["id"])


def due_on(client: Client, month: str) -> dict[int, list[str]]:
    answer = client.get("/knowledge/triggers", {"month": month}).context["month"]
    return {day.day.day: [item.message for item in day.triggers] for day in answer.busy}


def test_a_month_shows_what_is_due_on_its_days(vera: Client, alice: Caller) -> None:
    with at_time(NOON):
        trigger(alice, "2026-11-20")
        trigger(alice, "2026-11-29", "Inventory", until="2026-12-02")
        trigger(alice, "2026-11-19", "Bins", rule="FREQ=WEEKLY")
        assert due_on(vera, "2026-11") == {
            19: ["Bins"],
            20: ["The certificate runs out"],
            26: ["Bins"],
            29: ["Inventory"],
            30: ["Inventory"],
        }
        assert due_on(vera, "2026-12") == {
            1: ["Inventory"],
            2: ["Inventory"],
            3: ["Bins"],
            10: ["Bins"],
            17: ["Bins"],
            24: ["Bins"],
            31: ["Bins"],
        }
        text = text_of(vera.get("/knowledge/triggers"))
        for part in ("November 2026", "repeats", "Due in this month", "2 days of the month", "UTC"):
            assert part in text
        assert "/knowledge/triggers?month=2026-12" in links(vera.get("/knowledge/triggers"))
        assert "Nothing is due" in text_of(vera.get("/knowledge/triggers", {"month": "2026-01"}))


def test_today_is_where_the_app_lives(vera: Client, alice: Caller) -> None:
    AppPolicy.objects.update(time_zone="Pacific/Auckland")
    with at_time(datetime(2026, 11, 30, 20, tzinfo=UTC)):
        answer = vera.get("/knowledge/triggers")
        assert "December 2026" in text_of(answer)
        assert answer.context["today"] == date(2026, 12, 1)


@each_row("month", ["", "x", "2026-13", "9999-12", "0001-01", "\0"])
def test_a_month_that_is_none_is_this_one(month: str) -> None:
    assert read_month(month, date(2026, 11, 18)) == date(2026, 11, 1)


def test_a_stretch_that_comes_round_covers_all_its_days() -> None:
    future_trigger = FutureTrigger(
        trigger_date=date(2026, 11, 6), until=date(2026, 11, 8), rule="FREQ=WEEKLY;INTERVAL=2"
    )
    days = [day.day for day in days_of(future_trigger, date(2026, 11, 1), date(2026, 11, 30))]
    assert days == [6, 7, 8, 20, 21, 22]
    assert [day.day for day in days_of(future_trigger, date(2026, 11, 21), date(2026, 11, 30))] == [21, 22]


def test_an_editor_adds_calls_off_and_takes_up_again(ed: Client, vera: Client, alice: Caller) -> None:
    with at_time(NOON):
        data = {
            "message": "Rotate the keys",
            "trigger_date": "2026-11-23",
            "trigger_time": "09:30",
            "rule": "FREQ=MONTHLY",
        }
        assert "Noted" in ed.post("/knowledge/triggers/add", data, headers=HTMX)["HX-Trigger"]
        future_trigger = FutureTrigger.objects.get()
        assert (future_trigger.rule, str(future_trigger.trigger_time), future_trigger.agent) == (
            "FREQ=MONTHLY",
            "09:30:00",
            None,
        )
        url = f"/knowledge/triggers/{future_trigger.uid}"
        assert vera.post(f"{url}/cancel", headers=HTMX).status_code == 403
        assert "Called off" in ed.post(f"{url}/cancel", headers=HTMX)["HX-Trigger"]
        assert due_on(ed, "2026-11") == {}
        FutureTrigger.objects.update(reason="called off in session s1")
        assert "Called off (1)" in (displayed := text_of(ed.get("/knowledge/triggers")))
        assert "called off in session s1" in displayed
        assert "2026-11-23" in ed.post(f"{url}/wait", headers=HTMX)["HX-Trigger"]
        assert FutureTrigger.objects.get().status == TriggerStatus.WAITING
        assert ed.post(f"{url}/forget", headers=HTMX).status_code == 404
        for wrong in (
            {"trigger_date": "2026-11-01", "rule": ""},
            {"until": "2026-11-20"},
            {"until": "2026-11-20", "rule": ""},
            {"message": ""},
            {"rule": "x"},
        ):
            answer = ed.post("/knowledge/triggers/add", {**data, **wrong}, headers=HTMX)
            assert (answer.status_code, len(elements(answer, "ul"))) == (200, 1), wrong
            assert "trigger_date" not in text_of(answer)
    assert FutureTrigger.objects.count() == 1


def test_a_day_that_is_over_is_not_taken_up_again(ed: Client, alice: Caller) -> None:
    with at_time(NOON):
        item = trigger(alice, "2026-11-20")
        ed.post(f"/knowledge/triggers/{item.uid}/cancel", headers=HTMX)
    with at_time(NOON + timedelta(days=9)):
        answer = ed.post(f"/knowledge/triggers/{item.uid}/wait", headers=HTMX)["HX-Trigger"]
        assert "It cannot wait again: its last day is over." in answer
        item.refresh_from_db()
        assert item.status == TriggerStatus.CANCELLED


@each_row(
    "rule, text",
    [
        ("FREQ=DAILY", "every day"),
        ("FREQ=WEEKLY;BYDAY=TU", "every week on Tuesday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR", "every 2 weeks on Monday, Wednesday and Friday"),
        ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20270131", "every week on Monday until 2027-01-31"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
        ("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=4", "every year on 4 May"),
        ("FREQ=HOURLY", "FREQ=HOURLY"),
        ("FREQ=WEEKLY;BYDAY=XX", "FREQ=WEEKLY;BYDAY=XX"),
        ("FREQ=MONTHLY;BYDAY=9MO", "FREQ=MONTHLY;BYDAY=9MO"),
        ("nonsense", "nonsense"),
    ],
)
def test_how_often_something_comes_round_is_said_in_words(rule: str, text: str) -> None:
    assert in_words(rule) == text


# --- for all of them


def test_an_empty_app_says_what_comes_here(vera: Client) -> None:
    words = ("Nothing is known yet", "No names yet", "No lessons yet", "Nothing is due")
    for page, statement in zip(PAGES, words, strict=True):
        assert statement in text_of(vera.get(page)), page


def test_viewers_get_nothing_to_change_with(vera: Client, ed: Client, alice: Caller) -> None:
    with at_time(NOON):
        trigger(alice, "2026-11-20")
        for words, page in (("Call off", PAGES[3]), ("Add", PAGES[2]), ("Add", PAGES[3])):
            assert words in text_of(ed.get(page))
            assert words not in text_of(vera.get(page)).replace("You can add", "")
    assert vera.get("/knowledge/triggers/add").status_code == 403


@pytest.mark.usefixtures("noon")
def test_other_apps_are_not_there(otto: Client, alice: Caller) -> None:
    memory = stored(alice, "Must be started after WireGuard", subject="caddy", kind="lesson", category="secretive")
    item = trigger(alice, f"{timezone.now():%Y-%m-%d}")
    for page in PAGES:
        text = text_of(otto.get(page)).casefold()
        for word in ("wireguard", "caddy", "secretive", "certificate"):
            assert word not in text, page
    caddy = named(alice, "caddy")
    for url in ("categories/secretive", f"entities/{caddy.uid}", f"memories/{memory.uid}", f"entities/{uuid4()}"):
        assert otto.get(f"/knowledge/{url}").status_code == 404
    assert otto.post(f"/knowledge/triggers/{item.uid}/cancel", headers=HTMX).status_code == 404
    assert otto.post("/knowledge/categories/secretive/rewrite").status_code == 404
    item.refresh_from_db()
    assert item.status == TriggerStatus.WAITING


@pytest.mark.usefixtures("noon")
def test_hostile_texts_are_texts(ed: Client, alice: Caller) -> None:
    memory = stored(alice, HOSTILE, subject=HOSTILE, category="office", kind="lesson", user_id=HOSTILE)
    trigger(alice, f"{timezone.now():%Y-%m-%d}", HOSTILE, user_id=HOSTILE)
    Entity.objects.update(name=HOSTILE, kind=HOSTILE[:20])
    for page in (*PAGES[1:], f"/knowledge/memories/{memory.uid}", f"/knowledge/entities/{Entity.objects.all()[0].uid}"):
        answer = ed.get(page)
        assert "<script>alert" not in answer.content.decode(), page
        assert not elements(answer, "img", src="x")
        assert HOSTILE in text_of(answer), page
    answer = ed.get("/knowledge/categories/office", {"user": HOSTILE})
    assert HOSTILE in text_of(answer)
    assert "<script>alert" not in answer.content.decode()


@pytest.mark.usefixtures("noon")
def test_more_rows_ask_no_more_of_the_database(vera: Client, alice: Caller) -> None:
    def more(name: str) -> None:
        stored(alice, f"Works with {name}", subject=name, category=f"c-{name}", kind="lesson")
        trigger(alice, f"{timezone.now():%Y-%m-%d}", f"Look at {name}")

    more("one")
    few = {page: queries_of(vera, page) for page in PAGES}
    for number in range(4):
        more(f"svc{number}")
    assert {page: queries_of(vera, page, is_warm=True) for page in PAGES} == few
    assert [page for page, most in zip(PAGES, (7, 10, 8, 9), strict=True) if few[page] > most] == []
