"""What is to come is forgotten with the memories that it was about, and brings up what stands for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef

from memories.models import LIVE, FutureTrigger, Memory, Preload, Status, TriggerStatus
from memories.text.overlap import shared_words
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import App
from sessions.models import AgentSession


def called_off_in(session: AgentSession) -> str:
    """Why a trigger does not wait any more: a user said so there. What was said stands in the session alone."""
    return f"called off in session {session.uid}"


def superseded_is(memory: Memory) -> str:
    """Why the trigger of a memory that no longer holds does not wait."""
    return f"superseded: {memory.uid}"


def call_off_with(memory: Memory) -> None:
    """What brings up this memory alone waits no longer, as another has taken its place. Two queries."""
    waiting = FutureTrigger.objects.for_app(memory.app).filter(status=TriggerStatus.WAITING, preloads__memory=memory)
    others = Preload.objects.for_app(memory.app).filter(trigger=OuterRef("pk"), memory__status=Status.ACTIVE)
    own = list(waiting.filter(~Exists(others.exclude(memory=memory))).order_by().values_list("pk", flat=True))
    if own:
        rows = FutureTrigger.objects.for_app(memory.app).filter(pk__in=own)
        rows.update(status=TriggerStatus.CANCELLED, reason=superseded_is(memory))


def wait_again_for(memory: Memory) -> None:
    """What was called off with it waits again, as the memory holds again. One statement."""
    off = FutureTrigger.objects.for_app(memory.app).filter(preloads__memory=memory, reason=superseded_is(memory))
    rows = FutureTrigger.objects.for_app(memory.app).filter(pk__in=list(off.values_list("pk", flat=True)))
    rows.filter(status=TriggerStatus.CANCELLED).update(status=TriggerStatus.WAITING, reason=None)


def drop_for(app: App, memories: Sequence[Memory]) -> int:
    """Deletes the triggers of memories that are about to be deleted; answers how many.

    A trigger is theirs if it brings one of them up or was told of in the same text. It stays only if that leaves it
    another live memory and it says nothing that the deleted ones say. Two queries if they have no triggers.
    """
    triggers = triggers_of(app, memories)
    if not triggers:
        return 0
    about = memories_about(app, triggers)
    gone = {memory.pk: memory for memory in memories}
    doomed = [
        trigger
        for trigger in triggers
        if not any(status in LIVE for pk, status in about[trigger.pk].items() if pk not in gone)
        or says_what(trigger, (gone[pk] for pk in about[trigger.pk] if pk in gone))
    ]
    FutureTrigger.objects.for_app(app).filter(pk__in=[trigger.pk for trigger in doomed]).delete()
    if doomed:
        forget_answers(app, [trigger.uid for trigger in doomed])
    return len(doomed)


def triggers_of(app: App, memories: Sequence[Memory]) -> list[FutureTrigger]:
    rows = FutureTrigger.objects.for_app(app)
    texts = {memory.resource_id for memory in memories} - {None}
    pks = set(rows.filter(resource__in=texts).values_list("pk", flat=True))
    pks.update(Preload.objects.for_app(app).filter(memory__in=memories).values_list("trigger_id", flat=True))
    return list(rows.filter(pk__in=pks))


def memories_about(app: App, triggers: Sequence[FutureTrigger]) -> dict[int, dict[int, str]]:
    """By trigger: the memories it brings up or shares a text with, and their status. Two queries."""
    about: dict[int, dict[int, str]] = defaultdict(dict)
    links = Preload.objects.for_app(app).filter(trigger__in=triggers)
    for trigger_pk, pk, status in links.values_list("trigger_id", "memory_id", "memory__status"):
        about[trigger_pk][pk] = status
    told = defaultdict(list)
    for trigger in triggers:
        told[trigger.resource_id].append(trigger.pk)
    made = Memory.objects.for_app(app).filter(resource__in=told.keys() - {None})
    for resource, pk, status in made.values_list("resource_id", "pk", "status"):
        for trigger_pk in told[resource]:
            about[trigger_pk][pk] = status
    return about


def says_what(trigger: FutureTrigger, memories: Iterable[Memory]) -> bool:
    return any(shared_words(memory.text, trigger.message) for memory in memories)


def bring_up_instead(winner: Memory, losers: Sequence[Memory]) -> None:
    """What was to bring up a loser brings up the winner, which says the same. One statement for each, and one more."""
    triggers = {pk for loser in losers for pk in loser.preloads.values_list("trigger_id", flat=True)}
    links = [Preload(app_id=winner.app_id, trigger_id=trigger, memory=winner) for trigger in sorted(triggers)]
    if links:
        Preload.objects.bulk_create(links, ignore_conflicts=True)
