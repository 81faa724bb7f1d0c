"""For schemathesis, in its own environment: how a body of lines is sent, and on whose behalf requests are made."""

import atexit
import json
import os
from collections import Counter
from itertools import cycle
from typing import Any

import schemathesis

CALLERS = json.loads(os.environ.get("FUZZ_CALLERS", "{}"))
"""Keys by names of who asks; nobody's is empty."""
in_turn = cycle(CALLERS)
questions: Counter[str] = Counter()


@schemathesis.serializer("application/x-ndjson", "application/gzip", "application/zip", "application/octet-stream")
def lines(ctx: Any, value: Any) -> bytes:
    """What it made up, a line for each item of a list; texts and bytes as they are."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    items = value if isinstance(value, list) else [value]
    return b"\n".join(json.dumps(item).encode() for item in items)


if CALLERS:

    @schemathesis.hook
    def before_call(ctx: Any, case: Any, kwargs: dict[str, Any]) -> None:
        """Ask as the next one."""
        caller = next(in_turn)
        questions[caller] += 1
        if CALLERS[caller]:
            case.headers["Authorization"] = f"Bearer {CALLERS[caller]}"

    atexit.register(lambda: print("Asked by:", json.dumps(questions)))  # noqa: T201  # for who reads what came of it
