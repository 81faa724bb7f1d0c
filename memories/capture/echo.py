"""Telling what an agent learned from what it only read back to us.

An agent that repeats an injected memory must not confirm it: the memory would grow on its own echo.
"""

import re
from collections.abc import Collection

from memories.text.fence import strip_fenced
from memories.text.overlap import EMPTY_WORDS, used_share
from memories.text.relate.lexicon import concept_of

_BULLET_RE = re.compile(r"\s*(?:(?:[-*•~]|\d{1,4}[.)])\s+|(?=\[Created: ))")
"""The number of a dated line belongs to its block, so the line is also met without it."""

_LABEL_RE = re.compile(r"\[[^\[\]\n]{1,80}\]\s*")
_TRUST_TAGS_RE = re.compile(r"(?:\[(?:uncertain|stale|unconfirmed|unreviewed|conflicting)[^\[\]\n]{0,40}\]\s*)+")
_SUFFIX_RE = re.compile(r"\((?:confidence|age|category)\b[^()]{0,200}\)[\s.]*\Z", re.IGNORECASE)

_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_DENIES = re.compile(r"not|never|no|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t")
_CLAUSE_ENDS = ",;:.!?"
LEFT_OUT = EMPTY_WORDS | {"user", "users", "team", "yes"}
"""Words that tell nothing by themselves, and who speaks or is spoken of."""
TOLD = 0.5
"""The share of a memory's words with which an agent tells what it was shown."""
Shown = tuple[str, float]
"""What a memory says that an agent was shown, and how sure it is."""
_OPENING_MARKS = "\"'`*_([{“‘«„…"
_CLOSING_MARKS = "\"'`*_)]}”’».,;:!?…"
_DASHES = "-–—"


def strip_injected(text: str) -> str:
    """`text` without the blocks our server put into the agent's context."""
    return strip_fenced(text)


def line_statement(line: str) -> str:
    """What one injected line states: no bullet, label, trust tag or suffix. "" for headings and blanks.

    `- [timing] Takes 60s (confidence: 0.9)`, `1. [Created: 2025-10-10] Takes 60s` and
    `~ Takes 60s (confidence: 0.8; age: 3d; category: work)` all state `Takes 60s`.
    """
    if line.lstrip().startswith("#"):
        return ""
    bullet = _BULLET_RE.match(line)
    if bullet is None:
        return _without_suffix(line)
    start = bullet.end()
    if bullet[0].strip() != "~" and (label := _LABEL_RE.match(line, start)):
        start = label.end()
    if tags := _TRUST_TAGS_RE.match(line, start):
        start = tags.end()
    return _without_suffix(line[start:])


def is_echo(statement: str, injected_lines: Collection[str]) -> bool:
    """True when `statement` says no more than one of the lines injected into this session.

    Case, spacing, bullets, quotes and closing punctuation do not make a difference; signs, operators and
    every other word do, so that "returns -1" is no echo of "returns 1". Linear in the size of the lines.
    """
    said = {_key(_without_suffix(statement)), _key(line_statement(statement))} - {""}
    return any(_key(line_statement(line)) in said for line in injected_lines)


def is_shorter(statement: str, source: str) -> bool:
    """Whether `statement` says a part of `source` and nothing else: its telling words stand there in one run.

    What leaves out a "never" that belongs to the run is another statement: "on Fridays" of "never on Fridays".
    """
    part, whole = _telling(statement), _telling(source)
    if not part or len(part) > len(whole):
        return False
    words = [word for word, _ in part]
    denied = any(is_denied for _, is_denied in part)
    for start in range(len(whole) - len(part) + 1):
        run = whole[start : start + len(part)]
        if [word for word, _ in run] == words and any(is_denied for _, is_denied in run) == denied:
            return True
    return False


def bound_by(statement: str, confidence: float, sources: Collection[Shown]) -> float:
    """How sure a statement may be: what an agent makes of what it was shown is no surer than that."""
    told = [sure for content, sure in sources if tells_of(statement, content)]
    return min(confidence, max(told)) if told else confidence


def tells_of(statement: str, source: str) -> bool:
    """Whether it is made of the source. What has another figure in its place is news: "takes 90s", not 60s."""
    own, other = set(_FIGURE.findall(statement)), set(_FIGURE.findall(source))
    if own - other and other - own:
        return False
    return used_share(source, statement) >= TOLD or is_shorter(statement, source)


def _telling(text: str) -> list[tuple[str, bool]]:
    """Return the telling words by what their forms have in common, each with whether its clause denies it so far."""
    found: list[tuple[str, bool]] = []
    is_denied = False
    for word in text.casefold().split():
        plain = word.strip(_OPENING_MARKS + _CLOSING_MARKS)
        is_denied |= bool(_DENIES.fullmatch(plain))
        if plain and plain not in LEFT_OUT and not _DENIES.fullmatch(plain):
            found.append((concept_of(plain) if plain.isalpha() else plain, is_denied))
        if word[-1:] in _CLAUSE_ENDS:
            is_denied = False
    return found


def _without_suffix(text: str) -> str:
    suffix = _SUFFIX_RE.search(text)
    return (text[: suffix.start()] if suffix else text).strip()


def _key(statement: str) -> str:
    words = (word.lstrip(_OPENING_MARKS).rstrip(_CLOSING_MARKS) for word in statement.casefold().split())
    return " ".join(word for word in words if word.strip(_DASHES))
