"""Look words and phrases up: what they mean, and whether they mean it or its opposite."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from . import concepts, grammar
from .stems import stem
from .wordlist import groups, phrases

MAX_PHRASE_WORDS = 5


class Part(Enum):
    """What a word or phrase does in a statement."""

    MATTER = "matter"
    NEGATOR = "negator"
    NARROW_NEGATOR = "narrow negator"
    VOID = "void"


@dataclass(frozen=True)
class Entry:
    """A meaning: `sign` is -1 when the words state the opposite of `concept`."""

    part: Part
    concept: str = ""
    sign: int = 1


Phrase = tuple[str, ...]
Lexicon = dict[Phrase, Entry]


def phrase_of(text: str) -> Phrase:
    """Return the stems of a phrase as it is written in the word lists."""
    return tuple(stem(word) for word in text.lower().replace("-", " ").split())


def _opposites() -> Lexicon:
    table: Lexicon = {}
    for group in groups(concepts.OPPOSITES):
        left, _, right = group.partition("|")
        concept = phrases(left)[0]
        for side, sign in ((left, 1), (right, -1)):
            for entry in phrases(side):
                table.setdefault(phrase_of(entry), Entry(Part.MATTER, concept, sign))
    return table


def _synonyms(opposites: Lexicon) -> Lexicon:
    """A group whose first word has an opposite takes that word's side, so chains of groups meet."""
    table: Lexicon = {}
    for group in groups(concepts.SYNONYMS):
        first, *others = phrases(group)
        meaning = opposites.get(phrase_of(first), Entry(Part.MATTER, first))
        for entry in (first, *others):
            table.setdefault(phrase_of(entry), meaning)
    return table


def _all_as(part: Part, entries: Iterable[str]) -> Lexicon:
    return {phrase_of(entry): Entry(part) for entry in entries}


def _build() -> Lexicon:
    """Later tables win: the closed classes of grammar stand above the open lists of synonyms."""
    opposites = _opposites()
    table = _synonyms(opposites) | opposites
    table |= _all_as(Part.VOID, grammar.PHRASES_WITHOUT_MATTER)
    table |= _all_as(Part.NEGATOR, grammar.NEGATORS)
    return table | _all_as(Part.NARROW_NEGATOR, grammar.NARROW_NEGATORS)


LEXICON = _build()
_LONGEST_BY_FIRST: dict[str, int] = {}
for _phrase in LEXICON:
    _LONGEST_BY_FIRST[_phrase[0]] = max(len(_phrase), _LONGEST_BY_FIRST.get(_phrase[0], 0))


def find_phrase(stems: Sequence[str], start: int, min_words: int = 1) -> tuple[int, Entry] | None:
    """Return the longest known phrase at `start` as (number of words, entry), or None."""
    longest = min(_LONGEST_BY_FIRST.get(stems[start], 0), MAX_PHRASE_WORDS)
    for length in range(longest, min_words - 1, -1):
        entry = LEXICON.get(tuple(stems[start : start + length]))
        if entry is not None and start + length <= len(stems):
            return length, entry
    return None


def concept_of(word: str) -> str:
    """Return the concept of one word: its group's name, or its stem when no group has it."""
    entry = LEXICON.get((stem(word),))
    return entry.concept if entry is not None and entry.part is Part.MATTER else stem(word)
