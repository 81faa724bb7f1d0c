"""Agents' door to what they are told to do."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from memories.api.base import AgentView, AnyAnswer, text_answer


class Prompt(AgentView):
    scope = "read"
    content_negotiation_class = AnyAnswer

    @extend_schema(responses={(200, "text/markdown"): OpenApiTypes.STR}, operation_id="get_prompt")
    def get(self, request: Request, tier: int) -> HttpResponse:
        """For the system prompt of a session of this tier: its task, and how to note down what it learns."""
        return text_answer(self.memory_agent().prompt(tier))
