"""Event markers in what an agent says: `[EVENT:level:service] message`."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeAlias, cast

from sessions.marker_lines import SERVICE, marker_lines, trim_debris

EventLevel: TypeAlias = Literal["info", "warning", "error", "critical"]

EVENT_MARKER_RE = re.compile(rf"\[EVENT:\s*((?ai:info|warning|warn|error|critical))\s*(?::\s*({SERVICE})\s*)?\]\s*(.+)")

MAX_EVENTS = 200
"""Per text, for the same reason as memory markers have a limit."""


@dataclass(frozen=True, slots=True)
class EventMarker:
    level: EventLevel
    service: str | None
    message: str


def find_events(text: str) -> list[EventMarker]:
    """The first MAX_EVENTS event markers of `text`, in order.

    A message ends with its line or where the next marker begins. Unknown levels, empty messages and markers
    in code are passed over.
    """
    found = (_read_event(head, emphasis) for head, emphasis in marker_lines(text))
    return list(islice((event for event in found if event is not None), MAX_EVENTS))


def _read_event(head: str, emphasis: str) -> EventMarker | None:
    match = EVENT_MARKER_RE.match(head)
    if match is None:
        return None
    written, service, rest = match.groups()
    level = written.lower()
    message = trim_debris(rest, emphasis)
    if not message:
        return None
    return EventMarker(cast(EventLevel, "warning" if level == "warn" else level), service, message)
