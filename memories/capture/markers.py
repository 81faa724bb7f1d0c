"""Memory markers in what an agent says: `[MEMORY:category] text`, `[MEMORY:category:service] text`.

Only for assistant text of the main agent. Markers inside fenced code or between backticks are not captured:
an agent that explains the format is not remembering.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches

from memories.providers.llm.rules.categories import read_category
from memories.text.clean import is_visible
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES
from sessions.markers import SERVICE, marker_lines, trim_debris

SPEC_MARKER_RE = re.compile(
    r"\[MEMORY:(timing|dependency|behavior|remediation|maintenance)(?::([a-zA-Z0-9_-]+))?\]\s*(.+)"
)
"""The marker regex of SPEC-0015. Whatever it matches is read with the same category, service and text."""

MAX_MARKERS = 200
"""Per text. An agent learns a handful of things in one answer; more than this is a loop."""

_HEADER_RE = re.compile(r"\[MEMORY:([^:\[\]]*)(?::([^\[\]]*))?\](.*)")
_SERVICE_RE = re.compile(SERVICE)
_PLACEHOLDER_RE = re.compile(r"<[^<>]*>|\.{3}|…")
_MAX_CATEGORY_CHARS = 40
_MAX_SERVICE_CHARS = 200
_BROADEST = ("general", "behavior")
_JUDGED_CHARS = 500
"""So much of a text decides which category is the nearest."""


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
    text: str = ""
    subject: str | None = None
    nearest: str = ""
    """The allowed category that it most likely means; "" when nothing points to one."""


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
    memories: list[MemoryMarker] = []
    refused: list[RefusedMarker] = []
    unread_count = 0
    for head, emphasis in marker_lines(text):
        if not head.startswith("[MEMORY"):
            continue
        if len(memories) + len(refused) == MAX_MARKERS:
            unread_count += 1
            continue
        marker = _read_marker(head, emphasis, categories)
        if isinstance(marker, MemoryMarker):
            memories.append(marker)
        else:
            refused.append(marker)
    return MarkerScan(memories, refused, unread_count)


def _read_marker(head: str, emphasis: str, categories: Collection[str]) -> MemoryMarker | RefusedMarker:
    """The case of a category and the blanks around it and its service do not matter."""
    header = _HEADER_RE.match(head)
    if header is None:
        return RefusedMarker("", "malformed marker", trim_debris(head.removeprefix("[MEMORY")[1:], emphasis))
    written, service, rest = header.groups()
    category, statement = written.strip().lower(), trim_debris(rest, emphasis)
    subject = None if service is None else service.strip()[:_MAX_SERVICE_CHARS] or None
    shown = written.strip()[:_MAX_CATEGORY_CHARS]
    if not category:
        return _refuse(shown, "no category", statement, subject, categories)
    if category not in categories:
        return _refuse(shown, "unknown category", statement, subject, categories)
    if service is not None and not _SERVICE_RE.fullmatch(service.strip()):
        return RefusedMarker(category, "service is not a name", statement, subject, category)
    if not is_visible(statement):
        return RefusedMarker(category, "no text")
    if _PLACEHOLDER_RE.fullmatch(statement):
        return RefusedMarker(category, "placeholder instead of text", statement, subject, category)
    return MemoryMarker(category, service and service.strip(), statement)


def _refuse(
    category: str, reason: str, statement: str, subject: str | None, categories: Collection[str]
) -> RefusedMarker:
    """Refuse a marker for its category, and name the nearest one that the app allows."""
    nearest = _nearest_category(category, statement, categories)
    return RefusedMarker(category, f"{reason}; nearest: {nearest}" if nearest else reason, statement, subject, nearest)


def _nearest_category(category: str, statement: str, categories: Collection[str]) -> str:
    """The one that is spelled alike, or else the one to which the words point, or else the broadest; "" for none."""
    if alike := get_close_matches(category.lower(), categories, n=1):
        return alike[0]
    meant = read_category(f"{category} {statement[:_JUDGED_CHARS]}", "", tuple(categories)) if categories else ""
    return next((name for name in (meant, *_BROADEST) if name in categories), "")
