"""A secret in a text, and the mark that stands in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

KINDS = (
    "private key", "jwt", "memsite key", "aws key", "github token", "gitlab token", "slack token", "slack webhook",
    "stripe key", "anthropic key", "openai key", "google key", "npm token", "pypi token", "sendgrid key",
    "twilio key", "telegram token", "hugging face token", "vendor key", "card number", "iban", "ssn",
    "pin", "password", "token", "key", "secret",
)  # fmt: skip
"""What a secret may be, the most telling first: where two finds overlap, the first names both."""

MARK_RE = re.compile(rf"\[redacted: (?:{'|'.join(KINDS)})\]")
_RANKS = {kind: rank for rank, kind in enumerate(KINDS)}


class Found(NamedTuple):
    start: int
    end: int
    kind: str


def mark(kind: str) -> str:
    return f"[redacted: {kind}]"


def settle(found: Iterable[Found], text: str) -> list[Found]:
    """Disjoint finds in order; what touches a mark that is there already is dropped, unless it goes all around it."""
    settled: list[Found] = []
    for item in sorted(found):
        last = settled[-1] if settled else None
        if last and item.start < last.end:
            kind = min(last.kind, item.kind, key=_RANKS.__getitem__)
            settled[-1] = Found(last.start, max(last.end, item.end), kind)
        else:
            settled.append(item)
    marks = [match.span() for match in MARK_RE.finditer(text)]
    return list(_clear_of(settled, marks))


def _clear_of(settled: list[Found], marks: list[tuple[int, int]]) -> Iterable[Found]:
    place = 0
    for item in settled:
        while place < len(marks) and marks[place][1] <= item.start:
            place += 1
        touched = marks[place] if place < len(marks) and marks[place][0] < item.end else None
        if touched is None or (item.start < touched[0] and touched[1] < item.end and item.kind == "private key"):
            yield item
