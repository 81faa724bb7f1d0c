"""What is shown with a memory: its history, its links, where it was handed out. Each bounded."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Q
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memories.models import Injection, Link, Memory, Revision
from memsite.admin_site import Table, link_to, list_url, shorten, show_time

HISTORY_SHOWN = 50
LATEST_SHOWN = 5
LINKS_SHOWN = 20
INJECTIONS_SHOWN = 20
VALUE_CHARACTERS = 300
# They follow from the other fields; shown on the revision's own page.
BOOKKEEPING = ("confidence_base", "anchored_at", "confirmed_at")


def history_table(memory: Memory, most: int = HISTORY_SHOWN) -> Table:
    """The last changes, newest first. One query."""
    rows = Revision.objects.for_app(memory.app).filter(memory=memory).order_by("-number")[:most]
    return Table(
        f"The last {most} changes",
        ("Number", "Action", "By", "Reason", "What changed", "When"),
        [
            (link_to(row, row.number), row.action, row.actor, row.reason, show_changes(row), show_time(row.created_at))
            for row in rows
        ],
        more_url=list_url("memories_revision", memory__id__exact=memory.pk),
    )


def show_changes(revision: Revision) -> SafeString:
    """Before → after, field by field; a creation shows only what it says."""
    names = [name for name in revision.after if name not in BOOKKEEPING]
    if not revision.before:
        return show_value(revision.after.get("content", ""))
    return format_html_join(
        "",
        '<span class="memsite-change"><b>{}</b><del>{}</del> → <ins>{}</ins></span>',
        ((name, show_value(revision.before.get(name)), show_value(revision.after[name])) for name in names),
    )


def show_value(value: Any) -> SafeString:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return format_html("{}", shorten(text, VALUE_CHARACTERS))


def links_table(memory: Memory) -> Table:
    """One query."""
    rows = Link.objects.for_app(memory.app).filter(Q(from_memory=memory) | Q(to_memory=memory))
    shown = rows.select_related("from_memory", "to_memory").order_by("-id")[:LINKS_SHOWN]
    return Table(
        f"Links (the last {LINKS_SHOWN})",
        ("From", "Kind", "To", "Since"),
        [
            (end(row.from_memory, memory), row.kind, end(row.to_memory, memory), show_time(row.created_at))
            for row in shown
        ],
    )


def end(memory: Memory, this: Memory) -> str:
    return "this memory" if memory == this else link_to(memory)


def injections_table(memory: Memory) -> Table:
    """One query."""
    rows = Injection.objects.for_app(memory.app).filter(memory=memory).select_related("session")
    return Table(
        f"Handed to agents (the last {INJECTIONS_SHOWN} times)",
        ("Session", "Turn", "Block", "Line", "When"),
        [
            (link_to(row.session), turn_or_start(row), row.block, shorten(row.line), show_time(row.created_at))
            for row in rows[:INJECTIONS_SHOWN]
        ],
        more_url=list_url("memories_injection", memory__id__exact=memory.pk),
    )


def turn_or_start(row: Injection) -> str:
    return "start" if row.turn_number is None else str(row.turn_number)
