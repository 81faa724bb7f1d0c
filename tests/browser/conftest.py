"""The production server on a scratch database with the demo in it, and a headless Chromium that is signed in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from django.urls import resolve
from playwright.sync_api import Browser, expect, sync_playwright

from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
START_SECONDS = 60
# Where somebody looks late: toasts go after 8 seconds (desk.js) otherwise.
LASTING_TOASTS = """
const repeat = window.setInterval;
window.setInterval = (act, after, ...more) => repeat(act, after === 8000 ? 600000 : after, ...more);
"""
expect.set_options(timeout=60_000)


@pytest.fixture(scope="session")
def site_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    data = tmp_path_factory.mktemp("browser")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    return {
        **kept, "MEMSITE_DATA_DIR": str(data), "MEMSITE_EMBEDDER": "hash", "MEMSITE_LOG_LEVEL": "ERROR",
        "PYTHONPATH": str(ROOT),
    }  # fmt: skip


@pytest.fixture(scope="session")
def site(site_environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(the server's address, the operator's password)."""
    environment = site_environment

    def manage(*arguments: str) -> None:
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)  # noqa: S603

    manage("setup")
    manage("demo")
    port = free_port()
    granian = [
        str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--host", "127.0.0.1",
        "--port", str(port), "--workers", "1", "--blocking-threads", "4", "memsite.wsgi:application",
    ]  # fmt: skip
    with subprocess.Popen(granian, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as server:  # noqa: S603
        address = f"http://127.0.0.1:{port}"
        wait_for(address)
        yield (
            address,
            Path(environment["MEMSITE_DATA_DIR"], "first-start.txt").read_text().split("Password")[1].split()[0],
        )
        server.terminate()


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


# Not for longer than its own tests: while it runs, no other test of this process can have an event loop.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


sends = pytest.mark.sends
"""The changes that a test has to make in the browser, by the names of their addresses."""


@pytest.fixture(autouse=True)
def _sent(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails where a test does not send what it says that it sends, or where it is not taken."""
    Tab.sent.clear()
    yield
    said = {name for mark in request.node.iter_markers("sends") for name in mark.args}
    assert said - Tab.sent == set()


class Tab:
    """A page of a signed-in operator, and what went wrong on it."""

    sent: ClassVar[set[str]] = set()
    """Names of the addresses that took a change."""

    def __init__(self, chromium: Browser, site: tuple[str, str], width: int, scheme: Any) -> None:
        self.address, password = site
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.add_init_script(LASTING_TOASTS)
        self.page = context.new_page()
        self.troubles: list[str] = []
        self.page.on("console", lambda said: said.type in ("error", "warning") and self.troubles.append(said.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on(
            "request", lambda asked: asked.url.startswith(self.address) or self.troubles.append(f"asks {asked.url}")
        )
        self.page.on("response", self.note)
        self.open("/login")
        self.page.fill("[name=username]", "operator")
        self.page.fill("[name=password]", password)
        self.page.click("button[type=submit]")
        self.page.wait_for_selector("body.desk")

    def note(self, answer: Any) -> None:
        if answer.request.method == "POST" and answer.status < 400:
            self.sent.add(resolve(urlsplit(answer.url).path).url_name)

    def open(self, path: str) -> Any:
        answer = self.page.goto(self.address + path)
        assert answer is not None
        assert answer.status == 200, path
        return self.page
