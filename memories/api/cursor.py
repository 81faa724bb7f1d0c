"""Where a search goes on: a text that only fits the search it came from."""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from rest_framework.exceptions import ValidationError

from memsite.http.json_body import dump_json

# The next page is ranked as of the first one's time; after this it is another search.
GOOD_FOR = timedelta(hours=1)
FARTHEST = 10_000


def make_cursor(offset: int, started: datetime, asked: Mapping[str, Any]) -> str:
    told = dump_json([offset, started.timestamp(), fingerprint(asked)])
    return urlsafe_b64encode(told).decode().rstrip("=")


def read_cursor(cursor: str, asked: Mapping[str, Any], now: datetime) -> tuple[int, datetime]:
    """How many hits came before, and when the search began. ValidationError if it belongs to another search."""
    try:
        offset, seconds, digest = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        started = datetime.fromtimestamp(seconds, UTC)
        fits = isinstance(offset, int) and 0 < offset <= FARTHEST and digest == fingerprint(asked)
    except (ValueError, TypeError, OverflowError, OSError, RecursionError) as error:
        raise ValidationError({"cursor": ["Not a cursor of a search."]}) from error
    if not fits:
        raise ValidationError({"cursor": ["A cursor of another search."]})
    if not now - GOOD_FOR <= started <= now:
        raise ValidationError({"cursor": ["Too old: search again."]})
    return offset, started


def fingerprint(asked: Mapping[str, Any]) -> str:
    return hashlib.sha256(dump_json(asked, in_order=True)).hexdigest()[:16]
