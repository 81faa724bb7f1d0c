"""Operators' endpoints for an app's health: now, as Markdown, and of each month; and the server's version."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AnyAnswer, OperatorView, View, text_answer
from memories.api.pages import page
from memories.api.schema import lists
from memories.api.shapes.health import HealthShown, PastHealthShown, ServerVersion, show_past_health
from memories.maintain.health import as_markdown, health_of
from memories.models import HealthReport
from memsite import __version__


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


class Version(View):
    """Public: a client can ask it before it has a key."""

    authentication_classes = []
    permission_classes = []

    @extend_schema(responses=ServerVersion, operation_id="get_version")
    def get(self, request: Request) -> Response:
        """Return the server's version. Needs no key."""
        return Response({"name": "memsite", "version": __version__, "api": "v1"})
