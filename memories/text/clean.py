"""What may be kept of a text: nothing that was said in private, and no secret.

Every text that comes in passes here before anything is made of it: the fields of bodies (memories.api.fields), the
arguments of tools (memories.compat), the lines of files (memories.services.import_export), the forms of people
(memories.dashboard.access). Whoever adds a door uses what it reads with, and need not think of secrets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memories.text.secrets import KINDS, redact, strip_private
from memories.text.secrets.found import mark

DEEPEST = 100
CLEAN_KEPT = 20_000
_clean: dict[int, None] = {}
"""Hashes of texts that were clean when they were looked at last: each text passes several times."""


def clean(text: str) -> str:
    """Without what stands between `<private>` tags, and with `[redacted: KIND]` for each secret. May be empty."""
    return without_secrets(text).strip()


def is_visible(text: str) -> bool:
    """Whether there is anything but white space and characters of format, such as spaces without width."""
    return any(not character.isspace() and unicodedata.category(character) != "Cf" for character in text)


def without_secrets(text: str) -> str:
    """The same with the white space at its ends, for texts that are kept as they are."""
    key = hash(text)
    if key in _clean:
        return text
    kept = redact(strip_private(text)).text
    if kept == text:
        _clean[key] = None
        if len(_clean) > CLEAN_KEPT:
            _clean.clear()
    return kept


def secret_in_name(name: str) -> str:
    """What kind of secret a name is or holds, "" for none: by names things are found again, and they are shown.

    One of digits alone is a number, whatever cards are numbered like. A mark in it stands for a secret.
    """
    if name.isdigit() or (without_secrets(name) == name and "[redacted: " not in name):
        return ""
    kinds = redact(name).kinds or [kind for kind in KINDS if mark(kind) in name]
    return next(iter(kinds), "" if strip_private(name) == name else "private part")


def clean_all(value: Any) -> Any:
    """A JSON value, each text in it, names as well, as `clean` has it."""
    return each_text(value, clean)


def without_private(value: Any) -> Any:
    """A JSON value, each text in it, names as well, without what was said in private."""
    return each_text(value, strip_private)


def texts_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Each text of a JSON value, names as well."""
    if isinstance(value, str):
        yield value
    elif depth < DEEPEST and isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from texts_in(item, depth + 1)
    elif depth < DEEPEST and isinstance(value, list):
        for item in value:
            yield from texts_in(item, depth + 1)


def each_text(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """What lies deeper than anybody writes is left as it is."""
    if isinstance(value, str):
        return change(value)
    if depth >= DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {change(name): each_text(item, change, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [each_text(item, change, depth + 1) for item in value]
    return value
