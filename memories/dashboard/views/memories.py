"""The memories of an app: the table, one memory, its row as a form, and what is done to those that are ticked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_htmx.http import reswap, retarget

from memories.capture.candidates import LESSON_IMPORTANCE
from memories.dashboard import memory_history
from memories.dashboard.access import SAFE, Dashboard, DashboardRequest, page
from memories.dashboard.forms import EditForm, NewForm
from memories.dashboard.lists import (
    Choice,
    Filters,
    KeysetPage,
    Moment,
    Search,
    Suggested,
    bounded_count,
    keyset_page,
)
from memories.dashboard.responses import (
    AT_MOST,
    Tone,
    Undo,
    as_id,
    as_number,
    change_report,
    counted,
    done,
    fingerprint,
    go,
    is_seen,
    render_page,
    saved,
    ticked,
    toast,
    unchanged,
)
from memories.dashboard.tags import local_time
from memories.dashboard.views.saved_views import filters_in, views_of
from memories.models import GENERAL, LIVE, Action, Kind, LinkKind, Memory, Revision, Source, Status, Trust, Visibility
from memories.models.graph import SAYABLE
from memories.models.memory import TRUSTED_ORIGINS, MemoryQuerySet, subject_of
from memories.retrieve.contradictions import tags_of
from memories.retrieve.filters import HoldsText
from memories.retrieve.pipeline import SearchRequest
from memories.retrieve.validity import at_moment
from memories.services import CannotMerge, Changed, MemoryAgent, MemoryGone, NotChanged, VersionMismatch
from memories.services.memories import Change, archive_one, pin_one, restore_one, review_one, undo_one, unpin_one
from memories.store import Candidate, LimitReached
from memsite.tenancy.access import Right
from memsite.tenancy.origin import Origin

SUGGESTIONS = 200
SEARCH_LIMIT = 50
TEXT, MEANING = "text", "meaning"
ANY = "any"
# The fields that a search by meaning knows by the same name.
CHOSEN = ("source", "origin", "visibility")
SEARCHED_BY = ("category", "subject", "agent", *CHOSEN)
# A way to sort: the column, whether the least comes first, and how the list says it.
SORTS = {
    "updated": ("updated_at", False, "last updated"),
    "sure": ("confidence", False, "surest"),
    "unsure": ("confidence", True, "least sure"),
    "used": ("access_count", False, "most often found"),
}
NOW, LATER, PAST, LIMITED = "now", "later", "past", "limited"
VALIDITIES = ((NOW, "holds now"), (LATER, "begins later"), (PAST, "has run out"), (LIMITED, "has an end"))
SIMILAR_LIMIT = 8
SHOWN = ("session__agent", "agent", "app__policy", "cold_text")
HALF_A_STEP = 0.005  # of the slider
STARTS_AS = {"lesson": {"kind": Kind.LESSON, "importance": LESSON_IMPORTANCE}}
ON_ITS_PAGE = ("statement", "one-memory")  # what the form is put into there
CHANGES: dict[str, tuple[str, Callable[[MemoryAgent, list[int]], Changed]]] = {
    "archive": ("archived", MemoryAgent.archive_each),
    "restore": ("restored", MemoryAgent.restore_each),
    "pin": ("pinned", MemoryAgent.pin_each),
    "unpin": ("unpinned", MemoryAgent.unpin_each),
    "review": ("marked as reviewed", MemoryAgent.review_each),
}
# A header holds them.
UNDONE_AT_MOST = 50


class MemoryFilters(Filters):
    q = Search("Find")
    by = forms.ChoiceField(label="By", required=False, choices=[(TEXT, "its words"), (MEANING, "its meaning")])
    subject = Suggested("Service")
    category = Suggested("Category")
    tag = Suggested("Tag")
    status = forms.ChoiceField(
        required=False,
        choices=[("", "active and inactive"), *((status, status) for status in Status.values), (ANY, "any")],
    )
    sort = forms.ChoiceField(
        required=False, choices=[("", "newest"), *((name, label) for name, (_, _, label) in SORTS.items())]
    )
    agent = Choice("Agent", [])
    user = Search("End user")
    visibility = Choice("Visible to", Visibility.choices)
    source = Choice("Source", [(source, source) for source in Source.values])
    origin = Choice("Said by", Origin.choices)
    trust = Choice("Trust", [(level, level) for level in Trust.values])
    validity = Choice("Validity", VALIDITIES)
    valid_at = Moment("Valid at")

    rare = ("agent", "user", "visibility", "source", "origin", "trust", "validity", "valid_at")

    def given(self) -> dict[str, Any]:
        """Drop `by`, which narrows nothing without something to find."""
        given = super().given()
        return given if "q" in given else {name: value for name, value in given.items() if name != "by"}

    @property
    def by_meaning(self) -> bool:
        return self.given().get("by") == MEANING

    @property
    def refused(self) -> str:
        """Refuse what a search by meaning cannot find: it knows active memories alone, and what holds now."""
        given = self.given()
        status, validity = given.get("status", ANY), given.get("validity")
        if self.by_meaning and status not in (Status.ACTIVE, ANY):
            return f"What is {status} is not found by its meaning. Look for its words."
        if self.by_meaning and validity in (LATER, PAST):
            return f"What {dict(VALIDITIES)[validity]} is not found by its meaning. Look for its words."
        return super().refused


@page()
def memories(request: DashboardRequest) -> HttpResponse:
    dashboard = request.dashboard
    seen = str(dashboard.app.change_number)
    if is_seen(request, seen):
        return unchanged()
    filters = MemoryFilters(request.GET, app=dashboard.app)
    given = filters.given()
    rows = None
    if filters.by_meaning:
        slice = KeysetPage([]) if filters.refused else search(dashboard.agent(), given)
    else:
        rows = filters.let_through(narrow(Memory.objects.for_app(dashboard.app).without_documents(), given))
        by, is_rising, _ = SORTS.get(given.get("sort", ""), ("uid", False, ""))
        related = rows.select_related("session__agent", "agent", "cold_text")
        slice = keyset_page(related, request.GET, by=by, has_ties=by != "uid", is_rising=is_rising)
    context = {
        "filters": filters,
        "slice": slice,
        "seen": seen,
        "number_found": number_found(rows, slice, given),
        "views": views_of(dashboard, request.GET.dict()),
        "query": urlencode(filters_in(request.GET.dict())),
    }
    if not request.htmx:
        filters.fields["tag"].suggest(sorted({tag for memory in slice.rows for tag in memory.tags}))  # type: ignore[attr-defined]
        # Services and categories that there are. Two queries over an index each.
        known = Memory.objects.for_app(dashboard.app).without_documents().order_by()
        for name in ("subject", "category"):
            values = known.exclude(**{name: None}).values_list(name, flat=True).distinct().order_by(name)[:SUGGESTIONS]
            filters.fields[name].suggest(values)  # type: ignore[attr-defined]
    return render_page(request, "memories/page", context, part="memories/list")


def number_found(rows: MemoryQuerySet | None, slice: KeysetPage[Memory], given: Mapping[str, Any]) -> str:
    """Return how many memories the filters find, as shown; "" where that is all there are, or all that the page has.

    One query at most.
    """
    if rows is None or not given.keys() - {"sort"} or not (slice.older or slice.newer):
        return ""
    return bounded_count(rows)


def narrow(rows: MemoryQuerySet, given: Mapping[str, Any]) -> MemoryQuerySet:
    status = given.get("status")
    if "valid_at" in given:
        rows = rows.held_between(*at_moment(given["valid_at"]))
        status = status or ANY
    if status != ANY:
        rows = rows.filter(status=status) if status else rows.filter(status__in=LIVE)
    if "subject" in given:
        rows = rows.filter(subject=subject_of(given["subject"]))
    if "agent" in given:
        rows = rows.filter(agent__name=given["agent"])
    if "user" in given:
        rows = rows.filter(user_id=given["user"])
    if "q" in given:
        rows = rows.with_words(given["q"])
    if "trust" in given:
        rows = rows.of_trust(given["trust"])
    if "tag" in given:
        rows = rows.filter(HoldsText("tags", given["tag"]))
    if "validity" in given:
        rows = narrow_to(given["validity"], rows)
    return rows.filter(**{name: given[name] for name in ("category", *CHOSEN) if name in given})


def narrow_to(validity: str, rows: MemoryQuerySet) -> MemoryQuerySet:
    now = timezone.now()
    if validity == NOW:
        return rows.valid(now)
    if validity == LATER:
        return rows.filter(valid_from__gt=now)
    return rows.filter(valid_until__lte=now) if validity == PAST else rows.filter(valid_until__isnull=False)


def search(agent: MemoryAgent, given: Mapping[str, Any]) -> KeysetPage[Memory]:
    """Return the best hits, best first, in one page. Nothing counts as recalled by it."""
    filters = {name: given[name] for name in SEARCHED_BY if name in given}
    if "trust" in given:
        filters |= trust_filter(given["trust"])
    if "subject" in filters:
        filters["subject"] = subject_of(filters["subject"])
    if "tag" in given:
        filters["tags"] = given["tag"]
    if given.get("validity") == LIMITED:
        filters["and"] = [*filters.get("and", []), {"not": {"valid_until": None}}]
    if "user" in given:
        filters["user_id"] = given["user"]
    valid = at_moment(given["valid_at"]) if "valid_at" in given else None
    result = agent.search(
        SearchRequest(text=given["q"], limit=SEARCH_LIMIT, filters=filters, valid=valid, counted=False)
    )
    return KeysetPage([hit.memory for hit in result.hits])


def trust_filter(level: str) -> dict[str, Any]:
    """Return the value as a search knows it."""
    if level == Trust.REVIEWED:
        return {"not": {"reviewed_at": None}}
    trusted = {"origin": [str(origin) for origin in TRUSTED_ORIGINS]}
    return {"and": [{"reviewed_at": None}, trusted if level == Trust.TRUSTED else {"not": trusted}]}


def memory_of(dashboard: Dashboard, uid: UUID) -> Memory:
    return get_object_or_404(dashboard.agent().memories().select_related(*SHOWN), uid=uid)


@page()
def show_memory(request: DashboardRequest, uid: UUID) -> HttpResponse:
    return show_one(request, memory_of(request.dashboard, uid))


def show_one(request: DashboardRequest, memory: Memory, **more: Any) -> HttpResponse:
    app = request.dashboard.app
    injections, links = memory_history.injections_of(app, memory), memory_history.links_of(app, memory)
    ends = [(linked.link.pk, linked.other.status) for linked in links]
    seen = fingerprint((memory.version, memory.confidence, [(row.pk, row.used) for row in injections], ends))
    if not more and is_seen(request, seen):
        return unchanged()
    changes = memory_history.changes_of(app, memory)
    now = timezone.now()
    trust = tags_of(memory, app.policy, now, [memory.pk] if memory_history.is_at_odds(memory, links, now) else [])
    decided = [change for change in changes if not change.noted]
    find = request.GET.get("find", "")
    context = {
        "memory": memory,
        "said": memory_history.said_around(app, memory),
        "changes": changes if "all" in request.GET else decided,
        "noted": len(changes) - len(decided),
        "last": decided[0].revision if decided else None,
        "first": changes[-1] if changes else None,
        "confirmed": sum(change.revision.action == "reinforced" for change in changes),
        "contradicted": sum(change.revision.action == "contradicted" for change in changes),
        "timeline": memory_history.timeline(app, memory, changes, now),
        "told": injections,
        "used": sum(row.used is True for row in injections),
        "judged": sum(row.used is not None for row in injections),
        "links": links,
        "trust": trust,
        "kinds": SAYABLE,
        "find": find,
        "found": find_others(request.dashboard, memory, [linked.other for linked in links], find) if find else [],
        "seen": seen,
        # After a change the address asked for is that of the change.
        "refreshed_at": "" if request.method in SAFE else request.dashboard.address("memories-one", memory.uid),
    }
    return render_page(request, "memories/one/page", context | more, part="memories/one/parts")


def find_others(dashboard: Dashboard, memory: Memory, linked: Sequence[Memory], text: str) -> list[Memory]:
    """Return what it could be linked to."""
    known = tuple(row.pk for row in (memory, *linked))
    request = SearchRequest(text=text[:500], limit=SIMILAR_LIMIT, exclude=known, counted=False)
    return [hit.memory for hit in dashboard.agent().search(request).hits]


# --- changes: each says which version it was meant for


CHANGES_OF_ONE: dict[str, tuple[str, Change]] = {
    "pin": ("Pinned.", pin_one),
    "unpin": ("Unpinned.", unpin_one),
    "archive": ("Archived.", archive_one),
    "restore": ("Restored.", restore_one),
    "review": ("Marked as reviewed.", review_one),
    "undo": ("Taken back.", undo_one),
}


@page(read=None, write=Right.CURATE)
def change(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Do `action` to the `version` that was looked at. If somebody changed it first, show both and do nothing."""
    dashboard = request.dashboard
    agent, memory, action = dashboard.agent(), memory_of(dashboard, uid), request.POST.get("action", "")
    if action not in CHANGES_OF_ONE and action not in ("back", "delete"):
        raise BadRequest
    version = as_number(request.POST.get("version", ""))
    number = as_number(request.POST.get("revision", "")) if action == "back" else 0
    try:
        if action == "delete":
            agent.forget([memory], version=version)
            return go(request, dashboard.address("memories"), "Deleted.")
        if action == "back":
            agent.set_back(memory, number, version=version)
            text = f"As it was after revision {number}."
        else:
            text, apply = CHANGES_OF_ONE[action]
            agent.change_one(memory, apply, version)
    except MemoryGone as error:
        raise Http404 from error
    except VersionMismatch:
        # Theirs, change by change, and what was wanted: to be done all the same, or left.
        memory = memory_of(dashboard, uid)
        theirs = [row for row in memory_history.changes_of(dashboard.app, memory) if row.revision.number > version]
        return show_one(request, memory, conflict={"action": action, "number": number, "theirs": theirs})
    except (NotChanged, LimitReached) as why:
        return respond(request, uid, f"Left as it is: {str(why).rstrip('.')}.", "warning")
    return respond(request, uid, text)


def respond(request: DashboardRequest, uid: UUID, text: str, tone: Any = "success") -> HttpResponse:
    if not request.htmx:
        return go(request, request.dashboard.address("memories-one", uid), text, tone)
    return toast(show_one(request, memory_of(request.dashboard, uid), told_so=True), text, tone)


# --- links


@page(read=None, write=Right.CURATE)
def link(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Link it `to` another memory, as a `kind`."""
    dashboard = request.dashboard
    memory, kind = memory_of(dashboard, uid), request.POST.get("kind", LinkKind.RELATED)
    other = memory_of(dashboard, as_id(request.POST.get("to", "")))
    if kind not in SAYABLE or other.pk == memory.pk:
        raise BadRequest
    _, is_new = dashboard.agent().link(memory, other, kind)
    text = "Linked." if is_new else "They are linked like this already."
    return saved(text) if request.htmx else go(request, dashboard.address("memories-one", uid), text)


@page(read=None, write=Right.CURATE)
def unlink(request: DashboardRequest, uid: UUID) -> HttpResponse:
    dashboard = request.dashboard
    memory = memory_of(dashboard, uid)
    wanted = as_id(request.POST.get("link", ""))
    links = memory_history.links_of(dashboard.app, memory)
    removable = [linked.link for linked in links if linked.link.uid == wanted and linked.can_go]
    if not removable:
        raise Http404
    dashboard.agent().unlink(removable[0])
    return respond(request, uid, "The link is gone.")


@page()
def row(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Return the row as it is now: what cancelling an edit shows."""
    return render_page(request, "memories/row_page", {"memory": memory_of(request.dashboard, uid)}, part="memories/row")


@page(read=Right.CURATE, write=Right.CURATE)
def edit(request: DashboardRequest, uid: UUID) -> HttpResponse:
    memory = memory_of(request.dashboard, uid)
    if request.method != "POST":
        return show_form(request, EditForm(instance=memory))
    form = EditForm(request.POST, instance=memory)
    if form.is_valid():
        try:
            return save(request, form, memory)
        except MemoryGone as error:
            raise Http404 from error
        except VersionMismatch:
            # Somebody came between the form's check and the write lock: now the form sees it.
            form = EditForm(request.POST, instance=memory_of(request.dashboard, uid))
            form.is_valid()
        except LimitReached as full:
            form.add_error(None, str(full))
    return show_form(request, form)


def save(request: DashboardRequest, form: EditForm, memory: Memory) -> HttpResponse:
    agent = request.dashboard.agent()
    if changes := form.changes():
        agent.edit(memory, changes, version=form.cleaned_data["version"], reason=form.cleaned_data["reason"])
    warning = agent.warning_about(changes.get("content", ""))
    text = warning or ("Saved." if changes else "Nothing was changed.")
    tone: Tone = "warning" if warning else "success"
    if not request.htmx:
        return go(request, request.dashboard.address("memories-one", memory.uid), text, tone)
    memory = memory_of(request.dashboard, memory.uid)
    if request.htmx.target in ON_ITS_PAGE:
        answer = show_one(request, memory)
    else:
        answer = render_page(request, "memories/row_page", {"memory": memory}, part="memories/row")
    return toast(answer, text, tone)


def show_form(request: DashboardRequest, form: EditForm) -> HttpResponse:
    memory: Memory = form.instance
    context: dict[str, Any] = {"form": form, "memory": memory}
    if form.is_bound and form.cleaned_data.get("version") != memory.version:
        memory.refresh_from_db()
        fields = [(name, form.cleaned_data.get(name), getattr(memory, name)) for name in form._meta.fields or ()]
        context |= {
            "theirs": [
                {"label": form[name].label, "mine": display_field(name, mine), "theirs": display_field(name, theirs)}
                for name, mine, theirs in fields
                if name in form.cleaned_data and not same(mine, theirs)
            ],
            "last": Revision.objects.for_app(memory.app).filter(memory=memory).order_by("-number").first(),
        }
    if request.htmx.target not in ON_ITS_PAGE:
        return render_page(request, "memories/edit_page", context, part="memories/edit_row")
    answer = render_page(request, "memories/edit_page", context, part="memories/one/edit")
    return retarget(reswap(answer, "outerHTML"), "#statement")


def display_field(name: str, value: Any) -> Any:
    """Return a value as people read it."""
    if name == "subject":
        return value or GENERAL
    return local_time(value) if isinstance(value, datetime) else memory_history.readable(value)


def same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, float) and isinstance(theirs, float):
        return abs(mine - theirs) < HALF_A_STEP
    return bool(mine == theirs)


@page(read=Right.CURATE, write=Right.CURATE)
def add(request: DashboardRequest) -> HttpResponse:
    dashboard = request.dashboard
    form = NewForm(dashboard.app, request.POST or None, initial=STARTS_AS.get(request.GET.get("kind", "")))
    if request.method == "POST" and form.is_valid():
        try:
            candidate = Candidate(**form.fields_typed(), source=Source.OPERATOR)
            dashboard.agent().remember([candidate], dedupe=False)
        except LimitReached as full:
            form.add_error(None, str(full))
        else:
            warning = dashboard.agent().warning_about(form.cleaned_data["content"])
            text = warning or "Added."
            tone: Tone = "warning" if warning else "success"
            return saved(text, tone) if request.htmx else go(request, dashboard.address("memories"), text, tone)
    return render_page(request, "memories/add_page", {"form": form}, part="memories/add_form")


@page(read=None, write=Right.CURATE)
def bulk(request: DashboardRequest) -> HttpResponse:
    """Do `action` with the `memory` ids. What is not there, or another app's, is passed over."""
    action, dashboard = request.POST.get("action", ""), request.dashboard
    agent, memories = dashboard.agent(), Memory.objects.for_app(dashboard.app).order_by("pk")
    pks = list(memories.filter(uid__in=ticked(request, "memory")).values_list("pk", flat=True))
    tone: Tone = "success"
    versions: Mapping[int, int] = {}
    if action in CHANGES:
        done_to_them, change = CHANGES[action]
        changed = change(agent, pks)
        versions = changed.versions
        text, tone = change_report(changed, done_to_them)
    elif action == "delete":
        text, tone = change_report(Changed(agent.forget_each(pks)), "deleted for good")
    elif action == "merge":
        try:
            winner = agent.merge(pks)
            text, versions = f"{len(pks)} memories merged into one.", {winner.pk: winner.version}
        except CannotMerge as error:
            text, tone = str(error), "error"
    else:
        raise BadRequest
    if tone == "error" and request.htmx:
        # Nothing was done, so they stay ticked.
        return toast(HttpResponse(status=204), text, tone)
    undo = None
    if 0 < len(versions) <= UNDONE_AT_MOST:
        uids = memories.filter(pk__in=versions).values_list("pk", "uid")
        undo = Undo(dashboard.address("memories-undo"), [f"{uid}:{versions[pk]}" for pk, uid in uids])
    return done(request, "memories", text, tone, undo)


@page(read=None, write=Right.CURATE)
def undo(request: DashboardRequest) -> HttpResponse:
    """Take `changes` back, each an id and the version that it had after what is taken back."""
    wanted: dict[UUID, int] = {}
    for text in request.POST.getlist("changes")[:AT_MOST]:
        uid, _, version = text.partition(":")
        wanted[as_id(uid)] = as_number(version)
    dashboard = request.dashboard
    rows = Memory.objects.for_app(dashboard.app).filter(uid__in=wanted).order_by("pk")
    versions = {pk: wanted[uid] for pk, uid in rows.values_list("pk", "uid")}
    merges = Revision.objects.for_app(dashboard.app).filter(action=Action.MERGED)
    is_one_merge = len(versions) == 1 and merges.filter(memory__in=versions, number__in=versions.values()).exists()
    changed = dashboard.agent().take_back(versions)
    if not is_one_merge or not changed.done:
        return done(request, "memories", *change_report(changed, "set back as before"))
    apart = counted(changed.done + changed.beside, "memory stands for itself", "memories stand for themselves")
    return done(request, "memories", f"The merge is undone: {apart} again.")
