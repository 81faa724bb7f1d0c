"""How much texts have in common: an answer and the memory it used, two memories, two plans."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

from memories.language.entities import FUNCTION_WORDS, find_entities
from memories.language.messages import SENTENCE
from memories.language.relate import Relation, relate
from memories.language.relate.features import lay_side_by_side
from memories.language.relate.grammar import (
    AUXILIARIES,
    CONDITIONALS,
    NUMBER_WORDS,
    PREPOSITIONS,
    STOP,
    STOP_WORDS,
    UNITS,
    stem,
)
from memories.language.relate.lexicon import FOREIGN_WORDS, concept_of
from memories.language.relate.outline import COVERED, LIGHT_WEIGHT, Alignment
from memories.language.scripts import MARKS, WITHOUT_SPACES
from memories.language.wordlists import words

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


class Unsaid(NamedTuple):
    """What a statement has that a text lacks.

    The names and figures, the other words, the weight of what the text has, and the share of the words that are no
    names or figures.
    """

    names: tuple[str, ...]
    words: tuple[str, ...]
    share_said: float
    share_of_words: float


SPEAKS_OF_STATING = words("""
    user users assistant agent team prefers prefer likes like wants want uses use plans plan decided decide needs need
    believes says said asked reported mentioned should must never always has have had lives works currently now
    """)
"""With these a statement says who states what, in other words than the text."""


def unsaid_words(statement: str, text: str) -> Unsaid:
    """Return what of a statement a text does not say; words are the same as for `used_share`."""
    terms = [term for term in _terms_of(statement) if term.word.casefold() not in SPEAKS_OF_STATING]
    own_terms = _said_in(text)
    missing = [term for term in terms if not _is_said(term, own_terms)]
    names = tuple(term.word for term in missing if term.weight > WORD_WEIGHT)
    whole = sum(term.weight for term in terms)
    lost = sum(term.weight for term in missing)
    words_missing = tuple(term.word for term in missing if term.weight == WORD_WEIGHT)
    plain = sum(term.weight == WORD_WEIGHT for term in terms)
    return Unsaid(
        names, words_missing, 1 - lost / whole if whole else 1.0, 1 - len(words_missing) / plain if plain else 1.0
    )


def shared_words(memory_text: str, response: str) -> tuple[str, ...]:
    """Return the words that `used_share` counted, as the memory writes them, in its order."""
    return tuple(term.word for term in _shared(_terms_of(memory_text), response))


def _shared(terms: list[_Term], response: str) -> list[_Term]:
    response_terms = _said_in(response)
    shared = [term for term in terms if _is_said(term, response_terms)]
    is_chance = len(terms) >= MIN_WORDS_IN_COMMON > len(shared) and all(t.weight == WORD_WEIGHT for t in shared)
    return [] if is_chance else shared


def _is_said(term: _Term, terms: set[str]) -> bool:
    """Tell whether a text has the term: "the web 01 host" has "web-01", but "the web" has not."""
    pieces = _PIECE.findall(term.word.casefold()) if term.weight == NAME_WEIGHT else []
    return not terms.isdisjoint(term.keys) or (len(pieces) > 1 and all(_key(piece) in terms for piece in pieces))


@lru_cache(maxsize=256)
def _terms_of(memory_text: str) -> list[_Term]:
    names = {piece for entity in find_entities(memory_text) for piece in _PIECE.findall(_plain(entity.name).casefold())}
    terms: list[_Term] = []
    for token in _TOKEN.finditer(_plain(memory_text)):
        if number := token["number"]:
            unit = UNITS.get((token["unit"] or "").lower())
            keys = (_quantity(number, unit), number) if unit else (number, f"#{number}")
            terms.append(_Term(token.group() if unit else number, keys, FIGURE_WEIGHT))
        for word in _words_of(token):
            lower = word.casefold()
            if lower in EMPTY_WORDS:
                continue
            if lower in NUMBER_WORDS:
                number = str(NUMBER_WORDS[lower])
                terms.append(_Term(word, (number, f"#{number}"), FIGURE_WEIGHT))
            else:
                is_name = lower in names or not _PLAIN_COMPOUND.fullmatch(word)
                terms.append(_Term(word, (_key(lower),), NAME_WEIGHT if is_name else WORD_WEIGHT))
    first: dict[str, _Term] = {}
    for term in terms:
        first.setdefault(term.keys[0], term)
    return list(first.values())


@lru_cache(maxsize=128)
def _said_in(response: str) -> set[str]:
    terms: set[str] = set()
    for token in _TOKEN.finditer(_plain(response)):
        if number := token["number"]:
            unit = UNITS.get((token["unit"] or "").lower())
            terms |= {_quantity(number, unit), f"#{number}"} if unit else {number}
        for word in _words_of(token):
            lower = word.casefold()
            terms.add(str(NUMBER_WORDS[lower]) if lower in NUMBER_WORDS else _key(lower))
            if not _PLAIN_COMPOUND.fullmatch(word):
                terms.update(map(_key, _PIECE.findall(lower)))
    return terms


def _words_of(token: re.Match[str]) -> Iterator[str]:
    """Return identifiers whole, compounds in parts, overlapping pairs of scripts without spaces; no single letters."""
    if run := token["unspaced"]:
        yield from (run[i : i + 2] for i in range(max(len(run) - 1, 1)))
        return
    unit = token["unit"]
    word = token["word"] or ("" if unit is None or unit.lower() in UNITS else unit)
    parts = word.partition("'")[0].split("-") if _PLAIN_COMPOUND.fullmatch(word) else [word]
    yield from (part for part in parts if len(part) > 1 or not part.isascii())


@lru_cache(maxsize=4_096)
def _key(lower: str) -> str:
    """Return what the forms and the synonyms of a word have in common."""
    return concept_of(lower) if lower.isalpha() else lower


def _quantity(number: str, unit: tuple[str, float]) -> str:
    """Return a quantity in its base unit: "45 s" and "0.75 min" are "duration:45"."""
    plain = number.replace(",", "") if _THOUSANDS.fullmatch(number) else number.replace(",", ".")
    kind, factor = unit
    is_value = plain.count(".") < 2 and ":" not in plain and len(plain) <= MAX_NUMBER_CHARS
    return f"{kind}:{float(plain) * factor:g}" if is_value else f"{kind}:{plain}"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


Span = tuple[int, int]
MOST_CHARACTERS_QUOTED, MOST_SENTENCES = 200_000, 2_000
_QUOTED_WORD = re.compile(r"\w+")


def find_said(text: str, memory_text: str) -> Span | None:
    """Return start and end of it in the text: to the letter, else the sentence that takes most of it up. None: nowhere.

    Reads the first 200,000 characters, and 2,000 sentences of them.
    """
    text = text[:MOST_CHARACTERS_QUOTED]
    words = memory_text.split()
    if words and (match := re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)):
        return match.span()
    # The sentences that say something, without the space around them.
    spans = ((match.start(), match.group()) for match in SENTENCE.finditer(text) if not match.group().isspace())
    shares: dict[Span, tuple[float, int]] = {}
    for start, sentence in islice(((offset, sentence) for offset, sentence in spans if sentence), MOST_SENTENCES):
        first = start + len(sentence) - len(sentence.lstrip())
        shares[first, first + len(sentence.strip())] = share(sentence.strip(), memory_text)
    best = max(shares, key=lambda span: shares[span], default=None)
    return best if best and any(shares[best]) else None


def share(sentence: str, memory_text: str) -> tuple[float, int]:
    """Return how much of the memory a sentence takes up: by what tells, and by plain words where nothing does."""
    return used_share(memory_text, sentence), len(plain_words(memory_text) & plain_words(sentence))


def plain_words(text: str) -> set[str]:
    return set(_QUOTED_WORD.findall(text.casefold())) - STOP_WORDS


WORD = re.compile(r"\d+|[^\W_]{2,}")
STEM = 6
"""Letters that the forms of a word have in common."""
SAYS_NOTHING = words("""
    appointment appointments date reminder remind remember forget don session visit have has got going
    go goes need needs user my our the there scheduled booked planned please also again
    """)
"""Words that many plans have and that tell none of them from another."""
LEFT_OUT = STOP_WORDS | AUXILIARIES | PREPOSITIONS | SAYS_NOTHING


def matter_of(text: str, times: Iterable[str] = ()) -> frozenset[str]:
    """Return the beginnings of the words that say what it is about; none where nothing but `times` is told."""
    for time in times:
        text = text.replace(time, " ")
    return frozenset(word[:STEM] for word in WORD.findall(text.casefold()) if word not in LEFT_OUT)


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
    for match in _WORD.findall(text[:MOST_CHARACTERS].casefold()):
        if match[0].isdigit():
            figures.add(match)
        else:
            words.update(_stems(match))
    return Gist(frozenset(words), frozenset(figures))


@lru_cache(maxsize=4_096)
def _stems(word: str) -> tuple[str, ...]:
    """None of a word without matter; of a run of a script without spaces, its pairs of characters."""
    if word in STOP:
        return ()
    if _WITHOUT_SPACES.match(word) and len(word) > 2:
        return tuple(word[index : index + 2] for index in range(len(word) - 1))
    return (stem(word),)


def overlap(left: Gist, right: Gist) -> float:
    """Return share (0 to 1) of the shorter's words and numbers that the other has too."""
    common = len(left.words & right.words) + len(left.figures & right.figures)
    return common / (min(left.size, right.size) or 1)


def find_alike(gists: Sequence[Gist], groups: Sequence[str], most: int) -> list[tuple[int, int]]:
    """Return places of at most `most` pairs that may say the same, the likeliest first; the earlier place first.

    Pairs are of one group and share one of their rarest words, and not both have a number that the other lacks.
    """
    scored = {
        (left, right): overlap(gists[left], gists[right])
        for left, right in _pairs_to_compare(gists, groups)
        if gists[left].figures <= gists[right].figures or gists[right].figures <= gists[left].figures
    }
    likely = [pair for pair, share in scored.items() if share >= LEAST_OVERLAP]
    return sorted(likely, key=lambda pair: (-scored[pair], pair))[:most]


def _pairs_to_compare(gists: Sequence[Gist], groups: Sequence[str]) -> Iterator[tuple[int, int]]:
    telling = [[(group, word) for word in gist.words | gist.figures] for gist, group in zip(gists, groups, strict=True)]
    counts = Counter(key for keys in telling for key in keys)
    sharers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, keys in enumerate(telling):
        for key in nsmallest(RARE_WORDS, (key for key in keys if counts[key] > 1), key=lambda key: (counts[key], key)):
            sharers[key].append(place)
    for places in sharers.values():
        reach = len(places) if len(places) <= MOST_SHARERS else 1
        yield from (
            (left, right) for index, right in enumerate(places) for left in places[max(0, index - reach) : index]
        )


LEAST_SCORE = 0.75
LEAST_DENIAL = 0.9
_NOT = re.compile(r"\b(?:not|never|cannot|no longer)\b|n't\b", re.IGNORECASE)
_LETTER = re.compile(r"\b[^\W\d_]\b")
_NO_LABELS = frozenset("adhimst")
"""Letters that stand alone as words, units and endings; any other is a label: "disk C"."""


def says_no_more(poorer: str, richer: str, subject: str) -> bool:
    """Tell whether all that `poorer` says is said by `richer` too. About a millisecond; False when in doubt.

    Sure of about 50 of the 156 labelled pairs that say the same, and wrong about none of the others.
    """
    verdict = relate(richer, poorer, subject=subject)
    if verdict.relation is not Relation.SAME or verdict.score < LEAST_SCORE or _labels(poorer) != _labels(richer):
        return False
    if verdict.score == 1.0:
        return True
    aligned = lay_side_by_side(richer, poorer, subject).aligned
    # The richer only goes on where the poorer ends: "docs build" and "Anna's sister" are other matters.
    begins = all(value >= COVERED for value, _ in aligned.best_existing[:2])
    return not aligned.lone_new and (begins or not aligned.lone_existing) and _keeps_order(aligned)


def denies(text: str, other: str, subject: str) -> bool:
    """Tell whether two statements in the same telling words say the contrary: "X is shared", "X is not shared"."""
    if bool(_NOT.search(text)) == bool(_NOT.search(other)):
        return False
    verdict = relate(text, other, subject=subject)
    return verdict.relation is Relation.CONTRADICTS and verdict.score >= LEAST_DENIAL


def _labels(text: str) -> frozenset[str]:
    return frozenset(_LETTER.findall(text.casefold())) - _NO_LABELS


def _keeps_order(aligned: Alignment) -> bool:
    """Tell whether nothing tells that the two sides have changed places: who depends on whom."""
    # The shared words that no list knows, in order.
    names, other_names = (
        [word.stem for word, (value, _) in zip(words, best, strict=True) if value >= COVERED and not word.groups]
        for words, best in ((aligned.existing, aligned.best_existing), (aligned.new, aligned.best_new))
    )
    left, right = (
        [word.stem for word in side if word.weight > LIGHT_WEIGHT] for side in (aligned.existing, aligned.new)
    )
    is_reordered = len(left) > 1 and sorted(left) == sorted(right)
    is_swapped = is_reordered and (left[0], left[-1]) == (right[-1], right[0]) and left[0] != left[-1]
    return names == other_names and not is_swapped


_HIDDEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""Drawn as nothing or turning the line round, and halves of characters, which no database keeps."""
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_MARKUP = re.compile(
    r"[`\[]"
    r"|\\(?=[^\w\s]|_)"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w{1,32};)"
    r"|\A\*|(?<!\s)\*|\*(?!\s)"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|~(?=~)"
)
_LEADING = re.compile(r"(?=#{1,6}(?:\s|\Z)|[-+](?:[-\s]|\Z)|>)|(?<=\d)(?=[.)](?:\s|\Z))")
_NUMBER = re.compile(r"\d{1,9}")


def one_line(text: str) -> str:
    """`text` with its lines joined, without what cannot be seen or stored."""
    return _BLANKS.sub(" ", _HIDDEN.sub("", text)).strip()


def escape_markdown(line: str) -> str:
    """One line that Markdown shows as it is written, also at the start of a list item."""
    number = _NUMBER.match(line)
    start = number.end() if number else 0
    escaped = _MARKUP.sub(lambda result: "\\" + result[0], line[start:])
    marked = _LEADING.match(line, start)
    return line[:start] + ("\\" if marked else "") + escaped


def cut_words(line: str, most: int) -> str:
    """Return the first words of a line that is longer than `most` characters, with "…" for the rest."""
    if len(line) <= most:
        return line
    head, space, _ = line[:most].rpartition(" ")
    part = head if space and len(head) * 2 > most else line[: max(most - 1, 0)]
    return (part.rstrip(" ,;:–-") + "…")[: max(most, 0)]


def moment_of(*times: datetime | None) -> float:
    """Return the latest of these in seconds since 1970; 0 when none is known."""
    return max(((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() for time in times if time), default=0.0)
