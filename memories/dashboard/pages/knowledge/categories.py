"""Categories: how much is known in each, what is written about it, and how that has changed."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.differences import Line, compare
from memories.dashboard.filters import Filters, Search
from memories.dashboard.show import go, show
from memories.maintain.summaries import plain
from memories.models import Summary
from memsite.tenancy.access import Right

VERSIONS_SHOWN = 100


class CategoryFilters(Filters):
    user = Search("End user")


@page()
def categories(request: DeskRequest) -> HttpResponse:
    """Of one end user, or of nobody in particular: the two are never mixed."""
    filters = CategoryFilters(request.GET)
    user = filters.asked().get("user", "")
    known = [] if filters.refused else request.desk.agent().categories(user)
    most = max((one.memories for one in known), default=0)
    context = {"filters": filters, "known": known, "most": most, "user": user}
    return show(request, "knowledge/categories", context, part="knowledge/category_list")


@page()
def category(request: DeskRequest, name: str) -> HttpResponse:
    """`?from=` and `?to=` are the versions to compare: the last two, unless somebody asks for others.

    A text that takes long to put together comes after the page, by `?wait=yes`.
    """
    agent, user = request.desk.agent(), request.GET.get("user", "")
    versions = list(agent.summary_versions(name, user).order_by("-version")[:VERSIONS_SHOWN])
    comes_later = "wait" not in request.GET and agent.takes_long(name, user)
    summary = None if comes_later else agent.summary(name, user)
    is_told = comes_later or summary is not None
    if not is_told and not versions:
        raise Http404
    context = {
        "name": name, "user": user, "summary": summary, "written": read_markdown(summary.content if summary else ""),
        "is_told": is_told, "comes_later": comes_later, "versions": versions, **difference(request, versions),
    }  # fmt: skip
    return show(request, "knowledge/category", context, part="knowledge/category_written")


def difference(request: DeskRequest, versions: list[Summary]) -> dict[str, Any]:
    by_number = {str(one.version): one for one in versions}
    default_new = versions[0] if versions else None
    default_old = versions[1] if len(versions) > 1 else None
    old = by_number.get(request.GET.get("from", ""), default_old)
    new = by_number.get(request.GET.get("to", ""), default_new)
    lines: list[Line] = compare(without_escapes(old), without_escapes(new)) if old and new else []
    return {"old": old, "new": new, "lines": lines, "is_changed": any(line.what != "same" for line in lines)}


def without_escapes(version: Summary) -> str:
    return "\n".join(map(plain, version.content.splitlines()))


def read_markdown(text: str) -> list[tuple[str, str]]:
    """(what it is: title, heading, item or text; what it says) of each line of a summary, as plain text."""
    marks = (("## ", "heading"), ("# ", "title"), ("- ", "item"))
    lines = []
    for line in filter(str.strip, text.splitlines()):
        mark, what = next(((mark, what) for mark, what in marks if line.startswith(mark)), ("", "text"))
        lines.append((what, plain(line.removeprefix(mark))))
    return lines


@page(read=None, write=Right.CURATE)
def rewrite(request: DeskRequest, name: str) -> HttpResponse:
    """Written anew with the next run of the job, a minute from now at most."""
    desk, user = request.desk, request.GET.get("user", "")
    if not desk.app.policy.capture_summaries or desk.agent().summary(name, user) is None:
        raise Http404
    desk.agent().ask_rewrite(name, user)
    there = desk.address("knowledge-category", name, user=user)
    return go(request, there, "It is written anew within a minute or two. Load this page again then.")
