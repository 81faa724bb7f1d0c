"""Operators' doors to what is believed: reviewing memories, and deciding about what waits."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import OperatorView
from memories.api.pages import one_of, page, refuse_unknown
from memories.api.schema import lists
from memories.api.shapes.learning import RejectionShown, show_rejection
from memories.api.shapes.memories import Ids, Reviewed
from memories.api.shapes.review import Decided, Decisions
from memories.models import Decision, Rejection, RejectionKind
from memsite.tenancy.access import Right


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
        refuse_unknown(request, "kind", "decision")
        rows = Rejection.objects.for_app(self.app_named(app_id))
        for name, allowed in (("kind", RejectionKind.values), ("decision", Decision.values)):
            if asked := request.query_params.get(name):
                rows = rows.filter(**{name: one_of(name, asked, allowed)})
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
