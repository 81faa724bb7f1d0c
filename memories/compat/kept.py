"""What a dialect keeps of its own: memories that it finds again by their `external_id`, `KIND:…`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from memories.agent import MemoryAgent
from memories.capture.outcome import Outcome
from memories.models.memory import MemoryQuerySet
from memories.store import Candidate
from memsite.exceptions import Conflict

HASH_DIGITS = 64


def external_id(kind: str, *names: str) -> str:
    """The same for the same names, whatever their length."""
    return f"{kind}:{hashlib.sha256(chr(0).join(names).encode()).hexdigest()}"


def kept(agent: MemoryAgent, kind: str) -> MemoryQuerySet:
    """All of this kind that the caller may see, in the order they came. Uses the index of external ids."""
    rows = agent.memories().live().filter(external_id__range=bounds(kind), external_id__startswith=f"{kind}:")
    return rows.order_by("pk")


def bounds(kind: str) -> tuple[str, str]:
    """The first and the last id that there may be, in the order of any collation: signs, as ":" and ";", have another
    in each, digits have not.
    """
    return f"{kind}:{'0' * HASH_DIGITS}", f"{kind}:{'f' * HASH_DIGITS}"


def keep_new(agent: MemoryAgent, kind: str, candidates: Iterable[Candidate]) -> dict[str, str]:
    """Stores them as they are. Conflict, and nothing is stored, if one is there by the time it is written.

    Answers why some were not stored, by their `external_id`: a person decides about these.
    """
    new = list(candidates)
    mine = kept(agent, kind).filter(external_id__in=[one.external_id for one in new]).order_by()

    def check(_: Any, outcomes: list[Outcome]) -> None:
        if mine.count() > sum(outcome.memory is not None for outcome in outcomes):
            raise Conflict("Somebody else has just stored the same: read it again.")

    outcomes = agent.remember(new, dedupe=False, on_stored=check) if new else []
    told = zip(new, outcomes, strict=True)
    return {one.external_id or "": outcome.reason for one, outcome in told if outcome.memory is None}
