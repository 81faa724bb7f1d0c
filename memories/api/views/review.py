"""Operators' endpoints for review: reviewing memories, deciding about rejections, rollbacks."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import Answer, OperatorView
from memories.api.pagination import chosen, page
from memories.api.schema import lists
from memories.api.serializers.learning import (
    Decided,
    Decisions,
    NewRollback,
    RejectionShown,
    RollbackForeseen,
    RollbackShown,
    show_foreseen,
    show_rejection,
    show_rollback,
)
from memories.api.serializers.memories import Ids, Reviewed
from memories.models import Decision, Rejection, RejectionKind, Rollback
from memories.services import CannotRollBack, NoSuchSource
from memsite.http.exceptions import Unprocessable
from memsite.tenancy.access import Right
from memsite.tenancy.idempotency import Slot


class ReviewMemories(OperatorView):
    right = Right.CURATE

    @extend_schema(request=Ids, responses={200: Reviewed}, operation_id="review_memories")
    def post(self, request: Request, app_id: str) -> Response:
        """Somebody has looked at them and lets them stand: they are not tagged unreviewed any more.

        Ids of nothing are passed over; `left` says of others why they are left as they are.
        """
        agent, body = self.agent_of(self.app_named(app_id)), self.read(Ids)
        pks = agent.memories().filter(uid__in=body["ids"]).order_by("pk").values_list("pk", flat=True)
        changed = agent.review_each(list(pks))
        return Response({"reviewed": changed.done, "left": dict(changed.left)})


class AppRejections(OperatorView):
    @lists(
        RejectionShown,
        "list_app_rejections",
        OpenApiParameter("kind", str, enum=RejectionKind.values),
        OpenApiParameter("decision", str, enum=Decision.values),
    )
    def get(self, request: Request, app_id: str) -> Response:
        """What did not become a memory of the app, and why. What waits for a person is quarantine or approval."""
        rows = Rejection.objects.for_app(self.app_named(app_id))
        rows = chosen(rows, request, kind=RejectionKind.values, decision=Decision.values)
        return page(self, rows.select_related("memory", "edits", "session", "agent", "resource"), show_rejection)


class DecideRejections(OperatorView):
    right = Right.CURATE

    @extend_schema(request=Decisions, responses={200: Decided}, operation_id="decide_rejections")
    def post(self, request: Request, app_id: str) -> Response:
        """Stores what was refused after all, reviewed by whoever decides; or leaves it out for good.

        Ids of nothing are passed over; `left` says of others why they are left as they are.
        """
        app, body = self.app_named(app_id), self.read(Decisions)
        rows = Rejection.objects.for_app(app).filter(uid__in=body["ids"]).order_by("uid")
        rows, agent = rows.select_related("session__agent", "agent", "resource"), self.agent_of(app)
        is_approval = body["action"] == "approve"
        changed = agent.overrule_each(rows) if is_approval else agent.confirm_each(rows, body["reason"])
        return Response({"decided": changed.done, "left": dict(changed.left)})


class Rollbacks(OperatorView):
    creates = True
    right = Right.CURATE

    @lists(RollbackShown, "list_rollbacks")
    def get(self, request: Request, app_id: str) -> Response:
        """What was taken back, by whom and how far that is, the latest first."""
        return page(self, Rollback.objects.for_app(self.app_named(app_id)), show_rollback)

    @extend_schema(request=NewRollback, responses={201: RollbackShown, 200: RollbackForeseen}, operation_id="roll_back")
    def post(self, request: Request, app_id: str) -> Response:
        """Takes back everything that came from one source; with `dry_run` only says what that would be (200).

        Nothing is deleted: memories are withdrawn and can be restored. What is much is finished in the background.
        """
        app, body = self.app_named(app_id), self.read(NewRollback)
        agent, source = self.agent_of(app), (body["what"], body["source"], body["since"])

        def roll_back(slot: Slot) -> Answer:
            row = agent.roll_back(*source, body["reason"], begun=lambda row: slot.keep(201, show_rollback(row)))
            slot.keep_instead(201, answer := show_rollback(row))
            return 201, answer

        try:
            if body["dry_run"]:
                return Response(show_foreseen(agent.foresee(*source)))
            return self.create_once(roll_back)
        except NoSuchSource as error:
            raise NotFound(str(error)) from error
        except CannotRollBack as error:
            raise Unprocessable(str(error)) from error
