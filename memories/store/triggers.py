"""What is to come is forgotten with the memories that it was about, and brings up what stands for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from memories.models import LIVE, FutureTrigger, Memory, Preload, Status, TriggerStatus
from memories.text.overlap import shared_words
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import App
from sessions.models import AgentSession

PLAN = "trigger:"


def called_off_in(session: AgentSession) -> str:
    """Why a trigger does not wait any more: a user said so there. What was said stands in the session alone."""
    return f"called off in session {session.uid}"


def superseded_is(memory: Memory) -> str:
    """Why the trigger of a memory that no longer holds does not wait."""
    return f"superseded: {memory.uid}"


def is_of(memory: Memory) -> Q:
    """Of triggers: those that bring it up, or the one that it tells of."""
    plan = plan_in(memory)
    return Q(preloads__memory=memory) | Q(uid=plan) if plan else Q(preloads__memory=memory)


def call_off_with(memory: Memory) -> None:
    """What brings up this memory alone waits no longer, as another has taken its place. Two queries."""
    waiting = FutureTrigger.objects.for_app(memory.app).filter(is_of(memory), status=TriggerStatus.WAITING)
    others = Preload.objects.for_app(memory.app).filter(trigger=OuterRef("pk"), memory__status=Status.ACTIVE)
    own = list(waiting.filter(~Exists(others.exclude(memory=memory))).order_by().values_list("pk", flat=True))
    if own:
        rows = FutureTrigger.objects.for_app(memory.app).filter(pk__in=own)
        rows.update(status=TriggerStatus.CANCELLED, reason=superseded_is(memory))


def wait_again_for(memory: Memory) -> None:
    """What was called off with it waits again, as the memory holds again. One statement."""
    off = FutureTrigger.objects.for_app(memory.app).filter(is_of(memory), reason=superseded_is(memory))
    rows = FutureTrigger.objects.for_app(memory.app).filter(pk__in=list(off.values_list("pk", flat=True)))
    rows.filter(status=TriggerStatus.CANCELLED).update(status=TriggerStatus.WAITING, reason=None)


def memory_name(trigger: FutureTrigger) -> str:
    """The `external_id` of the memory that tells of a plan that was noted by hand."""
    return f"{PLAN}{trigger.uid}"


def plan_in(memory: Memory) -> UUID | None:
    """The id of the plan that it tells of."""
    name = memory.external_id or ""
    try:
        return UUID(name.removeprefix(PLAN)) if name.startswith(PLAN) else None
    except ValueError:
        return None


def memories_of(app: App, triggers: Iterable[FutureTrigger]) -> list[Memory]:
    """What was stored of those that were noted by hand. One query, if there are any."""
    names = [memory_name(trigger) for trigger in triggers if trigger.resource_id is None]
    return list(Memory.objects.for_app(app).filter(external_id__in=names)) if names else []


def drop_for(app: App, memories: Sequence[Memory]) -> list[Memory]:
    """Deletes the triggers of memories that are about to be deleted; answers what else tells of these alone.

    A trigger is theirs if it brings one of them up or was told of in the same text. It stays only if that leaves it
    another live memory and it says nothing that the deleted ones say. Two queries if they have no triggers.
    """
    triggers = triggers_of(app, memories)
    if not triggers:
        return []
    about = memories_about(app, triggers)
    gone = {memory.pk: memory for memory in memories}
    told = {plan: memory for memory in memories if (plan := plan_in(memory))}
    for trigger in triggers:
        if trigger.uid in told:
            about[trigger.pk][told[trigger.uid].pk] = told[trigger.uid].status
    doomed = [
        trigger
        for trigger in triggers
        if not any(status in LIVE for pk, status in about[trigger.pk].items() if pk not in gone)
        or says_what(trigger, (gone[pk] for pk in about[trigger.pk] if pk in gone))
    ]
    beside = [memory for memory in memories_of(app, doomed) if memory.pk not in gone]
    FutureTrigger.objects.for_app(app).filter(pk__in=[trigger.pk for trigger in doomed]).delete()
    if doomed:
        forget_answers(app, [trigger.uid for trigger in doomed])
    return beside


def triggers_of(app: App, memories: Sequence[Memory]) -> list[FutureTrigger]:
    rows = FutureTrigger.objects.for_app(app)
    texts = {memory.resource_id for memory in memories} - {None}
    pks = set(rows.filter(resource__in=texts).values_list("pk", flat=True))
    pks.update(Preload.objects.for_app(app).filter(memory__in=memories).values_list("trigger_id", flat=True))
    if plans := [plan for memory in memories if (plan := plan_in(memory))]:
        pks.update(rows.filter(uid__in=plans).values_list("pk", flat=True))
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
