"""Text that speaks to the model which will read it: a memory that gives orders is no memory.

People do give standing orders ("always use metric units"); what is looked for here works against the reader's own
rules or behind the user's back, in twelve languages. Of text from outside, which nobody vouches for, any order to the
reader, any address and any command line counts. Patterns and lists of words know wordings; none of them proves intent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memories.language.injection_guard.disguise import find_disguises, readings
from memories.language.injection_guard.exfiltration import (
    find_addresses,
    find_carriers,
    find_command_lines,
    find_commands,
    find_requests,
)
from memories.language.injection_guard.orders import HIDE, PARTS, RULES, find_orders
from memories.language.injection_guard.plain import find_hidden, find_marks, own_words, read_plain

__all__ = [
    "ADDRESS",
    "COMMAND",
    "CREDENTIALS",
    "EXFILTRATION",
    "HIDDEN",
    "IMPERSONATION",
    "INSTRUCTION",
    "Suspicion",
    "find_instructions",
    "own_words",
]

INSTRUCTION, IMPERSONATION, EXFILTRATION, HIDDEN = "instruction", "impersonation", "exfiltration", "hidden"
COMMAND, CREDENTIALS, ADDRESS = "command", "credentials", "address"

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_BOUNDED = {r"\w+": r"[^\W_]{1,30}", r"\w*": r"[^\W_]{0,30}", " ?": r"[\W_]{0,6}", " ": r"[\W_]{1,6}"}
_FORBIDS = re.compile(
    r"\b(?:never|not|don't|doesn't|cannot|can't|won't|nothing|no|avoid)\b"
    r"[^.!?\n]*\Z"
)
_SENTENCE_CHARS = 100


class Suspicion(NamedTuple):
    """`kind` is one of the seven above, `span` start and end in the text as given, `why` a phrase for people."""

    kind: str
    span: tuple[int, int]
    why: str


def find_instructions(text: str, *, from_outside: bool = False) -> list[Suspicion]:
    """In the order of the text, at most one of a kind at a place. Linear in the length of the text.

    Spelling tricks do not help: before matching, the text is brought to NFKC and lower case, invisible characters and
    marks are taken out and letters of other scripts that look Latin are read as Latin. What else it may say, unpacked,
    unescaped or with its letters put together, is looked at, too; it has no place but the whole text.
    """
    plain = read_plain(text)
    suspicions = [Suspicion(HIDDEN, (start, end), why) for start, end, why in find_hidden(text)]
    suspicions += [
        Suspicion(kind, plain.span(start, end), why) for kind, start, end, why in _find(plain.text, from_outside)
    ]
    if from_outside:
        suspicions += [Suspicion(COMMAND, (start, end), why) for start, end, why in find_command_lines(text)]
        suspicions += [Suspicion(HIDDEN, (start, end), why) for start, end, why in find_disguises(text)]
    kinds = {suspicion.kind for suspicion in suspicions}
    for reading in readings(text, plain.text, from_outside=from_outside):
        hidden = _find(reading, from_outside)
        suspicions += [Suspicion(kind, (0, len(text)), why) for kind, _, _, why in hidden if kind not in kinds]
    ends: dict[str, int] = {}
    distinct: list[Suspicion] = []
    for suspicion in sorted(suspicions, key=lambda suspicion: (suspicion.span, suspicion.kind)):
        if suspicion.span[0] >= ends.get(suspicion.kind, 0):
            distinct.append(suspicion)
            ends[suspicion.kind] = suspicion.span[1]
    return distinct


def _find(plain: str, from_outside: bool) -> Iterator[tuple[str, int, int, str]]:
    """Yield kind, start, end and reason of what stands in plain letters."""
    kinds = [
        (INSTRUCTION, _find_wordings(plain)),
        (INSTRUCTION, find_orders(plain, from_outside=from_outside)),
        (IMPERSONATION, find_marks(plain)),
        (EXFILTRATION, find_carriers(plain)),
        (COMMAND, find_commands(plain)),
        (CREDENTIALS, find_requests(plain)),
    ]
    if from_outside:
        kinds.append((ADDRESS, find_addresses(plain)))
    for kind, suspicions in kinds:
        for start, end, why in suspicions:
            yield kind, start, end, why


def _find_wordings(plain: str) -> Iterator[tuple[int, int, str]]:
    done = 0
    for word in _WORD.finditer(plain):
        if word.start() < done:
            continue
        for why, pattern in _RULES_BY_WORD.get(word.group(), ()):
            match = pattern.match(plain, word.end())
            if match and why == HIDE and word.group() == "without":
                # "Never deploy without asking the user" is the opposite of hiding something.
                begin = max(word.start() - _SENTENCE_CHARS, 0)
                match = None if _FORBIDS.search(plain, begin, word.start()) else match
            if match:
                yield word.start(), match.end(), why
                done = match.end()
                break


_RULES_BY_WORD: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
for _why, _starts, _following in RULES:
    for _name, _part in PARTS.items():
        _following = _following.replace(f"{{{_name}}}", _part)
    for _short, _bounded in _BOUNDED.items():
        _following = _following.replace(_short, _bounded)
    for _start in _starts.split():
        _RULES_BY_WORD.setdefault(_start, []).append((_why, re.compile(_following)))
