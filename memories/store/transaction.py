"""The transaction that memories are written in, and eviction, which keeps an app within its limit.

What makes room in a full app is archived, or said by another memory from then on. All of it can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Self

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.db.models import F, Q
from django.dispatch import Signal

from memories.ledger.days import day_of
from memories.ledger.energy import COMPACTION, energy_note
from memories.models import LIVE, Memory, Status, Visibility
from memories.models.memory import as_noted
from memories.providers.llm.provider import RULES, Choice
from memories.providers.llm.rules.eviction import make_room, value
from memories.store.damage import COUNTS, noticing_damage, report_damage
from memories.store.revisions import mark_due
from memories.store.writer import Writer
from memsite.db.prepared import fetch_all
from memsite.db.transactions import execute_all
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.models import App, AppStatus

SHORTLIST = 50
"""How many of the least worthy are looked at for each that has to go, beyond it."""
MOST_FOLDED = 10
"""Of one transaction: comparing texts takes milliseconds. Whatever else has to go is archived by its worth."""
BATCH = 500
TELL = "memories.tasks.upkeep_tell"
# The ORM takes 2 ms to write these, in which nobody else may write to SQLite.
# Taking the app's row first makes writers of the same app wait for each other on every database. Whoever waited reads
# what the others left of it; the policy, the webhooks and the longest subject may be those from before it waited, as if
# it had come first.
TAKE = """
UPDATE tenancy_app SET change_number = change_number + 1 WHERE id = %s
RETURNING change_number, memory_count, vector_model, near_model, status,
          (SELECT p.memory_limit FROM tenancy_apppolicy p WHERE p.app_id = %s),
          EXISTS (SELECT 1 FROM memories_webhook w WHERE w.app_id = %s AND w.is_active),
          (SELECT LENGTH("key") - LENGTH(REPLACE("key", ' ', '')) FROM memories_entity
           WHERE app_id = %s AND kind = 'subject' ORDER BY 1 DESC LIMIT 1)
"""
# Never below none: what was counted wrong refuses no write until it is counted anew (`memories.maintain.derived`).
KEEP = """
UPDATE tenancy_app SET memory_count = CASE WHEN memory_count + %s < 0 THEN 0 ELSE memory_count + %s END,
vector_model = %s WHERE id = %s
"""
committed = Signal()
"""Some of an app's memories were written, and it is committed. With its `app_pk`; what a receiver raises is logged."""


class AppGone(ObjectDoesNotExist):
    """The app was uninstalled while this was under way: what it was told last is not kept."""


class LimitReached(Exception):
    """The app holds as many memories as it may, and none that can make room."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A choice made beforehand; its numbers are pks. Good only while its memories have the `versions` seen (by pk)."""

    choice: Choice
    versions: Mapping[int, int]

    @classmethod
    def of(cls, choice: Choice, candidates: Sequence[Memory]) -> Self:
        return cls(choice, {memory.pk: memory.version for memory in candidates})


@contextmanager
def writing(app: App, actor: str, now: datetime, suggested: Sequence[Suggestion] = ()) -> Iterator[Writer]:
    """Open the one writing transaction of an app. Nothing slow (no network, no embedding) belongs inside.

    At its end the app has no more live memories than its limit, or than before if that was more already (`shrink`):
    others have made room, `suggested` ones first. Raises LimitReached, and nothing is written, if none can.
    Raises AppGone where the app was active when `app` was read, and is not any more.
    """
    with noticing_damage(app.pk), transaction.atomic():
        change_number, count, model, near_model, status, limit, has_webhooks, blanks = take(app)
        if app.status == AppStatus.ACTIVE != status:
            raise AppGone
        longest_subject = 0 if blanks is None else blanks + 1
        write = Writer(app, app.policy, actor, now, change_number, count, limit, model, near_model, longest_subject)
        if has_webhooks:
            enqueue(TELL, app.pk)
        transaction.on_commit(partial(committed.send_robust, sender=Writer, app_pk=app.pk))
        yield write
        most = max(limit, count)
        evict(write, most, suggested)
        if write.count > most:
            raise LimitReached(
                f"The app may hold {write.limit} memories, and all that it holds are pinned: "
                "unpin or delete one, or raise memory_limit."
            )
        mark_due(app, write.summaries_due, now)
        if write.near_model != near_model:
            # Every process is to load an index of the other kind.
            row = App.objects.filter(pk=app.pk)
            row.update(near_model=write.near_model, index_number=F("index_number") + 1)
        if write.count != count or write.vector_model != model:
            more = write.count - count
            execute_all([(KEEP, [more, more, write.vector_model, app.pk])])
        if write.count < 0:
            report_damage(app.pk, COUNTS)


def take(app: App) -> tuple[Any, ...]:
    """Return the app's state, which nobody else changes until the transaction ends. DoesNotExist if the app is gone."""
    state: list[tuple[Any, ...]] = fetch_all(TAKE, [app.pk] * 4)
    if not state:
        raise App.DoesNotExist
    change_number, count, *rest = state[0]
    if not isinstance(count, int):
        report_damage(app.pk, COUNTS)
        count = Memory.objects.for_app(app).live().count()
    return change_number, count, *rest


def shrink(app: App, actor: str, now: datetime, batch: int = BATCH, suggested: Sequence[Suggestion] = ()) -> int:
    """Bring an app nearer to a limit that was lowered; return how many memories, `batch` at most, made room.

    0 when the limit holds, or when all that are left are pinned: call it until then.
    """
    if not App.objects.filter(pk=app.pk, memory_count__gt=F("policy__memory_limit")).exists():
        return 0
    with writing(app, actor, now) as write:
        count = write.count
        evict(write, max(write.limit, count - batch), suggested)
        return count - write.count


def makes_sense(write: Writer, suggestion: Suggestion, rows: Mapping[int, Memory]) -> bool:
    choice = suggestion.choice
    pks = [choice.number] if choice.into is None else [choice.number, choice.into]
    named = [memory for pk in dict.fromkeys(pks) if (memory := rows.get(pk))]
    if len(named) < len(pks) or not all(
        memory.version == suggestion.versions.get(memory.pk) and memory.status in LIVE and not memory.pinned
        for memory in named
    ):
        return False
    return choice.into is None or (
        readers_of(named[0]) == readers_of(named[1]) and 0 < len(choice.content) <= write.policy.max_characters
    )


def exchange(write: Writer, gone: Memory, suggestion: Suggestion) -> bool:
    """Bring back what rules archived at the limit, let what was suggested go in its place, return whether it is done.

    Not if one of them has changed since; below the limit nothing has to go.
    """
    choice = suggestion.choice
    pks = {pk for pk in (gone.pk, choice.number, choice.into) if pk}
    named = {memory.pk: memory for memory in with_app(write, Memory.objects.for_app(write.app).filter(pk__in=pks))}
    current = named.get(gone.pk)
    if current is None or (current.version, current.status) != (gone.version, Status.ARCHIVED):
        return False
    back = copy(current)
    back.status = Status.ACTIVE
    is_below_limit = write.count < write.limit
    if not is_below_limit and not makes_sense(write, suggestion, {**named, gone.pk: back}):
        return False
    write.undo(current)
    if not is_below_limit:
        carry_out(write, choice, named)
    return True


def readers_of(memory: Memory) -> tuple[object, ...]:
    """Return who may read it, and while it holds: only within one may a memory stand for another."""
    owner = memory.agent_id if memory.visibility == Visibility.AGENT else None
    return memory.user_id, memory.visibility, owner, memory.valid_from, memory.valid_until


def evict(write: Writer, most: int, suggested: Sequence[Suggestion] = ()) -> None:
    """Leave at most `most` live memories if that can be done, and count it as one compaction of the app's day."""
    before = write.count
    make_way(write, most, suggested)
    if write.count < before:
        execute_all([energy_note(write.app, COMPACTION, day_of(write.app, write.now), 1)])


def make_way(write: Writer, most: int, suggested: Sequence[Suggestion]) -> None:
    """Carry out suggestions, then archive or unite the least worthy. What was written just now goes last."""
    if write.count > most and suggested:
        # Carry out the suggestions that still make sense, as far as they are needed. One query to know.
        pks = {pk for item in suggested for pk in (item.choice.number, item.choice.into) if pk}
        named = {memory.pk: memory for memory in with_app(write, Memory.objects.for_app(write.app).filter(pk__in=pks))}
        for suggestion in suggested:
            if write.count > most and makes_sense(write, suggestion, named):
                carry_out(write, suggestion.choice, named)
    rows = Memory.objects.for_app(write.app)
    while (surplus := write.count - most) > 0:
        # "not equal" and not "less than": for that the database would take another index, and sort.
        others = rows.filter(~Q(change_number=write.change_number)).least_worthy()
        pool = list(with_app(write, others[: surplus + SHORTLIST]))
        if not pool:
            # The caller's own objects, which show what became of them; none unless some can stay.
            own = rows.filter(change_number=write.change_number).least_worthy()[: surplus + SHORTLIST]
            pool = [write.changed.get(row.pk, row) for row in with_app(write, own)]
            if len(pool) <= surplus:
                return
        evict_from(write, pool, surplus)


def with_app(write: Writer, memories: Iterable[Memory]) -> Iterator[Memory]:
    """Yield memories with the app at hand that their writer has."""
    for memory in memories:
        memory.app = write.app
        yield memory


def evict_from(write: Writer, pool: Sequence[Memory], surplus: int) -> None:
    """Take `surplus` of these away, or as many as there are. Time grows with their number, not its square."""
    rows = {memory.pk: memory for memory in pool}
    for _ in range(MOST_FOLDED):
        # The rules put together what is of one category; here, what also has the same readers.
        compared = [
            replace(as_noted(memory), category=f"{memory.category} {readers_of(memory)}") for memory in rows.values()
        ]
        choice = make_room(compared, write.now, write.policy.max_characters)
        if choice.into is None:
            break
        carry_out(write, choice, rows)
        surplus -= 1
        del rows[choice.number], rows[choice.into]
        if not surplus or not rows:
            return
    worth = {memory.pk: value(as_noted(memory), write.now) for memory in rows.values()}
    least = sorted(rows.values(), key=lambda memory: (worth[memory.pk], memory.confirmed_at, memory.pk))[:surplus]
    write.archive_all([(memory, reason_of(make_room([as_noted(memory)], write.now, 0))) for memory in least])
    write.evicted += len(least)


def carry_out(write: Writer, choice: Choice, rows: Mapping[int, Memory]) -> None:
    memory, reason = rows[choice.number], reason_of(choice)
    if choice.into is None:
        write.archive(memory, reason)
    else:
        write.unite(rows[choice.into], [(memory, reason)], reason, choice.content, choice.made_by)


def reason_of(choice: Choice) -> str:
    by = "" if choice.made_by == RULES else f" ({choice.made_by})"
    return f"makes room: {choice.reason}{by}"
