"""Read files that people upload: each in a process of its own, which may break, hang or grow, and ends for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from memories.providers.documents.formats import BROKEN, Block, Content, Limits, Unreadable

ROOT = Path(__file__).parents[3]
__all__ = ["Block", "Content", "Limits", "Unreadable", "read_document"]


def read_document(data: bytes, name: str, limits: Limits) -> Content:
    """Return what a file says. Wait `limits.seconds` at most. Raise Unreadable."""
    # No setting of the server's, so none of its secrets, is handed to what reads a stranger's file.
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    numbers = (limits.pages, limits.characters, limits.seconds)
    command = [sys.executable, "-m", "memories.providers.documents.formats", name, *map(str, numbers)]
    try:
        done = subprocess.run(  # noqa: S603  # our own program; the name is an argument of it
            command, input=data, capture_output=True, timeout=limits.seconds, env=environment, check=False
        )
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise Unreadable(f"Reading it took more than {limits.seconds} seconds: split it.") from None
    except ValueError:
        # It has run out of memory or processor time.
        raise Unreadable(BROKEN) from None
    if "reason" in answer:
        raise Unreadable(answer["reason"])
    blocks = [Block(block["text"], block["page"], tuple(block["headings"])) for block in answer["blocks"]]
    return Content(answer["content_type"], blocks, answer["pages"])
