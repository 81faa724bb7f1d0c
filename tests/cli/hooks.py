"""`memsite hook EVENT` as Claude Code runs it: in a process of its own, with JSON on stdin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from select import select
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from tests.cli.transcripts import SESSION

ROOT = Path(__file__).resolve().parents[2]
# On a machine that may be slow: only where waiting is what is tried, the command is to end itself as soon.
PATIENT = {"SECONDS": {}, "OTHER_SECONDS": 60.0, "WARY_SECONDS": 60.0}
# As it waits for a server, in shorter seconds: the end of a session is no longer than those who are wary wait.
HASTY = {"SECONDS": {"SessionEnd": 0.7, "UserPromptSubmit": 1.3}, "WARY_SECONDS": 0.7}
ANEW = """
import json, sys
from memsite_client.claude import hook
for name, value in json.loads(sys.argv.pop(1)).items():
    setattr(hook, name, value)
from memsite_client.__main__ import main
main()
"""
# A process that becomes one command after the other, by forks: loading takes ten times as long as what a hook does.
FORKS = """
import gc, json, os, sys
from memsite_client.__main__ import main
from memsite_client.claude import hook
asked, answers = os.fdopen(int(sys.argv[1])), int(sys.argv[2])
gc.freeze()
while line := asked.readline():
    if child := os.fork():
        os.write(answers, b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        continue
    case = json.loads(line)
    for number, path in enumerate(case["files"]):
        os.dup2(os.open(path, os.O_RDWR), number)
    os.environ.clear()
    os.environ.update(case["environment"])
    sys.argv = ["memsite", *case["arguments"]]
    for name, value in case["patience"].items():
        setattr(hook, name, value)
    main()
    break
"""


class Forks:
    """The command `memsite` in a process of its own each time, which need not load it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files = folder, [folder / name for name in ("stdin", "stdout", "stderr")]
        (reads, asks), (hears, answers) = os.pipe(), os.pipe()
        command = [sys.executable, "-c", FORKS, str(reads), str(answers)]
        self.process = subprocess.Popen(command, cwd=ROOT, pass_fds=(reads, answers))  # noqa: S603
        for end in (reads, answers):
            os.close(end)
        self.asks, self.hears = os.fdopen(asks, "w"), os.fdopen(hears)

    def run(self, arguments: list[str], stdin: bytes, patience: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
        for file, data in zip(self.files, (stdin, b"", b""), strict=True):
            file.write_bytes(data)
        case = {"arguments": arguments, "patience": patience, "files": [str(file) for file in self.files]}
        self.asks.write(json.dumps({**case, "environment": dict(os.environ)}) + "\n")
        self.asks.flush()
        assert select([self.hears], [], [], 120)[0], "The command does not end."
        code = int(self.hears.readline())
        return subprocess.CompletedProcess(arguments, code, self.files[1].read_bytes(), self.files[2].read_bytes())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.asks.close()
        self.hears.close()
        rmtree(self.folder)


@cache
def forks() -> Forks:
    return Forks(Path(mkdtemp(prefix="memsite-hooks-")))


def end_forks() -> None:
    if forks.cache_info().currsize:
        forks().close()
        forks.cache_clear()


def hook(
    event: str,
    stdin: str | bytes | dict[str, Any],
    *options: str,
    patience: dict[str, Any] | None = None,
    is_anew: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """What the command does; `is_anew` in a process that has loaded nothing before."""
    data = stdin if isinstance(stdin, bytes) else (stdin if isinstance(stdin, str) else json.dumps(stdin)).encode()
    arguments = ["hook", event, *options]
    if not is_anew:
        return forks().run(arguments, data, patience or {})
    program = ["-c", ANEW, json.dumps(patience)] if patience else ["-m", "memsite_client"]
    command = [sys.executable, *program, *arguments]
    return subprocess.run(command, cwd=ROOT, input=data, capture_output=True, check=False, timeout=120)  # noqa: S603


def tell(event: str, is_anew: bool = False, **more: Any) -> str:
    """The context for Claude; "" for none. It has to be all that is said."""
    given = {"session_id": SESSION, "cwd": "/srv/shop", "hook_event_name": event, "permission_mode": "default", **more}
    done = hook(event, given, "--verbose", patience=PATIENT, is_anew=is_anew)
    assert (done.returncode, done.stderr) == (0, b"")
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout)
    assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
    assert answer["hookSpecificOutput"]["hookEventName"] == event
    return str(answer["hookSpecificOutput"]["additionalContext"])
