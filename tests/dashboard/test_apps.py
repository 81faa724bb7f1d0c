"""All apps of somebody at once: what waits where, one review queue, one policy for several; and whose apps they are."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memories.models import Decision, Memory, Rejection
from memsite.tenancy.models import App, AppPolicy, AppStatus, AuditEntry, Membership
from tests.busy_app import busy
from tests.conftest import Caller, make_app, make_caller
from tests.dashboard.pages import HTMX, elements, fragment, links, queries_of, text_of
from tests.tables import each_row

SWITCHER = {"HX-Target": "switch-list"}


def join(name: str, app: App, role: str) -> None:
    Membership.objects.create(app=app, user=User.objects.get(username=name), role=role)


def refuse(app: App, content: str, **fields: Any) -> Rejection:
    given = {"kind": "fact", "category": "work", "reason": "chatter", "candidate": {"content": content}, **fields}
    return Rejection.objects.create(app=app, content=content, **given)


def named(*rows: Rejection) -> list[str]:
    return [f"{row.app.app_id}/{row.uid}" for row in rows]


def decisions() -> list[str]:
    return list(Rejection.objects.order_by("content").values_list("decision", flat=True))


# --- the first page


def test_who_sees_several_apps_begins_with_all_of_them(sue: Client, alice: Caller, charlie: Caller) -> None:
    assert sue.get("/")["Location"] == "/apps"
    assert "/apps" in links(sue.get("/events?app=acme")), "and every page of one leads back"


def test_who_sees_one_app_begins_with_it(vera: Client, charlie: Caller) -> None:
    assert vera.get("/").status_code == 200
    assert "/apps" not in links(vera.get("/"))


@each_row("role, pages", [
    ("viewer", ["/apps"]), ("editor", ["/apps", "/apps/review"]), ("owner", ["/apps", "/apps/review", "/apps/policy"]),
], rolled_back=True)  # fmt: skip
def test_the_menu_has_what_one_may_see_of_all_apps(vera: Client, charlie: Caller, role: str, pages: list[str]) -> None:
    join("vera", charlie.app, role)
    every = {"/apps", "/apps/review", "/apps/policy"}
    assert every & set(links(vera.get("/apps"))) == set(pages)
    for page in every:
        assert (vera.get(page).status_code == 200) is (page in pages), page


@pytest.mark.usefixtures("noon")
def test_what_needs_somebody_stands_first_and_each_figure_leads_to_its_page(
    sue: Client, alice: Caller, charlie: Caller
) -> None:
    refuse(alice.app, "It may rain")
    busy(charlie)
    answer = sue.get("/apps")
    assert [row.app.app_id for row, _ in answer.context["rows"]] == ["globex", "acme"]
    text = text_of(answer)
    for figure in ("2 apps. 1 needs somebody", "1 failed text", "1 model left alone", "1 overdue job", "2 failed jobs",
                   "3 to review, 1 to decide", "1 of 100,000", "50% used", "$0.75", "just now"):  # fmt: skip
        assert figure in text, figure
    assert {
        "/?app=globex", "/upkeep/texts?app=globex&status=dead", "/cooldowns?app=globex", "/upkeep?app=globex",
        "/upkeep?app=globex&status=dead", "/upkeep/review?app=globex", "/sessions?app=globex", "/memories?app=globex",
        "/costs?app=globex",
    } <= set(links(answer))  # fmt: skip
    assert "1 to review" in text, "what is no more than refused makes no app first"


def test_apps_of_others_are_not_told_of(olga: Client, alice: Caller, charlie: Caller) -> None:
    join("olga", make_app("initech"), "viewer")
    busy(charlie)
    for answer in (olga.get("/apps"), olga.get("/apps?q=globe"), fragment(olga, "/apps?to=/events", **SWITCHER)):
        assert "globex" not in answer.content.decode().casefold()
    assert {"/?app=acme", "/?app=initech"} <= set(links(olga.get("/apps")))
    assert olga.get("/apps?app=globex").status_code == 404


def test_an_app_that_is_purged_tells_nothing_and_one_that_is_uninstalled_stands_last(
    sue: Client, alice: Caller, charlie: Caller
) -> None:
    busy(alice)
    App.objects.filter(app_id="acme").update(status=AppStatus.UNINSTALLED)
    assert [row.app.app_id for row, _ in sue.get("/apps").context["rows"]] == ["globex", "acme"]
    App.objects.filter(app_id="acme").update(status=AppStatus.PURGING)
    (row,) = (row for row, _ in sue.get("/apps").context["rows"] if row.app.app_id == "acme")
    assert (row.waiting, row.injections, row.last_session_at) == (0, 0, None)


@pytest.mark.usefixtures("noon")
@each_row("page", ["/apps", "/apps/review", "/apps/policy"], rolled_back=True)
def test_five_apps_ask_the_database_no_more_than_two(sue: Client, alice: Caller, charlie: Caller, page: str) -> None:
    for caller in (alice, charlie):
        refuse(caller.app, "It may rain")
    AppPolicy.objects.filter(app=charlie.app).update(time_zone="Pacific/Auckland")
    two = queries_of(sue, page)
    for number, zone in enumerate(("UTC", "Asia/Tokyo", "America/Lima")):
        busy(make_caller(make_app(f"more-{number}", time_zone=zone), "robot"))
    assert queries_of(sue, page) == two


def test_a_refresh_brings_the_list_when_something_has_changed(sue: Client, alice: Caller, charlie: Caller) -> None:
    seen = sue.get("/apps").context["seen"]
    headers = {"HX-Target": "app-list", "HX-Trigger": "app-list", "X-Seen": seen}
    assert fragment(sue, "/apps", **headers).status_code == 204
    refuse(alice.app, "It may rain")
    answer = fragment(sue, "/apps", **headers)
    assert "1 to review" in text_of(answer)
    assert not elements(answer, "main")


def test_apps_are_searched(sue: Client, alice: Caller, charlie: Caller) -> None:
    assert [row.app.app_id for row, _ in sue.get("/apps?q=GLO").context["rows"]] == ["globex"]
    assert "No such app" in text_of(sue.get("/apps?q=nowhere"))


def test_the_switcher_finds_apps_and_counts_what_waits(sue: Client, alice: Caller, charlie: Caller) -> None:
    refuse(charlie.app, "It may rain")
    answer = fragment(sue, "/apps?to=/upkeep/health", **SWITCHER)
    assert links(answer) == ["/upkeep/health?app=globex", "/upkeep/health?app=acme"]
    assert "1 wait for somebody" in text_of(answer)
    assert links(fragment(sue, "/apps?to=/events&q=acm", **SWITCHER)) == ["/events?app=acme"]
    (popover,) = elements(sue.get("/events?app=acme"), "div", id="apps")
    assert popover["hx-get"] == "/apps?to=/events"


@each_row("to", ["//evil.example", "/memories/bulk", "javascript:alert(1)", "/nowhere", "", "/knowledge/categories/x"])
def test_the_switcher_leads_to_no_other_place(sue: Client, alice: Caller, charlie: Caller, to: str) -> None:
    answer = sue.get("/apps", {"to": to}, headers={**HTMX, **SWITCHER})
    assert set(links(answer)) == {"/?app=acme", "/?app=globex"}


# --- one queue


@pytest.fixture
def queue(ed: Client, alice: Caller, charlie: Caller) -> list[Rejection]:
    """What waits in acme and initech, which ed edits; in umbrella, which ed views; and in globex."""
    initech, umbrella = make_app("initech"), make_app("umbrella")
    join("ed", initech, "editor")
    join("ed", umbrella, "viewer")
    apps = (alice.app, initech, umbrella, charlie.app)
    return [refuse(app, f"{number} I am vegan") for number, app in enumerate(apps)]


def test_the_queue_has_what_one_may_decide_about(ed: Client, queue: list[Rejection]) -> None:
    answer = ed.get("/apps/review")
    assert [row.content for row, _ in answer.context["rows"]] == ["1 I am vegan", "0 I am vegan"]
    edits = {f"/upkeep/review/{row.uid}/edit?app={row.app.app_id}" for row in queue[:2]}
    assert edits <= set(links(answer)), "each in its app"
    assert [row.content for row, _ in ed.get("/apps/review?app=acme").context["rows"]] == ["0 I am vegan"]
    assert ed.get("/apps/review?app=umbrella").context["rows"] == []
    assert ed.get("/apps/review?app=globex").status_code == 404


@pytest.mark.usefixtures("short_pages")
def test_the_queue_has_pages_over_all_apps(ed: Client, queue: list[Rejection]) -> None:
    apps = [row.app for row in queue[:2]]
    texts = [refuse(apps[number % 2], f"Text {number}").content for number in range(9)][::-1]
    first = ed.get("/apps/review")
    older = ed.get("/apps/review", {"after": first.context["slice"].older})
    newer = ed.get("/apps/review", {"before": older.context["slice"].newer})
    displayed = [[row.content for row, _ in answer.context["rows"]] for answer in (first, older, newer)]
    assert displayed == [texts[:5], [*texts[5:], "1 I am vegan"], texts[:5]]


def test_a_viewer_has_no_queue(vera: Client, charlie: Caller) -> None:
    assert vera.get("/apps/review").status_code == 403


def test_texts_of_several_apps_are_decided_together_and_it_can_be_undone(ed: Client, queue: list[Rejection]) -> None:
    own, there = named(*queue[:2]), "/apps/review/decide"
    answer = ed.post(there, {"action": "approve", "rejection": own}, headers=HTMX)
    assert "2 texts approved." in answer["HX-Trigger"]
    assert dict(Memory.objects.values_list("app__app_id", "content")) == {
        "acme": "0 I am vegan", "initech": "1 I am vegan",
    }  # fmt: skip
    assert {row.decided_by for row in Rejection.objects.filter(decision=Decision.OVERRULED)} == {"operator:ed"}
    ed.post(there, {"action": "undo", "rejection": own}, headers=HTMX)
    ed.post(there, {"action": "reject", "rejection": own, "reason": "no"}, headers=HTMX)
    assert decisions() == ["confirmed", "confirmed", "open", "open"]


@each_row("other, status", [(2, 403), (3, 404), ("nowhere", 404), ("acme\0", 404)])
def test_nothing_is_decided_where_one_of_them_is_not_ones_own(
    ed: Client, queue: list[Rejection], other: Any, status: int
) -> None:
    foreign = named(queue[other]) if isinstance(other, int) else [f"{other}/{queue[0].uid}"]
    answer = ed.post("/apps/review/decide", {"action": "reject", "rejection": named(queue[0]) + foreign})
    assert answer.status_code == status
    assert set(decisions()) == {"open"}


def test_an_id_that_two_apps_have_is_decided_in_the_named_one(ed: Client, queue: list[Rejection]) -> None:
    Rejection.objects.filter(pk=queue[3].pk).update(uid=queue[0].uid)
    ed.post("/apps/review/decide", {"action": "reject", "rejection": named(queue[0])}, headers=HTMX)
    assert decisions() == ["confirmed", "open", "open", "open"]


@each_row("fields", [{"action": "burn"}, {"action": "reject", "rejection": "acme"}, {"rejection": "acme/x"}])
def test_what_makes_no_sense_is_refused(ed: Client, queue: list[Rejection], fields: dict[str, str]) -> None:
    assert ed.post("/apps/review/decide", fields).status_code == 400


def test_a_row_comes_back_as_the_queue_that_asks_shows_it(ed: Client, queue: list[Rejection]) -> None:
    there = f"/upkeep/review/{queue[0].uid}/row?app=acme"
    assert elements(fragment(ed, there), "input", value=str(queue[0].uid))
    headers = {"HX-Current-URL": "http://testserver/apps/review"}
    assert elements(fragment(ed, there, **headers), "input", value=f"acme/{queue[0].uid}")


# --- one policy


@pytest.fixture
def initech(olga: Client) -> App:
    """Another one that olga owns, and umbrella, which she edits."""
    join("olga", make_app("umbrella"), "editor")
    app = make_app("initech", memory_limit=50)
    join("olga", app, "owner")
    return app


def limits() -> dict[str, int]:
    return dict(AppPolicy.objects.values_list("app__app_id", "memory_limit"))


def send(client: Client, *apps: str, **fields: Any) -> Any:
    return client.post("/apps/policy", {"apps": apps, "set": ["memory_limit"], "memory_limit": "500", **fields})


def test_a_policy_is_shown_as_a_difference_and_then_applied_with_audit(olga: Client, initech: App) -> None:
    displayed = send(olga, "acme", "initech")
    text = text_of(displayed)
    assert "memory limit 100,000 → 500" in text
    assert "memory limit 50 → 500" in text
    assert limits() == {"acme": 100_000, "initech": 50, "umbrella": 100_000}, "shown only"
    done = send(olga, "acme", "initech", apply=displayed.context["seen"])
    assert (done.status_code, done["Location"]) == (303, "/apps/policy")
    assert limits() == {"acme": 500, "initech": 500, "umbrella": 100_000}
    entries = AuditEntry.objects.filter(action="policy changed").order_by("app__app_id")
    assert [(entry.actor, entry.app.app_id, entry.before, entry.after) for entry in entries if entry.app] == [
        ("operator:olga", "acme", {"memory_limit": 100_000}, {"memory_limit": 500}),
        ("operator:olga", "initech", {"memory_limit": 50}, {"memory_limit": 500}),
    ]


def test_what_was_not_shown_is_not_applied(olga: Client, initech: App) -> None:
    seen = send(olga, "initech").context["seen"]
    AppPolicy.objects.filter(app=initech).update(memory_limit=70)
    answer = send(olga, "initech", apply=seen)
    assert "Nothing was changed yet" in text_of(answer)
    assert "memory limit 70 → 500" in text_of(answer)
    assert limits()["initech"] == 70


def test_a_preset_comes_first_and_fields_after_it(olga: Client, initech: App) -> None:
    seen = send(olga, "initech", preset="compact").context["seen"]
    send(olga, "initech", preset="compact", apply=seen)
    row = AppPolicy.objects.select_related("app").get(app=initech)
    assert (row.app.preset, row.max_characters, row.memory_limit) == ("compact", 200, 500)


@each_row("app, status", [("umbrella", 403), ("globex", 404), ("nowhere", 404)])
def test_no_policy_is_changed_where_one_app_is_not_ones_own(
    olga: Client, initech: App, charlie: Caller, app: str, status: int
) -> None:
    seen = send(olga, "initech").context["seen"]
    assert send(olga, "initech", app, apply=seen).status_code == status
    assert limits() == {"acme": 100_000, "globex": 100_000, "initech": 50, "umbrella": 100_000}
    assert olga.get("/apps/policy", {"like": app}).status_code in (200 if app == "umbrella" else 404,)


@each_row("fields, text", [
    ({"memory_limit": "0"}, "greater than or equal to 1"),
    ({"set": ["marker_categories"], "marker_categories": "No Such"}, "No Such"),
    ({"set": ["turn_limit"], "turn_limit": "1"}, "Economising cannot inject more than turn_limit"),
    ({"set": []}, "Nothing: it has these values already"),
])  # fmt: skip
def test_what_fits_no_app_or_changes_nothing_cannot_be_applied(
    olga: Client, initech: App, fields: dict[str, Any], text: str
) -> None:
    answer = send(olga, "initech", **fields)
    assert text in text_of(answer)
    assert not elements(answer, "button", name="apply")


def test_one_begins_with_the_policy_of_an_app(olga: Client, initech: App) -> None:
    answer = olga.get("/apps/policy?like=initech")
    ticked = [box["value"] for box in elements(answer, "input", name="set") if "checked" in box]
    assert ticked == ["memory_limit"], "what differs from its preset"
    assert elements(answer, "input", name="memory_limit")[0]["value"] == "50"
    assert "/apps/policy?like=initech" in links(olga.get("/settings/policy?app=initech"))
