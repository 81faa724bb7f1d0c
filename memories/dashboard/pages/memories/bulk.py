"""What is done to the memories that are ticked."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import HttpResponse

from memories.agent import CannotMerge, Changed, MemoryAgent
from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.show import Tone, go, saved
from memories.models import Memory
from memsite.tenancy.access import Right

AT_MOST = 500

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
    pks = ticked(request)
    if action in CHANGES:
        done, change = CHANGES[action]
        text, tone = tell(change(agent, pks), done)
    elif action == "delete":
        text, tone = f"{agent.forget_each(pks)} deleted.", "success"
    elif action == "merge":
        text, tone = merge(agent, pks)
    else:
        raise BadRequest
    if not request.htmx:
        return go(request, request.desk.address("memories"), text, tone)
    return saved(text, tone)


def ticked(request: DeskRequest) -> list[int]:
    given = request.POST.getlist("memory")
    try:
        uids = [UUID(text) for text in given]
    except ValueError as error:
        raise BadRequest from error
    if len(uids) > AT_MOST:
        raise BadRequest
    rows = Memory.objects.for_app(request.desk.app).filter(uid__in=uids)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def merge(agent: MemoryAgent, pks: list[int]) -> tuple[str, Tone]:
    try:
        agent.merge(pks)
    except CannotMerge as error:
        return str(error), "error"
    return f"{len(pks)} merged into one.", "success"


def tell(changed: Changed, done: str) -> tuple[str, Tone]:
    parts = [f"{changed.done} {done}."] if changed.done or not changed.left else []
    parts += [f"{number} left as they are: {why}." for why, number in changed.left.items()]
    return " ".join(parts), "warning" if changed.left else "success"
