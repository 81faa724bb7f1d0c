"""Secrets and private parts, taken out of a text before anything keeps it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memories.language.secrets.named import find_named, find_said
from memories.language.secrets.shapes import (
    find_blocks,
    find_figures,
    find_forms,
    find_in_columns,
    find_in_kubernetes,
    find_vendor_keys,
    strip_private,
)
from memories.language.secrets.tagger import find_learnt
from memories.language.secrets.values import KINDS, Found, find_random, mark, settle, threes_of, without_marks

__all__ = ["KINDS", "Redacted", "redact", "strip_private"]

MAX_PASSES = 8
_UNSEEN = re.compile("[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
_WIDE_LETTER = re.compile("[０-９Ａ-Ｚａ-ｚ]")
_PLAIN = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F) if chr(wide) not in "：（）＝，！？；"}


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with `[redacted: KIND]` for each secret, and the kinds that were found in it, each once."""

    text: str
    kinds: tuple[str, ...]


def redact(text: str) -> Redacted:
    """Linear in the length of the text. Redacting again changes nothing: marks are never read as values.

    A secret may come to light when the one beside it is gone, so the text is read until nothing is found.
    """
    kinds: dict[str, None] = {}
    for _ in range(MAX_PASSES):
        plain, places = _as_read(text)
        folded = fold(plain)
        found = settle(find_by_rules(plain, folded), plain)
        found = settle([*found, *find_learnt(plain, folded, found)], plain)
        if not found:
            break
        kinds.update((item.kind, None) for item in found)
        if places:
            found = [Found(places[start], places[end - 1] + 1, kind) for start, end, kind in found]
        text = _marked(text, found)
    return Redacted(text, tuple(kinds))


def _as_read(text: str) -> tuple[str, list[int]]:
    """`text` without characters that are not seen, full-width letters made plain; where each character stands in it.

    No places: all stand where they stood.
    """
    if text.isascii():
        return text, []
    if _WIDE_LETTER.search(text):
        text = text.translate(_PLAIN)
    if not _UNSEEN.search(text):
        return text, []
    places = [place for place, char in enumerate(text) if not _UNSEEN.match(char)]
    return "".join(text[place] for place in places), places


def find_by_rules(text: str, folded: str) -> Iterator[Found]:
    threes = threes_of(folded)
    yield from find_blocks(text)
    yield from find_vendor_keys(text, folded, threes)
    yield from find_figures(text)
    yield from find_forms(text, folded, threes)
    yield from find_named(text, folded, threes)
    yield from find_said(without_marks(folded), threes)
    yield from find_in_columns(text, folded)
    yield from find_in_kubernetes(text, folded)
    yield from find_random(text)


def fold(text: str) -> str:
    """Lower case of the same length, so that places agree; a few letters have none."""
    folded = text.lower()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _marked(text: str, found: list[Found]) -> str:
    pieces, place = [], 0
    for item in found:
        pieces += [text[place : item.start], mark(item.kind)]
        place = item.end
    return "".join([*pieces, text[place:]])


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
    """Return the text without secrets and with the white space at its ends, for texts that are kept as they are."""
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
    """Return what kind of secret a name is or holds, "" for none: by names things are found again, and they are shown.

    One of digits alone is a number, whatever cards are numbered like. A mark in it stands for a secret.
    """
    if name.isdigit() or (without_secrets(name) == name and "[redacted: " not in name):
        return ""
    kinds = redact(name).kinds or [kind for kind in KINDS if mark(kind) in name]
    return next(iter(kinds), "" if strip_private(name) == name else "private part")


def clean_all(value: Any) -> Any:
    """Return a JSON value with each text in it, names as well, as `clean` has it."""
    return each_text(value, clean)


def without_private(value: Any) -> Any:
    """Return a JSON value with each text in it, names as well, without what was said in private."""
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
    """Return the value with each text changed. What lies deeper than anybody writes is left as it is."""
    if isinstance(value, str):
        return change(value)
    if depth >= DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {change(name): each_text(item, change, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [each_text(item, change, depth + 1) for item in value]
    return value
