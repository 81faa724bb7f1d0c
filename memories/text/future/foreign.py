"""Read times in five other languages as English ones: their words are replaced, their places in the text kept."""

from __future__ import annotations

from collections.abc import Sequence

from memories.text.future.foreign_words import AFTER, LONGEST, MONTHS, SIGNS, TABLES
from memories.text.temporal.tokens import Token
from memories.text.wordlist import words

_GREETINGS = frozenset({"guten", "gute", "am", "jeden", "diesen", "schönen"})
"""Before the German "morgen": the morning."""
_NOUNS_OF_NEXT = words(
    """monday tuesday wednesday thursday friday saturday sunday week month year weekend
    january february march april may june july august september october november december"""
)


def language_of(tokens: Sequence[Token]) -> str:
    """The language whose words of time and function the text has most of, "en" without any of them."""
    said = {_said(token) for token in tokens}
    counts = {language: len(said & signs) for language, signs in SIGNS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] else "en"


def _said(token: Token) -> str:
    return token.text.lower().replace("’", "'")


def translate(tokens: Sequence[Token], language: str) -> list[Token]:
    """The tokens with English words of time. A phrase may become fewer tokens, which cover the same characters."""
    table = TABLES[language]
    read: list[Token] = []
    at = 0
    while at < len(tokens):
        used, meant = _longest(tokens, at, table)
        if not used:
            read += _plain(tokens, at, language)
            at += 1
            continue
        read += _relabelled(tokens[at : at + used], meant)
        at += used
    return _in_order(_of_dates(read))


def _longest(
    tokens: Sequence[Token], at: int, table: dict[tuple[str, ...], tuple[str, ...]]
) -> tuple[int, tuple[str, ...]]:
    said = tuple(_said(token) for token in tokens[at : at + LONGEST])
    if said[0] == "morgen" and at and (_said(tokens[at - 1]) in _GREETINGS):
        return 1, ("morning",)
    for length in range(len(said), 0, -1):
        meant = table.get(said[:length])
        if meant:
            return length, meant
    return 0, ()


def _plain(tokens: Sequence[Token], at: int, language: str) -> list[Token]:
    """A word that is none of time. The dot of "3. Mai" is dropped."""
    token = tokens[at]
    follower = _said(tokens[at + 1]) if at + 1 < len(tokens) else ""
    is_dot = language == "de" and token.word == "." and at > 0 and tokens[at - 1].word.isdecimal()
    return [] if is_dot and follower in MONTHS["de"] else [token]


def _relabelled(tokens: Sequence[Token], meant: Sequence[str]) -> list[Token]:
    """The English words over the tokens of a phrase; the last covers what is left, the first what is missing."""
    if len(meant) > len(tokens):
        return [tokens[0]._replace(word=word) for word in meant[: -len(tokens)]] + [
            token._replace(word=word) for token, word in zip(tokens, meant[-len(tokens) :], strict=True)
        ]
    kept = [token._replace(word=word) for token, word in zip(tokens, meant, strict=False)]
    kept[-1] = kept[-1]._replace(end=tokens[-1].end)
    return kept


def _of_dates(tokens: list[Token]) -> list[Token]:
    """Read "3 de mayo de 2027" as "3 of may of 2027", "le 3 mai" and "el 3 de mayo" as "on 3 may"; a weekday that
    comes round ("le vendredi") is one day where a date or "prochain" follows."""
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        follower = tokens[at + 1].word if at + 1 < len(tokens) else ""
        if token.word in {"de", "del"} and before and (before.word.isdecimal() or before.word in _NOUNS_OF_NEXT):
            tokens[at] = token._replace(word="of")
        elif token.word in {"le", "el", "am", "il", "em"} and follower[:1].isdecimal():
            tokens[at] = token._replace(word="on")
        elif before and before.word == "on" and token.word[:-1] in _NOUNS_OF_NEXT:
            is_once = follower[:1].isdecimal() or follower == AFTER
            tokens[at] = token._replace(word=token.word[:-1]) if is_once else token
    return tokens


def _in_order(tokens: list[Token]) -> list[Token]:
    """Put "next" before its noun."""
    for at in range(1, len(tokens)):
        if tokens[at].word == AFTER and tokens[at - 1].word in _NOUNS_OF_NEXT:
            noun = tokens[at - 1].word
            tokens[at - 1] = tokens[at - 1]._replace(word="next")
            tokens[at] = tokens[at]._replace(word=noun)
    return tokens
