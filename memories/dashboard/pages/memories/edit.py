"""One memory in its row: shown, edited, and what happens when two people do that at once."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django_htmx.http import reswap, retarget

from memories.agent import MemoryGone, VersionMismatch
from memories.capture.candidates import LESSON_IMPORTANCE
from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.forms import AddForm, EditForm
from memories.dashboard.pages.memories.one import memory_of, show_one
from memories.dashboard.show import Tone, go, saved, show, toast
from memories.models import Kind, Memory, Revision
from memories.store import LimitReached
from memsite.tenancy.access import Right

HALF_A_STEP = 0.005  # of the slider
STARTS_AS = {"lesson": {"kind": Kind.LESSON, "importance": LESSON_IMPORTANCE}}
ON_ITS_PAGE = ("statement", "one-memory")  # what the form is put into there


@page()
def row(request: DeskRequest, uid: UUID) -> HttpResponse:
    """The row as it is now: what cancelling an edit shows."""
    return show(request, "memories/row_page", {"memory": memory_of(request.desk, uid)}, part="memories/row")


@page(read=Right.CURATE, write=Right.CURATE)
def edit(request: DeskRequest, uid: UUID) -> HttpResponse:
    memory = memory_of(request.desk, uid)
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
            form = EditForm(request.POST, instance=memory_of(request.desk, uid))
            form.is_valid()
        except LimitReached as full:
            form.add_error(None, str(full))
    return show_form(request, form)


def save(request: DeskRequest, form: EditForm, memory: Memory) -> HttpResponse:
    agent = request.desk.agent()
    if changes := form.changes():
        agent.edit(memory, changes, version=form.cleaned_data["version"], reason=form.cleaned_data["reason"])
    warning = agent.warning_about(changes.get("content", ""))
    told, tone = warning or ("Saved." if changes else "Nothing was changed."), tone_of(warning)
    if not request.htmx:
        return go(request, request.desk.address("memories-one", memory.uid), told, tone)
    memory = memory_of(request.desk, memory.uid)
    if request.htmx.target in ON_ITS_PAGE:
        answer = show_one(request, memory)
    else:
        answer = show(request, "memories/row_page", {"memory": memory}, part="memories/row")
    return toast(answer, told, tone)


def tone_of(warning: str) -> Tone:
    return "warning" if warning else "success"


def show_form(request: DeskRequest, form: EditForm) -> HttpResponse:
    memory: Memory = form.instance
    context: dict[str, Any] = {"form": form, "memory": memory}
    if form.is_bound and form.is_outdated:
        memory.refresh_from_db()
        context |= {"theirs": differences(form, memory), "last": last_change(memory)}
    if request.htmx.target not in ON_ITS_PAGE:
        return show(request, "memories/edit_page", context, part="memories/edit_row")
    answer = show(request, "memories/edit_page", context, part="memories/one/edit")
    return retarget(reswap(answer, "outerHTML"), "#statement")


def differences(form: EditForm, memory: Memory) -> list[dict[str, Any]]:
    """The fields in which what was typed is another thing than what is stored now."""
    shown = [(name, form.cleaned_data.get(name), getattr(memory, name)) for name in form._meta.fields or ()]
    return [
        {"label": form[name].label, "mine": mine, "theirs": theirs}
        for name, mine, theirs in shown
        if name in form.cleaned_data and not same(mine, theirs)
    ]


def same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, float) and isinstance(theirs, float):
        return abs(mine - theirs) < HALF_A_STEP
    return bool(mine == theirs)


def last_change(memory: Memory) -> Revision | None:
    return Revision.objects.for_app(memory.app).filter(memory=memory).order_by("-number").first()


@page(read=Right.CURATE, write=Right.CURATE)
def add(request: DeskRequest) -> HttpResponse:
    desk = request.desk
    form = AddForm(desk.app, request.POST or None, initial=STARTS_AS.get(request.GET.get("kind", "")))
    if request.method == "POST" and form.is_valid():
        try:
            desk.agent().remember([form.candidate()], dedupe=False)
        except LimitReached as full:
            form.add_error(None, str(full))
        else:
            warning = desk.agent().warning_about(form.cleaned_data["content"])
            told, tone = warning or "Added.", tone_of(warning)
            return saved(told, tone) if request.htmx else go(request, desk.address("memories"), told, tone)
    return show(request, "memories/add_page", {"form": form}, part="memories/add_form")
