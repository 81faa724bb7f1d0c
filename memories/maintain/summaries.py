"""The categories' summaries, written anew when enough has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic

import structlog
from django.db import transaction
from django.db.models import F, Max, Q

from memories.maintain.passages import passages_of
from memories.models import Link, LinkKind, Memory, Passage, Summary, SummaryDue, Visibility
from memories.models.memory import NOTED, MemoryQuerySet, as_noted
from memories.models.summary import SummaryQuerySet
from memories.models.vector import FLOAT_BYTES
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import LLMError, Noted, Provider, Written, outdoes
from memories.retrieve.injection_guard import VOUCHED, safe_memories
from memsite.tenancy.models import App
from memsite.tenancy.scoping import ScopedQuerySet

log = structlog.get_logger("memories.maintain")
MAX_CHARACTERS = 8_000
AT_LEAST_CHANGES = 10
OLDER_THAN = timedelta(seconds=60)
LEASE = timedelta(minutes=10)
VERSIONS_KEPT = 100
MOST_FACTS = 5_000
"""Of a category: the rules read as many in about a second, and 8,000 characters hold some hundred."""
BATCH = 500


def rewrite_due(
    app: App, provider: Provider, embedder: Embedder, actor: str, now: datetime,
    *, at_least: int = AT_LEAST_CHANGES, older_than: timedelta = OLDER_THAN,
) -> int:  # fmt: skip
    """Writes anew what has `at_least` changes, or one that has waited for `older_than`; answers how many texts changed.

    Not to be called inside a transaction. Nothing for an app that keeps no summaries.
    """
    ripe = Q(changes__gte=at_least) | Q(since__lte=now - older_than)
    return Rewriting(app, provider, embedder, actor, now).run(ripe)


def told_in(app: App, category: str, user_id: str) -> MemoryQuerySet:
    """The memories that this summary may tell of, of whatever status: never one that only one agent may see."""
    rows = Memory.objects.for_app(app).filter(of_whom(user_id), category=category)
    return rows.exclude(visibility=Visibility.AGENT)


def of_whom(user_id: str) -> Q:
    """Memories of this end user only, or ("") those of nobody in particular."""
    return Q(user_id=user_id) if user_id else Q(user_id=None) | Q(user_id="")


def facts_of(app: App, category: str, user_id: str, now: datetime) -> list[Noted]:
    """What is to be told now, the most important first, `MOST_FACTS` at most; of two at odds one. Two queries.

    Without what is not for an agent to read: agents are told summaries.
    """
    first = first_of(app, category, user_id, now).only("uid", *NOTED, *VOUCHED)
    facts = [as_noted(memory) for memory in safe_memories(first, app.policy)]
    return surer_sides(facts, at_odds_in(app, category, user_id, now))


def told_now(app: App, category: str, user_id: str, now: datetime) -> MemoryQuerySet:
    return told_in(app, category, user_id).active().valid(now)


def first_of(app: App, category: str, user_id: str, now: datetime) -> MemoryQuerySet:
    """The most important first, `MOST_FACTS` at most."""
    rows = told_now(app, category, user_id, now)
    return rows.order_by("-importance", "-confidence", "-confirmed_at", "-pk")[:MOST_FACTS]


def at_odds_in(app: App, category: str, user_id: str, now: datetime) -> Iterable[tuple[int, int]]:
    """Numbers of the memories at both ends of each contradiction between what is told now, the oldest first."""
    rows = told_now(app, category, user_id, now)
    links = Link.objects.for_app(app).filter(kind=LinkKind.CONTRADICTS, from_memory__in=rows, to_memory__in=rows)
    return links.order_by("pk").values_list("from_memory", "to_memory")


def surer_sides(facts: Sequence[Noted], at_odds: Iterable[tuple[int, int]]) -> list[Noted]:
    """Without what another one outdoes that is told itself."""
    by_number = {fact.number: fact for fact in facts}
    for pair in at_odds:
        if all(number in by_number for number in pair):
            first, second = (by_number[number] for number in pair)
            del by_number[(second if outdoes(first, second) else first).number]
    return list(by_number.values())


def versions_of(app: App, category: str, user_id: str) -> SummaryQuerySet:
    return Summary.objects.for_app(app).filter(category=category, user_id=user_id)


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary that is not stored yet, and the facts that it was written from, as they were `as_of`."""

    written: Written
    facts: Sequence[Noted]
    passages: Sequence[Passage]
    as_of: datetime


class Rewriting:
    """One worker's run. What it claims is its own for `LEASE`; the token keeps it from writing after that.

    `afresh`: the provider does not see the summary before. `on_stored` is told inside the transaction of each summary
    whether its text has changed.
    """

    def __init__(
        self, app: App, provider: Provider, embedder: Embedder, actor: str, now: datetime, *,
        afresh: bool = False, on_stored: Callable[[bool], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self.app, self.provider, self.embedder, self.actor = app, provider, embedder, actor
        self.begun, self.started = now, monotonic()
        self.afresh, self.on_stored = afresh, on_stored

    def now(self) -> datetime:
        """A run may take longer than a lease."""
        return self.begun + timedelta(seconds=monotonic() - self.started)

    def run(self, ripe: Q) -> int:
        if not self.app.policy.capture_summaries:
            return 0
        return sum(self.rewrite(due) for due in self.claim_each(ripe))

    def claim_each(self, ripe: Q) -> Iterator[SummaryDue]:
        """Each of the ripe once, unless another worker has it. Two statements each."""
        rows = SummaryDue.objects.for_app(self.app)
        for pk in list(rows.filter(ripe).order_by("since", "pk").values_list("pk", flat=True)):
            now = self.now()
            free = Q(lease_until=None) | Q(lease_until__lte=now)
            if rows.filter(ripe & free, pk=pk).update(token=F("token") + 1, lease_until=now + LEASE):
                yield from rows.filter(pk=pk)

    def rewrite(self, due: SummaryDue) -> bool:
        """Whether the text has changed. Whatever fails, the next worker need not wait for the lease to run out."""
        try:
            return self.attempt(due)
        except LLMError as error:
            log.warning("summary_not_written", app=self.app.app_id, error=str(error))
            self.claimed(due).update(lease_until=None)
            return False
        except Exception:
            self.claimed(due).update(lease_until=None)
            raise

    def attempt(self, due: SummaryDue) -> bool:
        """Slow work comes first, outside of any transaction."""
        as_of = self.now()
        facts = facts_of(self.app, due.category, due.user_id, as_of)
        current = versions_of(self.app, due.category, due.user_id).current().first()
        written = self.write(due, facts, current)
        kept = vectors_of(current, self.embedder)
        passages = passages_of(self.app, written.text, facts, self.embedder, kept)
        return self.store(due, Draft(written, facts, passages, as_of))

    def write(self, due: SummaryDue, facts: Sequence[Noted], current: Summary | None) -> Written:
        if not facts:
            return Written("")
        previous = current.content if current and not self.afresh else ""
        return self.provider.summarise(due.category, facts, previous, MAX_CHARACTERS)

    @transaction.atomic
    def store(self, due: SummaryDue, draft: Draft) -> bool:
        """Nothing if another worker has taken over, or if a fact was forgotten or withdrawn while it was written of."""
        # As writers of memories do: nobody can forget one between the look and the write.
        list(App.objects.select_for_update().filter(pk=self.app.pk).values_list("pk"))
        if not self.claimed(due).exists():
            return False
        pks = [fact.number for fact in draft.facts]
        if told_in(self.app, due.category, due.user_id).filter(pk__in=pks).count() < len(pks):
            self.claimed(due).update(lease_until=None)
            return False
        is_new = self.keep(due, draft)
        self.settle(due)
        self.on_stored(is_new)
        if is_new:
            log.info("summary_written", app=self.app.app_id, actor=self.actor)
        return is_new

    def keep(self, due: SummaryDue, draft: Draft) -> bool:
        """Whether there is a new version, or none any more. With the same text only passages may be others."""
        versions = versions_of(self.app, due.category, due.user_id)
        current = versions.current().first()
        if draft.written.text == (current.content if current else ""):
            versions.current().update(as_of=draft.as_of)
            if current:
                set_passages(current, draft.passages)
            return False
        number = versions.aggregate(latest=Max("version"))["latest"] or 0
        now = self.now()
        versions.current().update(archived_at=now)
        Passage.objects.for_app(self.app).filter(summary=current).delete()
        if draft.written.text:
            new = Summary.objects.create(
                app=self.app, category=due.category, user_id=due.user_id, version=number + 1,
                content=draft.written.text, memory_count=len(draft.facts), made_by=draft.written.made_by,
                created_at=now, as_of=draft.as_of,
            )  # fmt: skip
            set_passages(new, draft.passages)
        drop_oldest(versions)
        return True

    def settle(self, due: SummaryDue) -> None:
        """The work is done; changes that came in since the claim are left for the next run."""
        since = (due.lease_until or self.now()) - LEASE
        if not self.claimed(due).filter(changes=due.changes).delete()[0]:
            self.claimed(due).update(changes=F("changes") - due.changes, since=since, lease_until=None)

    def claimed(self, due: SummaryDue) -> ScopedQuerySet[SummaryDue]:
        return SummaryDue.objects.for_app(self.app).filter(pk=due.pk, token=due.token)


def vectors_of(summary: Summary | None, embedder: Embedder) -> dict[str, bytes]:
    """By text; of this embedding model only."""
    rows = summary.passages.filter(model=embedder.name).values_list("text", "data") if summary else ()
    return {text: bytes(data) for text, data in rows if data and len(data) == embedder.known_dim * FLOAT_BYTES}


def set_passages(summary: Summary, passages: Sequence[Passage]) -> None:
    """Writes only if they are others."""
    known = list(summary.passages.order_by("pk"))
    if list(map(content_of, known)) != list(map(content_of, passages)):
        summary.passages.all().delete()
        for passage in passages:
            passage.summary = summary
        Passage.objects.bulk_create(passages)


def content_of(passage: Passage) -> tuple[object, ...]:
    return passage.memory_id, passage.text, passage.model, bytes(passage.data or b"")


def drop_oldest(versions: SummaryQuerySet) -> None:
    """Of the archived ones, `VERSIONS_KEPT` are kept."""
    archived = versions.exclude(archived_at=None).order_by("-version")
    if surplus := archived.values_list("version", flat=True)[VERSIONS_KEPT:][:1]:
        archived.filter(version__lte=surplus[0]).delete()
