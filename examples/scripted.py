"""A stand-in for a model, so that the examples need none: it answers with what its prompt says is known."""

from __future__ import annotations

import re

BLOCK = re.compile(r"<memory-context[^>]*>\n(.*?)\n</memory-context", re.DOTALL)


def reply(prompt: str) -> str:
    """Return the lines of the memories in a prompt."""
    lines = [line for block in BLOCK.findall(prompt) for line in block.splitlines() if line.startswith(("- ", "~ "))]
    return "\n".join(["I remember:", *lines]) if lines else "I know nothing of that yet."
