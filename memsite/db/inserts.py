"""Rows stored together, and texts divided into portions that a statement or message has room for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from django.db import models

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


def insert_all(rows: Sequence[models.Model], *, over: tuple[str, ...] = ()) -> None:
    """Store rows of one model, and give them their numbers. Call in a transaction.

    One that is equal in the fields `over` to a stored one is written in its place.
    """
    if not rows:
        return
    model = type(rows[0])
    if not over:
        model._default_manager.bulk_create(rows)
        return
    changed = [field.name for field in model._meta.concrete_fields if not field.primary_key and field.name not in over]
    model._default_manager.bulk_create(rows, update_conflicts=True, unique_fields=over, update_fields=changed)
