"""What may be kept of a text: nothing that was said in private, and no secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memories.text.secrets import redact, strip_private

DEEPEST = 100


def clean(text: str) -> str:
    """Without what stands between `<private>` tags, and with `[redacted: KIND]` for each secret. May be empty."""
    return redact(strip_private(text)).text.strip()


def without_private(value: Any, depth: int = 0) -> Any:
    """A JSON value, each text in it without what was said in private."""
    if isinstance(value, str):
        return strip_private(value) if "<" in value else value
    if depth >= DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {name: without_private(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [without_private(item, depth + 1) for item in value]
    return value
