"""Credentials and private parts, taken out of a text before anything keeps it.

What has a shape of its own (keys of vendors, PEM blocks, card numbers) is found anywhere; what has none is found
by the name in front of it ("password: x"), and only if it cannot be the sentence going on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.text.secrets.answers import find_answers
from memories.text.secrets.blocks import find_blocks
from memories.text.secrets.codes import find_said
from memories.text.secrets.entropy import find_random
from memories.text.secrets.figures import find_figures
from memories.text.secrets.found import KINDS, Found, mark, settle
from memories.text.secrets.layout import find_in_columns, find_in_kubernetes
from memories.text.secrets.named import find_named
from memories.text.secrets.private import strip_private
from memories.text.secrets.shapes import find_forms, find_vendor_keys

__all__ = ["KINDS", "Redacted", "redact", "strip_private"]

MAX_PASSES = 4
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
        found = settle(_find(plain), plain)
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


def _find(text: str) -> Iterator[Found]:
    folded = fold(text)
    yield from find_blocks(text)
    yield from find_vendor_keys(text, folded)
    yield from find_figures(text)
    yield from find_forms(text, folded)
    yield from find_named(text, folded)
    yield from find_said(folded)
    yield from find_answers(text, folded)
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
