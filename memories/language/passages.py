"""Find the passage of a long text that says most about a question, in prose, code, logs and tables."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from memories.language.messages import SENTENCE
from memories.language.relate.grammar import stem
from memories.language.scripts import is_unspaced, parts_in

LONG = 600
"""Characters. Shorter texts are their own best passage."""
MOST_CHARACTERS = 480
MOST_HEAD = 200
OPENING = 3
LATER_COUNTS = 0.02
"""So much less for each unit before it: of two that say as much the earlier one is shown."""
BLOCK_KIND = re.compile(
    r"(?P<code>^(?:```|~~~)[^\n]*\n(?s:.*?)(?:^(?:```|~~~)[^\S\n]*$|\Z))"
    r"|(?P<table>(?:^[^\S\n]*\|[^\n]*\|[^\S\n]*(?:\n|\Z)){2,})"
    r"|(?P<log>(?:^(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d|(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b)[^\n]*(?:\n|\Z)){2,})",
    re.MULTILINE,
)
LINE = re.compile(r"[^\n]+")
RULE = re.compile(r"[\s|:+-]*")
"""The line below a table's head."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Hold a part of a text, `text[start:end]`, and the line that heads it: of a table's row the table's head."""

    start: int
    end: int
    head: str = ""

    def of(self, text: str) -> str:
        """Return the passage with its head before it, and "…" where text is left out."""
        body = text[self.start : self.end].strip()
        opening = f"{self.head}\n" if self.head else "… " if text[: self.start].strip() else ""
        return f"{opening}{body}{' …' if text[self.end :].strip() else ''}"


@dataclass(frozen=True, slots=True)
class Unit:
    """Hold the place of a sentence or line. Units of one `block` are read together; `head` is a table's first line."""

    start: int
    end: int
    block: int
    head: str = ""


def best_passage(text: str, words: Sequence[str], most: int = MOST_CHARACTERS) -> Passage:
    """Return the passage of at most `most` characters, its head apart, that holds most of these words.

    A word counts by how few units of the text hold it (their inverse frequency), once for a passage. The beginning
    where none is held. Passages begin and end with sentences, or lines of code, logs and tables; what is longer than
    `most` is cut at a word.
    """
    units = list(units_of(text))
    stems = {stem(word.casefold()) for word in words}
    # A stem is looked for only where it can be: it begins as its word does.
    openings = tuple({name[:OPENING] for name in stems})
    stored = [
        stems & {stem(part) for part in parts_in(text[unit.start : unit.end]) if part.startswith(openings)}
        for unit in units
    ]
    counts = Counter(name for names in stored for name in names)
    if not counts:
        return Passage(0, cut_end(text, 0, len(text), most))
    weights = {name: math.log(1 + len(units) / number) for name, number in counts.items()}
    best, first, last = -1.0, 0, 0
    for start in range(len(units)):
        names: set[str] = set()
        end = start
        for place in range(start, len(units)):
            if place > start and units[place].end - units[start].start > most:
                break
            if stored[place] - names:
                names |= stored[place]
                end = place
        worth = sum(weights[name] for name in names) - LATER_COUNTS * start
        if stored[start] and worth > best:
            best, first, last = worth, start, end
    first, last = with_surroundings(units, first, last, most)
    start = units[first].start
    return Passage(start, cut_end(text, start, units[last].end, most), units[first].head)


def with_surroundings(units: Sequence[Unit], first: int, last: int, most: int) -> tuple[int, int]:
    """Return it with what explains it: units of its block before and after, in turn, as far as there is room."""
    block, grows = units[first].block, True
    while grows:
        grows = False
        before, after = max(first - 1, 0), min(last + 1, len(units) - 1)
        if before < first and units[before].block == block and units[last].end - units[before].start <= most:
            first, grows = before, True
        if after > last and units[after].block == block and units[after].end - units[first].start <= most:
            last, grows = after, True
    return first, last


def units_of(text: str) -> Iterator[Unit]:
    """Yield sentences of prose, and lines of code, logs and tables, in order."""
    start, blocks = 0, count()
    for match in BLOCK_KIND.finditer(text):
        yield from prose_units(text, start, match.start(), blocks)
        yield from line_units(text, match, next(blocks))
        start = match.end()
    yield from prose_units(text, start, len(text), blocks)


def prose_units(text: str, start: int, end: int, blocks: Iterator[int]) -> Iterator[Unit]:
    """Yield sentences; each paragraph is a block."""
    behind, block = start, next(blocks)
    for match in SENTENCE.finditer(text, start, end):
        sentence = match.group()
        if not sentence.strip():
            continue
        if text.count("\n", behind, match.start()) > 1:
            block = next(blocks)
        behind = match.end()
        yield Unit(match.end() - len(sentence.lstrip()), match.end(), block)


def line_units(text: str, match: re.Match[str], block: int) -> Iterator[Unit]:
    """Yield the lines of a block. The rows of a table carry its head."""
    head = ""
    for line in LINE.finditer(text, match.start(), match.end()):
        if not line.group().strip() or (match["table"] and RULE.fullmatch(line.group())):
            continue
        yield Unit(line.start(), line.end(), block, head)
        if match["table"] and not head:
            head = line.group().strip()[:MOST_HEAD]


def cut_end(text: str, start: int, end: int, most: int) -> int:
    """Return where a part ends that is no longer than `most`: behind a word, where words are parted by spaces."""
    if end - start <= most:
        return end
    cut = start + most
    if is_unspaced(text[cut - 1 : cut]):
        return cut
    behind = max(text.rfind(" ", start, cut), text.rfind("\n", start, cut))
    return behind if behind > start else cut
