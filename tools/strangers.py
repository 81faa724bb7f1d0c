"""Each way from nothing to "it remembers", as a stranger goes it: a clone, `make run`, one client after another.

    make strangers

Prints the seconds of each way. Packages come from the machine's own cache and registry; all else is on loopback.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tools.ports import free_port
from tools.server import wait_until_ready

ROOT = Path(__file__).resolve().parents[1]
FACT, QUESTION, ANSWER = "The relay in the {} listens on port 2525", "which port has the relay in the {}?", "2525"
STOP_SECONDS = 30


class Site:
    """A site that a stranger has started: its address, an agent's key, the folder of its command."""

    def __init__(self, folder: Path, url: str, key: str) -> None:
        self.folder, self.url, self.key = folder, url, key

    def ask(self, path: str, body: Any, **headers: str) -> Any:
        """POST JSON, and return the JSON that is answered."""
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **headers}
        request = Request(f"{self.url}/{path}", json.dumps(body).encode(), sent)  # noqa: S310
        with urlopen(request, timeout=60) as response:  # noqa: S310
            return json.loads(response.read())

    def run(self, *command: str, text: str = "") -> str:
        """Run a program of the clone's environment with the key, and return what it prints."""
        program = self.folder / ".venv" / "bin" / command[0]
        environment = {**os.environ, "MEMSITE_URL": self.url, "MEMSITE_API_KEY": self.key, "HOME": str(self.folder)}
        done = subprocess.run(  # noqa: S603
            [program, *command[1:]], cwd=self.folder, env=environment, input=text, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command[:2])}: {done.stderr or done.stdout}")
        return done.stdout


def by_command(site: Site, place: str) -> str:
    site.run("memsite", "store", FACT.format(place))
    return site.run("memsite", "search", QUESTION.format(place))


def by_rest(site: Site, place: str) -> str:
    site.ask("api/v1/memories", {"content": FACT.format(place)})
    return str(site.ask("api/v1/context", {"query": QUESTION.format(place)})["text"])


def by_mcp(site: Site, place: str) -> str:
    headers = {"Accept": "application/json, text/event-stream"}

    def call(name: str, **arguments: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        return site.ask("mcp", body, **headers)

    call("store", content=FACT.format(place))
    return json.dumps(call("search", query=QUESTION.format(place)))


def by_hook(site: Site, place: str) -> str:
    event = {"session_id": f"s-{place}", "cwd": str(site.folder), "transcript_path": ""}
    site.ask("api/v1/memories", {"content": FACT.format(place)})
    event = {**event, "hook_event_name": "UserPromptSubmit", "prompt": QUESTION.format(place)}
    return site.run("memsite", "hook", "UserPromptSubmit", text=json.dumps(event))


def by_mem0(site: Site, place: str) -> str:
    body = {"messages": [{"role": "user", "content": FACT.format(place)}], "user_id": "ann", "infer": False}
    site.ask("compat/mem0/memories", body)
    return json.dumps(site.ask("compat/mem0/search", {"query": QUESTION.format(place), "user_id": "ann"}))


def by_python(site: Site, place: str) -> str:
    program = (
        "import sys; from memsite_client import Memsite\n"
        "with Memsite() as memsite:\n"
        "    memsite.create_memory(sys.argv[1])\n"
        "    print(memsite.search_memories(sys.argv[2])['results'][0]['content'])\n"
    )
    return site.run("python", "-c", program, FACT.format(place), QUESTION.format(place))


WAYS: tuple[tuple[str, Callable[[Site, str], str]], ...] = (
    ("command line", by_command),
    ("REST", by_rest),
    ("MCP", by_mcp),
    ("hook of a coding agent", by_hook),
    ("mem0's API", by_mem0),
    ("Python client", by_python),
)


def main() -> int:
    """Return 1 if one way did not lead to the answer."""
    rows: list[tuple[str, float, bool]] = []
    with tempfile.TemporaryDirectory(prefix="memsite-strangers-", ignore_cleanup_errors=True) as folder:
        clone, port = Path(folder) / "memsite", free_port()
        begun = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)  # noqa: S603, S607
        outside = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
        start = ["make", "--no-print-directory", "run", f"PORT={port}"]
        with subprocess.Popen(  # noqa: S603
            start, cwd=clone, env=outside, stdout=subprocess.PIPE, text=True, process_group=0
        ) as server:
            assert server.stdout is not None
            key = ""
            for line in server.stdout:
                if key := next(iter(re.findall(r"mst_\w+", line)), ""):
                    break
            site = Site(clone, f"http://127.0.0.1:{port}", key)
            try:
                wait_until_ready(site.url, server)  # type: ignore[arg-type]  # of text, which it does not read
                rows.append(("git clone, make run", time.monotonic() - begun, True))
                for number, (name, way) in enumerate(WAYS):
                    begun = time.monotonic()
                    remembers = ANSWER in way(site, f"room {number}")
                    rows.append((name, time.monotonic() - begun, remembers))
            finally:
                server.terminate()
                server.wait(STOP_SECONDS)
    for name, seconds, remembers in rows:
        sys.stdout.write(f"{name:24} {seconds:6.1f} s   {'it remembers' if remembers else 'IT DOES NOT REMEMBER'}\n")
    return int(not all(remembers for _, _, remembers in rows))


if __name__ == "__main__":
    sys.exit(main())
