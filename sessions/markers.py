"""Find the markers of a text, `[MEMORY…` and `[EVENT:…`, each with the rest of its line, and read event markers."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, cast

SERVICE = r"[a-zA-Z0-9_-]+(?:\.[a-zA-Z0-9_-]+)*"
"""The name of a service, such as `caddy` or `host.name`."""

_OPENING_RE = re.compile(r"[*_~]{0,3}\[(?:MEMORY[:\]]|EVENT:)")
_FENCE_RE = re.compile(r"[\s>]*(?:[-*+]\s+)?(`{3,}(?=[^`]*\Z)|~{3,})(.*)")
_BACKTICKS_RE = re.compile(r"`+")

_SEPARATORS = " \t,;|-–—•"
_PAIRED_MARKS = ("**", "__", "~~", "`")
EventLevel: TypeAlias = Literal["info", "warning", "error", "critical"]
EVENT_MARKER_RE = re.compile(rf"\[EVENT:\s*((?ai:info|warning|warn|error|critical))\s*(?::\s*({SERVICE})\s*)?\]\s*(.+)")
MAX_EVENTS = 200
"""Per text, for the same reason as memory markers have a limit."""


class MarkerLine(NamedTuple):
    head: str
    """`[…]` and what follows it, up to the next marker or the end of the line, free of trailing debris."""
    emphasis: str
    """The Markdown emphasis that opened directly before the marker, or ""."""


def marker_lines(text: str) -> Iterator[MarkerLine]:
    """Yield marker lines. Linear in the length of `text`, whatever it holds."""
    for line in _prose_lines(text):
        if "[" in line:
            for opening, following in pairwise([*_openings(line), None]):
                assert opening is not None  # only the last of a pair can be None
                bracket = line.index("[", opening.start())
                end = len(line) if following is None else following.start()
                head = line[bracket:end].rstrip(" \t" if following is None else _SEPARATORS)
                yield MarkerLine(head, line[opening.start() : bracket])


def without_markers(text: str) -> str:
    """Return `text` with each line cut where its first marker begins."""
    lines = text.splitlines()
    starts = [next((match.start() for match in _openings(line)), None) if "[" in line else None for line in lines]
    return "\n".join(line[:start] for line, start in zip(lines, starts, strict=True))


def trim_debris(statement: str, emphasis: str) -> str:
    """Return `statement` without the Markdown around its marker: closing emphasis, stray marks, a table edge.

    Only marks without a partner go, so `use **bold**`, `rm /tmp/*` and `src/**` stay as they are.
    """
    trimmed = statement.strip().rstrip("| \t")
    closing = emphasis[::-1]
    if closing:
        trimmed = trimmed.removeprefix(closing).strip().removesuffix(closing).strip()
    for mark in _PAIRED_MARKS:
        if trimmed.endswith(mark) and trimmed.count(mark) % 2 and not trimmed.endswith(f"/{mark}"):
            trimmed = trimmed.removesuffix(mark).rstrip()
    return trimmed


def _prose_lines(text: str) -> Iterator[str]:
    """Yield the lines outside fenced code. As in CommonMark, a fence left open reaches to the end."""
    fence = ""
    for line in text.splitlines():
        match = _FENCE_RE.match(line) if "```" in line or "~~~" in line else None
        if match is None:
            if not fence:
                yield line
        elif not fence:
            fence = match[1]
        elif match[1].startswith(fence) and not match[2].strip():
            fence = ""


def _openings(line: str) -> Iterator[re.Match[str]]:
    """Yield the places where markers begin, outside of inline code."""
    runs = [match.span() for match in _BACKTICKS_RE.finditer(line)]
    closing_run: list[int | None] = [None] * len(runs)
    last_of_length: dict[int, int] = {}
    for position in reversed(range(len(runs))):
        start, end = runs[position]
        closing_run[position] = last_of_length.get(end - start)
        last_of_length[end - start] = position
    spans = []
    position = 0
    while position < len(runs):
        closing = closing_run[position]
        if closing is not None:
            spans.append((runs[position][0], runs[closing][1]))
            position = closing
        position += 1
    for match in _OPENING_RE.finditer(line):
        before = bisect_right(spans, (match.start(), match.start())) - 1
        if before < 0 or match.start() >= spans[before][1]:
            yield match


@dataclass(frozen=True, slots=True)
class EventMarker:
    level: EventLevel
    service: str | None
    message: str


def find_events(text: str) -> list[EventMarker]:
    """Return the first MAX_EVENTS event markers of `text`, in order.

    A message ends with its line or where the next marker begins. Unknown levels, empty messages and markers
    in code are passed over.
    """
    events: list[EventMarker] = []
    for head, emphasis in marker_lines(text):
        match = EVENT_MARKER_RE.match(head)
        if match and (message := trim_debris(match[3], emphasis)):
            level = match[1].lower()
            events.append(EventMarker(cast(EventLevel, "warning" if level == "warn" else level), match[2], message))
            if len(events) == MAX_EVENTS:
                break
    return events
