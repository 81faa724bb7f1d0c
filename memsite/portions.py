"""What comes in a row, cut into what is handled at once."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def portions(items: Iterable[Item], most: int, most_size: int, size_of: Callable[[Item], int]) -> Iterator[list[Item]]:
    """In their order: at most so many, which together have at most that size. One alone may have more."""
    portion, size = list[Item](), 0
    for item in items:
        length = size_of(item)
        if portion and (len(portion) == most or size + length > most_size):
            yield portion
            portion, size = [], 0
        portion.append(item)
        size += length
    if portion:
        yield portion
