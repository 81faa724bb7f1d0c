"""Where a text says what a memory says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from memories.text.overlap import used_share
from memories.text.relate.grammar import STOP_WORDS
from memories.text.sentence import SENTENCE

Span = tuple[int, int]
MOST_CHARACTERS, MOST_SENTENCES = 200_000, 2_000
_WORD = re.compile(r"\w+")


def find_said(text: str, memory_text: str) -> Span | None:
    """Start and end of it in the text: to the letter, else the sentence that takes most of it up. None: nowhere.

    Reads the first 200,000 characters, and 2,000 sentences of them.
    """
    text = text[:MOST_CHARACTERS]
    words = memory_text.split()
    if words and (found := re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)):
        return found.span()
    shares = {span: share(text[slice(*span)], memory_text) for span in islice(spans_of(text), MOST_SENTENCES)}
    best = max(shares, key=lambda span: shares[span], default=None)
    return best if best and any(shares[best]) else None


def share(sentence: str, memory_text: str) -> tuple[float, int]:
    """How much of the memory a sentence takes up: by what tells, and by plain words where nothing does."""
    return used_share(memory_text, sentence), len(plain_words(memory_text) & plain_words(sentence))


def plain_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - STOP_WORDS


def spans_of(text: str) -> Iterator[Span]:
    """The sentences that say something, without the space around them."""
    for found in SENTENCE.finditer(text):
        said = found.group().strip()
        if said:
            start = found.start() + len(found.group()) - len(found.group().lstrip())
            yield start, start + len(said)
