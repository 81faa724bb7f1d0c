"""The run that the body of a job is given, to say how far it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memsite.jobs.job import Run

__all__ = ["Run", "Unclaimed"]


@dataclass
class Unclaimed:
    """A run that nobody can take away: for work that is done at once, and in view."""

    until: datetime
    since: datetime | None = None
    cursor: Mapping[str, Any] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
        self.counts.update(counts)
        self.cursor = {**self.cursor, **cursor}
