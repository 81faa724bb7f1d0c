"""A new operator at work in a real browser: why is this believed, putting it right, and what refreshes leave alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CHROMIUM, NewTab, Site, sends
from tests.browser.test_pages import WIDTHS, assert_fits, assert_open_to_everyone, barriers, each_in_turns
from tests.dashboard.test_access import LOOKED_AT

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
]
BELIEF = "Must be started after WireGuard"
REFRESH = "htmx.trigger(document.querySelector('#memory-list'), 'refresh')"


def row(page: Any, text: str) -> Any:
    return page.locator("#memory-list tbody tr", has_text=text)


@sends("memories-edit", "memories-change", "memories-link", "memories-unlink")
def test_why_is_this_believed_and_correct_it(new_tab: NewTab) -> None:
    tab = new_tab(390, "dark")
    page = tab.open("/memories?app=demo-ops")
    row(page, BELIEF).locator("td.text a").click()
    page.locator("mark", has_text=BELIEF).wait_for()
    assert_open_to_everyone(tab)
    expect(page.locator("#timeline canvas")).to_have_count(1)
    page.get_by_role("link", name="Edit", exact=True).click()
    page.locator("#statement [name=content]").fill(f"{BELIEF} each time, or it fails with no route to host")
    page.locator("#statement").get_by_role("button", name="Save").click()
    page.locator(".toast", has_text="Saved.").wait_for()
    page.locator(".said", has_text="each time").wait_for()
    page.get_by_role("button", name="Undo the last change").click()
    page.locator(".toast", has_text="Taken back.").wait_for()
    page.locator(".said", has_text="otherwise it fails").wait_for()
    page.get_by_role("button", name="Set back to revision 1", exact=True).wait_for()
    # Without scrolling a table: its last column has the buttons.
    for width, scheme in WIDTHS:
        tab.look(width, scheme)
        for table in page.locator("#one-memory .table").all():
            assert table.evaluate("table => table.scrollWidth <= table.clientWidth"), width
    page.get_by_role("button", name="Pin", exact=True).click()
    page.locator(".badge", has_text="pinned").wait_for()
    page.get_by_role("button", name="Unpin", exact=True).click()
    page.locator(".badge", has_text="pinned").wait_for(state="detached")
    page.locator("#find-other").press_sequentially("VACUUM")
    page.locator("#others .other").first.wait_for()
    assert_open_to_everyone(tab)
    page.locator("#others .other").first.get_by_role("button", name="Link").click()
    page.locator("#others .other").first.wait_for(state="detached")
    page.get_by_role("button", name="Take this link away").first.click()
    page.locator(".toast", has_text="The link is gone.").wait_for()
    page.get_by_role("link", name="The morning round after a reboot").first.click()
    page.locator(".exchange.asked").wait_for()
    assert_open_to_everyone(tab)
    assert tab.troubles == []


def test_recall_shows_its_reasons(new_tab: NewTab) -> None:
    tab = new_tab()
    page = tab.open("/recall?app=demo-ops")
    page.get_by_label("Ask as an agent would").fill("when may caddy be started?")
    page.locator(".hit").first.wait_for()
    page.wait_for_url("**q=when**")
    expect(page.locator(".hit .parts tr").nth(5)).to_be_attached()
    assert_open_to_everyone(tab)
    assert tab.troubles == []


def test_two_operators_at_one_memory_see_both(new_tab: NewTab) -> None:
    first, second = (new_tab(1280, "light") for _ in range(2))
    address = ""
    for tab in (first, second):
        page = tab.open("/memories?app=demo-ops")
        row(page, BELIEF).locator("td.text a").click()
        page.locator("#statement").wait_for()
        page.get_by_role("button", name="Live").click()
        address = page.url
    first.page.get_by_role("button", name="Pin", exact=True).click()
    first.page.locator(".badge", has_text="pinned").wait_for()
    second.page.get_by_role("button", name="Archive", exact=True).click()
    conflict = second.page.locator("#conflict")
    conflict.wait_for()
    assert "operator" in conflict.inner_text()
    assert "pinned" in conflict.inner_text()
    assert barriers(second.page) == []
    conflict.get_by_role("link", name="Leave it at theirs").click()
    second.page.locator(".badge", has_text="pinned").wait_for()
    assert address.split("?")[0] == second.page.url.split("?")[0]
    second.page.get_by_role("button", name="Unpin", exact=True).click()
    second.page.locator(".toast", has_text="Unpinned.").wait_for()
    assert first.troubles == second.troubles == []


def test_the_keyboard_goes_on_at_the_list_when_what_was_ticked_is_done(new_tab: NewTab) -> None:
    page = new_tab(1280, "light").open("/memories?app=demo-assistant")
    for action in ("Pin", "Unpin"):
        page.locator("#memory-list tbody [data-pick]").first.press("Space")
        page.locator("[data-pick-bar]").get_by_role("button", name=action, exact=True).press("Enter")
        page.locator(".toast", has_text=f"{action}ned").wait_for()
        expect(page.locator("[data-pick-bar]")).to_be_hidden()
        expect(page.locator("#memory-list [data-pick-all]")).to_be_focused()


def test_the_keyboard_goes_into_a_form_and_back(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    page = tab.open("/memories?app=demo-assistant")
    link = page.locator("#memory-list tbody tr").nth(1).get_by_role("link", name="Edit: ")
    editing = page.locator("tr.editing")
    for ends in ("Escape", "Escape", "Cancel", "Cancel", "Save", "Save"):
        link.focus()
        page.keyboard.press("Enter")
        expect(editing.locator("[name=content]")).to_be_focused()
        if ends == "Escape":
            page.keyboard.press("Escape")
        else:
            editing.get_by_text(ends, exact=True).press("Enter")
        editing.wait_for(state="detached")
        expect(link).to_be_focused()
    page.locator("#memory-list tbody td.text a").nth(1).click()
    edit = page.locator("#statement").get_by_role("link", name="Edit")
    edit.press("Enter")
    expect(page.locator("#statement [name=content]")).to_be_focused()
    page.locator("#statement").get_by_text("Cancel", exact=True).press("Enter")
    expect(edit).to_be_focused()
    assert tab.troubles == []


@sends("memories-add")
def test_a_refresh_that_fails_is_told_once(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light", alone=True)
    tab.page.clock.install()
    page = tab.open("/memories/add?app=demo-assistant")
    page.locator("[name=content]").fill("Soon to be deleted by somebody")
    page.locator("#add-memory-form").get_by_role("button", name="Add").click()
    row(page, "Soon to be deleted").locator("td.text a").click()
    page.locator("#statement").wait_for()
    address, delete = page.url, page.locator("#statement").get_by_role("button", name="Delete", exact=True)
    toasts = page.locator(".toast.error")
    # From here on nothing is refreshed by itself, however slow the machine is.
    page.clock.pause_at(datetime.now(UTC) + timedelta(seconds=30))
    # One that is under way would be the answer to those that follow.
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.context.set_offline(True)
    texts: list[str] = []
    page.on("request", lambda request: texts.append(request.url) if "x-seen" in request.headers else None)
    for _ in range(3):
        page.evaluate(REFRESH.replace("memory-list", "one-memory"))
    expect(toasts).to_have_text(["The server cannot be reached.Try again"])
    page.context.set_offline(False)
    toasts.get_by_role("button", name="Try again").click()
    expect(toasts).to_have_count(0)
    other = page.context.new_page()
    other.goto(address)
    other.locator("#statement").get_by_role("button", name="Delete", exact=True).click()
    other.locator("#confirm[open] button[value=yes]").click()
    other.wait_for_url("**/memories?*")
    for _ in range(3):
        page.evaluate(REFRESH.replace("memory-list", "one-memory"))
    expect(toasts).to_have_count(1)
    expect(toasts).to_contain_text("Somebody has deleted it")
    delete.click()
    page.locator("#confirm[open] button[value=yes]").click()
    expect(toasts).to_have_count(1)
    before = len(texts)
    page.clock.run_for(600_000)
    assert len(texts) - before < 10


@sends("memories-add", "memories-bulk", "memories-undo")
def test_a_refresh_keeps_scroll_focus_ticks_and_what_is_typed(new_tab: NewTab) -> None:
    tab, other = (new_tab(1280, "light") for _ in range(2))
    page = tab.open("/memories?app=demo-assistant")
    rows = page.locator("#memory-list tbody tr")
    rows.nth(2).locator("[data-pick]").check()
    ticked = rows.nth(2).get_attribute("id")
    rows.nth(8).get_by_role("link", name="Edit: ").click()
    editing = page.locator("tr.editing")
    editing.locator("[name=content]").fill("half a sen")
    editing.locator("[name=reason]").press_sequentially("because")
    page.evaluate("window.scrollTo(0, 300)")
    text = "[scrollY, document.activeElement.name, document.activeElement.value, document.activeElement.selectionStart]"
    before = page.evaluate(text)
    assert before[1:] == ["reason", "because", 7]
    theirs = other.open("/memories/add?app=demo-assistant")
    theirs.locator("[name=content]").fill("Somebody else has added this")
    theirs.locator("#add-memory-form").get_by_role("button", name="Add").click()
    theirs.locator(".toast", has_text="Added.").wait_for()
    with page.expect_response(lambda answer: answer.request.headers.get("x-seen") is not None) as refreshed:
        page.evaluate(REFRESH)
    assert refreshed.value.status == 200
    row(page, "Somebody else has added this").wait_for()
    after = page.evaluate(text)
    assert after[1:] == before[1:]
    # The browser holds what is looked at in its place while a row comes in above it.
    assert abs(after[0] - before[0]) < 120
    assert editing.locator("[name=content]").input_value() == "half a sen"
    assert page.locator(f"#{ticked} [data-pick]").is_checked()
    assert page.locator("[data-picked]").inner_text() == "1"
    editing.locator("[name=reason]").press("Escape")
    editing.wait_for(state="detached")
    row(page, "Somebody else has added this").locator("[data-pick]").check()
    page.locator(f"#{ticked} [data-pick]").uncheck()
    page.get_by_role("group", name="What is ticked").get_by_role("button", name="Archive").click()
    page.locator(".toast", has_text="1 memory archived.").get_by_role("button", name="Undo").click()
    page.locator(".toast", has_text="1 memory set back as before.").wait_for()
    row(page, "Somebody else has added this").locator("[data-pick]").check()
    page.get_by_role("group", name="What is ticked").get_by_role("button", name="Delete").click()
    page.locator("#confirm[open] button[value=yes]").click()
    row(page, "Somebody else has added this").wait_for(state="detached")
    assert tab.troubles == other.troubles == []


@sends("memories-add", "memories-bulk")
def test_the_form_of_what_is_deleted_goes_with_it(new_tab: NewTab) -> None:
    tab, other = (new_tab(1280, "light") for _ in range(2))
    page = tab.open("/memories/add?app=demo-assistant")
    page.locator("[name=content]").fill("Deleted where it is edited")
    page.locator("#add-memory-form").get_by_role("button", name="Add").click()
    theirs = other.open("/memories?app=demo-assistant")
    for item in (page, theirs):
        row(item, "Deleted where it is edited").get_by_role("link", name="Edit: ").click()
    editing = page.locator("tr.editing")
    editing.get_by_role("button", name="Delete").click()
    page.locator("#confirm[open] button[value=yes]").click()
    page.locator(".toast", has_text="1 memory deleted for good.").wait_for()
    expect(editing).to_have_count(0)
    theirs.locator("tr.editing [name=content]").press("Escape")
    expect(theirs.locator("tr.editing")).to_have_count(0)
    expect(theirs.locator(".toast")).to_contain_text("Somebody has deleted it")
    assert tab.troubles == []


def test_the_keyboard_goes_to_what_was_refused(new_tab: NewTab) -> None:
    page = new_tab(1280, "light").open("/settings/policy?app=demo-assistant")
    page.locator("[name=ttl_days]").fill("work: a while")
    page.get_by_role("button", name="Save the policy").click()
    expect(page.locator(".wrong [name=ttl_days]")).to_be_focused()
    expect(page.locator(".wrong [name=ttl_days]")).to_be_in_viewport()
    page.goto(page.url.replace("settings/policy", "memories"))
    page.get_by_role("link", name="Add").click()
    page.locator("#add-memory [name=content]").fill("Clocks strike")
    page.locator("#add-memory [name=category]").fill("What is none")
    page.locator("#add-memory").get_by_role("button", name="Add").click()
    expect(page.locator("#add-memory .wrong [name=category]")).to_be_focused()


def two_of_each_kind(addresses: list[str]) -> list[str]:
    """With and without query; all of them are looked at without a browser (tests/dashboard/test_hostile.py)."""
    kinds: dict[str, list[str]] = {}
    for address in addresses:
        kinds.setdefault(re.sub(r"[0-9a-f-]{36}", "", address), []).append(address)
    return [address for kind in kinds.values() for address in (kind[0], *kind[1:][-1:])]


def test_hostile_strings_do_nothing(new_tab: NewTab, site: Site) -> None:
    tab = new_tab()
    tab.on("dialog", lambda dialog: tab.troubles.append(dialog.message))
    assert len(site.hostile) > 10
    for path, looks in each_in_turns([*LOOKED_AT, *two_of_each_kind(site.hostile)]):
        page = tab.open(f"{path}{'&' if '?' in path else '?'}app=hostile")
        for width, scheme in looks:
            # As nobody looks at it, little is drawn.
            tab.look(width, scheme, height=100)
            assert_fits(page, width)
        assert page.locator("body.dashboard main").count() == 1, path
    assert tab.troubles == []


BEGINS_RIGHT_OF_ITS_END = """element => {
    const [node, range] = [element.firstChild, document.createRange()], last = node.data.length - 1;
    const place = at => (range.setStart(node, at), range.setEnd(node, at + 1), range.getBoundingClientRect().x);
    return place(0) > place(last);
}"""


@sends("memories-add")
def test_what_is_written_from_right_to_left_ends_on_the_left(new_tab: NewTab) -> None:
    text = "הפגישה עם nginx היא ב-5 (חמש)."
    tab = new_tab(1280, "light")
    page = tab.open("/memories/add?app=demo-assistant")
    page.locator("[name=content]").fill(text)
    page.locator("#add-memory-form").get_by_role("button", name="Add").click()
    link = row(page, text).locator("td.text a")
    assert link.evaluate(BEGINS_RIGHT_OF_ITS_END)
    link.click()
    assert page.locator("#statement .said").evaluate(BEGINS_RIGHT_OF_ITS_END)
