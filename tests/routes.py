"""All addresses that there are, however they are grouped."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver


def walk(entries: Any, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in entries:
        address = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from walk(entry.url_patterns, address)
        else:
            yield address, entry


def routes_below(prefix: str) -> dict[str, URLPattern]:
    """By address, without the prefix."""
    entries = get_resolver().url_patterns
    [below] = [entry for entry in entries if isinstance(entry, URLResolver) and str(entry.pattern) == prefix]
    return dict(walk(below.url_patterns))
