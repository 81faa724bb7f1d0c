"""How far a text took up a memory: an injected memory that the answer draws on was of use, another was not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memories.text.entities import find_entities
from memories.text.entities.words import FUNCTION_WORDS
from memories.text.relate.grammar import AUXILIARIES, CONDITIONALS, PREPOSITIONS, STOP_WORDS
from memories.text.relate.language import FOREIGN_WORDS
from memories.text.relate.lexicon import concept_of
from memories.text.relate.measures import NUMBER_WORDS, UNITS
from memories.text.unspaced import MARKS, WITHOUT_SPACES

WORD_WEIGHT, NAME_WEIGHT, FIGURE_WEIGHT = 1.0, 2.0, 3.0
MIN_WORDS_IN_COMMON = 2
"""One ordinary word in common is chance, unless the memory has no other."""
MAX_NUMBER_CHARS = 40

_LETTERS = rf"[^\W_](?:(?!_)[\w{MARKS}])*"
# The look ahead: Python before 3.11.5 keeps what a possessive group has begun and not ended.
_TOKEN = re.compile(
    r"(?P<number>\d+(?:(?=[.,:]\d)[.,:]\d+)*+)(?![._/@-]?[\d_]|[^\W\d_]*[._/@-]?\d)"
    r"[ \t\u00a0]?(?P<unit>[^\W\d_]+|[%°€$£])?"
    rf"|(?P<unspaced>[{WITHOUT_SPACES}]+)"
    rf"|(?P<word>{_LETTERS}(?:[._:/@'-]{_LETTERS})*)"
)
"""Where there are no spaces between words, pairs of characters stand for them."""
_PIECE = re.compile(_LETTERS)
_PLAIN = rf"[^\W\d_](?:(?![\d_])[\w{MARKS}])*"
_PLAIN_COMPOUND = re.compile(rf"{_PLAIN}(?:[-']{_PLAIN})*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_APOSTROPHES = str.maketrans("’‘", "''")
EMPTY_WORDS = STOP_WORDS | PREPOSITIONS | CONDITIONALS | AUXILIARIES | FUNCTION_WORDS | FOREIGN_WORDS


@dataclass(frozen=True, slots=True)
class _Term:
    """A word or number as written. A text that says one of `keys` has it."""

    word: str
    keys: tuple[str, ...]
    weight: float = WORD_WEIGHT


def used_share(memory_text: str, response: str) -> float:
    """0 to 1: the weight of the memory's words that the response has, over the weight of all its words.

    share = Σ weight(w), w in both / Σ weight(w), w in the memory; each distinct w counts once.

    Weights: 3 for numbers (with their unit: "45 s" is "45 seconds", and "45" alone will do), 2 for names and
    identifiers, 1 for other words, 0 for stop words. Words are the same when their stems or concepts are
    ("reboot", "restarted"). A single word of weight 1 in common counts as 0 where the memory has several.
    Linear in both texts.
    """
    terms = _terms_of(memory_text)
    shared = _shared(terms, response)
    return sum(term.weight for term in shared) / sum(term.weight for term in terms) if shared else 0.0


def shared_words(memory_text: str, response: str) -> tuple[str, ...]:
    """The words that `used_share` counted, as the memory writes them, in its order."""
    return tuple(term.word for term in _shared(_terms_of(memory_text), response))


def _shared(terms: list[_Term], response: str) -> list[_Term]:
    said = _said_in(response)
    shared = [term for term in terms if not said.isdisjoint(term.keys) or _is_spelt_out(term, said)]
    is_chance = len(terms) >= MIN_WORDS_IN_COMMON > len(shared) and all(t.weight == WORD_WEIGHT for t in shared)
    return [] if is_chance else shared


def _is_spelt_out(term: _Term, said: set[str]) -> bool:
    """ "the web 01 host" has "web-01", but "the web" has not."""
    pieces = _PIECE.findall(term.word.casefold()) if term.weight == NAME_WEIGHT else []
    return len(pieces) > 1 and all(_key(piece) in said for piece in pieces)


@lru_cache(maxsize=128)
def _terms_of(memory_text: str) -> list[_Term]:
    names = {piece for entity in find_entities(memory_text) for piece in _PIECE.findall(_plain(entity.name).casefold())}
    terms: dict[str, _Term] = {}
    for token in _TOKEN.finditer(_plain(memory_text)):
        for term in _memory_terms(token, names):
            terms.setdefault(term.keys[0], term)
    return list(terms.values())


def _memory_terms(token: re.Match[str], names: set[str]) -> Iterator[_Term]:
    if number := token["number"]:
        unit = UNITS.get((token["unit"] or "").lower())
        keys = (_quantity(number, unit), number) if unit else (number, f"#{number}")
        yield _Term(token.group() if unit else number, keys, FIGURE_WEIGHT)
    for word in _words_of(token):
        lower = word.casefold()
        if lower in NUMBER_WORDS and lower not in EMPTY_WORDS:
            number = str(NUMBER_WORDS[lower])
            yield _Term(word, (number, f"#{number}"), FIGURE_WEIGHT)
        elif lower not in EMPTY_WORDS:
            is_name = lower in names or not _PLAIN_COMPOUND.fullmatch(word)
            yield _Term(word, (_key(lower),), NAME_WEIGHT if is_name else WORD_WEIGHT)


@lru_cache(maxsize=128)
def _said_in(response: str) -> set[str]:
    said: set[str] = set()
    for token in _TOKEN.finditer(_plain(response)):
        if number := token["number"]:
            unit = UNITS.get((token["unit"] or "").lower())
            said |= {_quantity(number, unit), f"#{number}"} if unit else {number}
        for word in _words_of(token):
            lower = word.casefold()
            said.add(str(NUMBER_WORDS[lower]) if lower in NUMBER_WORDS else _key(lower))
            if not _PLAIN_COMPOUND.fullmatch(word):
                said.update(map(_key, _PIECE.findall(lower)))
    return said


def _words_of(token: re.Match[str]) -> Iterator[str]:
    """Identifiers whole, plain compounds in their parts, what has no spaces in overlapping pairs; no single letters."""
    if run := token["unspaced"]:
        yield from (run[i : i + 2] for i in range(max(len(run) - 1, 1)))
        return
    unit = token["unit"]
    word = token["word"] or ("" if unit is None or unit.lower() in UNITS else unit)
    parts = word.partition("'")[0].split("-") if _PLAIN_COMPOUND.fullmatch(word) else [word]
    yield from (part for part in parts if len(part) > 1 or not part.isascii())


@lru_cache(maxsize=16_384)
def _key(lower: str) -> str:
    """What the forms and the synonyms of a word have in common."""
    return concept_of(lower) if lower.isalpha() else lower


def _quantity(number: str, unit: tuple[str, float]) -> str:
    """ "45 s" and "0.75 min" are "duration:45"."""
    plain = number.replace(",", "") if _THOUSANDS.fullmatch(number) else number.replace(",", ".")
    kind, factor = unit
    is_value = plain.count(".") < 2 and ":" not in plain and len(plain) <= MAX_NUMBER_CHARS
    return f"{kind}:{float(plain) * factor:g}" if is_value else f"{kind}:{plain}"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
