"""What can be done to the memories selected in the list. All of it goes through MemoryAgent, app by app."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

from django.contrib import admin, messages
from django.contrib.admin.actions import delete_selected as confirm_and_delete
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase

from memories.agent import CannotMerge, Changed, MemoryAgent
from memories.models import Memory
from memsite.admin_site import GenericAdmin
from memsite.tenancy.access import actor_of
from memsite.tenancy.models import App

DELETE_AT_MOST = 500


def by_app(request: HttpRequest, queryset: QuerySet[Memory]) -> Iterator[tuple[MemoryAgent, list[int]]]:
    """The selected memories' ids, and the operator's door to the app that they belong to."""
    pairs = queryset.order_by("app_id", "pk").values_list("app_id", "pk")
    for app_id, group in groupby(pairs, key=lambda pair: pair[0]):
        app = App.objects.select_related("policy").get(pk=app_id)
        yield MemoryAgent(app, None, actor_of(request.user)), [pk for _, pk in group]


def change_each(
    request: HttpRequest, queryset: QuerySet[Memory], done: str, change: Callable[[MemoryAgent, list[int]], Changed]
) -> None:
    """Does it, and tells how many were `done`, and why others were not."""
    count, left = 0, Counter[str]()
    for agent, pks in by_app(request, queryset):
        changed = change(agent, pks)
        count += changed.done
        left += changed.left
    if count:
        messages.success(request, f"{count} {done}.")
    for why_left, number in left.items():
        messages.warning(request, f"{number} left as they are: {why_left}.")


def forget_all(request: HttpRequest, queryset: QuerySet[Memory]) -> int:
    """Deletes for good; answers how many."""
    return sum(agent.forget_each(pks) for agent, pks in by_app(request, queryset))


class MemoryActions(GenericAdmin[Memory]):
    """The actions; `has_…_permission` of the admin decides who may."""

    actions = ["archive", "restore", "pin", "unpin", "review", "merge", "undo", "embed_anew", "delete_selected"]

    @admin.action(description="Archive", permissions=["change"])
    def archive(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "archived", MemoryAgent.archive_each)

    @admin.action(description="Restore", permissions=["change"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "restored", MemoryAgent.restore_each)

    @admin.action(description="Pin", permissions=["change"])
    def pin(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "pinned", MemoryAgent.pin_each)

    @admin.action(description="Unpin", permissions=["change"])
    def unpin(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "unpinned", MemoryAgent.unpin_each)

    @admin.action(description="Mark as reviewed", permissions=["change"])
    def review(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "marked as reviewed", MemoryAgent.review_each)

    @admin.action(description="Merge into the most confident", permissions=["change"])
    def merge(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        groups = list(by_app(request, queryset))
        if len(groups) > 1:
            messages.error(request, "Only memories of the same app can be merged.")
            return
        for agent, pks in groups:
            try:
                agent.merge(pks)
            except CannotMerge as error:
                messages.error(request, str(error))
            else:
                messages.success(request, f"{len(pks)} merged into one.")

    @admin.action(description="Undo the last change", permissions=["change"])
    def undo(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "set back", MemoryAgent.undo_each)

    @admin.action(description="Embed anew", permissions=["change"])
    def embed_anew(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        change_each(request, queryset, "have a new vector", MemoryAgent.embed_each)

    @admin.action(description="Delete for good", permissions=["delete"])
    def delete_selected(self, request: HttpRequest, queryset: QuerySet[Memory]) -> HttpResponseBase | None:
        if queryset.count() > DELETE_AT_MOST:
            messages.error(request, f"Select at most {DELETE_AT_MOST} memories to delete.")
            return None
        return confirm_and_delete(self, request, queryset)
