"""Marks and digits that say something by themselves: "> 80%" is not "< 80%", A+ not A-, 3:1 not 1:3."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from memories.text.wordlist import words

_COMPARING = re.compile(r"!=|<>|==|<->|->|<-|=>|<=|>=|[=<>≠≤≥→←↔]")
_ENDING = re.compile(r"(?<=\w)(?:\+{1,2}|[#-])(?![\w*#+-])|(?<=\d)\*(?![\w*])")
"""C++, C#, A-, 4821*: not the hyphen of "read-only", nor an emphasis."""
_SIGNED = re.compile(r"(?<![\w.,)%°+-])[-−–](?=\.?\d)\.?\d+(?:[.,]\d+)*")
_SMALL = re.compile(r"(?<![\w.])\.\d+")
_NUMBER = re.compile(r"\d+")
_SCALED = re.compile(
    r"(?<![\d.,])(\d+(?:[.,]\d+)*) ?(k|m|b|bn|mn|tn|million|billion|thousand|trillion)\b", re.IGNORECASE
)
_SCALES = {"m": "million", "mn": "million", "b": "billion", "bn": "billion", "k": "thousand", "tn": "trillion"}
_MONEY = {
    "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "₹": "rupee", "₽": "rouble", "₩": "won", "%": "percent",
    "dollars": "dollar", "usd": "dollar", "euros": "euro", "eur": "euro", "gbp": "pound", "pounds": "pound",
    "jpy": "yen", "inr": "rupee", "rupees": "rupee", "chf": "franc", "francs": "franc", "pct": "percent",
}  # fmt: skip
_IN = re.compile("|".join([*map(re.escape, "$€£¥₹₽₩%"), r"\b(?:dollars?|usd|euros?|eur|gbp|pounds?|yen|jpy|inr|rupees?"
                           r"|chf|francs?|percent|pct)\b"]), re.IGNORECASE)  # fmt: skip
_FREE = words("~ ≈ ° ^ ` | ´ ¨ ¬ © ® ™")
"""Symbols of which a statement says the same without them."""


def find_other_marks(old: str, new: str) -> str | None:
    """Say which marks differ, where both statements have some of a kind, or where one ends a word with one."""
    for find, is_one_sided in _KINDS:
        left, right = find(old), find(new)
        if left != right and (is_one_sided or (left and right)):
            return f"another sign: {' '.join(left) or 'none'} / {' '.join(right) or 'none'}"
    return None


@lru_cache(maxsize=4_096)
def _comparing(text: str) -> Sequence[str]:
    return _COMPARING.findall(text)


@lru_cache(maxsize=4_096)
def _ending(text: str) -> Sequence[str]:
    return sorted(_ENDING.findall(text))


@lru_cache(maxsize=4_096)
def _signed(text: str) -> Sequence[str]:
    """Numbers below zero, and those that begin with a point."""
    plain = text.replace("−", "-").replace("–", "-")
    return sorted([*_SIGNED.findall(plain), *_SMALL.findall(plain)])


@lru_cache(maxsize=4_096)
def _names(text: str) -> Sequence[str]:
    """my_var, maria@example.org."""
    found = (word.strip(".,:;!?()[]{}'\"`*_@").lower() for word in text.split())
    return sorted({word for word in found if "_" in word or "@" in word})


@lru_cache(maxsize=4_096)
def _pictures(text: str) -> Sequence[str]:
    return sorted({char for char in text if unicodedata.category(char) == "So" and char not in _FREE})


@lru_cache(maxsize=4_096)
def _of_what(text: str) -> Sequence[str]:
    """Currencies, and shares of a hundred."""
    found = (match.group().lower() for match in _IN.finditer(text))
    return sorted({_MONEY.get(name, name) for name in found})


@lru_cache(maxsize=4_096)
def _scaled(text: str) -> Sequence[str]:
    found = ((number, scale.lower()) for number, scale in _SCALED.findall(text))
    return sorted(f"{number} {_SCALES.get(scale, scale)}" for number, scale in found)


@lru_cache(maxsize=4_096)
def _digits(text: str) -> Sequence[str]:
    return _NUMBER.findall(text)


_KINDS = (
    *((find, True) for find in (_ending, _signed, _names)),
    *((find, False) for find in (_comparing, _pictures, _of_what, _scaled)),
)
"""What finds marks of a kind, and whether they tell where only one of the two has some."""


def find_other_order(old: str, new: str) -> str | None:
    """Say so where the digits of both are the same ones in another order."""
    left, right = _digits(old), _digits(new)
    if left != right and sorted(left) == sorted(right):
        return f"numbers in another order: {' '.join(left)} / {' '.join(right)}"
    return None
