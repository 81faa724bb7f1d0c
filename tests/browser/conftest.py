"""The production server on a scratch database with the demo in it, and a headless Chromium that is signed in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from django.urls import resolve
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.databases import copy_test_database
from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
# Without windows it takes two thirds of the time.
CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
START_SECONDS = 240
PATIENCE_MILLISECONDS = 120_000
Handler = Callable[[Any], object]
# Where somebody looks late: toasts go after 8 seconds (dashboard.js) otherwise.
LASTING_TOASTS = """
const repeat = window.setInterval;
window.setInterval = (act, after, ...more) => repeat(act, after === 8000 ? 600000 : after, ...more);
"""
expect.set_options(timeout=PATIENCE_MILLISECONDS)


@dataclass(frozen=True, slots=True)
class Site:
    """`hostile` are the pages of an app full of hostile strings."""

    address: str
    password: str
    hostile: list[str]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Site]:
    """Has the demo in it, and the apps of `furnished`."""
    data = tmp_path_factory.mktemp("browser")
    stored = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    environment = {
        **stored, "MEMSITE_DATA_DIR": str(data), "MEMSITE_EMBEDDER": "hash", "MEMSITE_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "tests.browser.site_settings", "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    copy_test_database(data / "memsite.sqlite3")
    made = run_program("making.py", environment)
    password = (data / "first-start.txt").read_text().split("Password")[1].split()[0]
    port = free_port()
    granian = [
        str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--host", "127.0.0.1",
        "--port", str(port), "--workers", "1", "--blocking-threads", "4", "memsite.config.wsgi:application",
    ]  # fmt: skip
    with subprocess.Popen(granian, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as server:  # noqa: S603
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address)
            yield Site(address, password, json.loads(made))
        finally:
            server.terminate()


def run_program(name: str, environment: dict[str, str]) -> str:
    """Return what it prints last."""
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name(name))]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert run.returncode == 0, run.stderr[-3000:]
    return run.stdout.splitlines()[-1]


def wait_for(address: str) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            urlopen(f"{address}/healthz").close()  # noqa: S310  # our own server
        except URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return


sends = pytest.mark.sends
"""The changes that a test has to make in the browser, by the names of their addresses."""


@pytest.fixture(autouse=True)
def _sent(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails where a test does not send what it says that it sends, or where it is not taken."""
    Tab.sent.clear()
    yield
    names = {name for mark in request.node.iter_markers("sends") for name in mark.args}
    assert names - Tab.sent == set()


class Tab:
    """A page of a signed-in operator, and what went wrong on it."""

    sent: ClassVar[set[str]] = set()
    """Names of the addresses that took a change."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.troubles: list[str] = []
        self.heard: list[tuple[str, Handler]] = []
        self.on("console", lambda item: item.type in ("error", "warning") and self.troubles.append(item.text))
        self.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.on("request", lambda item: item.url.startswith(address) or self.troubles.append(f"asks {item.url}"))
        self.on("response", self.note)

    def on(self, event: Any, handler: Handler) -> None:
        """Listen for as long as the test lasts."""
        self.page.on(event, handler)
        self.heard.append((event, handler))

    def note(self, answer: Any) -> None:
        if answer.request.method == "POST" and answer.status < 400:
            self.sent.add(resolve(urlsplit(answer.url).path).url_name)

    def look(self, width: int, scheme: Any, height: int = 900) -> None:
        """Set how large the window is, and whether its owner likes it light or dark."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme, media="null")

    def open(self, path: str) -> Any:
        answer = self.page.goto(self.address + path)
        assert answer is not None
        assert answer.status == 200, path
        return self.page

    def leave(self) -> None:
        """Go where nothing is asked for any more, and forget what the test has set."""
        for event, handler in self.heard:
            self.page.remove_listener(event, handler)
        self.page.unroute_all()
        self.page.evaluate("sessionStorage.clear()")
        self.page.goto(f"{self.address}/login")


class Dashboard:
    """A browser with an operator who has signed in once. What a test does in it is undone after the test."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser, self.site = browser, site
        context = browser.new_context()
        sign_in(context.new_page(), site)
        self.signed_in = context.storage_state()
        context.close()
        self.shared = self.new_context()
        self.page = self.shared.new_page()
        self.page.goto(f"{site.address}/login")
        self.tabs: list[Tab] = []

    def new_context(self) -> BrowserContext:
        context = self.browser.new_context(storage_state=self.signed_in)
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        context.add_init_script(LASTING_TOASTS)
        return context

    def tab(self, width: int = 1280, scheme: Any = "light", *, alone: bool = False) -> Tab:
        """Open a tab of the one window, or of a browser of its own: for who changes cookies, clock or network."""
        context = self.new_context() if alone else self.shared
        page = context.new_page() if self.tabs or alone else self.page
        tab = Tab(page, self.site.address)
        tab.look(width, scheme)
        self.tabs.append(tab)
        return tab

    def clear(self) -> None:
        """Close what the test has opened, but for the page that all tests share: making one takes half a second."""
        for tab in self.tabs:
            if tab.page is self.page:
                tab.leave()
            elif tab.page.context is self.shared:
                tab.page.close()
            else:
                tab.page.context.close()
        self.tabs.clear()
        for name in ("theme", "messages"):
            self.shared.clear_cookies(name=name)


def sign_in(page: Any, site: Site) -> None:
    page.goto(f"{site.address}/login")
    page.fill("[name=username]", "operator")
    page.fill("[name=password]", site.password)
    page.click("button[type=submit]")
    page.wait_for_selector("body.dashboard")


# Not for longer than its own tests: while it runs, no other test of this process can have an event loop.
@pytest.fixture(scope="package")
def browser_window(site: Site) -> Iterator[Dashboard]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield Dashboard(browser, site)
        browser.close()


NewTab = Callable[..., Tab]


@pytest.fixture
def new_tab(browser_window: Dashboard) -> Iterator[NewTab]:
    """Opens tabs for one test: `new_tab(390, "dark")`."""
    yield browser_window.tab
    browser_window.clear()
