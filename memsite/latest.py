"""The last few of what was worked out or read, kept for whoever needs it next."""

from __future__ import annotations

from threading import Lock
from typing import Any, Generic, TypeVar

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
