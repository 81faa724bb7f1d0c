"""What is being held back now, and until when."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.show import fingerprint, go, is_seen, saved, show, unchanged
from memsite.tenancy.access import Right
from sessions.models import Cooldown


@page()
def cooldowns(request: DeskRequest) -> HttpResponse:
    agent = request.desk.agent()
    held, reported = agent.held_back(), agent.running_cooldowns()
    seen = fingerprint((held, [(row.uid, row.until) for row in reported]))
    if is_seen(request, seen):
        return unchanged()
    return show(request, "cooldowns/page", {"held": held, "reported": reported, "seen": seen}, part="cooldowns/list")


@page(read=None, write=Right.CURATE)
def lift(request: DeskRequest, uid: UUID) -> HttpResponse:
    cooldown = Cooldown.objects.for_app(request.desk.app).filter(uid=uid).first()
    if cooldown is None:
        raise Http404
    request.desk.agent().lift_cooldown(cooldown)
    text = f"{cooldown} may be done again."
    return saved(text) if request.htmx else go(request, request.desk.address("cooldowns"), text)
