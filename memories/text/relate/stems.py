"""Bring the forms of an English word together: "deploys", "deployed", "deployment" → "deploy".

A stem need not be a word; it need only be the same for words of one family. The rules are a short cut
of Porter's algorithm (1980), with a table for the forms they would get wrong.
"""

from functools import lru_cache

from .grammar import IRREGULAR_FORMS, OWN_STEMS

_VOWELS = frozenset("aeiouy")
_SIBILANT_PLURALS = ("sses", "shes", "ches", "xes", "zzes")
_NOT_PLURAL = ("ss", "us", "is")
_DERIVATIONS = (
    "ization", "isation", "hood", "ation", "ement", "ment", "ness", "ible", "ibl", "able", "abl", "ance", "anc", "ence",
    "enc", "ful", "ion", "ist", "ity", "ant", "ent", "iv", "at", "al", "er", "or", "ly", "ic", "iz", "is", "y",
)  # fmt: skip
"""Endings, longest first where they overlap; a final "e" is gone by the time they are tried."""

MIN_STEM_CHARS = 4


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    base = IRREGULAR_FORMS.get(word)
    if base is None:
        is_inflected = word not in OWN_STEMS and len(word) > 3 and word.isalpha()
        base = _strip_inflection(word) if is_inflected else word
        base = IRREGULAR_FORMS.get(base, base)
    if base in OWN_STEMS or not (base.isalpha() and base.isascii()):
        return base
    return _strip_derivation(base)


def _strip_inflection(word: str) -> str:
    """Undo plural, third person, past and -ing."""
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(_SIBILANT_PLURALS):
        return word[:-2]
    if word.endswith("s") and not word.endswith(_NOT_PLURAL):
        return word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 2 and _VOWELS & set(base):
            return _undouble(base)
    return word


def _undouble(base: str) -> str:
    """Turn "stopp" into "stop" but leave "fill" and "pass" alone."""
    doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz"
    return base[:-1] if doubled else base


def _strip_derivation(word: str) -> str:
    """Undo the endings that make a noun, an adjective or an adverb of a verb."""
    word = word.removesuffix("e") if len(word) > 3 else word
    word = word.removesuffix("ly") if len(word) > MIN_STEM_CHARS + 3 else word
    for ending in _DERIVATIONS:
        if ending == "y" and word[-2:-1] in _VOWELS:
            continue
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_CHARS:
            return _undouble(word.removesuffix(ending)).removesuffix("e")
    return word
