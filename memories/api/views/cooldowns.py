"""Agents' doors to cooldowns: what one of them did, and none should do again for a while."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView, Answer, found
from memories.api.pages import page
from memories.api.schema import lists
from memories.api.shapes.cooldowns import MOST_SECONDS, CooldownShown, NewCooldown, show_cooldown
from memories.api.shapes.memories import Deleted
from sessions.models import Cooldown


class Cooldowns(AgentView):
    creates = True

    @lists(CooldownShown, "list_cooldowns")
    def get(self, request: Request) -> Response:
        """Those of the app that are not over, whichever agent reported them."""
        rows = Cooldown.objects.for_app(self.app).running(timezone.now())
        return page(self, rows.select_related("agent", "session"), show_cooldown)

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
            return 201 if is_new else 200, show_cooldown(row)

        return self.create_in_transaction(report)


class OneCooldown(AgentView):
    @extend_schema(responses={200: Deleted}, operation_id="lift_cooldown")
    def delete(self, request: Request, uid: UUID) -> Response:
        """It may be done again at once."""
        row = found(Cooldown.objects.for_app(self.app).filter(uid=uid).first())
        self.memory_agent().lift_cooldown(row)
        return Response({"success": True, "deleted_count": 1})
