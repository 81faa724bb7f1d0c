"""What a job is: a name, when it is due, and one piece of work per app or for the whole site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from memsite.jobs.schedule import Calendar, Schedule
from memsite.tenancy.models import App

Hands = TypeVar("Hands")


class Run(Protocol):
    """One run of a job, claimed by whoever is at it.

    `since` to `until` is the time it is for: from where the last one that was begun ended (None: there is none) to the
    moment that this one was due. `cursor` is what the last committed batch left behind; empty at first.
    """

    since: datetime | None
    until: datetime

    @property
    def cursor(self) -> Mapping[str, Any]: ...

    def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
        """Add to the counts and keeps the cursor. To be called inside the transaction of each batch.

        Raises, and so undoes the batch, when somebody else has taken the run over. Where a stop was asked for, or this
        has gone on for long, the run ends when the batch is committed; it is continued from there.
        """


class Job(Generic[Hands]):
    """`work` is given the service to do it with (what it may use, for one app), and its run."""

    name: ClassVar[str]
    title: ClassVar[str]
    """What it does, in a few words that follow its name."""
    schedule: ClassVar[Schedule]
    of_site: ClassVar[bool] = False
    """Once for the whole site, not per app."""

    def work(self, service: Hands, run: Run) -> None:
        raise NotImplementedError

    def waiting(self, now: datetime) -> Iterable[int] | None:
        """Pks of the apps that have something to do; None: all that are active, each period.

        Of a job of the site: anything at all where there is something to do.
        """
        return None

    def is_wanted(self, app: App, now: datetime) -> bool:
        """Return whether a heartbeat of this app fires it when it is overdue; needless for what runs all the time."""
        return self.is_heavy

    @property
    def is_heavy(self) -> bool:
        """Return whether it takes minutes: not many of these at once, or no worker is left for anything else."""
        return isinstance(self.schedule, Calendar)


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
