"""The last few of what was worked out or read, kept for whoever needs it next."""

from __future__ import annotations

from threading import Lock
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections

Value = TypeVar("Value")


class Latest(Generic[Value]):
    """The last few values that were put in, by key. For all threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: dict[Any, Value] = {}
        self.lock = Lock()

    def get(self, key: Any) -> Value | None:
        return self.values.get(key)

    def clear(self) -> None:
        with self.lock:
            self.values.clear()

    def drop(self, key: Any) -> None:
        with self.lock:
            self.values.pop(key, None)

    def put(self, key: Any, value: Value) -> None:
        with self.lock:
            self.values.pop(key, None)
            self.values[key] = value
            while len(self.values) > self.most:
                del self.values[next(iter(self.values))]


Commit = tuple[int, int]
"""As good as any other, but that it is another one after each commit, of whatever process."""


def is_committed() -> bool:
    """Return whether no transaction is open that may have written what it reads and may be taken back."""
    return not connection.in_atomic_block


def last_commit() -> Commit | None:
    """Return the last one as of now; None where nobody tells: in a transaction, and on PostgreSQL.

    What is read after it was asked for, may be kept beside it, and told again while it is the last one.
    """
    wrapper = connections[DEFAULT_DB_ALIAS]
    if wrapper.vendor != "sqlite" or not is_committed():
        return None
    commit: Commit | None = wrapper.last_commit()  # type: ignore[attr-defined]  # our own, memsite.db.sqlite
    return commit
