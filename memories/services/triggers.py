"""Triggers: what is to come, noted by hand, changed, brought up on its day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Prefetch
from django.utils import timezone

from memories.capture.quarantine import quarantine, reason_to_wait
from memories.language.dates.future import find_coming
from memories.language.secrets import clean
from memories.language.similarity import used_share
from memories.learn.trigger_span import Days, WrongTrigger, check_days, days_to_come, sentence_of
from memories.learn.triggers import Due, due, has_come, injectable, put_away, visible_triggers
from memories.ledger.days import day_of
from memories.models import LIVE, FutureTrigger, Memory, Preload, Source, Status, TriggerStatus
from memories.services.base import Caller
from memories.store import Candidate, Writer
from memories.store.links import memories_of, memory_name
from memsite.tenancy.access import is_of_users, of_users
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.scoping import ScopedQuerySet

TOLD_FROM = 0.8
"""The share of a plan's words with which a memory tells of it, beside its day."""
DAY_FIELDS = {"trigger_date", "until", "rule", "status"}


def told_cleanly(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields without private parts of the message. Raise WrongTrigger if nothing of it is left."""
    if "message" not in fields:
        return dict(fields)
    message = clean(fields["message"])
    if not message:
        raise WrongTrigger("message", "Is all private: nothing of it is kept.")
    return {**fields, "message": message}


class TriggerService(Caller):
    def triggers(self) -> ScopedQuerySet[FutureTrigger]:
        """Return every trigger that the caller may see by its id. Their memories take one more query for all."""
        ready = injectable(self.memories(), self.app, timezone.now()).select_related("session", "resource")
        memories = Prefetch("memories", ready.defer("resource__raw_content"))
        return visible_triggers(self.app, self.agent).prefetch_related(memories)

    def triggers_of(self, *named: str | None) -> ScopedQuerySet[FutureTrigger]:
        """Return the triggers for a caller who knows no ids and has `named` these end users."""
        return self.triggers().filter(of_users(self.users(*named)))

    def brought_up(self, trigger: FutureTrigger) -> list[Memory]:
        """Return the memories of one of the `triggers` that may be shown to its end user."""
        users = self.users(trigger.user_id)
        return [memory for memory in trigger.memories.all() if is_of_users(memory.user_id, users)]

    def due_triggers(self, user_id: str | None) -> list[Due]:
        """Close what is over, then return the triggers due today for this user. One query if nothing has come."""
        now = timezone.now()
        if not has_come(self.app, now):
            return []
        put_away(self.app, now)
        return due(self.app, user_id, self.agent, now)

    def add_trigger(self, fields: Mapping[str, Any], memories: Sequence[Memory]) -> FutureTrigger:
        """Add a trigger that brings up these memories, and a memory of the plan. Raise WrongTrigger.

        The plan gets no memory if one of these names it already, or if a person would have to decide about it.
        """
        trigger = FutureTrigger(app=self.app, agent=self.agent, **told_cleanly(fields))
        self.settle_days(trigger)
        with self.writing() as write:
            trigger.save(force_insert=True)
            Preload.objects.bulk_create(Preload(app=self.app, trigger=trigger, memory=memory) for memory in memories)
            candidate = Candidate(
                content=sentence_of(trigger),
                source=Source.API if self.agent else Source.OPERATOR,
                agent=self.agent,
                user_id=trigger.user_id,
                visibility=trigger.visibility,
                external_id=memory_name(trigger),
            )
            is_named = any(
                trigger.trigger_date in {event.on for event in find_coming(memory.text, memory.created_at)}
                and used_share(trigger.message, memory.text) >= TOLD_FROM
                for memory in memories
            )
            is_too_long = len(candidate.content) > self.app.policy.max_characters
            if not (is_named or is_too_long or quarantine(candidate, self.app.policy)):
                # Its vector is made in the background.
                write.announce(write.create(candidate, reason="noted as to come"))
        return trigger

    def retell(self, write: Writer, trigger: FutureTrigger) -> None:
        """Bring the memory of the plan up to date, and archive it while the plan is cancelled."""
        memory = next(iter(memories_of(self.app, [trigger])), None)
        if memory is None:
            return
        content, is_off = sentence_of(trigger), trigger.status == TriggerStatus.CANCELLED
        if memory.text != content and not reason_to_wait({"content": content}, memory.origin, self.app.policy):
            write.edit(memory, {"content": content}, reason="the plan was changed")
        if is_off and memory.status in LIVE:
            write.archive(memory, reason="the plan was called off")
        elif not is_off and memory.status == Status.ARCHIVED:
            write.restore(memory, reason="the plan waits again")

    def change_trigger(self, uid: UUID, changes: Mapping[str, Any]) -> FutureTrigger | None:
        """Return the changed trigger, None if the caller has none of this id. Raise WrongTrigger."""
        with self.writing() as write:
            trigger = self.triggers().select_for_update().filter(uid=uid).first()
            if trigger is None:
                return None
            self.check_may_change([trigger.agent_id])
            for name, value in told_cleanly(changes).items():
                setattr(trigger, name, value)
            if "status" in changes:
                trigger.reason = None
            if changes.keys() & DAY_FIELDS:
                self.settle_days(trigger)
            trigger.save()
            self.retell(write, trigger)
        return trigger

    def settle_days(self, trigger: FutureTrigger) -> None:
        """Move a waiting trigger to its first day that is not over."""
        days = Days(trigger.trigger_date, trigger.until, trigger.rule)
        check_days(days)
        if trigger.status == TriggerStatus.WAITING:
            days = days_to_come(days, day_of(self.app, timezone.now()))
        trigger.trigger_date, trigger.until = days.on, days.until

    def forget_trigger(self, trigger: FutureTrigger) -> None:
        """Delete the trigger, the stored answers that mention it, and the memory that only it had."""
        self.check_may_change([trigger.agent_id])
        with self.writing() as write:
            memories = memories_of(self.app, [trigger])
            trigger.delete()
            if memories:
                write.forget(memories)
            forget_answers(self.app, [trigger.uid])
