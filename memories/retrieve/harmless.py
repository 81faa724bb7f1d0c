"""Looks once more at what is about to be told or written of: it may have been stored before anybody looked."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import structlog

from memories.models import Memory
from memories.text.instructions import find_instructions
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import AppPolicy

log = structlog.get_logger("memories.retrieve")
TEXTS_KEPT = 10_000
VOUCHED = ("origin", "reviewed_at")
"""What tells of a memory that a person vouches for it."""


def harmless(memories: Iterable[Memory], policy: AppPolicy) -> list[Memory]:
    """Without those that are not for an agent to read, unless a person vouches for them."""
    screened = policy.screened_origins
    return [memory for memory in memories if is_vouched(memory) or is_harmless(memory, memory.origin in screened)]


def is_vouched(memory: Memory) -> bool:
    return memory.origin == Origin.OPERATOR or memory.reviewed_at is not None


def is_harmless(memory: Memory, from_outside: bool) -> bool:
    found = is_suspicious(memory.content, from_outside) or is_suspicious(memory.subject or "", from_outside)
    if found:
        log.warning("kept_from_the_agent", memory=str(memory.uid))
    return not found


@lru_cache(TEXTS_KEPT)
def is_suspicious(text: str, from_outside: bool = False) -> bool:
    """Whether it would be quarantined. Those looked at last are remembered: the same few are shown again and again."""
    return bool(find_instructions(text, from_outside=from_outside))
