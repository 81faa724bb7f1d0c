"""A recording of the first minute, for asciinema: commands as they are typed, and what a site of its own answers.

.venv/bin/python -m tools.server .venv/bin/python -m tools.cast docs/images/first-minute.cast
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WIDTH, HEIGHT = 100, 24
LETTER_SECONDS, PAUSE_SECONDS, READ_SECONDS = 0.03, 0.4, 2.2
COMMANDS = (
    'memsite store "We deploy on Tuesdays, never on Fridays" --subject deploys',
    'memsite store "Jellyfin takes 60s to start after a restart" --subject jellyfin --category timing',
    "memsite search when do we ship",
    'memsite store "We deploy on Wednesdays now" --subject deploys',
    "memsite context when do we deploy",
)


def events() -> Iterator[tuple[float, str]]:
    """Yield what appears, and the seconds after what appeared before."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": str(WIDTH)}
    for command in COMMANDS:
        yield PAUSE_SECONDS, "$ "
        for letter in command:
            yield LETTER_SECONDS, letter
        program = [sys.executable, "-m", "memsite_client", *shlex.split(command)[1:]]
        done = subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, text=True)  # noqa: S603
        if done.returncode:
            raise SystemExit(f"{command}: {done.stderr}")
        yield PAUSE_SECONDS, "\n" + done.stdout
        yield READ_SECONDS, ""


def main(file: str) -> None:
    header = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": "Memsite: the first minute"}
    lines, at_second = [json.dumps(header)], 0.0
    for seconds, text in events():
        at_second += seconds
        lines.append(json.dumps([round(at_second, 2), "o", text.replace("\n", "\r\n")], ensure_ascii=False))
    Path(file).write_text("\n".join(lines) + "\n")
    sys.stdout.write(f"{file}: {at_second:.0f} s\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
