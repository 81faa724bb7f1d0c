"""What can be done to the memories selected in the list. All of it goes through the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from django.contrib import admin, messages
from django.contrib.admin.actions import delete_selected as confirm_and_delete
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from memories.models import Memory, Status, Visibility
from memories.store import LimitReached, NothingToUndo, Writer, writing
from memsite.admin_site import GenericAdmin
from memsite.tenancy.access import actor_of
from memsite.tenancy.models import App

BATCH = 500
MERGE_AT_MOST = 50
DELETE_AT_MOST = 500

Change = Callable[[Writer, Memory], None]


class LeftAlone(Exception):
    """The memory is not changed; the text says why."""


def batches(queryset: QuerySet[Memory]) -> Iterator[tuple[App, list[int]]]:
    """The selected memories' ids by app, some at a time, so that no transaction is long."""
    pairs = queryset.order_by("app_id", "pk").values_list("app_id", "pk")
    for app_id, group in groupby(pairs, key=lambda pair: pair[0]):
        app, pks = App.objects.select_related("policy").get(pk=app_id), [pk for _, pk in group]
        for start in range(0, len(pks), BATCH):
            yield app, pks[start : start + BATCH]


def change_each(request: HttpRequest, queryset: QuerySet[Memory], done: str, change: Change) -> None:
    """Applies `change` to each memory as it is under the write lock, and tells how many were `done`."""
    count, left = 0, Counter[str]()
    for app, pks in batches(queryset):
        try:
            with writing(app, actor_of(request.user), timezone.now()) as write:
                changed = 0
                for memory in Memory.objects.for_app(app).filter(pk__in=pks).order_by("pk"):
                    try:
                        change(write, memory)
                        changed += 1
                    except LeftAlone as why:
                        left[str(why)] += 1
            count += changed
        except LimitReached as full:
            left[str(full)] += len(pks)
    if count:
        messages.success(request, f"{count} {done}.")
    for why_left, number in left.items():
        messages.warning(request, f"{number} left as they are: {why_left}.")


def forget_all(request: HttpRequest, queryset: QuerySet[Memory]) -> int:
    """Deletes for good; answers how many."""
    deleted = 0
    for app, pks in batches(queryset):
        with writing(app, actor_of(request.user), timezone.now()) as write:
            deleted += write.forget(Memory.objects.for_app(app).filter(pk__in=pks))
    return deleted


def archive_one(write: Writer, memory: Memory) -> None:
    refuse_superseded(memory)
    if memory.status == Status.ARCHIVED:
        raise LeftAlone("archived already")
    write.archive(memory)


def restore_one(write: Writer, memory: Memory) -> None:
    refuse_superseded(memory)
    if memory.status == Status.ACTIVE:
        raise LeftAlone("active already")
    write.restore(memory)


def refuse_superseded(memory: Memory) -> None:
    if memory.status == Status.SUPERSEDED:
        raise LeftAlone("another memory stands for it; undo its last change instead")


def pin_one(write: Writer, memory: Memory) -> None:
    if memory.pinned:
        raise LeftAlone("pinned already")
    write.edit(memory, {"pinned": True})


def unpin_one(write: Writer, memory: Memory) -> None:
    if not memory.pinned:
        raise LeftAlone("not pinned")
    write.edit(memory, {"pinned": False})


def undo_one(write: Writer, memory: Memory) -> None:
    try:
        write.undo(memory)
    except NothingToUndo as error:
        raise LeftAlone("nothing has changed since they were created") from error


def why_not_merged(rows: Sequence[Memory]) -> str:
    """Empty if these can become one."""
    if len(rows) < 2:
        return "Select two or more memories to merge."
    if len({memory.app_id for memory in rows}) > 1:
        return "Only memories of the same app can be merged."
    if any(memory.status == Status.SUPERSEDED for memory in rows):
        return "A superseded memory has been merged already."
    if len({readers(memory) for memory in rows}) > 1:
        return "Only memories of the same end user and visibility can be merged: change that first."
    return ""


def readers(memory: Memory) -> tuple[object, ...]:
    """Who may see it. A merge must neither hide a memory from its readers nor show it to others."""
    return memory.user_id, memory.visibility, memory.visibility == Visibility.AGENT and memory.agent_id


def standing(memory: Memory) -> tuple[bool, float, bool, int]:
    """The greatest is kept: an active one before others, then the most confident, pinned, oldest."""
    return memory.status == Status.ACTIVE, memory.confidence, memory.pinned, -memory.pk


def merge_rows(request: HttpRequest, rows: Sequence[Memory]) -> str:
    """Merges the rows as they are under the write lock; answers why not, or nothing."""
    app = rows[0].app
    with writing(app, actor_of(request.user), timezone.now()) as write:
        current = list(Memory.objects.for_app(app).filter(pk__in=[memory.pk for memory in rows]))
        problem = why_not_merged(current)
        if not problem:
            winner = max(current, key=standing)
            write.merge(winner, [memory for memory in current if memory != winner], "merged by an operator")
    return problem


class MemoryActions(GenericAdmin[Memory]):
    """The actions; `has_…_permission` of the admin decides who may."""

    actions = ["archive", "restore", "pin", "unpin", "merge", "undo", "delete_selected"]

    @admin.action(description="Archive", permissions=["change"])
    def archive(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "archived", archive_one)

    @admin.action(description="Restore", permissions=["change"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "restored", restore_one)

    @admin.action(description="Pin", permissions=["change"])
    def pin(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "pinned", pin_one)

    @admin.action(description="Unpin", permissions=["change"])
    def unpin(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "unpinned", unpin_one)

    @admin.action(description="Merge into the most confident", permissions=["change"])
    def merge(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        rows = list(queryset.select_related("app__policy")[: MERGE_AT_MOST + 1])
        problem = why_not_merged(rows)
        if len(rows) > MERGE_AT_MOST:
            problem = f"Select at most {MERGE_AT_MOST} memories to merge."
        if problem := problem or merge_rows(request, rows):
            messages.error(request, problem)
        else:
            messages.success(request, f"{len(rows)} merged into one.")

    @admin.action(description="Undo the last change", permissions=["change"])
    def undo(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "set back", undo_one)

    @admin.action(description="Delete for good", permissions=["delete"])
    def delete_selected(self, request: HttpRequest, queryset: QuerySet[Memory]) -> HttpResponseBase | None:
        if queryset.count() > DELETE_AT_MOST:
            messages.error(request, f"Select at most {DELETE_AT_MOST} memories to delete.")
            return None
        return confirm_and_delete(self, request, queryset)
