"""A text made ready for dates: code left out, and five other languages read as English."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from enum import Enum
from itertools import pairwise
from pathlib import Path

from memories.language.dates.calendar import DAY, Span
from memories.language.dates.words import MONTH_NAMES, PLAIN_WEEKDAYS, WEEKDAYS, Reading, Token, tokenize
from memories.language.wordlists import read_lists, words

BREAK = "\n"
"""The word of the token that stands for the end of a line, where a line ends a thought."""


@dataclass(frozen=True, slots=True)
class Speech(Reading):
    """A text being read, its time words in English. `language` is "en", "de", "es", "fr", "it" or "pt"."""

    language: str = "en"

    def surface(self, index: int) -> str:
        """Return the word as it was said, in lower case and with a plain apostrophe; "" outside of the text."""
        return _surface(self.tokens[index]) if 0 <= index < len(self.tokens) else ""

    def is_glued(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].glued


class Proof(Enum):
    """What the clause must tell before a time counts as coming."""

    NONE = "it is coming whatever is said about it"
    NOT_OVER = "nothing tells that it is over"
    NOT_PAST = "nothing tells that it is over or any such day"
    NO_HABIT = "no verb in the plain present either"
    FUTURE = "something tells that it is to come"


@dataclass(frozen=True, slots=True)
class Found:
    """What was read over `words` tokens. `first` and `last` are midnights; `last` is a day of the span.

    `begin` is where a span that may be running begins. `part` is a key of DAY_PARTS where one was said, and tells
    whether a bare "at 8" is early or late.
    """

    words: int
    first: datetime
    last: datetime | None = None
    proof: Proof = Proof.NOT_PAST
    clock: time | None = None
    rule: str = ""
    part: str = ""
    begin: datetime | None = None

    @property
    def end(self) -> datetime:
        return self.last or self.first

    def moved(self, more_words: int) -> Found:
        return replace(self, words=self.words + more_words)


def from_span(words: int, span: Span, today: datetime, proof: Proof = Proof.NOT_PAST) -> Found:
    """Return what of a span is still to come; all of it if it is over."""
    last = span.end - DAY
    first = max(span.start, today) if last >= today else span.start
    return Found(words, first, last if last > first else None, proof, begin=span.start)


AFTER = "⟨next⟩"
"""Of a word that stands behind the noun, as "prochain" does."""


LANGUAGES: defaultdict[str, dict[str, str]] = defaultdict(dict)
"""Lists of words of each language but English, by their names."""
for _name, _text in read_lists(Path(__file__).with_name("languages.tsv")).items():
    _language, _, _list = _name.partition(".")
    LANGUAGES[_language][_list] = _text
DAYS = {language: entries["days"].split() for language, entries in LANGUAGES.items()}
MONTHS = {language: entries["months"].split() for language, entries in LANGUAGES.items()}
_SIGNS = {language: words(entries["signs"]) for language, entries in LANGUAGES.items()}
_ENGLISH_DAYS = tuple(name for name in WEEKDAYS if name in PLAIN_WEEKDAYS)
_ENGLISH_MONTHS = tuple(name.lower() for name in MONTH_NAMES)
Table = dict[tuple[str, ...], tuple[str, ...]]
"""Tokens of a language → English words."""


def _pairs(entries: str) -> Iterator[tuple[str, str]]:
    """Yield what is said and what is meant by comma-separated entries, "tag=day, tage=day"."""
    for entry in entries.split(","):
        phrase, _, meant = entry.partition("=")
        yield phrase, meant


def _table(language: str) -> Table:
    entries = LANGUAGES[language]
    # As the tokenizer cuts it: "week-end" is three tokens.
    table = {
        tuple(phrase.replace("-", " - ").split()): tuple(meant.split()) for phrase, meant in _pairs(entries["phrases"])
    }
    for names, english, forms in (
        (DAYS[language], _ENGLISH_DAYS, entries["with_day"]),
        (MONTHS[language], _ENGLISH_MONTHS, entries["with_month"]),
    ):
        for name, meant in zip(names, english, strict=True):
            table |= {
                tuple(phrase.format(name).split()): tuple(form.format(meant).split()) for phrase, form in _pairs(forms)
            }
    return table


_TABLES = {language: _table(language) for language in LANGUAGES}
_LONGEST = max(len(phrase) for table in _TABLES.values() for phrase in table)


_GREETINGS = frozenset({"guten", "gute", "am", "jeden", "diesen", "schönen"})
"""Before the German "morgen": the morning."""
_NOUNS_OF_NEXT = frozenset({*_ENGLISH_DAYS, *_ENGLISH_MONTHS, "week", "month", "year", "weekend"})


def language_of(tokens: Sequence[Token]) -> str:
    """Return the language whose words of time and function the text has most of, "en" without any of them."""
    spoken = {_surface(token) for token in tokens}
    counts = {language: len(spoken & signs) for language, signs in _SIGNS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] else "en"


def _surface(token: Token) -> str:
    return token.text.lower().replace("’", "'")


def _translate(tokens: Sequence[Token], language: str) -> list[Token]:
    """Return the tokens with English words of time; those of a phrase, which may be fewer, cover its characters."""
    table = _TABLES[language]
    read: list[Token] = []
    index = 0
    while index < len(tokens):
        used, meant = _longest(tokens, index, table)
        if not used:
            # The token of a word that is none of time. The dot of "3. Mai" is dropped.
            token = tokens[index]
            follower = _surface(tokens[index + 1]) if index + 1 < len(tokens) else ""
            is_dot = language == "de" and token.word == "." and index > 0 and tokens[index - 1].word.isdecimal()
            read += [] if is_dot and follower in MONTHS["de"] else [token]
            index += 1
            continue
        read += _relabelled(tokens[index : index + used], meant)
        index += used
    return _in_english_order(read)


def _longest(tokens: Sequence[Token], index: int, table: Table) -> tuple[int, tuple[str, ...]]:
    """Return how many tokens make the longest phrase that begins here, and its English words."""
    forms = tuple(_surface(token) for token in tokens[index : index + _LONGEST])
    if forms[0] == "morgen" and index and (_surface(tokens[index - 1]) in _GREETINGS):
        return 1, ("morning",)
    for length in range(len(forms), 0, -1):
        meant = table.get(forms[:length])
        if meant:
            return length, meant
    return 0, ()


def _relabelled(tokens: Sequence[Token], meant: Sequence[str]) -> list[Token]:
    """Return the English words over the tokens of a phrase; the last covers what is left, the first what is missing."""
    if len(meant) > len(tokens):
        return [tokens[0]._replace(word=word) for word in meant[: -len(tokens)]] + [
            token._replace(word=word) for token, word in zip(tokens, meant[-len(tokens) :], strict=True)
        ]
    english = [token._replace(word=word) for token, word in zip(tokens, meant, strict=False)]
    english[-1] = english[-1]._replace(end=tokens[-1].end)
    return english


def _in_english_order(tokens: list[Token]) -> list[Token]:
    """Read a day before its month in English order, then put "next" before its noun.

    "3 de mayo de 2027" is read as "3 of may of 2027", "le 3 mai" and "el 3 de mayo" as "on 3 may"; a weekday that
    comes round ("le vendredi") is one day where a date or "prochain" follows.
    """
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        follower = tokens[index + 1].word if index + 1 < len(tokens) else ""
        if token.word in {"de", "del"} and before and (before.word.isdecimal() or before.word in _NOUNS_OF_NEXT):
            tokens[index] = token._replace(word="of")
        elif token.word in {"le", "el", "am", "il", "em"} and follower[:1].isdecimal():
            tokens[index] = token._replace(word="on")
        elif before and before.word == "on" and token.word[:-1] in _NOUNS_OF_NEXT:
            is_once = follower[:1].isdecimal() or follower == AFTER
            tokens[index] = token._replace(word=token.word[:-1]) if is_once else token
    for index in range(1, len(tokens)):
        noun, token = tokens[index - 1], tokens[index]
        if token.word == AFTER and noun.word in _NOUNS_OF_NEXT:
            tokens[index - 1 : index + 1] = [noun._replace(word="next"), token._replace(word=noun.word)]
    return tokens


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)


def read_speech(text: str, now: datetime) -> Speech:
    # As many marks, which the tokenizer takes for code.
    blank = _CODE.sub(lambda code: "`" * len(code.group()), text)
    tokens = list(_with_breaks(text, tokenize(blank)))
    language = language_of(tokens)
    return Speech(tokens if language == "en" else _translate(tokens, language), now, language)


def _with_breaks(text: str, tokens: list[Token]) -> Iterator[Token]:
    """Yield the breaks: a line ends a thought unless the next one goes on in lower case."""
    if tokens:
        yield tokens[0]
    for before, token in pairwise(tokens):
        lines = text.count("\n", before.end, token.start)
        if lines > 1 or (lines and not token.text[0].islower()):
            yield Token("\n", BREAK, before.end, before.end, glued=False)
        yield token
