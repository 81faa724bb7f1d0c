"""What a dialect keeps of its own: memories that it finds again by their `external_id`, `KIND:…`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from memories.capture.quarantine import Outcome
from memories.models.memory import MemoryQuerySet
from memories.services import MemoryAgent
from memories.store import Candidate
from memsite.db.expressions import hex_bounds
from memsite.http.exceptions import Conflict

HASH_DIGITS = 64


def external_id(kind: str, *names: str) -> str:
    """Return the same for the same names, whatever their length."""
    return f"{kind}:{hashlib.sha256(chr(0).join(names).encode()).hexdigest()}"


def find_by_external_id(agent: MemoryAgent, kind: str, *named: str | None) -> MemoryQuerySet:
    """Return all of this kind that is shown to who has `named` these end users, in the order they came.

    Uses the index of external ids.
    """
    beginning = f"{kind}:"
    within = hex_bounds(beginning, HASH_DIGITS)
    rows = agent.memories_of(*named).live()
    return rows.filter(external_id__range=within, external_id__startswith=beginning).order_by("pk")


def create_with_external_id(agent: MemoryAgent, kind: str, candidates: Iterable[Candidate]) -> dict[str, str]:
    """Store them as they are. Conflict, and nothing is stored, if one is there by the time it is written.

    Answers why some were not stored, by their `external_id`: a person decides about these.
    """
    new = list(candidates)
    known = find_by_external_id(agent, kind, *(candidate.user_id for candidate in new))
    mine = known.filter(external_id__in=[candidate.external_id for candidate in new]).order_by()

    def check(_: Any, outcomes: list[Outcome]) -> None:
        if mine.count() > sum(outcome.memory is not None for outcome in outcomes):
            raise Conflict("Somebody else has just stored the same: read it again.")

    outcomes = agent.remember(new, dedupe=False, on_stored=check) if new else []
    pairs = zip(new, outcomes, strict=True)
    return {candidate.external_id or "": outcome.reason for candidate, outcome in pairs if outcome.memory is None}
