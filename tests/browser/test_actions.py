"""Everything that can be done on the desk, done in a browser: each address that takes changes is sent one."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from memories.dashboard.urls import urlpatterns
from tests.browser.conftest import CHROMIUM, NewTab, Site, sends, sign_in
from tests.browser.furnished import SAID, app_of
from tests.browser.test_pages import barriers

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
]


def tell(page: Any, text: str) -> None:
    """It is told in the corner; the toast goes, so that the next one is not mistaken for it."""
    toast = page.locator(".toast", has_text=text)
    toast.first.wait_for()
    page.evaluate("document.querySelectorAll('.toast').forEach(toast => toast.remove())")


def yes(page: Any) -> None:
    page.locator("#confirm[open] button[value=yes]").click()


@sends("memories-views", "memories-views-one")
def test_a_filter_from_the_sheet_of_a_phone_is_kept_as_a_view(new_tab: NewTab) -> None:
    tab = new_tab(390, "dark")
    page = tab.open(f"/memories{app_of('settled')}")
    page.get_by_role("button", name="Filters").click()
    sheet = page.locator(".filter-sheet")
    sheet.get_by_label("Category").fill("config")
    assert barriers(page) == []
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden()
    expect(page.locator("[data-set]")).to_have_text("1")
    page.get_by_role("button", name="Save this view").click()
    page.get_by_label("Save this view as").fill("Settings")
    page.keyboard.press("Enter")
    tell(page, "Saved as “Settings”.")
    expect(page.get_by_role("link", name="Settings", exact=True).last).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="Edit views").click()
    page.get_by_label("Name of the view").fill("Config")
    page.get_by_role("button", name="Rename").click()
    tell(page, "Renamed.")
    page.get_by_role("button", name="Edit views").click()
    page.get_by_role("button", name="Delete the view Config").click()
    tell(page, "The view “Config” is deleted.")
    assert tab.troubles == []


def test_letters_are_keys_where_nothing_is_typed(new_tab: NewTab) -> None:
    tab = new_tab()
    page = tab.open(f"/memories{app_of('settled')}")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert barriers(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    rows = page.locator("#memory-list tbody tr")
    for number in range(2):
        page.keyboard.press("j")
        expect(rows.nth(number).locator(":focus")).to_have_count(1)
    page.keyboard.press("x")
    expect(rows.nth(1).locator("[data-pick]")).to_be_checked()
    page.keyboard.press("e")
    expect(page.locator(".editing textarea")).to_be_focused()
    page.keyboard.type("j?")
    page.keyboard.press("Escape")
    expect(page.locator(".editing")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.locator("#id_q")).to_be_focused()
    page.locator("#main").focus()
    for key in "gc":
        page.keyboard.press(key)
    page.wait_for_url("**/cooldowns*")
    assert tab.troubles == []


@sends("memories-bulk", "memories-undo", "memories-change")
def test_memories_are_curated_many_at_once_and_one_by_one(new_tab: NewTab) -> None:
    here = app_of("curated")
    tab = new_tab(1280, "light")
    page = tab.open(f"/memories{here}&status=any")
    bulk = page.get_by_role("group", name="What is ticked")
    row = page.locator("#memory-list tbody tr", has_text=SAID[0])
    for action, done in (("Pin", "pinned"), ("Unpin", "unpinned"), ("Archive", "archived"), ("Restore", "restored")):
        row.locator("[data-pick]").check()
        bulk.get_by_role("button", name=action, exact=True).click()
        tell(page, f"1 memory {done}.")
    for text in (SAID[2], "lies on the second disk"):
        page.locator("#memory-list tbody tr", has_text=text).locator("[data-pick]").check()
    bulk.get_by_role("button", name="Merge").click()
    expect(page.locator("#confirm-question")).to_contain_text("Merge 2 memories into one?")
    yes(page)
    page.locator(".toast", has_text="2 memories merged into one.").get_by_role("button", name="Undo").click()
    tell(page, "stand for themselves again")
    row.locator("td.text a").click()
    page.locator("#statement").wait_for()
    for action, done in (("Archive", "Archived."), ("Restore", "Restored.")):
        page.locator("#statement").get_by_role("button", name=action, exact=True).click()
        tell(page, done)
    page.get_by_role("button", name="Set back to revision 1").click()
    yes(page)
    tell(page, "As it was after revision 1.")
    # A refresh that is under way would not find what is deleted, which the console tells.
    page.get_by_role("button", name="Live").click()
    page.locator("#statement").get_by_role("button", name="Delete", exact=True).click()
    yes(page)
    page.wait_for_url(f"**/memories{here}")
    tell(page, "Deleted.")
    expect(page.locator("#memory-list tbody tr", has_text=SAID[0])).to_have_count(0)
    assert tab.troubles == []


@sends("cooldowns-lift", "knowledge-category-rewrite", "upkeep-review-edit", "upkeep-texts-retry")
def test_what_waits_is_settled(new_tab: NewTab) -> None:
    here = app_of("settled")
    tab = new_tab(390, "dark")
    page = tab.open(f"/cooldowns{here}")
    page.get_by_role("button", name="Lift: ").click()
    yes(page)
    page.get_by_text("No agent reports a cooldown").wait_for()
    page = tab.open(f"/upkeep/review{here}")
    reviews = page.locator(".tabs a", has_text="Review").locator(".count")
    assert reviews.inner_text().startswith("1")
    page.get_by_role("link", name="Edit and approve: ").click()
    form = page.get_by_role("form", name="Edit and approve")
    form.locator("[name=content]").fill("It rains on Mondays")
    form.get_by_role("button", name="Approve").click()
    tell(page, "Approved as you have put it.")
    expect(reviews).to_have_count(0)
    expect(form).to_have_count(0)
    page = tab.open(f"/upkeep/texts{here}")
    page.get_by_role("button", name="Try all again").click()
    page.locator("#text-list .badge", has_text="pending").wait_for()
    page = tab.open(f"/knowledge/categories/config{here}")
    page.get_by_role("button", name="Write anew").click()
    tell(page, "It is written anew")
    assert tab.troubles == []


@sends("memories-add")
def test_who_signs_in_again_on_another_tab_can_save_what_was_typed(new_tab: NewTab, site: Site) -> None:
    tab = new_tab(1280, "light", alone=True)
    page = tab.open(f"/memories{app_of('again')}")
    page.get_by_role("link", name="Add", exact=True).click()
    form = page.locator("#add-memory-form")
    form.locator("[name=content]").fill("Whales sing at night")
    page.context.clear_cookies(name="sessionid")
    form.get_by_role("button", name="Add").click()
    tell(page, "Sign in on another tab")
    other = page.context.new_page()
    sign_in(other, site)
    form.get_by_role("button", name="Add").click()
    page.locator("#memory-list tbody tr", has_text="Whales sing at night").wait_for()


def test_a_refresh_does_not_overtake_what_was_clicked(new_tab: NewTab) -> None:
    """It would take the button away before the answer comes, and with it what the answer has to tell."""
    tab = new_tab(1280, "light")
    page = tab.open(f"/cooldowns{app_of('overtaken')}")
    items: list[Any] = []
    page.route("**/lift?*", lambda route: items.append(route))
    page.get_by_role("button", name="Lift: ").click()
    with page.expect_request("**/lift?*"):
        yes(page)
    for _ in range(1000):
        if items:
            break
        page.evaluate("0")  # lets the handler run
    (route,) = items
    answer = route.fetch()
    page.evaluate("""new Promise(done => {
      document.addEventListener("htmx:afterRequest", () => done(), {once: true});
      document.querySelectorAll("[data-live]").forEach(element => htmx.trigger(element, "refresh"));
    })""")
    assert page.get_by_role("button", name="Lift: ").count() == 1
    route.fulfill(response=answer)
    page.locator(".toast").first.wait_for()
    page.get_by_text("No agent reports a cooldown").wait_for()
    assert tab.troubles == []


@sends("upkeep-rollbacks")
def test_what_an_agent_said_is_taken_back(new_tab: NewTab) -> None:
    here = app_of("poisoned")
    tab = new_tab(390, "light")
    page = tab.open(f"/upkeep/rollbacks{here}")
    page.locator("[name=what]").select_option("agent")
    page.get_by_label("Which one").fill("nobody")
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("There is no such agent in this app.").wait_for()
    page.get_by_label("Which one").fill("robot")
    page.get_by_role("button", name="Preview").click()
    foreseen = page.locator("#foreseen")
    foreseen.get_by_text("4 memories of agent robot would be withdrawn").wait_for()
    assert barriers(page) == []
    foreseen.get_by_role("button", name="Take back").click()
    page.locator("#rollback-list tbody tr", has_text="agent robot").locator(".badge", has_text="done").wait_for()
    assert barriers(page) == []
    assert tab.open(f"/memories{here}").locator("#memory-list tbody tr").count() == 0
    assert tab.troubles == []


@sends("upkeep-alerts-acknowledge")
def test_an_alert_is_counted_until_somebody_acknowledges_it(new_tab: NewTab) -> None:
    tab = new_tab(390, "light")
    page = tab.open(f"/upkeep/alerts{app_of('alerts')}")
    count = page.locator(".tabs a", has_text="Alerts").locator(".count")
    count.wait_for()
    assert barriers(page) == []
    page.get_by_role("button", name="Acknowledge: ").click()
    tell(page, "Acknowledged.")
    count.wait_for(state="detached")
    assert barriers(page) == []
    assert tab.troubles == []


@sends("upkeep-runs-retry", "upkeep-runs-stop")
def test_a_run_is_tried_again_and_stopped(new_tab: NewTab) -> None:
    here = app_of("runs")
    tab = new_tab(1280, "dark")
    page = tab.open(f"/upkeep{here}")
    page.get_by_role("button", name="Try again: weekly").click()
    tell(page, "It is tried again")
    page.get_by_role("button", name="Stop: monthly").click()
    page.locator("#run-list tr", has_text="monthly").locator(".badge", has_text="stopped").wait_for()
    assert tab.troubles == []


@sends("costs-check")
def test_the_language_model_is_checked(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    page = tab.open(f"/costs{app_of('governing')}")
    page.get_by_role("button", name="Check the model").click()
    page.get_by_text("no language model is asked").wait_for()
    assert barriers(page) == []
    assert tab.troubles == []


@sends(
    "settings", "settings-create", "settings-status", "settings-policy", "settings-preset", "settings-agents",
    "settings-issue", "settings-members", "settings-members-remove",
)  # fmt: skip
def test_an_app_is_made_and_governed(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    page = tab.open(f"/settings{app_of('governing')}")
    page.get_by_text("Add an app").click()
    page.locator("#new-app_id").fill("governed")
    page.locator("#new-name").fill("Governed")
    page.get_by_role("button", name="Add", exact=True).click()
    tell(page, "Governed is there.")
    assert page.url.endswith("/settings/agents?app=governed")
    page.locator("[name=name]").fill("clerk")
    page.get_by_role("button", name="Add", exact=True).click()
    first = page.get_by_role("alert").locator("code").inner_text()
    page.get_by_text("Another key").click()
    page.get_by_role("button", name="Issue").click()
    expect(page.locator("[role=alert] code")).not_to_have_text(first)
    page = tab.open("/settings?app=governed")
    page.locator("#app-name").fill("Well governed")
    page.get_by_role("button", name="Rename").click()
    tell(page, "Saved.")
    page.get_by_role("button", name="Uninstall").click()
    yes(page)
    tell(page, "Well governed is uninstalled.")
    page.get_by_role("button", name="Install again").click()
    tell(page, "Well governed is active.")
    page = tab.open("/settings/policy?app=governed")
    page.get_by_role("button", name="Set every number as ops has it").click()
    yes(page)
    tell(page, "Every number now has the value of ops now.")
    page.locator("[name=memory_limit]").fill("123")
    page.get_by_role("button", name="Save the policy").click()
    tell(page, "Saved.")
    assert page.locator(".policy-row.changed [name=memory_limit]").input_value() == "123"
    page = tab.open("/settings/members?app=governed")
    page.locator("#member-name").fill("vera")
    page.locator("#member-role").select_option("owner")
    page.get_by_role("button", name="Let in").click()
    tell(page, "vera is owner")
    page.locator("#member-name").fill("operator")
    page.locator("#member-role").select_option("owner")
    page.get_by_role("button", name="Let in").click()
    tell(page, "operator is owner")
    page.get_by_role("button", name="Take vera out").click()
    yes(page)
    page.locator("tbody tr", has_text="vera").wait_for(state="detached")
    assert tab.troubles == []


@sends("settings-moving", "settings-purge")
def test_an_app_moves_out_in_and_is_deleted_for_good(new_tab: NewTab, tmp_path: Path) -> None:
    here = app_of("moving")
    tab = new_tab(1280, "light")
    page = tab.open(f"/settings/moving{here}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Everything (NDJSON)").click()
    file = tmp_path / "moving.ndjson"
    download.value.save_as(file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert SAID[0] in json.dumps(lines)
    page = tab.open(f"/settings/moving{app_of('taking')}")
    page.locator("[name=file]").set_input_files(file)
    page.get_by_role("button", name="Only look").click()
    page.get_by_text("The file would bring:").wait_for()
    page.locator("[name=file]").set_input_files(file)
    page.get_by_role("button", name="Import it").click()
    page.locator(".toast").first.wait_for()
    page = tab.open(f"/settings/purge{here}")
    page.get_by_label("all memories: what was said stays").check()
    page.locator("[name=typed]").fill("movign")
    page.get_by_role("button", name="Delete for good").click()
    page.get_by_text("That is not moving.").wait_for()
    page.locator("[name=typed]").fill("moving")
    page.get_by_role("button", name="Delete for good").click()
    page.locator("#purge-list tbody tr").wait_for()
    assert tab.open(f"/memories{here}").locator("#memory-list tbody tr").count() == 0
    assert tab.troubles == []


@sends("knowledge-documents", "knowledge-documents-one", "knowledge-documents-delete")
def test_a_document_is_uploaded_replaced_and_deleted(new_tab: NewTab, tmp_path: Path) -> None:
    tab, file = new_tab(1280, "light"), tmp_path / "router.md"
    file.write_text("# Network\n\nThe router hands out addresses.\n")
    page = tab.open(f"/knowledge/documents{app_of('moving')}")
    page.locator("[name=file]").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    tell(page, "Uploaded.")
    page.get_by_role("link", name="router.md").click()
    page.get_by_role("heading", name="Another file in its place").wait_for()
    page.locator("[name=file]").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    tell(page, "Uploaded.")
    page.get_by_role("button", name="Delete", exact=True).click()
    yes(page)
    tell(page, "Deleted for good.")
    assert tab.troubles == []


@sends("upkeep-review-decide", "apps-review-decide")
def test_what_waits_in_all_apps_is_decided_by_keys_and_together(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    page = tab.open("/apps")
    page.locator("#app-near").get_by_role("link", name="1 failed text").wait_for()
    page.get_by_role("button", name="All apps").click()
    page.keyboard.type("nea")
    expect(page.locator("#switch-list")).not_to_contain_text("Far")
    expect(page.locator("#switch-list").get_by_role("link", name="Near")).to_have_attribute("href", "/?app=near")
    page = tab.open("/apps/review?q=Perhaps it rains")
    far, near = (page.locator(f"#review-list tbody tr[id^=j-{app}-]") for app in ("far", "near"))
    for key in "jjk":
        page.keyboard.press(key)
    expect(far.locator("[data-pick]")).to_be_focused()
    page.keyboard.press("a")
    expect(near.locator("[data-pick]")).to_be_focused()
    tell(page, "1 text approved.")
    far.wait_for(state="detached")
    page.keyboard.press("Space")
    page.get_by_role("group", name="What is ticked").get_by_role("button", name="Reject").click()
    tell(page, "1 text rejected.")
    near.wait_for(state="detached")
    assert tab.troubles == []


@sends("apps-policy")
def test_a_policy_is_applied_to_several_apps_once_its_difference_was_shown(new_tab: NewTab) -> None:
    tab = new_tab(390, "dark")
    page = tab.open("/apps/policy")
    for app in ("near", "far"):
        page.locator(f"[name=apps][value={app}]").check()
    page.get_by_text("How much is kept").click()
    page.locator("[name=memory_limit]").fill("500")
    page.get_by_role("button", name="Show the difference").click()
    expect(page.locator("#difference")).to_contain_text("100,000 → 500")
    assert barriers(page) == []
    page.get_by_role("button", name="Apply to 2 apps").click()
    tell(page, "Saved in 2 apps.")
    page = tab.open(f"/settings/policy{app_of('far')}")
    assert page.locator("[name=memory_limit]").input_value() == "500"
    assert tab.troubles == []


def test_nothing_that_can_be_done_is_left_out() -> None:
    """Each address of the desk that takes a change is named by a test here that has to send it one (`sends`)."""
    modules = [import_module(f"tests.browser.{path.stem}") for path in Path(__file__).parent.glob("test_*.py")]
    tests = [item for module in modules for name, item in vars(module).items() if name.startswith("test_")]
    marks = [mark for test in tests for mark in getattr(test, "pytestmark", []) if mark.name == "sends"]
    sent = {name for mark in marks for name in mark.args}
    takes = {urlpattern.name for urlpattern in urlpatterns if getattr(urlpattern.callback, "takes_changes", False)}
    assert len(takes) > 20
    assert takes - sent == set()


def test_the_admin_offers_apps_as_one_types(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    page = tab.open("/admin/tenancy/agent/add/")
    page.locator(".field-app [role=combobox]").click()
    page.locator(".select2-search__field").fill("typ")
    page.get_by_role("option", name="typed").click()
    page.locator("[name=name]").fill("found")
    page.locator("[name=_save]").click()
    expect(page.locator(".messagelist")).to_contain_text("found")
    assert not tab.troubles
