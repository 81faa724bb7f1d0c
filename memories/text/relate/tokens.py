"""Cut a statement into words, numbers and punctuation, with contractions opened."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

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
    return " ".join(filter(None, map(_without_punctuation, _SILENT.sub(" ", folded).split())))


def _without_punctuation(word: str) -> str:
    end = word.rstrip("'.,:!?-") if any(char.isalnum() for char in word) else word.rstrip("'.,:!?-_*")
    return end if _SAYS_A_SIGN.match(end) else end.lstrip("'.,:!?*-")


@lru_cache(maxsize=64)  # a text is read twice in a row, a subject again and again
def tokenize(text: str) -> tuple[Token, ...]:
    """Return the tokens of a statement in order. Cost: linear in its length."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    tokens: list[Token] = []
    starts_sentence = True
    for match in _TOKEN.finditer(plain):
        piece = match.group()
        is_name = (piece[0].isupper() and not starts_sentence) or _looks_like_identifier(piece)
        tokens.extend(Token(part, is_name) for part in _open_contraction(piece.lower()))
        starts_sentence = piece in ".!?:"
    return tuple(tokens)


def _looks_like_identifier(piece: str) -> bool:
    has_digit = any(char.isdigit() for char in piece)
    return (piece[0].isalpha() and (has_digit or "_" in piece or "." in piece)) or piece[0] == "/"


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
