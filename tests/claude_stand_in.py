"""Stands in for `claude -p`: plays a recording, or whatever a test asks of it, by the plan (JSON) in
the file $CLAUDE_PLAN.

say      paths or texts to print, one after the other
chunk    bytes to print at a time (all)
until    a file to wait for before the end; `ready` is a file to write when everything is said
stdin    print all of stdin
signals  signals to tell of ("got 15") before it goes on
child    start a process that holds the output open
code     how to end; `kill` is a signal to end by
told     a file for the arguments and $MEMSITE_SESSION_ID
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PLAN = json.loads(Path(os.environ["CLAUDE_PLAN"]).read_text())


def main() -> int:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for number in PLAN.get("signals", []):
        signal.signal(number, lambda got, _: say(f"got {got}\n".encode()))
    if path := PLAN.get("told"):
        output = {"arguments": sys.argv[1:], "session": os.environ.get("MEMSITE_SESSION_ID")}
        Path(path).write_text(json.dumps(output))
    for text in PLAN.get("say", []):
        say(Path(text).read_bytes() if text.startswith("/") else text.encode("latin-1"))
    if PLAN.get("stdin"):
        say(sys.stdin.buffer.read())
    if PLAN.get("child"):
        subprocess.Popen(["/bin/sleep", "60"])
    if path := PLAN.get("ready"):
        Path(path).touch()
    while (path := PLAN.get("until")) and not Path(path).exists():
        time.sleep(0.01)
    if number := PLAN.get("kill"):
        os.kill(os.getpid(), number)
    return int(PLAN.get("code", 0))


def say(data: bytes) -> None:
    size = PLAN.get("chunk") or len(data) or 1
    for start in range(0, len(data), size):
        piece = data[start : start + size]
        while piece:
            piece = piece[os.write(1, piece) :]


if __name__ == "__main__":
    sys.exit(main())
