"""A text as it reads, however it is written: what the rules are matched against, with the way back."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

_ODD = re.compile(r"[^\W\d_][\u0300-\u036f]{1,16}|[^\x00-\x7f]")
_UNSEEN = re.compile(
    "[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e01ef]"
)
_MARKS = re.compile("[\u0300-\u036f]")
_KEPT = frozenset("äöüñçéèêàáíóú")
_MARKED = "".join(
    char
    for char in map(chr, (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)))
    if char not in _KEPT and char == char.lower() and unicodedata.normalize("NFD", char)[0].isascii()
)
_LOOKALIKES = str.maketrans(
    "абвеіјкмнорсѕтухԁԛԝһӏαεικνορτυχγʜɑıɡʟɴᴏᴇᴀѵꓲꓳ’‘“”‐‑–—" + _MARKED,
    "abbeijkmhopcstyxdqwhlaeiknoptuxyhaiglnoeavio''\"\"----"
    + "".join(unicodedata.normalize("NFD", char)[0] for char in _MARKED),
)
"""Cyrillic, Greek and phonetic letters that pass for Latin ones, in lower case, and typographic marks.

Latin letters lose the marks that no word of the rules has.
"""
_MAX_EXPANSION = 4


@dataclass(frozen=True, slots=True)
class Plain:
    """`text` in NFKC, lower case, without invisible characters, lookalikes as the letters they look like."""

    text: str
    _plain_starts: tuple[int, ...]
    _starts: tuple[int, ...]
    _length: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stands in what was written."""
        first = self._place(start)
        return first, max(self._place(end - 1) + 1, first)

    def _place(self, plain_place: int) -> int:
        at = bisect_right(self._plain_starts, plain_place) - 1
        return min(self._starts[at] + plain_place - self._plain_starts[at], self._length - 1)


def read_plain(text: str) -> Plain:
    """Linear. Where nothing changes its length, which is usual, all places stay the same."""
    if unicodedata.is_normalized("NFKC", text) and not _UNSEEN.search(text) and not _MARKS.search(text):
        plain = text.lower().translate(_LOOKALIKES)
        if len(plain) == len(text):
            return Plain(plain, (0,), (0,), len(text))
    return _read_oddities(text)


def _read_oddities(text: str) -> Plain:
    """Only characters outside ASCII need a look; behind each whose length changes, places are counted anew."""
    pieces: list[str] = []
    plain_starts, starts = [0], [0]
    place = length = 0
    for odd in _ODD.finditer(text):
        plain = _plain_of(odd.group())
        pieces += (text[place : odd.start()], plain)
        length += odd.start() - place + len(plain)
        place = odd.end()
        if len(plain) != len(odd.group()):
            plain_starts.append(length)
            starts.append(place)
    pieces.append(text[place:])
    return Plain("".join(pieces).lower(), tuple(plain_starts), tuple(starts), len(text))


@lru_cache(maxsize=4_096)
def _plain_of(char: str) -> str:
    """One character, or a letter with the marks stacked on it; a ligature of many letters stays as it is."""
    if _UNSEEN.match(char) or _MARKS.match(char):
        return ""
    plain = unicodedata.normalize("NFKC", char).lower().translate(_LOOKALIKES)
    if len(plain) > _MAX_EXPANSION:
        return char
    if plain in _KEPT or plain.isascii():
        return plain
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", plain)))
