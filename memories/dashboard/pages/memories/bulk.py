"""What is done to the memories that are ticked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import HttpResponse

from memories.agent import CannotMerge, Changed, MemoryAgent
from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.picks import AT_MOST, as_id, as_number, ticked
from memories.dashboard.show import Tone, Undo, counted, done, tell, toast
from memories.models import Action, Memory, Revision
from memsite.tenancy.access import Right

CHANGES: dict[str, tuple[str, Callable[[MemoryAgent, list[int]], Changed]]] = {
    "archive": ("archived", MemoryAgent.archive_each),
    "restore": ("restored", MemoryAgent.restore_each),
    "pin": ("pinned", MemoryAgent.pin_each),
    "unpin": ("unpinned", MemoryAgent.unpin_each),
    "review": ("marked as reviewed", MemoryAgent.review_each),
}
# A header holds them.
UNDONE_AT_MOST = 50


@page(read=None, write=Right.CURATE)
def bulk(request: DeskRequest) -> HttpResponse:
    """`action` with the `memory` ids. What is not there, or another app's, is passed over."""
    action, agent = request.POST.get("action", ""), request.desk.agent()
    rows = Memory.objects.for_app(request.desk.app).filter(uid__in=ticked(request, "memory"))
    pks = list(rows.order_by("pk").values_list("pk", flat=True))
    tone: Tone = "success"
    versions: Mapping[int, int] = {}
    if action in CHANGES:
        done_to_them, change = CHANGES[action]
        changed = change(agent, pks)
        versions = changed.versions
        text, tone = tell(changed, done_to_them)
    elif action == "delete":
        text, tone = tell(Changed(agent.forget_each(pks)), "deleted for good")
    elif action == "merge":
        text, tone, versions = merge(agent, pks)
    else:
        raise BadRequest
    if tone == "error" and request.htmx:
        # Nothing was done, so they stay ticked.
        return toast(HttpResponse(status=204), text, tone)
    return done(request, "memories", text, tone, undo_of(request.desk, versions))


def merge(agent: MemoryAgent, pks: list[int]) -> tuple[str, Tone, Mapping[int, int]]:
    try:
        winner = agent.merge(pks)
    except CannotMerge as error:
        return str(error), "error", {}
    return f"{len(pks)} memories merged into one.", "success", {winner.pk: winner.version}


def undo_of(desk: Desk, versions: Mapping[int, int]) -> Undo | None:
    """Offered for as many as a header holds."""
    if not 0 < len(versions) <= UNDONE_AT_MOST:
        return None
    uids = Memory.objects.for_app(desk.app).filter(pk__in=versions).order_by("pk").values_list("pk", "uid")
    return Undo(desk.address("memories-undo"), [f"{uid}:{versions[pk]}" for pk, uid in uids])


@page(read=None, write=Right.CURATE)
def undo(request: DeskRequest) -> HttpResponse:
    """`changes`, each an id and the version that it had after what is taken back."""
    wanted: dict[UUID, int] = {}
    for text in request.POST.getlist("changes")[:AT_MOST]:
        uid, _, version = text.partition(":")
        wanted[as_id(uid)] = as_number(version)
    rows = Memory.objects.for_app(request.desk.app).filter(uid__in=wanted).order_by("pk")
    versions = {pk: wanted[uid] for pk, uid in rows.values_list("pk", "uid")}
    merged = is_merge(request.desk, versions)
    return done(request, "memories", *tell_undone(request.desk.agent().take_back(versions), merged))


def is_merge(desk: Desk, versions: Mapping[int, int]) -> bool:
    """Whether this takes back one merge and nothing else."""
    if len(versions) != 1:
        return False
    ((pk, version),) = versions.items()
    merges = Revision.objects.for_app(desk.app).filter(action=Action.MERGED)
    return merges.filter(memory=pk, number=version).exists()


def tell_undone(changed: Changed, is_merge: bool) -> tuple[str, Tone]:
    if not is_merge or not changed.done:
        return tell(changed, "set back as before")
    apart = counted(changed.done + changed.beside, "memory stands for itself", "memories stand for themselves")
    return f"The merge is undone: {apart} again.", "success"
