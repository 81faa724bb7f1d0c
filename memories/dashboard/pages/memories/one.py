"""One memory: what it says, why it is believed, what became of it; and to put it right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.utils import timezone

from memories.agent import LeftAlone, MemoryAgent, MemoryGone, VersionMismatch
from memories.agent.curation import Change, archive_one, pin_one, restore_one, review_one, undo_one, unpin_one
from memories.dashboard import story
from memories.dashboard.desk import SAFE, Desk, DeskRequest, page
from memories.dashboard.picks import as_id, as_number
from memories.dashboard.show import fingerprint, go, is_seen, saved, show, toast, unchanged
from memories.models import LinkKind, Memory
from memories.models.graph import SAYABLE
from memories.retrieve.contradictions import tags_of
from memories.retrieve.pipeline import SearchRequest
from memories.store import LimitReached
from memsite.tenancy.access import Right

FOUND_AT_MOST = 8
SHOWN = ("session__agent", "agent", "app__policy", "cold_text")


def memory_of(desk: Desk, uid: UUID) -> Memory:
    memory = desk.agent().memories().select_related(*SHOWN).filter(uid=uid).first()
    if memory is None:
        raise Http404
    return memory


@page()
def one(request: DeskRequest, uid: UUID) -> HttpResponse:
    return show_one(request, memory_of(request.desk, uid))


def show_one(request: DeskRequest, memory: Memory, **more: Any) -> HttpResponse:
    app = request.desk.app
    told, links = story.told_to(app, memory), story.links_of(app, memory)
    ends = [(one.link.pk, one.other.status) for one in links]
    seen = fingerprint((memory.version, memory.confidence, [(row.pk, row.used) for row in told], ends))
    if not more and is_seen(request, seen):
        return unchanged()
    changes = story.changes_of(app, memory)
    now = timezone.now()
    trust = tags_of(memory, app.policy, now, [memory.pk] if story.is_at_odds(memory, links, now) else [])
    decided = [change for change in changes if not change.noted]
    find = request.GET.get("find", "")
    context = {
        "memory": memory,
        "said": story.said_around(app, memory),
        "changes": changes if "all" in request.GET else decided,
        "noted": len(changes) - len(decided),
        "last": decided[0].revision if decided else None,
        "first": changes[-1] if changes else None,
        "confirmed": sum(change.revision.action == "reinforced" for change in changes),
        "contradicted": sum(change.revision.action == "contradicted" for change in changes),
        "timeline": story.timeline(app, memory, changes, now),
        "told": told,
        "used": sum(row.used is True for row in told),
        "judged": sum(row.used is not None for row in told),
        "links": links,
        "trust": trust,
        "kinds": SAYABLE,
        "find": find,
        "found": find_others(request.desk, memory, [one.other for one in links], find) if find else [],
        "seen": seen,
        # After a change the address asked for is that of the change.
        "refreshed_at": "" if request.method in SAFE else request.desk.address("memories-one", memory.uid),
    }
    return show(request, "memories/one/page", context | more, part="memories/one/parts")


def find_others(desk: Desk, memory: Memory, linked: Sequence[Memory], text: str) -> list[Memory]:
    """What it could be linked to."""
    known = tuple(row.pk for row in (memory, *linked))
    asked = SearchRequest(text=text[:500], limit=FOUND_AT_MOST, exclude=known, counted=False)
    return [hit.memory for hit in desk.agent().search(asked).hits]


# --- changes: each says which version it was meant for


Do = Callable[[MemoryAgent, Memory, int, int], object]


def as_do(change: Change) -> Do:
    return lambda agent, memory, version, _: agent.change_one(memory, change, version)


def set_back(agent: MemoryAgent, memory: Memory, version: int, number: int) -> object:
    return agent.set_back(memory, number, version=version)


def delete(agent: MemoryAgent, memory: Memory, version: int, _: int) -> object:
    return agent.forget([memory], version=version)


ACTIONS: dict[str, tuple[str, Do]] = {
    "pin": ("Pinned.", as_do(pin_one)),
    "unpin": ("Unpinned.", as_do(unpin_one)),
    "archive": ("Archived.", as_do(archive_one)),
    "restore": ("Restored.", as_do(restore_one)),
    "review": ("Marked as reviewed.", as_do(review_one)),
    "undo": ("Taken back.", as_do(undo_one)),
    "back": ("As it was after revision {number}.", set_back),
    "delete": ("Deleted.", delete),
}


@page(read=None, write=Right.CURATE)
def change(request: DeskRequest, uid: UUID) -> HttpResponse:
    """`action`, and the `version` that was looked at. Somebody was faster: both are shown, and nothing is done."""
    memory, action = memory_of(request.desk, uid), request.POST.get("action", "")
    if action not in ACTIONS:
        raise BadRequest
    version = as_number(request.POST.get("version", ""))
    number = as_number(request.POST.get("revision", "")) if action == "back" else 0
    done, do = ACTIONS[action]
    try:
        do(request.desk.agent(), memory, version, number)
    except MemoryGone as error:
        raise Http404 from error
    except VersionMismatch:
        return show_conflict(request, uid, action, version, number)
    except (LeftAlone, LimitReached) as why:
        return tell(request, uid, f"Left as it is: {str(why).rstrip('.')}.", "warning")
    if action == "delete":
        return go(request, request.desk.address("memories"), done)
    return tell(request, uid, done.format(number=number))


def tell(request: DeskRequest, uid: UUID, text: str, tone: Any = "success") -> HttpResponse:
    if not request.htmx:
        return go(request, request.desk.address("memories-one", uid), text, tone)
    return toast(show_one(request, memory_of(request.desk, uid), told_so=True), text, tone)


def show_conflict(request: DeskRequest, uid: UUID, action: str, version: int, number: int) -> HttpResponse:
    """Theirs, change by change, and what was wanted: to be done all the same, or left."""
    memory = memory_of(request.desk, uid)
    theirs = [one for one in story.changes_of(request.desk.app, memory) if one.revision.number > version]
    conflict = {"action": action, "number": number, "theirs": theirs}
    return show_one(request, memory, conflict=conflict)


# --- links


@page(read=None, write=Right.CURATE)
def link(request: DeskRequest, uid: UUID) -> HttpResponse:
    """`to` another memory, as a `kind`."""
    desk = request.desk
    memory, kind = memory_of(desk, uid), request.POST.get("kind", LinkKind.RELATED)
    other = memory_of(desk, as_id(request.POST.get("to", "")))
    if kind not in SAYABLE or other.pk == memory.pk:
        raise BadRequest
    _, is_new = desk.agent().link(memory, other, kind)
    text = "Linked." if is_new else "They are linked like this already."
    return saved(text) if request.htmx else go(request, desk.address("memories-one", uid), text)


@page(read=None, write=Right.CURATE)
def unlink(request: DeskRequest, uid: UUID) -> HttpResponse:
    desk = request.desk
    memory = memory_of(desk, uid)
    wanted = as_id(request.POST.get("link", ""))
    found = next((one for one in story.links_of(desk.app, memory) if one.link.uid == wanted and one.can_go), None)
    if found is None:
        raise Http404
    desk.agent().unlink(found.link)
    return tell(request, uid, "The link is gone.")
