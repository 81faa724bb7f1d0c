"""Names by their capitals: "Anna", "Dr. Smith", "Bank of America", "PostgreSQL 16".

A capital at the start of a sentence says nothing by itself: such a word is a name only with a proof beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memories.text.entities.words import (
    CONNECTORS,
    FUNCTION_WORDS,
    GERMAN_ARTICLES,
    GERMAN_DAYS,
    GERMAN_SIGNS,
    GERMAN_STARTS,
    GERMAN_WORDS,
    NAME_VERBS,
    NO_NAMES,
    NOT_COUNTED,
    SECOND_CONNECTORS,
    SENTENCE_STARTS,
    SHOUTED,
    TITLES,
)

MAX_NAME_WORDS = 5
_MAX_WORD_CHARS = 64
_LONGEST_ACRONYM = 6
_WORD = re.compile(r"[^\W_](?:[\w'’&+#-]*[\w+#])?")
_SENTENCE_END = re.compile(r"[.!?:;\n\"“”„«»•*]")
_PRODUCT_NUMBER = re.compile(r" v?(\d{1,4}(?:\.\d{1,4}){0,3})(?![\w%:/-]|[.,]\d)(?: ([^\W\d_]+))?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_CONTRACTION = re.compile(r".+['’](?:t|ll|re|ve|d|m|mon)", re.IGNORECASE)
_ADJECTIVE = ("e", "en", "er", "es", "em")
_NEVER_FIRST = ("ing", "ed", "ly")
_POSSESSIVES = ("'s", "’s")


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is without a possessive; `is_first` tells the start of a sentence.

    `is_joined` tells that only a space lies before it, or the full stop of a title.
    """

    text: str
    start: int
    end: int
    is_possessive: bool
    is_first: bool
    is_joined: bool

    @property
    def low(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    start: int
    kind: str


def find_names(text: str, is_taken: Callable[[int], bool]) -> Iterator[Name]:
    """The names in a text in order; words at places that are taken are left out. Linear in its length."""
    words = [word for word in cut_words(text) if not is_taken(word.start)]
    if _is_shouted(words):
        return
    if _is_german(words):
        words = list(_with_small_nouns(words))
    inside = {word.text for word in words if not word.is_first and _is_candidate(word)}
    at = 0
    while at < len(words):
        size = _run(words, at)
        if size:
            yield from _names_of(text, words, at, size, inside)
        at += max(size, 1)


def cut_words(text: str) -> Iterator[Word]:
    """The words of a text in order."""
    end, previous = 0, ""
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        after_title = previous.lower() in TITLES and gap.startswith(".")
        kept = _without_possessive(match.group())
        yield Word(
            text=kept,
            start=match.start(),
            end=match.start() + len(kept),
            is_possessive=len(kept) < len(match.group()),
            is_first=not previous or (bool(_SENTENCE_END.search(gap)) and not after_title),
            is_joined=gap == " " or (after_title and gap == ". "),
        )
        end, previous = match.end(), match.group()


def _without_possessive(word: str) -> str:
    return word[:-2] if word.endswith(_POSSESSIVES) else word


def _is_shouted(words: Sequence[Word]) -> bool:
    """Whether capitals say nothing because nearly all is written in them."""
    letters = [word for word in words if len(word.text) > 1 and word.text.isalpha()]
    return len(letters) > 3 and sum(word.text.isupper() for word in letters) > 0.6 * len(letters)


def _is_german(words: Sequence[Word]) -> bool:
    signs = sum(word.low in (GERMAN_STARTS if word.is_first else GERMAN_SIGNS) for word in words)
    return signs > sum(word.low in FUNCTION_WORDS for word in words)


def _with_small_nouns(words: Sequence[Word]) -> Iterator[Word]:
    """German writes every noun with a capital. Written small, as English would, are days and months, and the noun of an
    article, also with adjectives between them ("der neue Server"); not a name behind it ("meine Frau Anna").
    """
    is_of_article = False
    for word in words:
        is_article = word.low in GERMAN_ARTICLES
        is_noun = is_of_article and word.is_joined and word.text.istitle() and word.text.isalpha()
        is_small = is_noun or word.low in GERMAN_WORDS or word.low in GERMAN_DAYS
        yield replace(word, text=word.low) if is_small else word
        is_of_article = is_article or (is_of_article and word.is_joined and _is_german_adjective(word))


def _is_german_adjective(word: Word) -> bool:
    return word.text.islower() and word.text.endswith(_ADJECTIVE) and word.text not in GERMAN_WORDS


def _is_candidate(word: Word) -> bool:
    text = word.text
    if len(text) > _MAX_WORD_CHARS or word.low in NO_NAMES or _CONTRACTION.fullmatch(text):
        return False
    if not text[0].isupper():
        return len(text) > 2 and text[0].islower() and text[1].isupper() and not text.isupper()
    if len(text) == 1:
        return False
    return not text.isupper() or (word.low not in SHOUTED and len(text) <= _LONGEST_ACRONYM)


def _run(words: Sequence[Word], at: int) -> int:
    """How many words from here make one name, connectors included."""
    if not _is_candidate(words[at]):
        return 0
    size = 1
    while size < MAX_NAME_WORDS and not words[at + size - 1].is_possessive:
        joint = _joint(words, at + size, is_acronym=size == 1 and words[at].text.isupper())
        if joint is None or size + joint >= MAX_NAME_WORDS + 1:
            break
        size += joint + 1
    return size


def _joint(words: Sequence[Word], at: int, is_acronym: bool) -> int | None:
    """How many connectors stand here before the next word of the name; None if the name ends."""
    for connectors in range(3):
        if at + connectors >= len(words) or not words[at + connectors].is_joined:
            return None
        word = words[at + connectors]
        if _is_candidate(word) and not (connectors and is_acronym):
            return connectors
        if word.text not in (CONNECTORS if connectors == 0 else SECOND_CONNECTORS):
            return None
    return None


def _names_of(text: str, words: Sequence[Word], at: int, size: int, inside: set[str]) -> Iterator[Name]:
    """The name of a run, less a first word that only begins the sentence; without it, too, where that is open."""
    last = at + size - 1
    first = at
    while words[first].is_first and first < last and _is_mere_start(words[first]):
        first += 1
    if first == last and words[first].low in TITLES:
        return
    if first == last and words[first].is_first and not _is_proved(text, words, first, inside):
        return
    yield from _with_number(text, words, first, last)
    is_open = words[first].is_first and first < last and words[first].low not in TITLES
    if is_open and words[first + 1].text[0].isupper() and words[first].text not in inside:
        yield Name(text[words[first + 1].start : words[last].end], words[first + 1].start, "name")


def _is_mere_start(word: Word) -> bool:
    return word.low in SENTENCE_STARTS or (word.text.istitle() and word.low.endswith(_NEVER_FIRST))


def _with_number(text: str, words: Sequence[Word], first: int, last: int) -> Iterator[Name]:
    """A name, and before it the product it is with a number behind it."""
    start, end = words[first].start, words[last].end
    match = None if words[last].is_possessive else _PRODUCT_NUMBER.match(text, end)
    if match and not _YEAR.fullmatch(match[1]) and (match[2] or "").lower() not in NOT_COUNTED:
        yield Name(text[start : match.end(1)], start, "product")
    yield Name(text[start:end], start, "name")


def _is_proved(text: str, words: Sequence[Word], at: int, inside: set[str]) -> bool:
    """Whether a lone word at the start of a sentence is a name."""
    word = words[at]
    if word.low in SENTENCE_STARTS:
        return False
    if "-" in word.text and word.text.partition("-")[2].islower():
        return False
    if word.is_possessive or word.text in inside or not word.text.istitle() or not word.text.isalpha():
        return True
    if word.low.endswith(_NEVER_FIRST):
        return False
    following = words[at + 1] if at + 1 < len(words) else None
    if following and following.is_joined:
        is_list = following.text in {"and", "or"} and at + 2 < len(words) and _is_candidate(words[at + 2])
        return is_list or following.low in NAME_VERBS
    # A sentence of one word: "Redis?"
    is_alone = following is None or following.is_first
    return is_alone and (text[word.end : word.end + 1] == "?" or text.strip() == word.text)
