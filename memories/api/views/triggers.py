"""Agents' endpoints for triggers: noted, listed, changed, dropped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.dateparse import parse_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView, Answer, count_writes, or_404
from memories.api.pagination import chosen, page, user_asked
from memories.api.schema import lists, of_user
from memories.api.serializers.memories import Deleted
from memories.api.serializers.sessions import NewTrigger, TriggerChanges, TriggerShown, show_trigger
from memories.learn.trigger_span import WrongTrigger
from memories.learn.triggers import Due
from memories.models import FutureTrigger, Memory, TriggerStatus
from memories.services import MemoryAgent
from memsite.tenancy.idempotency import Slot


class Triggers(AgentView):
    creates = True
    only_adds = ("POST",)

    @lists(
        TriggerShown,
        "list_triggers",
        OpenApiParameter("status", str, enum=TriggerStatus.values),
        OpenApiParameter("from", OpenApiTypes.DATE, description="Not over before this day."),
        OpenApiParameter("to", OpenApiTypes.DATE, description="Not after this day."),
        of_user(),
    )
    def get(self, request: Request) -> Response:
        """The latest noted first, with the memories they bring up."""
        agent, query = self.memory_agent(), request.query_params
        rows = chosen(agent.triggers_of(user_asked(request)), request, status=TriggerStatus.values)
        if "from" in query:
            first = as_day("from", query["from"])
            rows = rows.filter(Q(until__gte=first) | Q(until=None, trigger_date__gte=first))
        if "to" in query:
            rows = rows.filter(trigger_date__lte=as_day("to", query["to"]))
        if "user_id" in query:
            rows = rows.filter(user_id=query["user_id"])
        return page(self, rows, partial(show_row, agent))

    @extend_schema(request=NewTrigger, responses={201: TriggerShown}, operation_id="create_trigger")
    def post(self, request: Request) -> Response:
        """Brought up on its day, at the start of each session. What comes round begins with its next day."""
        body, agent = self.read(NewTrigger), self.memory_agent()
        memories = memories_named(agent, body.pop("memory_ids"))
        fields = {**body, "text": str(body["trigger_date"])}

        def store(slot: Slot) -> Answer:
            count_writes(agent, 1)
            with days_checked(), transaction.atomic():
                trigger = agent.add_trigger(fields, memories)
                answer = 201, show_row(agent, agent.triggers().get(pk=trigger.pk))
                slot.keep(*answer)
            return answer

        return self.create_once(store)


class OneTrigger(AgentView):
    shows = FutureTrigger

    @extend_schema(responses=TriggerShown, operation_id="get_trigger")
    def get(self, request: Request, uid: UUID) -> Response:
        agent = self.memory_agent()
        return Response(show_row(agent, or_404(agent.triggers().filter(uid=uid).first())))

    @extend_schema(request=TriggerChanges, responses=TriggerShown, operation_id="change_trigger")
    def patch(self, request: Request, uid: UUID) -> Response:
        """`{"status": "cancelled"}` calls it off; one that is done waits again with a new day and status waiting."""
        changes, agent = self.read(TriggerChanges), self.memory_agent()
        with days_checked():
            trigger = agent.change_trigger(uid, changes)
        return Response(show_row(agent, or_404(trigger)))

    @extend_schema(responses={200: Deleted}, operation_id="delete_trigger")
    def delete(self, request: Request, uid: UUID) -> Response:
        """For good. The memories it brings up stay."""
        agent = self.memory_agent()
        agent.forget_trigger(or_404(agent.triggers().filter(uid=uid).first()))
        return Response({"success": True, "deleted_count": 1})


def show_row(agent: MemoryAgent, trigger: FutureTrigger) -> dict[str, Any]:
    return show_trigger(Due(trigger, agent.brought_up(trigger)))


def as_day(name: str, text: str) -> date:
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise ValidationError({name: ["A day in ISO 8601: 2026-12-31."]})
    return day


def memories_named(agent: MemoryAgent, uids: list[UUID]) -> list[Memory]:
    """NotFound unless the caller may see them all."""
    memories = list(agent.memories().filter(uid__in=uids)) if uids else []
    return or_404(memories if len(memories) == len(set(uids)) else None)


@contextmanager
def days_checked() -> Iterator[None]:
    """Wrong days are a ValidationError of their field."""
    try:
        yield
    except WrongTrigger as error:
        raise ValidationError({error.field: [error.reason]}) from error
