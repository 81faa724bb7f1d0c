"""For schemathesis, in its own environment: how a body of lines is sent."""

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson", "application/gzip", "application/zip", "application/octet-stream")
def lines(ctx: Any, value: Any) -> bytes:
    """What it made up, a line for each item of a list; texts and bytes as they are."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    items = value if isinstance(value, list) else [value]
    return b"\n".join(json.dumps(item).encode() for item in items)
