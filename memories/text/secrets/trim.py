"""A value cut out of what surrounds it."""

from __future__ import annotations

import re

_MARK_AHEAD = re.compile(r"\[redacted: |</")
_NEXT_PAIR = re.compile(r"[&;,](?=[\"']?[\w.-]{1,40}[\"']?[=:]|\s|$)")


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A bare value without what surrounds it: emphasis, closing marks, the next pair of a list, a mark of ours."""
    value = text[start:end]
    for pattern in (_MARK_AHEAD, _NEXT_PAIR):
        cut = pattern.search(value)
        if cut and (cut.start() or pattern is _MARK_AHEAD):
            value = value[: cut.start()]
    bare = value.lstrip("*\"'`“„«(")
    start += len(value) - len(bare)
    bare = bare.rstrip("\"'`”“»\\")
    bare = bare.rstrip(".,;:)]}>\"'`”“»") if not bare.startswith(("<", "[", "{", "$")) else bare
    if bare.endswith("**"):
        bare = bare.rstrip("*")
    return start, start + len(bare)
