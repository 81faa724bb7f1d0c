"""Triggers: what is to come, noted by hand, changed, brought up on its day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Prefetch
from django.utils import timezone

from memories.agent.base import Caller
from memories.learn.stretches import Days, WrongTrigger, check_days, days_to_come
from memories.learn.triggers import Due, due, injectable, put_away, visible_triggers
from memories.ledger.days import day_of
from memories.models import FutureTrigger, Memory, Preload, TriggerStatus
from memories.text.clean import clean
from memsite.tenancy.end_users import is_of_users, of_users
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.scoping import ScopedQuerySet

DAY_FIELDS = {"trigger_date", "until", "rule", "status"}


def told_cleanly(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Every agent is told its message. Raises WrongTrigger if nothing of that may be kept."""
    if "message" not in fields:
        return dict(fields)
    message = clean(fields["message"])
    if not message:
        raise WrongTrigger("message", "Is all private: nothing of it is kept.")
    return {**fields, "message": message}


class Triggers(Caller):
    def triggers(self) -> ScopedQuerySet[FutureTrigger]:
        """Every trigger that the caller may see by its id. What it brings up is another query, for all of them."""
        ready = injectable(self.memories(), self.app, timezone.now()).select_related("session", "resource")
        memories = Prefetch("memories", ready.defer("resource__raw_content"))
        return visible_triggers(self.app, self.agent).prefetch_related(memories)

    def triggers_of(self, *named: str | None) -> ScopedQuerySet[FutureTrigger]:
        """What of it is shown to a caller who knows no ids, and has `named` these end users."""
        return self.triggers().filter(of_users(self.users(*named)))

    def brought_up(self, trigger: FutureTrigger) -> list[Memory]:
        """What one of the `triggers` brings up, as far as it may be shown to its end user."""
        users = self.users(trigger.user_id)
        return [memory for memory in trigger.memories.all() if is_of_users(memory.user_id, users)]

    def due_triggers(self, user_id: str | None) -> list[Due]:
        """What is due today for this user, after what is over was put away. Four queries at most if nothing is."""
        now = timezone.now()
        put_away(self.app, now)
        return due(self.app, user_id, self.agent, now)

    def add_trigger(self, fields: Mapping[str, Any], memories: Sequence[Memory]) -> FutureTrigger:
        """Raises WrongTrigger."""
        trigger = FutureTrigger(app=self.app, agent=self.agent, **told_cleanly(fields))
        self.settle_days(trigger)
        with transaction.atomic():
            trigger.save(force_insert=True)
            Preload.objects.bulk_create(Preload(app=self.app, trigger=trigger, memory=memory) for memory in memories)
        return trigger

    def change_trigger(self, uid: UUID, changes: Mapping[str, Any]) -> FutureTrigger | None:
        """The trigger as changed, None if there is none for the caller. Raises WrongTrigger."""
        with transaction.atomic():
            trigger = self.triggers().select_for_update().filter(uid=uid).first()
            if trigger is None:
                return None
            for name, value in told_cleanly(changes).items():
                setattr(trigger, name, value)
            if "status" in changes:
                trigger.reason = None
            if changes.keys() & DAY_FIELDS:
                self.settle_days(trigger)
            trigger.save()
        return trigger

    def settle_days(self, trigger: FutureTrigger) -> None:
        """One that waits is brought to its first day that is not over."""
        days = Days(trigger.trigger_date, trigger.until, trigger.rule)
        check_days(days)
        if trigger.status == TriggerStatus.WAITING:
            days = days_to_come(days, day_of(self.app, timezone.now()))
        trigger.trigger_date, trigger.until = days.on, days.until

    def forget_trigger(self, trigger: FutureTrigger) -> None:
        """For good, with the answers that told of it."""
        with transaction.atomic():
            trigger.delete()
            forget_answers(self.app, [trigger.uid])
