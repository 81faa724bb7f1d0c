"""Memory markers in what an agent says: `[MEMORY:category] text`, `[MEMORY:category:service] text`.

Only for assistant text of the main agent. Markers inside fenced code or between backticks are not captured:
an agent that explains the format is not remembering.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from memories.text.clean import is_visible
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES
from sessions.marker_lines import marker_lines, trim_debris

SPEC_MARKER_RE = re.compile(
    r"\[MEMORY:(timing|dependency|behavior|remediation|maintenance)(?::([a-zA-Z0-9_-]+))?\]\s*(.+)"
)
"""The marker regex of SPEC-0015."""

MAX_MARKERS = 200
"""Per text. An agent learns a handful of things in one answer; more than this is a loop."""

_HEADER_RE = re.compile(r"\[MEMORY:([^:\[\]]{0,100})(?::([^\[\]]{0,200}))?\]")
_SERVICE_RE = re.compile(r"[a-zA-Z0-9_-]+")
_PLACEHOLDER_RE = re.compile(r"<[^<>]*>|\.{3}|…")
_MAX_CATEGORY_CHARS = 40


@dataclass(frozen=True, slots=True)
class MemoryMarker:
    category: str
    subject: str | None
    """The service; None for a general memory."""
    text: str


@dataclass(frozen=True, slots=True)
class RefusedMarker:
    category: str
    """As written, cut to 40 characters; "" when the marker has none."""
    reason: str


@dataclass(frozen=True, slots=True)
class MarkerScan:
    memories: list[MemoryMarker]
    refused: list[RefusedMarker]
    unread_count: int = 0
    """Markers after the first MAX_MARKERS, which nobody looked at."""


def find_memories(text: str, categories: Collection[str] = OPERATIONAL_CATEGORIES) -> MarkerScan:
    """The memory markers of `text` in order, as far as its app allows their `categories`.

    A marker's text ends with its line or where the next marker, memory or event, begins.
    """
    pattern = _marker_pattern(tuple(categories))
    memories: list[MemoryMarker] = []
    refused: list[RefusedMarker] = []
    unread_count = 0
    for head, emphasis in marker_lines(text):
        if not head.startswith("[MEMORY"):
            continue
        if len(memories) + len(refused) == MAX_MARKERS:
            unread_count += 1
            continue
        marker = _read_marker(head, emphasis, pattern)
        if isinstance(marker, MemoryMarker):
            memories.append(marker)
        else:
            refused.append(marker)
    return MarkerScan(memories, refused, unread_count)


def _read_marker(head: str, emphasis: str, pattern: re.Pattern[str]) -> MemoryMarker | RefusedMarker:
    match = pattern.match(head)
    if match is None:
        return _refuse(head, pattern)
    category, service, rest = match.groups()
    statement = trim_debris(rest, emphasis)
    if not is_visible(statement):
        return RefusedMarker(category, "no text")
    if _PLACEHOLDER_RE.fullmatch(statement):
        return RefusedMarker(category, "placeholder instead of text")
    return MemoryMarker(category, service, statement)


def _refuse(head: str, pattern: re.Pattern[str]) -> RefusedMarker:
    """Say why a marker that does not match is none."""
    header = _HEADER_RE.match(head)
    if header is None:
        return RefusedMarker("", "malformed marker")
    category, service = header.groups()
    shown = category[:_MAX_CATEGORY_CHARS]
    if not pattern.match(f"[MEMORY:{category}] text"):
        return RefusedMarker(shown, "unknown category" if category.strip() else "no category")
    if service is not None and not _SERVICE_RE.fullmatch(service):
        return RefusedMarker(shown, "service is not a name")
    return RefusedMarker(shown, "no text")


@lru_cache(maxsize=64)
def _marker_pattern(categories: tuple[str, ...]) -> re.Pattern[str]:
    """The regex of SPEC-0015 with an app's own categories; none allowed, none matches."""
    if categories == OPERATIONAL_CATEGORIES:
        return SPEC_MARKER_RE
    names = "|".join(re.escape(category) for category in categories) or r"(?!)"
    return re.compile(rf"\[MEMORY:({names})(?::([a-zA-Z0-9_-]+))?\]\s*(.+)")
