"""The cold archive: what memories say that nobody has asked for in a long time, compressed."""

from __future__ import annotations

import zlib

from django.db import models

from memories.models.memory import Memory, Status
from memsite.tenancy.scoping import Scoped, ScopedQuerySet

PLAIN = b"\0"
"""What begins with it is not compressed: a short text would only grow."""


class ColdText(Scoped):
    """The content of a memory whose status is cold; `was` is the status before."""

    memory = models.OneToOneField(Memory, on_delete=models.CASCADE, related_name="cold_text")
    data = models.BinaryField()
    was = models.CharField(max_length=12, choices=Status)

    objects = ScopedQuerySet["ColdText"].as_manager()

    def __str__(self) -> str:
        return f"memory {self.memory_id}"

    @property
    def text(self) -> str:
        return unpack(bytes(self.data))


def pack(text: str) -> bytes:
    plain = text.encode()
    packed = zlib.compress(plain, level=9)
    return packed if len(packed) <= len(plain) else PLAIN + plain


def unpack(data: bytes) -> str:
    return (data[1:] if data.startswith(PLAIN) else zlib.decompress(data)).decode()
