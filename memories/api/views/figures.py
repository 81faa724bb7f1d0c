"""Operators' doors to the figures of an app: what it holds, and what it has spent."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import OperatorView
from memories.api.pages import up_to
from memories.api.schema import operation, whole_number
from memories.api.shapes.figures import StatsShown, UsageShown
from memories.ledger.days import DAYS, MOST_DAYS
from memories.ledger.spend import usage_of
from memories.maintain.health import stats_of

OF_DAYS = whole_number(
    "days", 1, MOST_DAYS, description=f"So many days of the app, today the last: {DAYS} unless said."
)


def days_asked(request: Request) -> int:
    return up_to(MOST_DAYS, "days", request.query_params.get("days"), DAYS)


class Stats(OperatorView):
    @operation(responses=StatsShown, parameters=[OF_DAYS], operation_id="get_stats")
    def get(self, request: Request, app_id: str) -> Response:
        """How much the app's memory holds, how it grows, and how it is asked."""
        return Response(stats_of(self.app_named(app_id), timezone.now(), days_asked(request)))


class Usage(OperatorView):
    @operation(responses=UsageShown, parameters=[OF_DAYS], operation_id="get_usage")
    def get(self, request: Request, app_id: str) -> Response:
        """What the app has spent, and what it may still spend today. To read it consumes nothing."""
        return Response(usage_of(self.app_named(app_id), timezone.now(), days_asked(request)))
