"""Texts on their way to a model and back: clean, on one line, and as long as they may be."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memories.text.sentence import ENDS, WIDE_ENDS

# Controls, lone surrogates, and what turns or hides text: overrides, invisible operators, tag characters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200b\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
_SENTENCE_END = re.compile(rf"[{ENDS}][\"'”’»)\]]{{0,3}}(?=\s|\Z)|[{WIDE_ENDS}]")
_CUT = " […] "


def clean(text: str) -> str:
    """`text` without control characters, lone surrogates and hidden marks; its line breaks are newlines."""
    return _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters: the beginning and the end."""
    if len(text) <= limit:
        return text
    half = (limit - len(_CUT)) // 2
    return f"{text[:half]}{_CUT}{text[-half:]}" if half > 0 else text[: max(limit, 0)]


def fair_limit(lengths: Iterable[int], budget: int) -> int:
    """What each text may have of a budget: short ones stay whole, long ones share what those leave."""
    left, ordered = max(budget, 0), sorted(lengths)
    for done, length in enumerate(ordered):
        share = left // (len(ordered) - done)
        if length > share:
            return share
        left -= length
    return max(budget, 0)


def whole_sentences(text: str, limit: int) -> str:
    """The sentences from the start that fit; "" if the first does not."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, limit + 1) if match.end() <= limit]
    return text[: ends[-1]] if ends else ""


def whole_lines(text: str, limit: int) -> str:
    """The lines from the start that fit, without a heading that nothing follows any more; "" if none does."""
    if len(text) <= limit:
        return text
    lines = text[: text.rfind("\n", 0, limit + 1) + 1].rstrip().split("\n")
    while lines and (not lines[-1].strip() or lines[-1].startswith("#")):
        lines.pop()
    return "\n".join(lines)


def share_of_one(value: float) -> float:
    return float(min(max(value, 0), 1))
