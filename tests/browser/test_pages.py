"""Every page in a real browser: it fits, can be used by everyone, runs nothing inline, and asks nobody else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from importlib.resources import files
from itertools import cycle
from typing import Any
from unittest.mock import patch

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from playwright.sync_api import expect

from memories.dashboard.tags import age
from tests.browser.conftest import CHROMIUM, NewTab, Tab, sends
from tests.dashboard.test_access import LOOKED_AT

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
]
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
WIDTHS = ((1280, "light"), (390, "dark"))
SPREADS = "document.documentElement.scrollWidth"
MINUTES = (0, 1, 59, 61, 1439, 1441, 43199, 43201, 525599, 525601, 5256001)
# Most of a page are rows, and most of the time goes into their colours.
MARK_ALIKE = """() => {
  const telling = ["class", "role", "type", "aria-hidden", "hidden"], seen = new Map();
  const build = node => node.nodeType === 3 ? (node.data.trim() ? "text" : "") : node.nodeType !== 1 ? "" :
    `<${node.tagName} ${[...node.attributes].map(({name, value}) => name + (telling.includes(name) ? value : !value))}>`
    + [...node.childNodes].map(build).join("");
  document.querySelectorAll("[data-alike]").forEach(row => row.removeAttribute("data-alike"));
  for (const row of document.querySelectorAll("tbody > tr, li, option")) {
    const built = build(row), times = (seen.get(built) || 0) + 1;
    seen.set(built, times);
    row.toggleAttribute("data-alike", times > 2);
  }
}"""
FIND_BARRIERS = """
axe.run({exclude: ["[data-alike]"]}, {resultTypes: ["violations"]}).then(({violations}) => violations.map(
  ({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(node => node.html.slice(0, 120)).join(", ")}`
))
"""
SQUEEZED = """
[...document.querySelectorAll("button, .button, .badge")].filter(one => {
  const {width, height} = one.getBoundingClientRect();
  return one.checkVisibility() && height > 1.5 * width;
}).map(one => one.outerHTML.slice(0, 120))
"""


def assert_fits(page: Any, width: int) -> None:
    """Nothing sticks out, once what is drawn anew for another width is drawn."""
    if page.evaluate(SPREADS) > width:
        with suppress(PlaywrightTimeout):
            page.wait_for_function(f"width => {SPREADS} <= width", arg=width)
    assert page.evaluate(SPREADS) <= width, page.url


def barriers(page: Any) -> list[str]:
    """What axe finds, in short, once what appears has appeared. Of rows that are built alike it looks at two."""
    if page.evaluate("!window.axe"):
        page.evaluate(AXE)
    page.evaluate("Promise.allSettled(document.getAnimations().map(one => one.finished)).then(() => null)")
    page.evaluate(MARK_ALIKE)
    return list(page.evaluate(FIND_BARRIERS))


def assert_open_to_everyone(tab: Tab) -> None:
    """On a desk and on a phone; the window stays as narrow as the phone."""
    for width, scheme in WIDTHS:
        tab.look(width, scheme)
        assert_fits(tab.page, width)
        assert barriers(tab.page) == [], (tab.page.url, width)


def each_in_turns(pages: Iterable[str]) -> Iterator[tuple[str, Sequence[tuple[int, str]]]]:
    """Each page with the looks to look at it in: as the page before it was left comes first."""
    return zip(pages, cycle((WIDTHS, WIDTHS[::-1])))


def test_every_page_fits_and_is_open_to_everyone(new_tab: NewTab) -> None:
    tab = new_tab()
    for path, looks in each_in_turns(LOOKED_AT):
        page = tab.open(f"{path}?app=demo-ops")
        for width, scheme in looks:
            tab.look(width, scheme)
            assert_fits(page, width)
            assert page.evaluate(SQUEEZED) == [], (path, width)
            assert barriers(page) == [], (path, width)
    assert tab.troubles == []


ADMIN_LISTS = ("memories/memory", "memories/extraction", "jobs/jobrun", "agent_sessions/agentsession", "auth/user")
OWN_PAGES = ("/account", "/account/factor", "/password", "/admin/", *(f"/admin/{name}/" for name in ADMIN_LISTS))


def test_the_admin_and_ones_own_account_fit_and_are_open_to_everyone(new_tab: NewTab) -> None:
    tab = new_tab()
    for path, looks in each_in_turns(OWN_PAGES):
        page = tab.open(path)
        for width, scheme in looks:
            tab.look(width, scheme)
            assert_fits(page, width)
            assert barriers(page) == [], (path, width)
    assert tab.troubles == []


def test_a_filter_of_the_admin_is_a_menu_that_can_be_searched(new_tab: NewTab) -> None:
    tab = new_tab()
    page = tab.open("/admin/memories/memory/")
    kinds = page.locator(".memsite-filter", has_text="Kind")
    kinds.locator("summary").click()
    expect(kinds.get_by_label("Search these choices")).to_be_focused()
    page.keyboard.type("less")
    expect(kinds.locator("li:visible")).to_have_text(["lesson"], ignore_case=True)
    page.keyboard.press("Enter")
    page.wait_for_url("**kind__exact=lesson**")
    expect(kinds.locator("summary")).to_have_text("Kind: lesson", ignore_case=True)
    assert tab.troubles == []


@pytest.mark.parametrize(("width", "scheme"), WIDTHS)
def test_plots_are_drawn_and_follow_the_theme_and_the_numbers(new_tab: NewTab, width: int, scheme: str) -> None:
    tab = new_tab(width, scheme)
    page = tab.open("/?app=demo-ops")
    figures = page.locator("figure[data-plot]")
    assert figures.count() >= 4
    expect(page.locator("figure[data-plot] canvas")).to_have_count(figures.count())
    first = page.locator("#growth canvas")
    before = first.evaluate("canvas => canvas.toDataURL()")
    page.get_by_role("button", name="Light or dark").click()
    switched = first.evaluate("canvas => canvas.toDataURL()")
    assert switched != before
    figures.first.locator("summary").click()
    expect(figures.first.locator(".numbers tbody tr")).to_have_count(30)
    assert barriers(page) == []
    page.evaluate("document.querySelector('#growth .numbers td').dataset.value = 1e6")
    page.evaluate("document.dispatchEvent(new CustomEvent('htmx:afterSettle'))")
    assert first.evaluate("canvas => canvas.toDataURL()") != switched
    assert tab.troubles == []


def test_the_checks_find_what_they_look_for(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    tab.open("/?app=demo-ops")
    tab.page.evaluate("document.querySelector('main').innerHTML = '<img src=x><input>'")
    assert {barrier.split(":")[0] for barrier in barriers(tab.page)} >= {"image-alt", "label"}
    rows = "<li>one</li><li>two</li><li>three</li><li><img src=x></li>"
    tab.page.evaluate(f"document.querySelector('main').innerHTML = '<ul>{rows}</ul>'")
    assert [barrier.split(":")[0] for barrier in barriers(tab.page)].count("image-alt") == 1
    assert tab.page.locator("main [data-alike]").all_inner_texts() == ["three"]
    tab.page.evaluate("document.querySelector('main').innerHTML = '<p style=color:red onclick=alert(1)>x</p>'")
    assert any("Content Security Policy" in trouble for trouble in tab.troubles)


def test_a_wrong_belief_is_found_and_corrected(new_tab: NewTab) -> None:
    tab = new_tab(390, "dark")
    page = tab.open("/memories?app=demo-ops")
    page.fill("#id_q", "AdGuard are edited")
    page.wait_for_url("**q=AdGuard**")
    page.locator("#memory-list tbody tr").nth(1).wait_for(state="detached")
    page.get_by_role("link", name="Edit: ").click()
    form = page.locator("tr.editing form")
    form.wait_for()
    assert_open_to_everyone(tab)
    form.locator("[name=content]").fill("The host entries of AdGuard are edited by hand")
    page.evaluate("htmx.trigger(document.querySelector('#memory-list'), 'refresh')")
    form.get_by_role("button", name="Save").click()
    page.locator(".toast", has_text="Saved.").wait_for()
    assert page.locator("#memory-list").inner_text().count("by hand") == 1
    page.locator("#memory-list [data-pick]").first.check()
    page.get_by_role("button", name="Merge").click()
    page.locator("#confirm[open]").wait_for()
    assert_open_to_everyone(tab)
    page.get_by_role("button", name="Cancel").click()
    assert page.locator("[data-picked]").inner_text() == "1"
    # Back to what the demo said, for whoever comes next.
    page.get_by_role("link", name="Edit: ").click()
    form.locator("[name=content]").fill("The host entries in AdGuard are edited in the repository")
    form.get_by_role("button", name="Save").click()
    page.locator("tr.editing").wait_for(state="detached")
    assert tab.troubles == []


def cancelled(tab: Tab) -> tuple[Any, Any, Any]:
    """A list of memories, its dialog for a new one, where something was typed and not wanted, and the field for it."""
    page = tab.open("/memories?app=demo-assistant")
    page.get_by_role("link", name="Add").click()
    dialog = page.locator("#add-memory[open]")
    text = dialog.locator("[name=content]")
    text.fill("Not wanted")
    dialog.get_by_role("button", name="Cancel").click()
    return page, dialog, text


def test_ages_advance_in_the_words_of_the_server(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light", alone=True)
    tab.page.clock.install()
    page = tab.open("/events?app=demo-ops")
    now = datetime.fromisoformat(str(page.locator("body").get_attribute("data-now")))
    gone = [timedelta(seconds=seconds) for minutes in MINUTES for seconds in (minutes * 60 + 30, -minutes * 60 + 30)]
    page.evaluate(
        """moments => moments.forEach(moment => {
          const time = Object.assign(document.createElement("time"), {className: "probe", dateTime: moment});
          time.dataset.age = "text";
          document.querySelector("#main").append(time);
        })""",
        [(now - item).isoformat(timespec="milliseconds") for item in gone],
    )
    page.clock.run_for(6_000)
    with patch("memories.dashboard.tags.timezone.now", lambda: now + timedelta(seconds=8)):
        assert page.locator(".probe").all_inner_texts() == [age(now - item) for item in gone]
    page.clock.run_for(120_000)
    assert page.locator(".probe").first.inner_text() == "2 min ago"


def test_paper_is_white_in_a_dark_theme(new_tab: NewTab) -> None:
    page = new_tab(1280, "light").open("/memories?app=demo-ops")
    page.get_by_role("button", name="Light or dark").click()
    ink = "getComputedStyle(document.body).color"
    on_screen = page.evaluate(ink)
    page.emulate_media(media="print")
    assert page.evaluate(ink) == "rgb(27, 35, 46)" != on_screen


def test_what_narrows_a_list_can_be_cleared_at_once(new_tab: NewTab) -> None:
    page = new_tab(1280, "light").open("/memories?app=demo-assistant")
    clear = page.get_by_role("link", name="Clear", exact=True)
    expect(clear).to_be_hidden()
    page.locator("#id_q").fill("garden")
    expect(clear).to_be_visible()
    page.locator("#id_q").fill("")
    expect(clear).to_be_hidden()
    page.locator("[name=status]").select_option("any")
    clear.click()
    expect(page.locator("[name=status]")).to_have_value("")


def test_on_a_phone_the_open_tab_and_the_status_of_apps_are_seen(new_tab: NewTab) -> None:
    tab = new_tab(375, "light")
    page = tab.open("/settings/audit?app=demo-ops")
    expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.9)
    page = tab.open("/settings?app=demo-ops")
    for badge in page.locator(".rows .badge").all():
        assert badge.evaluate("badge => badge.scrollWidth <= badge.clientWidth")


def test_on_a_phone_a_session_of_a_long_name_shows_its_status(new_tab: NewTab) -> None:
    """Such as those of `memsite run`, which end in an id."""
    page = new_tab(390, "light").open("/?app=demo-ops")
    row = page.locator("[id^=os-]").first
    row.locator("a").evaluate("name => { name.textContent = 'run-e51359c2-4c87-4afd-9811-4380e4e4f583' }")
    badge = row.locator(".badge")
    assert badge.evaluate("one => one.scrollWidth <= one.clientWidth"), badge.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_a_category_of_a_long_name_fits(new_tab: NewTab) -> None:
    tab = new_tab(390, "light")
    for path in ("/", "/upkeep/health"):
        page = tab.open(f"{path}?app=demo-ops")
        page.locator(".bare th").last.evaluate("name => { name.textContent = 'x'.repeat(50) }")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_two_figures_side_by_side_do_not_read_as_one(new_tab: NewTab) -> None:
    row = new_tab(1280, "light").open("/costs?app=demo-ops").locator(".bare tbody tr").first
    spaces = """row => {
      const text = new Range(); text.selectNodeContents(row.querySelector("td.num"));
      return text.getBoundingClientRect().left - row.querySelector(".bar .num").getBoundingClientRect().right;
    }"""
    assert row.evaluate(spaces) >= 8


def test_on_a_phone_no_text_runs_under_the_box_to_tick(new_tab: NewTab) -> None:
    page = new_tab(390, "light").open("/memories?app=demo-ops")
    cell = page.locator("#memory-list .pick + td, #memory-list .pick + th").first
    assert cell.evaluate("one => parseFloat(getComputedStyle(one).paddingRight)") >= 24


def test_what_a_filter_is_set_to_can_be_read(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    fits = """one => {
      const {font, paddingLeft, paddingRight} = getComputedStyle(one);
      const pen = Object.assign(document.createElement("canvas").getContext("2d"), {font});
      return pen.measureText(one.selectedOptions[0].text).width
        <= one.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    }"""
    for path in ("/memories", "/recall", "/upkeep/review"):
        page = tab.open(f"{path}?app=demo-assistant")
        page.evaluate("document.querySelectorAll('.rare').forEach(one => (one.open = true))")
        for chosen in page.locator(".filters select").all():
            assert chosen.evaluate(fits), (path, chosen.get_attribute("name"))


def test_the_fields_of_times_fit_at_every_width(new_tab: NewTab) -> None:
    tab = new_tab()
    for path in ("/recall", "/upkeep/rollbacks", "/costs"):
        page = tab.open(f"{path}?app=demo-assistant")
        page.evaluate("document.querySelectorAll('.rare').forEach(one => (one.open = true))")
        for width in (320, 600, 768, 900, 1024):
            tab.look(width, "light")
            assert_fits(page, width)
            for field in page.locator("input[type=datetime-local]").all():
                assert field.evaluate("one => one.scrollWidth <= one.clientWidth"), (path, width)


def test_a_service_of_a_long_name_leaves_capacity_for_what_is_said_of_it(new_tab: NewTab) -> None:
    page = new_tab(1440, "light").open("/memories?app=demo-assistant")
    page.locator("[data-label=Service]").first.evaluate("one => { one.textContent = 'x'.repeat(200) }")
    table = page.locator("#memory-list .table")
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")
    # Nor is a short one broken to make room.
    lines = "one => { const all = new Range(); all.selectNodeContents(one); return all.getClientRects().length }"
    page.locator("[data-label=Service]").first.evaluate("one => { one.textContent = 'wireguard' }")
    assert page.locator("[data-label=Service]").first.evaluate(lines) == 1


def test_where_a_table_is_wider_than_the_page_its_rows_can_be_edited_in_view(new_tab: NewTab) -> None:
    tab = new_tab()
    page = tab.open("/memories?app=demo-assistant")
    for width in (870, 900):
        tab.look(width, "light")
        assert page.locator("#memory-list .table").evaluate("table => table.scrollWidth > table.clientWidth"), width
        expect(page.locator("#memory-list .change a").first).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("page", ["memories", "memories/add"])
@sends("memories-add")
def test_a_double_click_adds_once(new_tab: NewTab, page: str) -> None:
    tab = new_tab(1280, "light")
    open_page = tab.open(f"/{page}?app=demo-assistant")
    if page == "memories":
        open_page.get_by_role("link", name="Add").click()
    form = open_page.locator("#add-memory-form")
    form.locator("[name=content]").fill(f"Clocks strike {len(page)} times")
    sent: list[str] = []
    tab.on("request", lambda item: sent.append(item.url) if item.method == "POST" else None)
    form.get_by_role("button", name="Add").dblclick()
    rows = open_page.locator("#memory-list tr", has_text=f"Clocks strike {len(page)} times")
    rows.first.wait_for()
    open_page.reload()
    expect(rows).to_have_count(1)
    assert len(sent) == 1
    assert tab.troubles == []


def test_what_is_typed_before_a_new_form_has_come_stays(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    page, _, text = cancelled(tab)
    slow: list[Any] = []
    page.route("**/memories/add?*", lambda route: slow.append(route))
    with page.expect_request("**/memories/add?*"):
        page.get_by_role("link", name="Add").click()
    text.fill("Quicker than the server")
    page.evaluate("document.addEventListener('htmx:afterRequest', () => (document.body.dataset.come = 'yes'))")
    slow[0].continue_()
    page.locator("body[data-come]").wait_for()
    assert text.input_value() == "Quicker than the server"
    assert tab.troubles == []


def test_what_is_added_and_deleted_shows_at_once(new_tab: NewTab) -> None:
    tab = new_tab(1280, "light")
    page, dialog, text = cancelled(tab)
    page.get_by_role("link", name="Add").click()
    expect(text).to_have_value("")
    expect(text).to_be_focused()
    text.fill("<img src=x onerror=alert(1)> is just text")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Add").click()
    assert text.input_value() == "<img src=x onerror=alert(1)> is just text"
    dialog.get_by_role("button", name="Add").click()
    row = page.locator("#memory-list tr", has_text="is just text")
    row.wait_for()
    row.locator("[data-pick]").check()
    page.get_by_role("group", name="What is ticked").get_by_role("button", name="Delete").click()
    page.locator("#confirm[open] button[value=yes]").click()
    row.wait_for(state="detached")
    assert tab.troubles == []
