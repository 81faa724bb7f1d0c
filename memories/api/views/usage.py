"""Endpoints for statistics, usage, health reports, energy and cooldowns."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView, Answer, AnyAnswer, OperatorView, View, or_404, text_answer
from memories.api.pagination import page, up_to
from memories.api.schema import lists, operation, whole_number
from memories.api.serializers.memories import Deleted
from memories.api.serializers.usage import (
    MOST_SECONDS,
    CooldownShown,
    EnergyConsumed,
    EnergyLevel,
    EnergyNoted,
    HealthShown,
    NewCooldown,
    PastHealthShown,
    ServerVersion,
    StatsShown,
    UsageShown,
)
from memories.ledger.days import DAYS, MOST_DAYS
from memories.ledger.energy import is_low
from memories.ledger.spend import usage_of
from memories.maintain.figures import used_apps
from memories.maintain.health import as_markdown, health_of, share, stats_of
from memories.models import HealthReport
from memsite import __version__
from sessions.models import Cooldown

OF_DAYS = whole_number(
    "days", 1, MOST_DAYS, description=f"So many days of the app, today the last: {DAYS} unless said."
)


def days_asked(request: Request) -> int:
    return up_to(MOST_DAYS, "days", request.query_params.get("days"), DAYS)


class Stats(OperatorView):
    @operation(responses=StatsShown, parameters=[OF_DAYS], operation_id="get_stats")
    def get(self, request: Request, app_id: str) -> Response:
        """How much the app's memory holds, how it grows, and how it is asked."""
        stats = stats_of(self.app_named(app_id), timezone.now(), days_asked(request))
        apps, used = used_apps(self.caller().apps())
        return Response({**stats, "apps": {"active": apps, "with_memories": used, "share": share(used, apps)}})


class Usage(OperatorView):
    @operation(responses=UsageShown, parameters=[OF_DAYS], operation_id="get_usage")
    def get(self, request: Request, app_id: str) -> Response:
        """What the app has spent, and what it may still spend today. To read it consumes nothing."""
        return Response(usage_of(self.app_named(app_id), timezone.now(), days_asked(request)))


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
        return page(self, rows, PastHealthShown.show, ordering="-period")


class Version(View):
    """Public: a client can ask it before it has a key."""

    authentication_classes = []
    permission_classes = []

    @extend_schema(responses=ServerVersion, operation_id="get_version")
    def get(self, request: Request) -> Response:
        """Return the server's version. Needs no key."""
        return Response({"name": "memsite", "version": __version__, "api": "v1"})


class Energy(AgentView):
    @operation(responses=EnergyNoted, operation_id="get_energy")
    def get(self, request: Request) -> Response:
        """What the app's agents reported last; 1 before they have."""
        return Response({"level": self.app.energy_level, "low": is_low(self.app)})

    @extend_schema(request=EnergyLevel, responses=EnergyNoted, operation_id="set_energy")
    def put(self, request: Request) -> Response:
        """How much energy the app's agents have. Below the app's energy_floor nothing is learnt until it rises."""
        level = self.read(EnergyLevel)["level"]
        return Response({"level": level, "low": self.memory_agent().set_energy(level)})


class ConsumedEnergy(AgentView):
    # Each answer marks its units as told, so it takes more than reading, is not to be cached, and not had by a HEAD.
    scope = "write"
    http_method_names = ["get", "options"]

    @extend_schema(responses=EnergyConsumed, operation_id="get_consumed_energy")
    def get(self, request: Request) -> Response:
        """Units used since this was last asked: each is told once."""
        answer = EnergyConsumed.show(self.memory_agent().report_energy())
        return Response(answer, headers={"Cache-Control": "no-store"})


class Cooldowns(AgentView):
    creates = True
    only_adds = ("POST",)

    @lists(CooldownShown, "list_cooldowns")
    def get(self, request: Request) -> Response:
        """Those of the app that are not over, whichever agent reported them."""
        rows = Cooldown.objects.for_app(self.app).running(timezone.now())
        return page(self, rows.select_related("agent", "session"), CooldownShown.show)

    @extend_schema(
        request=NewCooldown, responses={201: CooldownShown, 200: CooldownShown}, operation_id="report_cooldown"
    )
    def post(self, request: Request) -> Response:
        """201 for a new one; 200 for the same action on the same service, which is renewed."""
        body = self.read(NewCooldown)
        now = timezone.now()
        until = body.get("until") or now + timedelta(seconds=body["seconds"])
        if not now < until <= now + timedelta(seconds=MOST_SECONDS):
            raise ValidationError({"until": ["Lies in the future, a year ahead at most."]})
        session = self.session(body["session_id"]) if "session_id" in body else None
        fields: dict[str, Any] = {name: body[name] for name in ("action", "service", "reason")}

        def report() -> Answer:
            row, is_new = self.memory_agent().report_cooldown(**fields, until=until, session=session)
            return 201 if is_new else 200, CooldownShown.show(row)

        return self.create_in_transaction(report)


class OneCooldown(AgentView):
    @extend_schema(responses={200: Deleted}, operation_id="lift_cooldown")
    def delete(self, request: Request, uid: UUID) -> Response:
        """It may be done again at once."""
        row = or_404(Cooldown.objects.for_app(self.app).filter(uid=uid).first())
        self.memory_agent().lift_cooldown(row)
        return Response({"success": True, "deleted_count": 1})
