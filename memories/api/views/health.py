"""Operators' doors to an app's health: now, as a page of text, and as it was each month."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AnyAnswer, OperatorView, text_answer
from memories.api.pages import page
from memories.api.schema import lists
from memories.api.shapes.health import HealthShown, PastHealthShown, show_past_health
from memories.maintain.health import health_of
from memories.maintain.health_page import as_markdown
from memories.models import HealthReport


class Health(OperatorView):
    @extend_schema(responses=HealthShown, operation_id="get_health_report")
    def get(self, request: Request, app_id: str) -> Response:
        """As it is now."""
        return Response(health_of(self.app_named(app_id), timezone.now()))


class HealthPage(OperatorView):
    content_negotiation_class = AnyAnswer

    @extend_schema(responses={(200, "text/markdown"): OpenApiTypes.STR}, operation_id="get_health_report_as_text")
    def get(self, request: Request, app_id: str) -> HttpResponse:
        """As it is now, as a page of Markdown."""
        text = as_markdown(health_of(self.app_named(app_id), timezone.now()))
        return text_answer(text)


class PastHealth(OperatorView):
    @lists(PastHealthShown, "list_health_reports")
    def get(self, request: Request, app_id: str) -> Response:
        """As it was written down each month, the latest first."""
        rows = HealthReport.objects.for_app(self.app_named(app_id))
        return page(self, rows, show_past_health, ordering="-period")
