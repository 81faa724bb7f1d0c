"""Pictures of the dashboard for README and docs: a site of its own with the demo in it, looked at by Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from urllib.request import urlopen

from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 150_000
SIZE = {"width": 1280, "height": 640}
START_SECONDS = 60
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
APP = "?app=demo-ops"
# Pictures and what they show; a third value is clicked first.
PAGES = (
    ("overview", f"/{APP}", ""),
    ("memories", f"/memories{APP}", ""),
    ("memory", f"/memories{APP}&q=must+be+started", "#memory-list .clamp"),
    ("session", f"/sessions{APP}", "#session-list tr:nth-child(2) a"),
    ("recall", f"/recall{APP}&q=the+VPN+is+down+after+a+reboot&block_for=demo", ""),
)
RUNBOOK = """After an **outage**, in this order:
1. `systemctl restart wg-quick@wg0`
2. caddy
3. jellyfin, once `/health` answers"""
# What operators add to what the demo's agents have learnt.
ADDED = (
    {"content": RUNBOOK, "subject": "wireguard", "category": "remediation", "tags": ["runbook", "outage"]},
    {
        "content": "Nina is called before the media server restarts",
        "subject": "jellyfin",
        "category": "maintenance",
        "tags": ["people"],
        "user_id": "nina",
    },
)


def furnish() -> str:
    """Set up the site, play the demo in it, and return the operator's password."""
    import django

    django.setup()
    from django.core.management import call_command

    from memories.services import MemoryAgent
    from memories.store import Candidate
    from memsite.tenancy.models import App

    with redirect_stdout(StringIO()):
        call_command("setup")
        call_command("demo")
    operator = MemoryAgent(App.objects.get(app_id="demo-ops"), None, "operator:operator")
    operator.remember([Candidate(source="operator", **fields) for fields in ADDED], dedupe=False)  # type: ignore[arg-type]
    first_start = Path(os.environ["MEMSITE_DATA_DIR"], "first-start.txt").read_text()
    return first_start.split("Password")[1].split()[0]


@contextmanager
def served() -> Iterator[str]:
    """Serve the site, and return its address once it answers."""
    port = free_port()
    granian = [
        str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--host", "127.0.0.1",
        "--port", str(port), "--workers", "1", "memsite.config.wsgi:application",
    ]  # fmt: skip
    with subprocess.Popen(granian, cwd=ROOT, stdout=subprocess.DEVNULL) as server:  # noqa: S603
        try:
            address, end = f"http://127.0.0.1:{port}", time.monotonic() + START_SECONDS
            while time.monotonic() < end:
                with suppress(OSError):
                    urlopen(f"{address}/healthz").close()  # noqa: S310  # our own server
                    break
                time.sleep(0.1)
            yield address
        finally:
            server.terminate()


def take(address: str, password: str) -> None:
    """Take all pictures, light and at 1280 pixels. SystemExit for one that is too large to be kept in a repository."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")  # type: ignore[arg-type]
        page.goto(f"{address}/login")
        page.fill("[name=username]", "operator")
        page.fill("[name=password]", password)
        page.click("button[type=submit]")
        page.wait_for_selector("body.dashboard")
        for name, path, click in PAGES:
            page.goto(address + path)
            if click:
                page.click(click)
            page.wait_for_load_state("networkidle")
            picture = page.screenshot()
            if len(picture) > MOST_BYTES:
                raise SystemExit(f"{name}.png would have {len(picture):,} bytes, more than {MOST_BYTES:,}.")
            (IMAGES / f"{name}.png").write_bytes(picture)
        browser.close()


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        os.environ |= {
            "MEMSITE_DATA_DIR": data, "MEMSITE_LOG_LEVEL": "ERROR", "DJANGO_SETTINGS_MODULE": "memsite.config.settings",
        }  # fmt: skip
        password = furnish()
        with served() as address:
            take(address, password)


if __name__ == "__main__":
    main()
