"""Addresses of the memory tool: below /memories, and never out of it."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

ROOT = "/memories"
MOST_CHARACTERS = 1_000


class Refused(Exception):
    """The command is not carried out; the text tells the model why."""


def place_of(path: str) -> str:
    """The path in its plain form: no slash at its end, no `.`, no `..`."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise Refused(f"Path must start with {ROOT}, got: {path}")
    plain = posixpath.normpath(path)
    if not is_inside(plain) or not is_inside(posixpath.normpath(unquote(path).replace("\\", "/"))):
        raise Refused(f"Path {path} would escape {ROOT} directory")
    if len(plain) > MOST_CHARACTERS or not plain.isprintable():
        raise Refused(f"Path must have at most {MOST_CHARACTERS:,} characters, and none that cannot be seen")
    return plain


def is_inside(plain: str) -> bool:
    return plain == ROOT or plain.startswith(f"{ROOT}/")


def is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def folders_above(path: str) -> list[str]:
    """The folders it lies in, below the root, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(3, len(parts))]
