"""Operators' doors to what is believed: reviewing memories."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import OperatorView
from memories.api.shapes.memories import Ids, Reviewed
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
