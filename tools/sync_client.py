"""Write `memsite_client/sync.py` from `memsite_client/aio.py`, the same client without `async` (`make client`)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TARGET = ROOT / "memsite_client" / "aio.py", ROOT / "memsite_client" / "sync.py"
NOTE = "# Written by `make client` from {source}: change that file.\n"
WORDS = (
    # Pattern in the asynchronous client, what it is in the other one.
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"\bimport asyncio\b", "import time"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\bhttpx\.AsyncClient\b", "httpx.Client"),
    (r"\bhttpx\.AsyncBaseTransport\b", "httpx.BaseTransport"),
    (r"\bAsync(Iterator|Iterable)\b", r"\1"),
    (r"\bAsync(Connection|Memories|Recall|Documents|Sessions|Learning|Apps)\b", r"\1"),
    (r"\bAsync(Alerts|ImportExport|Webhooks|Memsite)\b", r"\1"),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\bmemsite_client\.aio\b", "memsite_client.sync"),
    (r"The client for asyncio\.", "The client that waits for each answer."),
)


def translate(text: str) -> str:
    for pattern, replacement in WORDS:
        text = re.sub(pattern, replacement, text)
    # `Iterable` may now be imported twice in one line.
    return re.sub(r"^from collections\.abc import (.+)$", sorted_names, text, flags=re.MULTILINE)


def sorted_names(line: re.Match[str]) -> str:
    return f"from collections.abc import {', '.join(sorted(set(line[1].split(', '))))}"


def written() -> str:
    """Return the text of `TARGET`, formatted like everything here."""
    return formatted(NOTE.format(source=SOURCE.relative_to(ROOT)) + translate(SOURCE.read_text()))


def formatted(text: str) -> str:
    for command in (("check", "--fix", "--exit-zero", "--quiet"), ("format",)):
        ruff = (sys.executable, "-m", "ruff", *command, "--stdin-filename", str(TARGET), "-")
        done = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603
        text = done.stdout
    return text


def main() -> None:
    TARGET.write_text(written())


if __name__ == "__main__":
    main()
