"""Messages, the sentences in them, and the fence around memories that an agent is given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from memories.language.entities import TITLES

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `role` is "user", "assistant" or another speaker's. `at` is aware, if known.

    `speaker` is the name of who says it, "" for the user or the agent themselves.
    """

    role: str
    content: str
    at: datetime | None = None
    speaker: str = ""


_NONCE_RE = re.compile(r"[0-9a-f]{8,32}")

FENCED_RE = re.compile(r'<memory-context nonce="([0-9a-f]{8,32})">.*?(?:</memory-context nonce="\1">|\Z)', re.DOTALL)
"""One fenced block. A fence that is never closed reaches to the end of the text."""


def open_fence(nonce: str) -> str:
    """Raise ValueError unless `nonce` is 8 to 32 lower-case hexadecimal digits."""
    return f'<memory-context nonce="{_checked(nonce)}">'


def close_fence(nonce: str) -> str:
    """Raise ValueError like `open_fence`."""
    return f'</memory-context nonce="{_checked(nonce)}">'


def strip_fenced(text: str) -> str:
    """`text` without its fenced blocks.

    A newline stays in the place of each, so that the pieces around it do not join into something new.
    """
    return FENCED_RE.sub("\n", text)


def _checked(nonce: str) -> str:
    if not _NONCE_RE.fullmatch(nonce):
        raise ValueError("a fence nonce is 8 to 32 lower-case hexadecimal digits")
    return nonce


ENDS = ".!?…؟۔।॥။።។"
"""What ends a sentence where a space follows: also in Arabic and Urdu, Hindi and its like, Burmese, Amharic, Khmer."""
WIDE_ENDS = "。！？｡"
"""What ends one in Chinese and Japanese, whatever follows."""
QUESTION_MARKS = ("?", "？", "؟")

_BREAK = re.compile(rf"[{ENDS}]+[\"'”’»)\]*_]*(?=\s|\Z)|[{WIDE_ENDS}]+|(?P<line>[^\S\n]*\n\s*)")
_LAST_WORD = re.compile(r"([^\W\d_]{1,12})\.\Z")
_NUMBERED = re.compile(r"(?:str|\bnr|\bca|\bapprox|\bext|\btel|\bapt|\bave?|\brd|\bvol|\bpp?|\bfig)\Z", re.IGNORECASE)
"""What is cut short before a number: "Lindenstr. 12", "ext. 40"."""
_BULLET = re.compile(r"(?:(?:[-*•·>#]{1,6}|\d{1,3}[.)])\s+)+")
_MONTH_BEHIND = r"[ \u00a0](?:Jan|J[äa]n|Feb|M[äa]r|Apr|Mai|May|Jun|Jul|Aug|Sep|Okt|Oct|Nov|Dez|Dec)[^\W\d_]{0,6}\b"
DAY_OF_MONTH = re.compile(r"(?<!\d)[0-3]?\d\Z")
MONTH_BEHIND = re.compile(_MONTH_BEHIND)
"""The dot of "am 6. Juni" belongs to its number."""
_SPACES = re.compile(r"\s+")
CUT = "…"
_INSIDE = rf"[^\n{ENDS}{WIDE_ENDS}]*"
SENTENCE = re.compile(rf"{_INSIDE}(?:(?:[{ENDS}](?!\s|$)|(?<=\d)\.(?={_MONTH_BEHIND})){_INSIDE})*[{ENDS}{WIDE_ENDS}]*")
"""To the end of a line, or to a mark that ends a sentence: none in "1.5 GB", "example.org" and "am 6. Juni"."""


def sentence_around(text: str, start: int, end: int, most: int) -> str:
    """Return the sentence of `text[start:end]` in one line of `most` characters; "…" stands for what is left out.

    Reads no farther than `most` characters to either side.
    """
    first, last = _sentence_bounds(text, start, end, most)
    before, middle, after = (_SPACES.sub(" ", part) for part in (text[first:start], text[start:end], text[end:last]))
    before, after = _BULLET.sub("", before.lstrip(), count=1), after.rstrip()
    if len(before) + len(middle) + len(after) > most:
        capacity = max(most - len(middle), 0)
        before = _last_words(before, max(capacity // 2, capacity - len(after)))
        after = _first_words(after, capacity - len(before))
    return (before + middle + after)[:most]


def _sentence_bounds(text: str, start: int, end: int, reach: int) -> tuple[int, int]:
    first, last = max(start - reach, 0), min(end + reach, len(text))
    for match in _BREAK.finditer(text, first, last):
        if not _ends_sentence(text, match, last):
            continue
        if match.end() <= start:
            first = match.end()
        elif match.end() >= end:
            return first, max(match.start() if match["line"] else match.end(), end)
    return first, last


def _ends_sentence(text: str, hit: re.Match[str], last: int) -> bool:
    """Tell whether a sentence ends here.

    A line ends a thought unless the next one goes on in lower case, and a dot may only shorten a word.
    """
    follows = text[hit.end() : min(hit.end() + 8, last)].lstrip()[:1]
    if hit["line"]:
        return hit.group().count("\n") > 1 or not follows.islower()
    if hit.group() != ".":
        return True
    if is_ordinal(text, hit):
        return False
    match = _LAST_WORD.search(text, max(hit.start() - 13, 0), hit.end())
    word = match[1] if match else ""
    # A dot behind a title, an initial, or what is cut short before a number belongs to it.
    is_short = word.lower() in TITLES or (len(word) == 1 and word.isupper())
    is_short = is_short or (follows.isdigit() and bool(_NUMBERED.search(word)))
    return not (follows.islower() or is_short)


def is_ordinal(text: str, dot: re.Match[str]) -> bool:
    """Tell whether the dot belongs to the number of a day: "am 6. Juni"."""
    before = text[max(dot.start() - 3, 0) : dot.start()]
    return bool(DAY_OF_MONTH.search(before) and MONTH_BEHIND.match(text, dot.end()))


def _last_words(text: str, most: int) -> str:
    """Whole words where there are spaces between them."""
    if len(text) <= most:
        return text
    part = text[len(text) - most + 1 :] if most > 1 else ""
    return (CUT + part[part.find(" ") + 1 :])[: max(most, 0)]


def _first_words(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    part = text[: max(most - 1, 0)]
    return (part[: part.rfind(" ")] if " " in part else part) + CUT * (most > 0)
