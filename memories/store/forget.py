"""Memories are deleted for good: with everything that holds their words, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db.models import prefetch_related_objects

from memories.models import LIVE, Forgotten, Memory, Mention, Rejection, Revision, Status, Summary, Visibility
from memories.store.due import Key
from memories.store.lineage import forgotten_with
from memories.store.mentions import drop_unmentioned
from memories.store.reasons import redact_reasons
from memories.store.revisions import snapshot
from memories.store.said import digests_of, redact_sources
from memories.store.triggers import drop_for
from memsite.tenancy.append_only import purge_permit
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.purge_residue import note_residue
from sessions.models import Event

if TYPE_CHECKING:
    from memories.store.writer import Writer


def forget(write: Writer, given: Sequence[Memory]) -> int:
    """Deletes the memories, and what says the same behind them; answers how many were given. Not to be undone."""
    app = write.app
    rows = forgotten_with(app, [*given, *digests_of(app, given)])
    uids = [memory.uid for memory in rows]
    # Asked of the table: they may have been read before somebody else archived or forgot one. Whoever is just telling
    # an agent of one (`held`) is waited for: what that notes of it is found, and goes, too.
    there = Memory.objects.for_app(app).filter(pk__in=[memory.pk for memory in rows]).order_by("pk")
    write.count -= sum(status in LIVE for status in there.select_for_update().values_list("status", flat=True))
    forget_answers(app, uids)
    with purge_permit():
        Event.objects.for_app(app).filter(memory_uid__in=uids).delete()
        Rejection.objects.for_app(app).filter(memory__in=rows).delete()
        drop_summaries(write, rows)
        beside = drop_for(app, rows)
        redact_sources(app, rows)
        redact_reasons(app, rows)
        erase(write, rows)
        note_residue()
    if beside:
        forget(write, beside)
    return len(given)


def erase(write: Writer, rows: Sequence[Memory]) -> int:
    """The rows themselves, hidden ones too, and what nobody can do without them. They have been read for update, so
    that nobody else comes to need one. Call it with a purge permit.
    """
    app = write.app
    private = [memory.pk for memory in rows if memory.visibility == Visibility.AGENT]
    everything = Memory.objects.for_app(app) | Memory.objects.going(app)
    shared = set(everything.filter(pk__in=private).once_shared().values_list("pk", flat=True)) if private else set()
    alone = set(private) - shared
    named = set(Mention.objects.for_app(app).filter(memory__in=rows).values_list("entity_id", flat=True))
    everything.filter(pk__in=[memory.pk for memory in rows]).delete()
    drop_unmentioned(app, named)
    Forgotten.objects.bulk_create(
        Forgotten(
            app=app,
            memory_id=memory.pk,
            memory_uid=memory.uid,
            change_number=write.change_number,
            agent_id=memory.agent_id if memory.pk in alone else None,
            created_at=write.now,
        )
        for memory in rows
    )
    return len(rows)


def drop_summaries(write: Writer, memories: Sequence[Memory]) -> None:
    """Every version of a summary that may hold words of these memories."""
    prefetch_related_objects([memory for memory in memories if memory.status == Status.COLD], "cold_text")
    past = Revision.objects.for_app(write.app).filter(memory__in=memories).values_list("after", flat=True)
    states = [*past, *(snapshot(memory) for memory in memories)]
    categories = {state["category"] for state in states if "category" in state}
    users = {state["user_id"] or "" for state in states if "user_id" in state}
    drop_summaries_of(write, [(category, user) for category in categories for user in users])


def drop_summaries_of(write: Writer, keys: Sequence[Key]) -> None:
    """All their versions. Where the app keeps summaries, they are written anew."""
    of_user: dict[str, list[str]] = defaultdict(list)
    for category, user in keys:
        of_user[user].append(category)
    for user, categories in of_user.items():
        Summary.objects.for_app(write.app).filter(category__in=categories, user_id=user).delete()
    if write.policy.capture_summaries:
        write.summaries_due += keys
