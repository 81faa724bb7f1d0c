"""A text as it reads, however it is written: what the rules are matched against, with the way back."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

CONFUSABLES = Path(__file__).with_name("confusables.tsv")
_ODD = re.compile(r"[^\x00-\x7f]")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_MAX_EXPANSION = 4


def _read_lookalikes() -> dict[int, str]:
    """What passes for an ASCII letter, typographic marks, and letters with marks as those without."""
    folded = dict(zip(map(ord, "’‘‛ʼ′＇“”„‟‐‑‒–—―−⁃⸺"), "''''''\"\"\"\"---------", strict=True))
    for line in CONFUSABLES.read_text(encoding="utf-8").splitlines():
        letter, _, alike = line.partition("\t")
        folded |= {ord(char): letter for char in alike if not line.startswith("#")}
    for code in (*range(0xC0, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x2000)):
        bare = unicodedata.normalize("NFD", chr(code))[0]
        if code not in folded and bare != chr(code):
            folded[code] = folded.get(ord(bare), bare).lower()
    return folded


_LOOKALIKES = _read_lookalikes()
_FOREIGN = frozenset(chr(code) for code, plain in _LOOKALIKES.items() if plain.isalpha() and plain.isascii())


@dataclass(frozen=True, slots=True)
class Plain:
    """`text` in NFKC, lower case, without marks and invisible characters, lookalikes as the letters they look like."""

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


def is_lookalike(char: str) -> bool:
    """Whether a letter that is none of Latin ones passes for one in ASCII."""
    return char >= "\u0370" and not "\u1e00" <= char <= "\u1eff" and char in _FOREIGN


def fold(text: str) -> str:
    return read_plain(text).text


def read_plain(text: str) -> Plain:
    """Linear. Where nothing changes its length, which is usual, all places stay the same."""
    if text.isascii():
        return Plain(text.lower(), (0,), (0,), len(text))
    if unicodedata.is_normalized("NFKC", text) and not _UNSEEN.search(text) and not _MARKS.search(text):
        plain = text.translate(_LOOKALIKES).lower()
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
        if len(plain) != 1:
            plain_starts.append(length)
            starts.append(place)
    pieces.append(text[place:])
    return Plain("".join(pieces).lower(), tuple(plain_starts), tuple(starts), len(text))


@lru_cache(maxsize=4_096)
def _plain_of(char: str) -> str:
    """Of one character; a ligature of many letters stays as it is."""
    if _UNSEEN.match(char) or _MARKS.match(char):
        return ""
    if ord(char) in _LOOKALIKES:
        return _LOOKALIKES[ord(char)]
    plain = unicodedata.normalize("NFKC", char)
    if len(plain) > _MAX_EXPANSION:
        return char
    bare = _MARKS.sub("", unicodedata.normalize("NFD", plain).translate(_LOOKALIKES))
    return unicodedata.normalize("NFC", bare).lower()
