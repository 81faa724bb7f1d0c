"""How much statements have in common, fast enough for thousands of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest

from memories.text.relate.cues import STOP
from memories.text.relate.stems import stem
from memories.text.unspaced import MARKS, WITHOUT_SPACES

MOST_CHARACTERS = 2_000
"""Read of a statement."""
LEAST_OVERLAP = 0.5
RARE_WORDS = 3
MOST_SHARERS = 16
"""Of a word that more statements share, only neighbours are compared: in a sorted list, equal statements are."""

_WORD = re.compile(rf"\d+|(?:(?![\d_])[\w{MARKS}])+")
_WITHOUT_SPACES = re.compile(f"[{WITHOUT_SPACES}]")


@dataclass(frozen=True, slots=True)
class Gist:
    """The stems of a statement's telling words, and its numbers."""

    words: frozenset[str]
    figures: frozenset[str]

    @property
    def size(self) -> int:
        return len(self.words) + len(self.figures)


def gist_of(text: str) -> Gist:
    words: set[str] = set()
    figures: set[str] = set()
    for found in _WORD.findall(text[:MOST_CHARACTERS].casefold()):
        if found[0].isdigit():
            figures.add(found)
        else:
            words.update(_stems(found))
    return Gist(frozenset(words), frozenset(figures))


@lru_cache(maxsize=16_384)
def _stems(word: str) -> tuple[str, ...]:
    """None of a word without matter; of a run of a script without spaces, its pairs of characters."""
    if word in STOP:
        return ()
    if _WITHOUT_SPACES.match(word) and len(word) > 2:
        return tuple(word[at : at + 2] for at in range(len(word) - 1))
    return (stem(word),)


def overlap(left: Gist, right: Gist) -> float:
    """Share (0 to 1) of the shorter's words and numbers that the other has too."""
    common = len(left.words & right.words) + len(left.figures & right.figures)
    return common / (min(left.size, right.size) or 1)


def find_alike(gists: Sequence[Gist], drawers: Sequence[str], most: int) -> list[tuple[int, int]]:
    """Places of at most `most` pairs that may say the same, the likeliest first; the earlier place first in a pair.

    Pairs are of one drawer and share one of their rarest words, and not both have a number that the other lacks.
    """
    scored = {
        (left, right): overlap(gists[left], gists[right])
        for left, right in _pairs_to_compare(gists, drawers)
        if _numbers_agree(gists[left], gists[right])
    }
    likely = [pair for pair, share in scored.items() if share >= LEAST_OVERLAP]
    return sorted(likely, key=lambda pair: (-scored[pair], pair))[:most]


def _pairs_to_compare(gists: Sequence[Gist], drawers: Sequence[str]) -> Iterator[tuple[int, int]]:
    telling = [
        [(drawer, word) for word in gist.words | gist.figures] for gist, drawer in zip(gists, drawers, strict=True)
    ]
    counts = Counter(key for keys in telling for key in keys)
    sharers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, keys in enumerate(telling):
        for key in nsmallest(RARE_WORDS, (key for key in keys if counts[key] > 1), key=lambda key: (counts[key], key)):
            sharers[key].append(place)
    for places in sharers.values():
        reach = len(places) if len(places) <= MOST_SHARERS else 1
        yield from ((left, right) for at, right in enumerate(places) for left in places[max(0, at - reach) : at])


def _numbers_agree(left: Gist, right: Gist) -> bool:
    return left.figures <= right.figures or right.figures <= left.figures
