"""What the body of a job is given to say how far it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol


class Run(Protocol):
    """One run of a job for one app, claimed by whoever is at it.

    `since` to `until` is the time it is for: from where the last one that was done ended (None: there is none) to the
    moment that this one was due. `cursor` is what the last committed batch left behind; empty at first.
    """

    since: datetime | None
    until: datetime

    @property
    def cursor(self) -> Mapping[str, Any]: ...

    def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
        """Adds to the counts and keeps the cursor. To be called inside the transaction of each batch.

        Raises, and so undoes the batch, when somebody else has taken the run over or a stop was asked for.
        """


@dataclass
class Unclaimed:
    """A run that nobody can take away: for work that is done at once, and in view."""

    until: datetime
    since: datetime | None = None
    cursor: dict[str, Any] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
        self.counts.update(counts)
        self.cursor.update(cursor)
