"""What templates say in one word: addresses, times with their zone, numbers one can read, bars, badges, Markdown.

Each piece of a memory's text is escaped on its own, so no element comes from the text itself: no link, no image.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import chain, groupby
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memories.dashboard.access import is_of_all
from memories.dashboard.calendar import in_words
from memories.dashboard.menu import ENTRIES, OF_ALL, TABS, menu_rows, new_alerts, pages_of_all, to_review
from memories.maintain import figures
from memories.models import Entity, Memory
from memsite import __version__
from memsite.http.hidden_characters import show_hidden
from sessions.models import AgentSession

FENCE = re.compile(r" {0,3}(```+|~~~+)[^`]*\Z")
ITEM = re.compile(r"\s*(?:[-*+]|(?P<number>\d{1,3})[.)])\s+(?P<said>\S.*)\Z")
# Neither goes beyond the next of its own marks, so a long line is read once.
CODE = re.compile(r"`([^`]+)`")
BOLD = re.compile(r"\*\*(?=[^\s*])([^*]+)(?<!\s)\*\*")
Block = tuple[str, list[str]]
"""What it is, and its lines: "code", "ul", "ol", "p", or "" for an empty line."""


def as_html(text: str) -> SafeString:
    """Return a text as HTML, its hidden characters shown; a text of one paragraph has no element around it."""
    groups = groupby(blocks_of(str(show_hidden(text))), key=lambda block: block[0])
    blocks = [(kind, [line for _, lines in group for line in lines]) for kind, group in groups if kind]
    if [kind for kind, _ in blocks] == ["p"]:
        return inline("\n".join(blocks[0][1]))
    return joined(html_of(kind, lines) for kind, lines in blocks) or format_html("{}", text)


def blocks_of(text: str) -> Iterator[Block]:
    """Yield a block for each line, and one for all lines between two fences."""
    fence, code = "", list[str]()
    for line in text.splitlines():
        mark = FENCE.match(line)
        if fence:
            if mark and line.strip() == mark[1] and mark[1].startswith(fence):
                yield "code", code
                fence, code = "", []
            else:
                code.append(line)
        elif mark:
            fence = mark[1]
        elif item := ITEM.match(line):
            yield "ol" if item["number"] else "ul", [line]
        else:
            yield "p" if line.strip() else "", [line]
    if code:
        yield "code", code


def html_of(kind: str, lines: list[str]) -> SafeString:
    if kind == "code":
        return format_html("<pre><code>{}</code></pre>", "\n".join(lines))
    if kind == "p":
        return format_html("<p>{}</p>", inline("\n".join(lines)))
    items = joined(map(item_of, lines))
    return format_html("<ol>{}</ol>", items) if kind == "ol" else format_html("<ul>{}</ul>", items)


def item_of(line: str) -> SafeString:
    item = ITEM.match(line)
    assert item is not None, "it is a line of a list"
    if item["number"]:
        return format_html('<li value="{}">{}</li>', int(item["number"]), inline(item["said"]))
    return format_html("<li>{}</li>", inline(item["said"]))


def inline(text: str) -> SafeString:
    """Return a text with its code, and with what is bold outside of that."""
    pieces = enumerate(CODE.split(text))
    return joined(format_html("<code>{}</code>", piece) if place % 2 else bold(piece) for place, piece in pieces)


def bold(text: str) -> SafeString:
    pieces = enumerate(BOLD.split(text))
    return joined(format_html("<b>{}</b>", piece) if place % 2 else format_html("{}", piece) for place, piece in pieces)


def joined(parts: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))


register = template.Library()
register.simple_tag(lambda: __version__, name="version")
register.filter("visible", show_hidden)
register.filter("markdown", as_html)
register.filter("rule", in_words)
register.filter("answered", figures.answered)
register.filter("is_doubted", Memory.needs_review)

AGES = (
    (timedelta(days=365), "y"),
    (timedelta(days=30), "mo"),
    (timedelta(days=1), "d"),
    (timedelta(hours=1), "h"),
    (timedelta(minutes=1), "min"),
)
SCALES = ((1e9, "G"), (1e6, "M"))
TONES = {
    "active": "good",
    "inactive": "quiet",
    "archived": "quiet",
    "superseded": "quiet",
    "ended": "quiet",
    "uninstalled": "bad",
    "info": "plain",
    "warning": "warn",
    "error": "bad",
    "critical": "bad",
    "done": "good",
    "pending": "plain",
    "running": "warn",
    "failed": "bad",
    "dead": "bad",
    "stopped": "quiet",
    "covered": "quiet",
    "open": "plain",
    "overruled": "good",
    "confirmed": "quiet",
    "quarantine": "bad",
    "approval": "warn",
    "conflict": "warn",
    "waiting": "warn",
    "reading": "warn",
    "trusted": "good",
    "reviewed": "good",
    "unreviewed": "warn",
}


@register.simple_tag(takes_context=True)
def address(context: Any, name: str, *args: Any, **query: Any) -> str:
    """Return the address of a page of this dashboard: `{% address 'memories' status='active' %}`."""
    there: str = context["dashboard"].address(name, *args, **query)
    return there


@register.simple_tag(takes_context=True)
def walk(context: Any, row: Entity | Memory) -> str:
    """Return the address of the graph with this in its middle."""
    page = "knowledge-entities-one" if isinstance(row, Entity) else "knowledge-entities-memory"
    there: str = context["dashboard"].address(page, row.uid)
    return there


@register.simple_tag(takes_context=True)
def navigation(context: Any) -> list[dict[str, Any]]:
    """Return the entries of the menu, and which of them is open; the way to all apps first, where there are more.

    Beside upkeep stands how many alerts are new: one query.
    """
    dashboard, here = context["dashboard"], context["request"].resolver_match.url_name or ""
    if dashboard.of_all:
        return menu_rows(pages_of_all(dashboard.user), dashboard, here, opens=False)
    rows = menu_rows((*OF_ALL[: dashboard.named], *ENTRIES), dashboard, here)
    upkeep = next(row for row in rows if row["name"] == "upkeep")
    upkeep["waiting"] = new_alerts(context["request"], dashboard)
    return rows


@register.simple_tag(takes_context=True)
def elsewhere(context: Any) -> str:
    """Return the address that the app switcher leads to: the open page, or the list that it belongs to."""
    match = context["request"].resolver_match
    here = match.url_name or ""
    if is_of_all(here):
        return reverse("overview")
    if not match.kwargs and getattr(match.func, "can_be_looked_at", False):
        return reverse(here)
    names = [name for name, _ in (*ENTRIES, *chain(*TABS.values())) if f"{here}-".startswith(f"{name}-")]
    return reverse(max(names, key=len, default="overview"))


@register.inclusion_tag("dashboard/parts/tabs.html", takes_context=True)
def tabs(context: Any, label: str, *, beside: bool = False) -> dict[str, Any]:
    """Return the pages beside this one: `{% tabs "Upkeep" %}`. `beside`: sent with a fragment, for the page."""
    dashboard, here = context["dashboard"], context["request"].resolver_match.url_name or ""
    rows = menu_rows(TABS[here.split("-")[0]], dashboard, here)
    for row in rows:
        if row["name"] == "upkeep-review":
            row["waiting"] = to_review(dashboard.app)
        elif row["name"] == "upkeep-alerts":
            row["waiting"] = new_alerts(context["request"], dashboard)
    # All of an entry's names begin with its first page's.
    rows[0]["is_open"] = not any(row["is_open"] for row in rows[1:])
    return {"label": label, "tabs": rows, "beside": beside}


@register.filter
def named(session: AgentSession) -> str:
    """Return a session's title, or who opened it, with which rights, and when. Its agent was selected with it."""
    started = local_time(session.started_at)
    return session.title or f"{session.agent.name}, tier {session.tier}, {started:%Y-%m-%d %H:%M}"


@register.simple_tag
def when(moment: datetime | None) -> SafeString | str:
    """Return a moment in the app's time zone, with the zone; how long ago that is when pointed at."""
    if moment is None:
        return "–"
    local = local_time(moment)
    text, zone = f"{local:%Y-%m-%d %H:%M}", f"{local:%Z}"
    return format_html(
        '<time datetime="{}" data-age="title" title="{}">{} <small>{}</small></time>',
        local.isoformat(timespec="milliseconds"),
        age(moment),
        text,
        zone,
    )


@register.simple_tag
def since(moment: datetime | None) -> SafeString | str:
    """Return how long ago, with the exact moment when pointed at."""
    if moment is None:
        return "–"
    local = local_time(moment)
    return format_html(
        '<time datetime="{}" data-age="text" title="{}">{}</time>',
        local.isoformat(timespec="milliseconds"),
        f"{local:%Y-%m-%d %H:%M:%S %Z}",
        age(moment),
    )


def local_time(moment: datetime) -> datetime:
    """Return a time in the app's time zone; as given where the calendar ends before that: "valid until 9999-12-31"."""
    try:
        return timezone.localtime(moment)
    except OverflowError:
        return moment


def age(moment: datetime) -> str:
    """Return "5 min ago", "in 3 d". dashboard.js says the same as time goes by."""
    gone = timezone.now() - moment
    size = abs(gone)
    for unit, name in AGES:
        if size >= unit:
            words = f"{size // unit} {name}"
            return f"{words} ago" if gone > timedelta() else f"in {words}"
    return "just now" if gone >= timedelta() else "in a moment"


@register.filter
def big(number: float | None) -> str:
    """Format 12,345 as it is, 1.2 M from a million on."""
    if number is None:
        return "–"
    for scale, letter in SCALES:
        if abs(number) >= scale:
            return f"{number / scale:.3g} {letter}"
    return f"{number:,.0f}" if number == int(number) else f"{number:,.2f}"


@register.filter
def dollars(amount: float | None) -> str:
    """Format to the cent, and further for what is less than one."""
    if amount is None:
        return "–"
    return f"${amount:,.4f}" if 0 < abs(amount) < 0.01 else f"${amount:,.2f}"


@register.filter
def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


@register.filter
def two_digits(number: float | None) -> str:
    """Format confidences and scores: 0.70."""
    return "–" if number is None else f"{number:.2f}"


@register.filter
def pairs(values: dict[Any, Any] | None) -> list[tuple[Any, Any]]:
    """Return names with their values: `values.items` would be the value of a name "items" where there is one."""
    return list((values or {}).items())


@register.inclusion_tag("dashboard/parts/bar.html")
def bar(value: float, most: float = 1.0, label: str = "", text: str = "", tone: str = "") -> dict[str, Any]:
    """Return a bar from 0 to `most`; `shown` stands beside it, `label` is for those who cannot see it.

    Red and yellow where it is short, unless `tone` is plain.
    """
    share = min(max(value / most, 0), 1) if most else 0
    level = "low" if share < 0.3 else "middle" if share < 0.7 else "high"
    return {"width": f"{100 * share:.1f}", "label": label, "shown": text or f"{value:.2f}", "level": tone or level}


@register.inclusion_tag("dashboard/parts/badge.html")
def badge(text: str, tone: str = "") -> dict[str, Any]:
    """Return a word in a small box. `tone`: good, warn, bad, quiet, or what the word itself suggests."""
    return {"text": text, "tone": tone or TONES.get(str(text), "plain")}
