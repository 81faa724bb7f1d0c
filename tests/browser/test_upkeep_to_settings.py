"""Upkeep, knowledge, costs and settings in a real browser: pages of one thing, and what one does on them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CHROMIUM, NewTab, Tab, sends
from tests.browser.test_pages import assert_fits, assert_open_to_everyone, barriers

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
]


def check(tab: Tab, width: int) -> None:
    assert_fits(tab.page, width)
    assert barriers(tab.page) == [], tab.page.url


def test_pages_of_one_thing_fit_and_are_open_to_everyone(new_tab: NewTab) -> None:
    tab = new_tab()
    for start, first in (
        ("/knowledge", "#category-list th a"),
        ("/knowledge/entities", "#entity-list th a"),
        ("/upkeep/review", "#review-list [href*='/edit']"),
    ):
        page = tab.open(f"{start}?app=demo-ops")
        page.goto(tab.address + page.locator(first).first.get_attribute("href"))
        assert_open_to_everyone(tab)
    for there in ("/knowledge/triggers/add", "/costs?since=2020-01-01", "/upkeep/review?decision=confirmed"):
        tab.open(f"{there}{'&' if '?' in there else '?'}app=demo-ops")
        assert_open_to_everyone(tab)
    assert tab.troubles == []


def test_one_walks_the_graph_by_its_drawing_and_by_its_list(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    page = tab.open("/knowledge/entities?app=demo-ops&q=caddy")
    page.locator("#entity-list th a").first.click()
    page.wait_for_url("**/knowledge/entities/**")
    page.locator(".graph a.memory").first.click()
    page.wait_for_url("**/knowledge/memories/**")
    check(tab, 1280)
    page.get_by_role("listitem").get_by_role("link", name="caddy", exact=True).first.click()
    page.wait_for_url("**/knowledge/entities/**")
    assert page.get_by_role("heading", level=1).inner_text() == "caddy"
    assert tab.troubles == []


def test_in_the_graph_a_wide_text_ends_in_its_box(new_tab: NewTab) -> None:
    page = new_tab(1280, "light").open("/knowledge/entities?app=demo-ops&q=caddy")
    page.locator("#entity-list th a").first.click()
    ends = """(one, text) => {
      const [box, label] = [one.querySelector("rect"), one.querySelector(".label")];
      label.textContent = text;
      const inside = label.getBoundingClientRect().right < box.getBoundingClientRect().right;
      return inside && getComputedStyle(label).overflow === "hidden" && label.scrollWidth > label.clientWidth;
    }"""
    page.wait_for_url("**/knowledge/entities/**")
    nodes = page.locator(".graph a").all()
    assert len(nodes) > 2
    for text in ("W" * 40, "記憶" * 20):
        assert all(node.evaluate(ends, text) for node in nodes)


@sends("knowledge-triggers-add", "knowledge-triggers-settle")
def test_what_is_to_come_is_noted_and_called_off(new_tab: NewTab) -> None:
    tab = new_tab(390, "dark")
    page = tab.open("/knowledge/triggers?app=demo-ops")
    page.get_by_role("link", name="Add").click()
    dialog = page.locator("#add-trigger[open]")
    text = "The certificate runs out"
    dialog.locator("[name=message]").fill(text)
    assert_open_to_everyone(tab)
    dialog.get_by_role("button", name="Add").click()
    page.get_by_role("button", name=f"Call off: {text}").click()
    page.get_by_role("button", name=f"Call off: {text}").wait_for(state="detached")
    assert text in page.locator("#called-off").text_content()
    assert tab.troubles == []


@sends("upkeep-review-decide")
def test_a_refusal_is_rejected_and_that_is_undone(new_tab: NewTab) -> None:
    tab = new_tab(1280, "dark")
    page = tab.open("/upkeep/review?app=demo-ops")
    number = page.locator("#review-list tbody tr").count()
    waiting = page.locator("#tabs .count")
    expect(waiting).to_have_text(f"{number} to look at")
    page.locator("#review-list [data-pick]").first.check()
    page.get_by_role("group", name="What is ticked").get_by_role("button", name="Reject").click()
    page.locator("#review-list tbody tr").nth(number - 1).wait_for(state="detached")
    expect(waiting).to_have_text(f"{number - 1} to look at")
    page = tab.open("/upkeep/review?app=demo-ops&decision=confirmed")
    page.locator("#review-list tbody button", has_text="Undo").first.click()
    page.locator(".toast", has_text="1 text open again.").wait_for()
    assert tab.troubles == []


@sends("upkeep-run")
def test_a_job_is_run_now(new_tab: NewTab) -> None:
    tab = new_tab(390, "light")
    page = tab.open("/upkeep?app=demo-assistant")
    page.get_by_role("button", name="Run now: decay").click()
    page.locator(".toast", has_text="decay").wait_for()
    page.locator("#run-list", has_text="decay").wait_for()
    assert tab.troubles == []


def test_a_number_that_cannot_be_is_said_in_its_place(new_tab: NewTab) -> None:
    tab = new_tab(390, "dark")
    page = tab.open("/settings/policy?app=demo-assistant")
    page.locator("[name=economy_limit]").fill("50")
    page.get_by_role("button", name="Save the policy").click()
    page.locator(".wrong", has_text="turn_limit").wait_for()
    check(tab, 390)
    assert tab.troubles == []


@sends("settings-agents", "settings-revoke")
def test_a_key_is_shown_once(new_tab: NewTab) -> None:
    tab = new_tab(390, "light")
    page = tab.open("/settings/agents?app=demo-assistant")
    page.locator("[name=name]").fill("browser")
    page.get_by_role("button", name="Add", exact=True).click()
    displayed = page.get_by_role("alert").locator("code")
    displayed.wait_for()
    assert re.fullmatch(r"mst_\w{58,66}", displayed.inner_text())
    expect(page.get_by_role("alert")).to_be_focused()
    expect(displayed).to_be_in_viewport()
    check(tab, 390)
    page.reload()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Revoke .* of browser")).click()
    page.locator("#confirm[open] button[value=yes]").click()
    page.locator(".toast", has_text="does not work any more").wait_for()
    assert tab.troubles == []
