"""Cut statements into tokens, and look up what their words and phrases mean."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path

from memories.language.relate import grammar
from memories.language.relate.grammar import stem
from memories.language.wordlists import phrases, words

# No group is possessive: Python before 3.11.5 keeps what such a group has begun and not ended.
_TOKEN = re.compile(
    r"""
    \d{4}-\d{2}-\d{2}                       # 2024-11-01
    | (?<![\w/])/[\w./-]*+                  # /var/log
    | [^\W\d_][\w-]*+(?:\.[\w-]++)+         # example.com, nginx.conf
    | \d+(?:[.,:]\d+)*                      # 60, 1,000, 3.12, 02:00
    | (?<!\d)[^\W\d_]+-(?:[^\W_]|\d{2,3})(?!\w)  # node-a, pg-03
    | (?:[eE]-mail|[tT]l;dr|[rR]ead-only)\b
    | \w+(?:'\w+)?
    | --|[,;:.!?()%~<>≤≥€$£+→°]
    | (?<![^\W\d_])-|-(?![^\W\d_])        # not the hyphen of "read-only"
    """,
    re.VERBOSE,
)
_SILENT = re.compile(r"""["`()\[\]{};]|!(?=\s|$)|[\u200b-\u200f\ufe0e\ufe0f\ufeff]""")
"""Quotes, brackets, an exclamation, and what is drawn as nothing."""
_SAYS_A_SIGN = re.compile(r"-\.?\d|\.\d|!=")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": ";", "‑": "-", "…": "."})
_IRREGULAR_CONTRACTIONS = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "be"}
_ENDINGS = ("'s", "'ll", "'re", "'ve", "'d", "'m", "'")


@dataclass(frozen=True)
class Token:
    """One piece of text: `text` is lower case; `is_name` tells a capital inside a sentence or a digit."""

    text: str
    is_name: bool = False


@lru_cache(maxsize=4_096)
def canonical_text(text: str) -> str:
    """Fold case, spacing and the punctuation of sentences away, so that equal statements have equal strings.

    Whatever else is no letter says something: "-5", ".5", "!=", an arrow, a currency, a thumb up or down.
    """
    folded = unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold()
    words = []
    for word in _SILENT.sub(" ", folded).split():
        end = word.rstrip("'.,:!?-") if any(char.isalnum() for char in word) else word.rstrip("'.,:!?-_*")
        words.append(end if _SAYS_A_SIGN.match(end) else end.lstrip("'.,:!?*-"))
    return " ".join(filter(None, words))


@lru_cache(maxsize=64)  # a text is read twice in a row, a subject again and again
def tokenize(text: str) -> tuple[Token, ...]:
    """Return the tokens of a statement in order. Cost: linear in its length."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    tokens: list[Token] = []
    starts_sentence = True
    for match in _TOKEN.finditer(plain):
        piece = match.group()
        is_identifier = piece[0].isalpha() and any(char.isdigit() or char in "_." for char in piece)
        is_name = is_identifier or piece[0] == "/" or (piece[0].isupper() and not starts_sentence)
        tokens.extend(Token(part, is_name) for part in _open_contraction(piece.lower()))
        starts_sentence = piece in ".!?:"
    return tuple(tokens)


def _open_contraction(word: str) -> list[str]:
    """Turn "doesn't" into ["does", "not"], "cannot" into ["can", "not"] and "Anna's" into ["anna"]."""
    if word == "read-only":
        return ["readonly"]  # unlike "reads only"
    if word == "cannot":
        return ["can", "not"]
    if word.endswith("n't"):
        return [_IRREGULAR_CONTRACTIONS.get(word, word[:-3]), "not"]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return [word.removesuffix(ending)]
    return [word]


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


def _read_groups(file: str) -> list[tuple[str, list[list[str]]]]:
    """Return the list and the entries of each column of each line."""
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return [(name, list(map(phrases, columns))) for name, *columns in rows]


_SYNONYMS, _OPPOSITES = _read_groups("synonyms.tsv"), _read_groups("opposites.tsv")
_CONCEPT = "concept"
SIBLINGS: dict[str, str] = grammar.LISTS["siblings"]
CITIES = frozenset(SIBLINGS["city"].split()).union(phrases(grammar.LISTS["more_cities"]))


def _build() -> Lexicon:
    """Build the table of words, in which chains of groups of synonyms meet.

    A group takes the side of its first word where that has an opposite.

    Later tables win: the closed classes of grammar stand above the open lists of synonyms.
    """
    opposites: Lexicon = {}
    for left, right in (sides for name, sides in _OPPOSITES if name == _CONCEPT):
        for side, sign in ((left, 1), (right, -1)):
            for entry in side:
                opposites.setdefault(phrase_of(entry), Entry(Part.MATTER, left[0], sign))
    table: Lexicon = {}
    for (group,) in (columns for name, columns in _SYNONYMS if name == _CONCEPT):
        meaning = opposites.get(phrase_of(group[0]), Entry(Part.MATTER, group[0]))
        for entry in group:
            table.setdefault(phrase_of(entry), meaning)
    table |= opposites
    for part, entries in (
        (Part.VOID, grammar.PHRASES_WITHOUT_MATTER),
        (Part.NEGATOR, grammar.NEGATING_PHRASES),
        (Part.NARROW_NEGATOR, grammar.NARROW_NEGATORS),
    ):
        table |= {phrase_of(entry): Entry(part) for entry in entries}
    return table


def _longest(keys: Iterable[tuple[str, ...]]) -> dict[str, int]:
    """Return how many tokens the longest of the keys that begin with a stem has."""
    lengths: dict[str, int] = {}
    for key in keys:
        lengths[key[0]] = max(len(key), lengths.get(key[0], 0))
    return lengths


LEXICON = _build()
_LONGEST_BY_FIRST = _longest(LEXICON)


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


Stems = tuple[str, ...]
Sides = frozenset[tuple[int, int]]
"""(group, side): -1 left of the bar, 1 right of it."""
Span = tuple[int, int, Stems]

MIN_CHARS_OF_A_WORD_WITH_PREFIX = 4
_NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti")


@lru_cache(maxsize=4_096)
def stems_of(text: str) -> Stems:
    """Return the stems of the tokens of an entry."""
    return tuple(stem(token.text) for token in tokenize(text))


def _number_groups(groups: Iterable[list[list[str]]]) -> dict[Stems, Sides]:
    """Return in which groups an entry is, and in which of their columns: -1, 1."""
    numbers: dict[Stems, set[tuple[int, int]]] = {}
    for number, columns in enumerate(groups):
        for side, entries in zip((-1, 1), columns, strict=False):
            for entry in entries:
                numbers.setdefault(stems_of(entry), set()).add((number, side))
    return {key: frozenset(sides) for key, sides in numbers.items()}


SYNONYM_GROUPS = {
    key: frozenset(number for number, _ in places)
    for key, places in _number_groups(columns for _, columns in _SYNONYMS).items()
}
OPPOSITE_SIDES = _number_groups(columns for _, columns in _OPPOSITES)
_LONGEST = _longest([*SYNONYM_GROUPS, *OPPOSITE_SIDES])
_SIBLING_CLASSES: dict[str, set[str]] = {}
for _name, _members in SIBLINGS.items():
    for _member in _members.split():
        for _form in (_member, stem(_member)):
            _SIBLING_CLASSES.setdefault(_form, set()).add(_name)


def spans(stems: Stems) -> list[Span]:
    """Return every (start, end, stems) that synonyms or opposites may know."""
    return [
        (start, end, stems[start:end])
        for start, first in enumerate(stems)
        for end in range(start + 1, min(start + _LONGEST.get(first, 0), len(stems)) + 1)
    ]


@lru_cache(maxsize=4_096)
def classes_of(word: str) -> frozenset[str]:
    """Return the classes of which the word is one value."""
    return frozenset().union(*(_SIBLING_CLASSES.get(form, ()) for form in (word, stem(word))))


def are_opposites(left: str, right: str) -> bool:
    """Tell whether the list of opposites has the two words on either side of a bar, or one is the other denied."""
    ours, theirs = (OPPOSITE_SIDES.get(stems_of(word), frozenset()) for word in (left, right))
    return any((group, -side) in theirs for group, side in ours) or right in opposites_by_form(left)


@lru_cache(maxsize=4_096)
def opposites_by_form(word: str) -> frozenset[str]:
    """Return the word with a negative prefix or without the one it has, and with "-less" for "-ful" or the reverse."""
    forms = {prefix + word for prefix in _NEGATIVE_PREFIXES}
    forms |= {word.removeprefix(prefix) for prefix in _NEGATIVE_PREFIXES if word.startswith(prefix)}
    forms.add(word.removesuffix("ful") + "less")
    if word.endswith("less"):
        root = word.removesuffix("less")
        forms |= {root + "ful", *([] if root.endswith("ful") else [root])}
    return frozenset(form for form in forms if min(len(form), len(word)) >= MIN_CHARS_OF_A_WORD_WITH_PREFIX)


MAX_FOREIGN_SHARE = 0.34
"""Share of words with letters outside ASCII above which a text is not taken for English."""

FOREIGN_WORDS = words("""
    der die das den dem des ein eine einen einem und oder aber nicht kein keine ist sind wird werden mit nach für
    auf bei aus vom zum zur im ich du er sie wir ihr sich auch nur noch immer wenn dass läuft muss soll alle
    le la les un une des et ou mais ne pas est sont avec dans pour sur sous chez du au aux je tu il elle nous vous
    qui que quand très toujours jamais
    el los las una unos y o pero no es son con en para por sin del al yo usted nosotros cuando muy siempre nunca
    il lo gli uno ed è sono con per tra fra della dello degli sempre mai quando non
    de het een en of maar niet geen zijn wordt met voor naar op uit bij ik jij wij jullie altijd nooit
    och eller inte är som på av till med för att det den ett jag vi
    nie jest są się w z na do i oraz ale który
    não é são com para por uma um dos das mas sempre
    """)
"""Short words of German, French, Spanish, Italian, Dutch, Swedish, Polish and Portuguese."""

_ENGLISH_TOO = words("die des a i in on no me an or of is as at do was so per war all den man son pour sous par con")

_SHARED = (FOREIGN_WORDS | _ENGLISH_TOO) - words("is in or of an at on")


def is_english(tokens: Sequence[str]) -> bool:
    """Judge by the short words: any language has its own. A text of unknown names counts as English."""
    letters = [word for word in tokens if word[0].isalpha()]
    foreign = sum(word in FOREIGN_WORDS and word not in _ENGLISH_TOO for word in letters)
    english = _count_known(letters)
    accented = sum(not word.isascii() for word in letters)
    return foreign <= english * 0.5 and accented <= MAX_FOREIGN_SHARE * max(len(letters), 1)


def has_english(plain: Sequence[str]) -> bool:
    """Tell whether words that are no names are known here, and not from another language, too ("no", "a", "me").

    One word of English grammar is enough; of others ("team", "server") more than a quarter has to be known, for they
    are borrowed in many languages. Nearly all of 2,000 labelled statements have that; hardly any has it in a language
    whose words are not known here. Names alone count as English.
    """
    letters = [word for word in plain if word[0].isalpha()]
    telling = [word for word in letters if word not in _SHARED]
    return any(map(_is_grammar, telling)) or _count_known(telling) * 4 > len(telling) or not letters


def _count_known(tokens: Iterable[str]) -> int:
    return sum(_is_grammar(word) or find_phrase([stem(word)], 0) is not None for word in tokens)


def _is_grammar(word: str) -> bool:
    return word in grammar.STOP_WORDS or word in grammar.AUXILIARIES or word in grammar.PREPOSITIONS
