"""What runs on a host, started as users start it: systemd's units, read as far as the stand needs them.

`Service` does for one command what systemd does for a unit: what has to run before it, a restart after a failure, a
signal to all its processes when it is to stop.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tarfile
import threading
import time
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from tools.hosts.network import address_of, namespace_of

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "systemd" / "memsite@.service"
COMPOSE = ROOT / "compose.postgres.yaml"
RELEASE = ROOT / "tools" / "rolling.toml"
INSTALLED, CHECKOUT = "/opt/memsite/bin/memsite-server manage ", f"{sys.executable} manage.py "
"""What a checkout runs in the place of the package's command: the unit says so, too."""
GIVEN = re.compile(r"\$\{(\w+)(?::([?-])([^}]*))?\}")
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"


@dataclass(frozen=True, slots=True)
class Unit:
    command: Sequence[str]
    before: Sequence[Sequence[str]] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    restart_seconds: float = 0.5
    stop_seconds: float = 10.0
    user: str = ""
    folder: Path = ROOT
    """Where it runs: the checkout whose code it is."""


def read_unit(text: str, instance: str, state: Path, given: Mapping[str, str]) -> Unit:
    """Read a template unit for one instance. `given` is what its EnvironmentFile says."""
    lines = [line for line in text.splitlines() if line and line[0] not in "#;["]
    pairs = [(key, value.replace("%i", instance).replace("%S", str(state))) for key, _, value in
             (line.partition("=") for line in lines)]  # fmt: skip
    values = dict(pairs)
    own = dict(value.split("=", 1) for key, value in pairs if key == "Environment")
    environment = {**own, **given}

    def command(value: str) -> list[str]:
        words = shlex.split(value.replace(INSTALLED, CHECKOUT))
        # A variable that stands alone is as many words as it has, as systemd reads it.
        split = [environment.get(word[1:], "").split() if word.startswith("$") else [word] for word in words]
        return [word for some in split for word in some]

    return Unit(
        command(values["ExecStart"]),
        [command(value) for key, value in pairs if key == "ExecStartPre"],
        environment,
        float(values["RestartSec"]),
        float(values["TimeoutStopSec"]),
    )


def read_compose(text: str, given: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the environment of Memsite's containers, and that of the database's, of what the user has given."""
    document: dict[str, Any] = yaml.safe_load(text)

    def filled(match: re.Match[str]) -> str:
        name, kind, other = match.groups()
        if name not in given and kind == "?":
            raise KeyError(name)
        return given.get(name, other or "")

    parts = document["x-memsite"]["environment"], document["services"]["db"]["environment"]
    ours, database = ({name: GIVEN.sub(filled, value) for name, value in part.items()} for part in parts)
    return ours, database


class Service:
    """One unit on one host."""

    def __init__(self, host: str, name: str, unit: Unit, log: Path) -> None:
        self.host, self.name, self.unit, self.log = host, name, unit, log
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.is_wanted = False
        self.thread: threading.Thread | None = None

    def start(self) -> None:
        self.is_wanted = True
        self.thread = threading.Thread(target=self.keep_running, name=f"{self.host}-{self.name}", daemon=True)
        self.thread.start()

    def keep_running(self) -> None:
        while self.is_wanted:
            code = 0
            for command in (*self.unit.before, self.unit.command):
                if self.is_wanted and not code:
                    self.starts += command is self.unit.command
                    code = self.run(command)
            until = time.monotonic() + self.unit.restart_seconds
            while self.is_wanted and time.monotonic() < until:
                time.sleep(0.05)

    def run(self, command: Sequence[str]) -> int:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # of our own files
                in_namespace(self.host, command, self.unit.user),
                cwd=self.unit.folder, env=environment_of(self.unit), stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        return self.process.wait()

    def stop(self) -> None:
        """As systemd: TERM to all its processes, and KILL to those that are left after a while."""
        self.is_wanted = False
        self.signal(signal.SIGTERM)
        if self.thread:
            self.thread.join(self.unit.stop_seconds)
            if self.thread.is_alive():
                self.signal(signal.SIGKILL)
                self.thread.join()

    def signal(self, number: int) -> None:
        if self.process:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def with_clock(self, seconds: int) -> None:
        """Start it from now on with a clock that is so far ahead; 0: with the machine's own."""
        own = {key: value for key, value in self.unit.environment.items() if "FAKETIME" not in key}
        own.pop("LD_PRELOAD", None)
        ahead = {"LD_PRELOAD": FAKETIME, "FAKETIME": f"{seconds:+d}s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.unit = replace(self.unit, environment={**own, **(ahead if seconds else {})})


def released(folder: Path) -> tuple[str, Path]:
    """Write the code of the last release into a new folder. Return its version and the folder.

    SystemExit where the clone's history does not reach back to it.
    """
    release = tomllib.loads(RELEASE.read_text())
    folder.mkdir()
    archive = folder / "release.tar"
    command = ["git", "archive", "-o", str(archive), release["revision"]]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:  # noqa: S603
        sys.exit(f"{release['version']} is not in this clone: git fetch --unshallow")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    archive.unlink()
    return release["version"], folder


def released_unit(unit: Unit, part: str, host: str, folder: Path) -> Unit:
    """Return the unit of a part of 0.1.0, whose `serve` starts no part alone: as its Procfile does."""
    granian = f"--interface wsgi --no-ws --host {address_of(host)} --port 8000 --workers 1 --blocking-threads 16"
    commands = {
        "web": f"granian {granian} --workers-kill-timeout 30 --factory memsite.ops.processes:web_application",
        "worker": "celery --app=memsite worker --pool=threads --concurrency=4 --queues=interactive,upkeep",
        "beat": "celery --app=memsite beat",
    }
    given = {"PYTHONPATH": str(folder), "MEMSITE_WEB_PROCESSES": "1", "MEMSITE_WEB_THREADS": "16"}
    # It answers its probes by name only.
    given["MEMSITE_ALLOWED_HOSTS"] = f"{unit.environment['MEMSITE_ALLOWED_HOSTS']},{address_of(host)}"
    command = [sys.executable, "-m", *commands[part].split()]
    return replace(unit, command=command, before=(), folder=folder, environment={**unit.environment, **given})


def in_namespace(host: str, command: Sequence[str], user: str = "") -> list[str]:
    as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
    return ["ip", "netns", "exec", namespace_of(host), *as_user, *command]


def environment_of(unit: Unit) -> dict[str, str]:
    """Return what systemd passes on: nothing of whoever starts the stand."""
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": "/nonexistent", **unit.environment}


def run_once(host: str, command: Sequence[str], unit: Unit | None = None, user: str = "") -> str:
    """Return what it prints. RuntimeError if it fails."""
    environment = environment_of(unit or Unit(()))
    done = subprocess.run(  # noqa: S603
        in_namespace(host, command, user), cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{host}: {shlex.join(command)} failed: {done.stderr[-2000:]}{done.stdout[-500:]}")
    return done.stdout
