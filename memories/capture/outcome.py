"""What became of a candidate."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from memories.models import Memory, Rejection


class OutcomeKind(StrEnum):
    CREATED = "created"
    REINFORCED = "reinforced"
    CONTRADICTED = "contradicted"
    ECHOED = "echoed"
    REJECTED = "rejected"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`contradicted` means created against the memories in `against`; `memory` is None where nothing is stored.

    `rejection` is what was kept of it then.
    """

    kind: OutcomeKind
    memory: Memory | None = None
    reason: str = ""
    against: list[Memory] = field(default_factory=list)
    rejection: Rejection | None = None
