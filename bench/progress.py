"""Lines that tell how far it is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def progress(things: Sequence[T], what: str) -> Iterator[T]:
    """Yield the same things, with a line as each is done."""
    start = time.perf_counter()
    for number, thing in enumerate(things, 1):
        yield thing
        print(f"  {what} {number} of {len(things)}, {time.perf_counter() - start:.0f} s", flush=True)
