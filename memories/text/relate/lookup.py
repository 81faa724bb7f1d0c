"""The word lists compiled for look-up: stems of phrases → the groups they belong to."""

from collections.abc import Iterable
from functools import lru_cache

from . import concepts
from .opposites import OPPOSITES
from .siblings import SIBLINGS
from .stems import stem
from .synonyms import SYNONYMS
from .tokens import tokenize
from .wordlist import groups, phrases

Stems = tuple[str, ...]
Sides = frozenset[tuple[int, int]]
"""(group, side): -1 left of the bar, 1 right of it."""
Span = tuple[int, int, Stems]

MIN_CHARS_OF_A_WORD_WITH_PREFIX = 4
_NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti")


@lru_cache(maxsize=16_384)
def stems_of(text: str) -> Stems:
    """Return the stems of the tokens of an entry."""
    return tuple(stem(token.text) for token in tokenize(text))


def _compile_synonyms() -> dict[Stems, frozenset[int]]:
    found: dict[Stems, set[int]] = {}
    for number, group in enumerate([*groups(concepts.SYNONYMS), *groups(SYNONYMS)]):
        for entry in phrases(group):
            found.setdefault(stems_of(entry), set()).add(number)
    return {key: frozenset(numbers) for key, numbers in found.items()}


def _compile_opposites() -> dict[Stems, Sides]:
    found: dict[Stems, set[tuple[int, int]]] = {}
    for number, group in enumerate([*groups(OPPOSITES), *groups(concepts.OPPOSITES)]):
        for side, entries in zip((-1, 1), group.split("|"), strict=True):
            for entry in phrases(entries):
                found.setdefault(stems_of(entry), set()).add((number, side))
    return {key: frozenset(sides) for key, sides in found.items()}


def _compile_siblings() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, members in SIBLINGS.items():
        for member in members.split():
            for form in (member, stem(member)):
                found.setdefault(form, set()).add(name)
    return {key: frozenset(names) for key, names in found.items()}


def _longest(keys: Iterable[Stems]) -> dict[str, int]:
    """How many tokens the longest of the keys that begin with a stem has."""
    found: dict[str, int] = {}
    for key in keys:
        found[key[0]] = max(len(key), found.get(key[0], 0))
    return found


SYNONYM_GROUPS = _compile_synonyms()
OPPOSITE_SIDES = _compile_opposites()
_LONGEST = _longest([*SYNONYM_GROUPS, *OPPOSITE_SIDES])
_SIBLING_CLASSES = _compile_siblings()
_NO_CLASS: frozenset[str] = frozenset()


def spans(stems: Stems) -> list[Span]:
    """Return every (start, end, stems) that synonyms or opposites may know."""
    return [
        (start, end, stems[start:end])
        for start, first in enumerate(stems)
        for end in range(start + 1, min(start + _LONGEST.get(first, 0), len(stems)) + 1)
    ]


@lru_cache(maxsize=16_384)
def classes_of(word: str) -> frozenset[str]:
    """Return the classes of which the word is one value."""
    return _SIBLING_CLASSES.get(word, _NO_CLASS) | _SIBLING_CLASSES.get(stem(word), _NO_CLASS)


def are_opposites(left: str, right: str) -> bool:
    """Tell whether the list of opposites has the two words on either side of a bar, or one is the other denied."""
    ours, theirs = (OPPOSITE_SIDES.get(stems_of(word), frozenset()) for word in (left, right))
    return any((group, -side) in theirs for group, side in ours) or right in opposites_by_form(left)


@lru_cache(maxsize=16_384)
def opposites_by_form(word: str) -> frozenset[str]:
    """Return the word with a negative prefix or without the one it has, and with "-less" for "-ful" or the reverse."""
    forms = {prefix + word for prefix in _NEGATIVE_PREFIXES}
    forms |= {word.removeprefix(prefix) for prefix in _NEGATIVE_PREFIXES if word.startswith(prefix)}
    forms.add(word.removesuffix("ful") + "less")
    if word.endswith("less"):
        root = word.removesuffix("less")
        forms |= {root + "ful", *([] if root.endswith("ful") else [root])}
    return frozenset(form for form in forms if min(len(form), len(word)) >= MIN_CHARS_OF_A_WORD_WITH_PREFIX)
