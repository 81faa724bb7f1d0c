"""Agents' door to feedback: what was answered, and so what was of use."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView
from memories.api.shapes.feedback import Answered, FeedbackShown, show_feedback


class Responses(AgentView):
    scope = "write"

    @extend_schema(request=Answered, responses=FeedbackShown, operation_id="judge_response")
    def post(self, request: Request, uid: UUID) -> Response:
        """Which of the memories this turn was given the answer used, and which it ignored; their priority follows.

        Each is judged once: the same answer sent again changes nothing, and tells nothing new. What the session was
        greeted with is ignored only when it ends.
        """
        session, body = self.session(uid), self.read(Answered)
        judged = self.memory_agent().judge_response(session, body["turn_number"], body["text"], body["question"])
        return Response(show_feedback(judged))
