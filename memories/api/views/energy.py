"""Agents' doors to energy: how much they have left, and what their memory has used."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView
from memories.api.shapes.energy import EnergyConsumed, EnergyLevel, EnergyNoted, show_report


class Energy(AgentView):
    scope = "write"

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
        answer = show_report(self.memory_agent().report_energy())
        return Response(answer, headers={"Cache-Control": "no-store"})
