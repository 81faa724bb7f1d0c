"""Cut a text into the words a date can be made of. Paths, addresses and identifiers stay whole and say no time."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memories.text.temporal.words import MONTHS, WEEKDAYS

_CHUNK = re.compile(r"\S+")
_PIECE = re.compile(
    r"(?<![\w/.-])(?:\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.]{2,20}(?:Z|[+-]\d\d:?\d\d)?)?|\d{4}-\d{2}"
    r"|\d{1,2}[/-]\d{1,2}[/-]\d{4}|\d{1,2}/\d{1,2}/\d{2}|\d{1,2}\.\d{1,2}\.\d{4})(?![\w/-]|\.\d)"
    r"|\w+(?:['’]\w+)?|\S"
)
_OPAQUE_MARKS = ("@", "_", "\\", "=", "://", "`")
_FILE_NAME = re.compile(r"[^\W\d]\.[^\W_]")
_MAX_CHUNK_CHARS = 200
_PATHLIKE = re.compile(r"[^\W\d]/|/[^\W\d]")
_POSSESSIVE = ("'s", "’s")


class Token(NamedTuple):
    """`word` is lower case and without a possessive; `end` lies before the possessive, too."""

    text: str
    word: str
    start: int
    end: int
    glued: bool

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()


@dataclass(frozen=True, slots=True)
class Reading:
    """A text being read at a moment. `now` keeps its time zone; `today` is its midnight, without one."""

    tokens: Sequence[Token]
    now: datetime

    @property
    def local(self) -> datetime:
        return self.now.replace(tzinfo=None)

    @property
    def today(self) -> datetime:
        return self.local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)

    def word(self, at: int) -> str:
        """The word at a place, "" outside of the text."""
        return self.tokens[at].word if 0 <= at < len(self.tokens) else ""

    def is_capital(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].is_capital

    def skip(self, at: int, *words: str) -> int:
        """The place behind the first of `words` if it stands here, else `at`."""
        return at + 1 if self.word(at) in words and self.word(at) else at

    def before(self, at: int) -> str:
        """The word before a place, a "the" overlooked."""
        return self.word(at - 2) if self.word(at - 1) == "the" else self.word(at - 1)

    def starts_sentence(self, at: int) -> bool:
        return at == 0 or self.word(at - 1) in {".", "!", "?", ":"}


def tokenize(text: str) -> list[Token]:
    """The tokens of a text in order. Linear in its length."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    for chunk in _CHUNK.finditer(text):
        whole = chunk.group()
        if whole.isalpha() and len(whole) <= _MAX_CHUNK_CHARS:
            yield _token(whole, chunk.start(), glued=False)
            continue
        if _is_opaque(whole):
            yield Token(whole, "", chunk.start(), chunk.end(), glued=False)
            continue
        for piece in _PIECE.finditer(text, chunk.start(), chunk.end()):
            yield _token(piece.group(), piece.start(), glued=piece.start() > chunk.start())


def _token(text: str, start: int, glued: bool) -> Token:
    kept = text[:-2] if text.endswith(_POSSESSIVE) else text
    return Token(text, kept.lower(), start, start + len(kept), glued)


def _is_opaque(chunk: str) -> bool:
    """Whether it is an address, a path, a file or other code; what is too long to be a word is, too."""
    if len(chunk) > _MAX_CHUNK_CHARS or any(mark in chunk for mark in _OPAQUE_MARKS):
        return True
    if _PATHLIKE.search(chunk):
        return not all(piece in MONTHS or piece in WEEKDAYS for piece in chunk.strip(".,;:!?()").lower().split("/"))
    return bool(_FILE_NAME.search(chunk))
