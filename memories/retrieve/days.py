"""Which memories a question about a day is not about: what happened on other days, and what names other days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo

from django.db.models import QuerySet

from memories.models import Memory
from memories.retrieve.question import Span, is_among
from memories.text.future.words import NOT_A_PAST_FORM, PAST, PRESENT
from memories.text.temporal import TimeWindow, find_windows
from memsite.db.prepared import Prepared, padded
from memsite.tenancy.models import App
from memsite.timestamps import in_own_zone, in_zone

LOOKED_AT = 200
"""Of so many of the best it is asked of which day they are."""
INSTANT = timedelta(microseconds=1)
WORD = re.compile(r"[\w'’]+")
Row = tuple[int, str, datetime | None, datetime, datetime | None, int | None]


def of_other_days(app: App, pks: Sequence[int], spans: Sequence[Span], now: datetime) -> set[int]:
    """Return those of these memories that are not of the days asked for. One query, if any days are.

    A memory that names times is of these. Another one is of the day on which it was said, or from which it holds, if it
    tells of what happened and the days asked for are over: what is so in general holds on any day. `now` is the
    asker's, in whose time zone the days are.
    """
    if not spans or not pks:
        return set()
    is_over = all(last < now.toordinal() for _, last in spans)
    rows = times_of(app, *padded(pks[:LOOKED_AT]))
    return {row[0] for row in rows if not is_of(row, spans, now.tzinfo, is_over=is_over)}


def is_of(row: Row, spans: Sequence[Span], zone: tzinfo | None, *, is_over: bool) -> bool:
    _, content, valid_from, created_at, said_at, offset = row
    said = in_own_zone(said_at or created_at, offset, zone or UTC)
    windows = [window for window in find_windows(content, said) if window.precision != "recent"]
    if windows:
        return any(overlaps(window, spans) for window in windows)
    if not is_over or not tells_of_past(content):
        return True
    happened = in_zone(valid_from, zone) if valid_from and zone else said
    return is_among(happened.toordinal(), spans)


def overlaps(window: TimeWindow, spans: Sequence[Span]) -> bool:
    first = window.start.toordinal() if window.start else date.min.toordinal()
    last = (window.end - INSTANT).toordinal() if window.end else date.max.toordinal()
    return any(start <= max(first, last) and first <= end for start, end in spans)


def tells_of_past(text: str) -> bool:
    """Whether the first verb of a known form is in the past: "Met Ana for lunch", not "Is called Bruno"."""
    for place, word in enumerate(WORD.findall(text.lower())):
        if word in PAST or (len(word) > 3 and word.endswith("ed") and word not in NOT_A_PAST_FORM):
            return True
        # "User prefers", "Needs": of the third person, as statements begin.
        if word in PRESENT or (place < 2 and word.endswith("s") and not word.endswith("ss")):
            return False
    return False


@Prepared
def times_of(app: App, *pks: int) -> QuerySet[Memory, Row]:
    rows = Memory.objects.for_app(app).filter(pk__in=pks).order_by()
    return rows.values_list("pk", "content", "valid_from", "created_at", "resource__content_at", "resource__utc_offset")
