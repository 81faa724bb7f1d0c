"""Cut a document into passages that can be found and quoted one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memories.language.messages import ENDS, WIDE_ENDS
from memories.language.scripts import WIDE
from memories.providers.documents.formats import Block

MOST_CHARACTERS = 800
"""What an embedder reads whole, and a prompt takes several of."""
LEAST_CHARACTERS = 200
"""A shorter rest belongs to the passage before it."""
HEADINGS_SHOWN = 3
SEPARATOR = " › "
_ENDS = (
    re.compile(rf"[{ENDS}][\"'”’)\]]*\s+|[{WIDE_ENDS}]+\s*|\n"),
    re.compile(rf"\s+|(?<=[{WIDE}])"),
)
"""Where a long block is cut, the best places first."""


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """Hold a passage: all of it stands on one page and under one heading."""

    text: str
    page: int | None
    heading: str

    @property
    def content(self) -> str:
        """Return the text below its heading, by which it can be understood alone."""
        first = self.text.partition("\n")[0].strip()
        innermost = self.heading.rpartition(SEPARATOR)[2]
        return self.text if not self.heading or first == innermost else f"{self.heading}\n{self.text}"


def passages_of(blocks: Iterable[Block], most: int = MOST_CHARACTERS) -> Iterator[DocumentPassage]:
    """Yield the passages of a document in order, each with as many whole blocks as fit."""
    place: tuple[int | None, tuple[str, ...]] | None = None
    pieces: list[str] = []
    for block in blocks:
        here = (block.page, block.headings)
        for piece in cut(block.text, most):
            size = sum(map(len, pieces)) + len(piece)
            is_rest = len(piece) < LEAST_CHARACTERS and size <= most + LEAST_CHARACTERS
            if place is not None and pieces and (here != place or (size > most and not is_rest)):
                yield passage(pieces, *place)
                pieces = []
            place = here
            pieces.append(piece)
    if place is not None and pieces:
        yield passage(pieces, *place)


def passage(pieces: list[str], page: int | None, headings: tuple[str, ...]) -> DocumentPassage:
    return DocumentPassage("\n".join(pieces), page, SEPARATOR.join(headings[-HEADINGS_SHOWN:]))


def cut(text: str, most: int) -> Iterator[str]:
    """Yield a block in pieces of at most `most` characters, cut behind sentences, else words, else anywhere."""
    while len(text) > most:
        end = next((place for ends in _ENDS if (place := last_end(ends, text, most)) > most // 2), most)
        yield text[:end].strip()
        text = text[end:].lstrip()
    if text := text.strip():
        yield text


def last_end(ends: re.Pattern[str], text: str, most: int) -> int:
    """Return the last place up to `most` behind which a piece may begin; 0 if there is none."""
    return max((match.end() for match in ends.finditer(text, 0, most)), default=0)
