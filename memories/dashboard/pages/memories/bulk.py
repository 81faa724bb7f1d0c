"""What is done to the memories that are ticked."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpResponse

from memories.agent import CannotMerge, Changed, MemoryAgent
from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.picks import ticked
from memories.dashboard.show import Tone, done, tell
from memories.models import Memory
from memsite.tenancy.access import Right

CHANGES: dict[str, tuple[str, Callable[[MemoryAgent, list[int]], Changed]]] = {
    "archive": ("archived", MemoryAgent.archive_each),
    "restore": ("restored", MemoryAgent.restore_each),
    "pin": ("pinned", MemoryAgent.pin_each),
    "unpin": ("unpinned", MemoryAgent.unpin_each),
    "undo": ("set back", MemoryAgent.undo_each),
}


@page(read=None, write=Right.CURATE)
def bulk(request: DeskRequest) -> HttpResponse:
    """`action` with the `memory` ids. What is not there, or another app's, is passed over."""
    action, agent = request.POST.get("action", ""), request.desk.agent()
    rows = Memory.objects.for_app(request.desk.app).filter(uid__in=ticked(request, "memory"))
    pks = list(rows.order_by("pk").values_list("pk", flat=True))
    tone: Tone = "success"
    if action in CHANGES:
        done_to_them, change = CHANGES[action]
        text, tone = tell(change(agent, pks), done_to_them)
    elif action == "delete":
        text = f"{agent.forget_each(pks)} deleted."
    elif action == "merge":
        text, tone = merge(agent, pks)
    else:
        raise BadRequest
    return done(request, "memories", text, tone)


def merge(agent: MemoryAgent, pks: list[int]) -> tuple[str, Tone]:
    try:
        agent.merge(pks)
    except CannotMerge as error:
        return str(error), "error"
    return f"{len(pks)} merged into one.", "success"
