"""A Memsite of one's own for as long as a command runs: web, worker and schedule, as users run them, on loopback.

    .venv/bin/python -m tools.server .venv/frameworks/bin/python -m pytest integrations

The command finds it by MEMSITE_URL, MEMSITE_API_KEY (an agent's) and MEMSITE_OPERATOR_KEY. Nothing is left of it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tools import call
from tools.ports import free_port

MANAGE = (sys.executable, "manage.py")
ROOT = Path(__file__).resolve().parents[1]
READY_SECONDS = 120
STOP_SECONDS = 20


def main(arguments: list[str]) -> int:
    """Return the command's exit code."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--port", type=int, help="to listen on; a free one without it")
    options.add_argument("command", nargs=argparse.REMAINDER)
    given = options.parse_args(arguments)
    port = given.port or free_port()
    url = f"http://127.0.0.1:{port}"
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    with tempfile.TemporaryDirectory(prefix="memsite-server-", ignore_cleanup_errors=True) as folder:
        environment = {**others, "MEMSITE_DATA_DIR": folder, "MEMSITE_LOG_LEVEL": "ERROR"}
        setup = [*MANAGE, "setup", "--unattended", "--url", url]
        subprocess.run(setup, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        notes = (Path(folder) / "first-start.txt").read_text()
        agent, operator = re.findall(r"mst_\w+", notes)
        serve = [*MANAGE, "serve", "--port", str(port), "--workers", "1"]
        with subprocess.Popen(serve, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as server:  # noqa: S603
            try:
                wait_until_ready(url, server)
                keys = {"MEMSITE_URL": url, "MEMSITE_API_KEY": agent, "MEMSITE_OPERATOR_KEY": operator}
                return call(given.command, {**others, **keys})
            finally:
                server.terminate()
                server.wait(STOP_SECONDS)


def wait_until_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + READY_SECONDS
    while server.poll() is None and time.monotonic() < ends:
        try:
            with urlopen(f"{url}/readyz", timeout=5):  # noqa: S310
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise SystemExit("The server did not start.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
