"""Categories and what is written about each."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count
from django.utils import timezone

from memories.agent.base import Caller
from memories.maintain.stale_summaries import mark_stale, put_away
from memories.maintain.summaries import AT_LEAST_CHANGES, compute_summary, of_whom, rewrite_due, told_now, versions_of
from memories.models import Summary
from memories.models.summary import SummaryQuerySet
from memories.store.revisions import mark_due

AT_A_GLANCE = 500
"""Facts from which a summary is put together in less than a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Category:
    """`memories` are the active ones that the caller may see. `summary` is without its content."""

    name: str
    memories: int
    summary: Summary | None


class Summaries(Caller):
    """Of one end user, or ("") of nobody in particular: the two are never mixed."""

    def categories(self, user_id: str) -> list[Category]:
        """By name: those in which something is known, and those that have a summary. Two queries."""
        known = self.memories().active().valid(timezone.now()).filter(of_whom(user_id))
        counts = dict(known.order_by().values_list("category").annotate(Count("pk")))
        current = self.kept_summaries().filter(user_id=user_id).defer("content")
        written = {row.category: row for row in current}
        return [Category(name, counts.get(name, 0), written.get(name)) for name in sorted(counts.keys() | written)]

    def kept_summaries(self) -> SummaryQuerySet:
        """Those that are kept up to date: none in an app that keeps no summaries (any more)."""
        rows = Summary.objects.for_app(self.app).current()
        return rows if self.app.policy.capture_summaries else rows.none()

    def summary(self, category: str, user_id: str) -> Summary | None:
        """The current version, or one by rule that is not stored (`pk` None); None where there is nothing to tell."""
        stored = self.kept_summaries().filter(category=category, user_id=user_id).first()
        return stored or self.write_summary(category, user_id)

    def write_summary(self, category: str, user_id: str) -> Summary | None:
        now = timezone.now()
        found = compute_summary(self.app, category, user_id, now)
        if not found.written.text:
            return None
        return Summary(
            app=self.app, category=category, user_id=user_id, version=0, content=found.written.text,
            memory_count=found.facts, made_by=found.written.made_by, created_at=now,
        )  # fmt: skip

    def takes_long(self, category: str, user_id: str) -> bool:
        """Whether the summary would have to be put together from so many facts that somebody would wait for it."""
        if self.kept_summaries().filter(category=category, user_id=user_id).exists():
            return False
        rows = told_now(self.app, category, user_id, timezone.now())
        return rows.order_by()[: AT_A_GLANCE + 1].count() > AT_A_GLANCE

    def summary_versions(self, category: str, user_id: str) -> SummaryQuerySet:
        """All that are stored, archived ones too."""
        return versions_of(self.app, category, user_id)

    def rewrite_summaries(self) -> int:
        """What is due, by the model if there is one; answers how many texts changed."""
        now = timezone.now()
        if not self.app.policy.capture_summaries:
            return put_away(self.app, now)
        mark_stale(self.app, now)
        return rewrite_due(self.app, self.provider(), self.embedder, self.actor, now)

    def ask_rewrite(self, category: str, user_id: str) -> None:
        """Written anew with the next run, however little has changed."""
        mark_due(self.app, [(category, user_id)], timezone.now(), AT_LEAST_CHANGES)
