"""A site as users run it, `manage.py serve` on a data directory of its own, that may be killed at any moment.

Linux: its processes are found in /proc.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 240
STOP_SECONDS = 30
LOOK_EVERY_SECONDS = 0.05
WEB_PROCESSES = 2
PATIENCE_SECONDS = 300
"""Of our clients: how long it took is for a reader to judge, not for them."""


EACH = """
import json, sys, django
django.setup()
from django.core.management import call_command
for command in json.loads(sys.argv[1]):
    call_command(*command)
"""


class Site:
    """Web processes, worker and schedule.

    `prepare` may put tables into the data directory, and answers whether it has. If not they are made, and the pages'
    files collected: without that they come out of the packages, as good and somewhat slower.
    """

    python = (sys.executable, "-W", "ignore")

    def __init__(self, folder: Path, prepare: Callable[[Path], bool] = lambda folder: False, **settings: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        others = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
        self.environment = {
            **others,
            "MEMSITE_DATA_DIR": str(folder),
            "MEMSITE_SECRET_KEY": "only for trying",
            "MEMSITE_EMBEDDER": "hash",
            "MEMSITE_LOG_LEVEL": "WARNING",
            **settings,
        }
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.log = folder / "serve.log"
        make = (
            [] if prepare(folder) else [["migrate", "--verbosity=0"], ["collectstatic", "--noinput", "--verbosity=0"]]
        )
        self.operator_key = self.manage_each(*make, ["create_key", "--operator"]).strip()

    def manage(self, *arguments: str) -> str:
        """Return what the command prints. Raise RuntimeError if it fails."""
        return self.run("manage.py", *arguments)

    def manage_each(self, *commands: Sequence[str], **settings: str) -> str:
        """Run several commands in one process: most of the time goes into starting one."""
        module = self.environment.get("DJANGO_SETTINGS_MODULE", "memsite.config.settings")
        return self.run("-c", EACH, json.dumps(commands), DJANGO_SETTINGS_MODULE=module, **settings)

    def run(self, *arguments: str, **settings: str) -> str:
        done = subprocess.run(  # noqa: S603  # our own
            [*self.python, *arguments],
            cwd=ROOT, env={**self.environment, **settings}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{arguments} failed: {done.stderr[-2000:]}")
        return done.stdout

    def __enter__(self) -> Site:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Answers when it is ready."""
        command = [*self.python, "manage.py", "serve", "--port", str(self.port), "--workers", str(WEB_PROCESSES)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)  # noqa: S603
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """All web processes answer: one that still starts has no listener yet."""
        until = time.monotonic() + START_SECONDS
        while listeners(self.port) < WEB_PROCESSES or not self.is_ready():
            if not self.is_running() or time.monotonic() > until:
                raise RuntimeError(f"The server did not start: {self.log.read_text()[-2000:]}")
            time.sleep(LOOK_EVERY_SECONDS)

    def is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """In order, as Ctrl-C does."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.wait_until_gone()

    def wait_until_gone(self) -> None:
        """Nobody listens any more: all that was forked is dead, too."""
        until = time.monotonic() + STOP_SECONDS
        while is_listening(self.port) and time.monotonic() < until:
            time.sleep(LOOK_EVERY_SECONDS)

    def restart(self) -> None:
        self.stop()
        self.start()

    def parts(self) -> dict[str, list[int]]:
        """Return process ids by part.

        `web` answer requests, `server` are what starts these, `worker` is Celery's, `beat` the schedule, in a
        process that a worker has started or of its own; `all` is the site's own.
        """
        values: dict[str, list[int]] = {"web": [], "server": [], "worker": [], "beat": [], "all": []}
        if self.process is None or not self.is_running():
            return values
        values["all"].append(self.process.pid)
        for pid, parent in descendants(self.process.pid):
            command, above = command_of(pid), command_of(parent)
            if "granian" in command:
                values["web" if "granian" in above else "server"].append(pid)
            elif "celery" in command:
                values["beat" if "celery" in above or " beat " in command else "worker"].append(pid)
        return values

    def kill_children(self) -> bool:
        """All but the first process, with -9; False if there are none now."""
        pids = [pid for pid, _ in descendants(self.process.pid)] if self.process and self.is_running() else []
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(pids)

    def left(self) -> list[int]:
        """Return the site's processes that still run, whoever their parent is by now."""
        mark = f"MEMSITE_DATA_DIR={self.folder}".encode()
        results = []
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if mark in environment.read_bytes().split(b"\0"):
                    results.append(int(environment.parent.name))
        return results

    def kill(self, part: str, choose: Callable[[list[int]], int]) -> bool:
        """Kills one process of that part, with -9; False if there is none now."""
        pids = self.parts()[part]
        if not pids:
            return False
        try:
            os.kill(choose(pids), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def client(self, key: str, connections: int = 100) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=f"{self.url}/api/v1/",
            headers={"Authorization": f"Bearer {key}"},
            timeout=PATIENCE_SECONDS,
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
        )

    def operator(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.operator_key}"}
        return httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=PATIENCE_SECONDS)

    def new_app(self, name: str, agents: int = 1, **policy: object) -> list[str]:
        """Return a key for each of the new app's agents."""
        with self.operator() as operator:
            body = {"app_id": name, "name": name, "policy": {"writes_per_minute": 1_000_000, **policy}}
            answer_of(operator.post("apps", json=body))
            made = [answer_of(operator.post(f"apps/{name}/agents", json={"name": f"a{n}"})) for n in range(agents)]
        return [item["api_key"] for item in made]

    def everything(self, key: str, path: str) -> list[dict[str, Any]]:
        """All pages of a list."""
        rows: list[dict[str, Any]] = []
        with httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE_SECONDS) as client:
            address: str | None = f"{self.url}/api/v1/{path}{'&' if '?' in path else '?'}limit=200"
            while address:
                page = answer_of(client.get(address))
                rows += page["results"]
                address = page["next"]
        return rows


def answer_of(response: httpx.Response) -> dict[str, Any]:
    if not response.is_success:
        raise RuntimeError(f"{response.request.url} answered {response.status_code}: {response.text[:500]}")
    answer: dict[str, Any] = response.json()
    return answer


def descendants(pid: int) -> Iterator[tuple[int, int]]:
    """(process, its parent) of all that came from it and are alive."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in brackets may hold anything.
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            children.setdefault(int(parent), []).append(int(stat.parent.name))
    waiting = [pid]
    while waiting:
        parent_pid = waiting.pop()
        for child in children.get(parent_pid, ()):
            yield child, parent_pid
            waiting.append(child)


def command_of(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def listeners(port: int) -> int:
    """Each web process has one of its own."""
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    # 0A: it listens.
    return sum((local, state) == (f"0100007F:{port:04X}", "0A") for _, local, _, state, *_ in sockets)


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
