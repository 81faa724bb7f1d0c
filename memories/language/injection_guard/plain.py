"""A text as it reads, however it is written; and what a reader does not see: invisible characters, marks."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
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
    """Return what passes for an ASCII letter, typographic marks, and letters with marks as those without."""
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
        """Return where `text[start:end]` stands in what was written."""
        first = self._place(start)
        return first, max(self._place(end - 1) + 1, first)

    def _place(self, plain_place: int) -> int:
        index = bisect_right(self._plain_starts, plain_place) - 1
        return min(self._starts[index] + plain_place - self._plain_starts[index], self._length - 1)


def is_lookalike(char: str) -> bool:
    """Tell whether a letter that is none of Latin ones passes for one in ASCII."""
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
    # Only characters outside ASCII need a look; behind each whose length changes, places are counted anew.
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


_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,6}\U000e007f")
_TAG_CHARACTERS = re.compile("[\U000e0000-\U000e007f]+")
_INVISIBLE_RUN = re.compile("[\u200b-\u200f\u2060-\u2064\u180e\ufeff\u00ad]{4,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_OVERRIDE = re.compile("[\u202d\u202e]")
_SPLIT_WORD = re.compile("(?:[A-Za-z][\u200b-\u200d\u2060\ufeff\u00ad]){3,}")

_BLOB = re.compile(r"(?<![A-Za-z0-9+/=_-])(?:[A-Za-z0-9+/_-]{24,}={0,2}|(?:[0-9a-fA-F]{2} ?){24,})")
_UNPACKS = re.compile(
    r"\b(?:decode|decodes|decoding|decrypt|base64|b64decode|atob|unhex|rot13|dekodiere|entschlüssle|"
    r"decodifica|décodez?)\b"
)
_OBEYS = re.compile(
    r"\b(?:execute|run|eval|exec|follow|obey|perform|carry out|do what|act on|comply|führe|befolge|ausführen|"
    r"ejecuta|sigue|exécute|exécutez|suis)\b|\|\s?(?:ba|z)?sh\b"
)
_CONTEXT_CHARS = 120

Finding = tuple[int, int, str]
"""Start, end and reason."""


def find_hidden(text: str) -> Iterator[Finding]:
    """`text` as it was written. Linear."""
    if not text.isascii():
        # Flags of regions have tag characters, emoji single selectors, some scripts single joiners.
        flags = {match.start() + 1 for match in _FLAG.finditer(text)}
        for run in _TAG_CHARACTERS.finditer(text):
            if run.start() not in flags:
                yield run.start(), run.end(), "holds invisible tag characters"
        for pattern, reason in (
            (_INVISIBLE_RUN, "holds a run of invisible characters"),
            (_SELECTORS, "holds a run of variation selectors"),
            (_SPLIT_WORD, "splits words with invisible characters"),
            (_OVERRIDE, "turns the direction of its letters around"),
        ):
            for match in pattern.finditer(text):
                yield match.start(), match.end(), reason
    done = 0
    for blob in _BLOB.finditer(text):
        before = text[max(done, blob.start() - _CONTEXT_CHARS) : blob.start()].lower()
        around = f"{before} {text[blob.end() : blob.end() + _CONTEXT_CHARS].lower()}"
        # A path or a name in small letters is not packed.
        packed = blob.group()
        is_mixed = any(char.isupper() for char in packed) and any(char.islower() for char in packed)
        is_packed = any(char.isdigit() for char in packed) and (is_mixed or packed.replace(" ", "").isalnum())
        if is_packed and _UNPACKS.search(around) and _OBEYS.search(around):
            yield blob.start(), blob.end(), "is to be decoded and obeyed"
        done = blob.end()


Mark = tuple[int, int, str]
"""Start, end and reason."""

_TAGS = re.compile(
    r"<\|[a-z_0-9 ]{2,32}\|>"
    r"|\[/?inst\]|<</?sys>>"
    r"|</?\s{0,4}(?:memory-context|system(?:[-_](?:prompt|reminder|message|instructions?))?|assistant|tool_(?:result|call|response|use)s?"
    r"|function_(?:calls?|results?|response)|antml:\w{1,20}|start_of_turn|end_of_turn|invoke)(?=[\s>/])[^<>]{0,200}>"
    r"|<(?:start|end)_of_turn>"
)
_JSON_ROLE = re.compile(
    r"[\"']role[\"']\s{0,4}:\s{0,4}[\"'](?:system|assistant|developer|tool)[\"']\s{0,4},\s{0,4}[\"']content[\"']\s{0,4}:\s{0,4}"
    r"[\"'\[](?!\.\.\.|…|[\"'\]])"
)
_HEADING = re.compile(
    r"^#{2,4} ?(?:instructions?|system(?: prompt)?|response|assistant|human)[ \t]{0,4}:[ \t]{0,4}$", re.MULTILINE
)
_TURN = re.compile(
    r"^[ \t>*_]{0,6}(assistant|ai|ai assistant|chatbot|user|human|system)[*_]{0,2}[ \t]{0,2}:[*_]{0,2}[ \t]{0,4}",
    re.MULTILINE,
)
_SPEECH = re.compile(
    r"(?:sure|okay|ok|yes|of course|certainly|understood|i(?:'ll|'m|'ve)?|as you|done|here (?:is|are)|absolutely)\b"
)
_ORDER = re.compile(
    r"(?:you (?:are|must|will|should|have)|ignore|forget|disregard|override|from now on|the (?:assistant|user|ai|agent|"
    r"model)|new |always (?:reply|respond|answer|send)|do not|send|execute|run|reply|respond|enter)\b"
)
_ANSWERS, _ASKS = frozenset(("assistant", "ai", "ai assistant", "chatbot")), frozenset(("user", "human"))


def find_marks(plain: str) -> Iterator[Mark]:
    """`plain` in lower case. Linear."""
    for tag in _TAGS.finditer(plain):
        yield tag.start(), tag.end(), "holds a tag of a conversation's format"
    for pattern in (_JSON_ROLE, _HEADING):
        for match in pattern.finditer(plain):
            yield match.start(), match.end(), "holds a message in another role"
    # "Assistant: Sure, I will" and "User: … Assistant: …" are turns; "Assistant: Anna Meyer" alone is a fact.
    turns = list(_TURN.finditer(plain))
    speakers = {turn[1] for turn in turns}
    is_dialogue = bool(speakers & _ANSWERS) and bool(speakers & _ASKS)
    for turn in turns:
        says = _SPEECH.match(plain, turn.end()) if turn[1] in _ANSWERS else None
        orders = _ORDER.match(plain, turn.end()) if turn[1] == "system" else None
        if says or orders or (is_dialogue and turn[1] in _ANSWERS):
            yield turn.start(), turn.end(), f"speaks as {turn[1]}"


def own_words(content: str, subject: str | None, *, from_outside: bool = False) -> str:
    """Return a memory's content without the speaker who leads it, if that is an assistant that it is stored under.

    Who stores the turns of a talk under their speakers says who spoke, and feigns nothing. Of text from outside
    nobody says so.
    """
    is_named = subject is not None and subject.casefold() in _ANSWERS
    return content.removeprefix(f"{subject}: ") if is_named and not from_outside else content
