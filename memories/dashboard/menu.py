"""The menu: which pages there are, in the order operators look for them."""

from __future__ import annotations

from itertools import chain
from typing import Any

from django.urls import ResolverMatch

from memories.dashboard.access import Dashboard
from memories.models import Decision, Rejection
from memsite.tenancy.models import App

# (name of the address, what the menu says). A page below another, such as one memory, opens its parent's entry:
# its name begins with it.
ENTRIES = (
    ("overview", "Overview"),
    ("sessions", "Sessions"),
    ("events", "Events"),
    ("memories", "Memories"),
    ("cooldowns", "Cooldowns"),
    ("recall", "Recall"),
    ("knowledge", "Knowledge"),
    ("upkeep", "Upkeep"),
    ("costs", "Costs"),
    ("settings", "Settings"),
)
# The pages of one entry, shown above each of them.
TABS = {
    "knowledge": (
        ("knowledge", "Categories"),
        ("knowledge-entities", "Entities"),
        ("knowledge-lessons", "Lessons"),
        ("knowledge-triggers", "Triggers"),
    ),
    "upkeep": (
        ("upkeep", "Jobs"),
        ("upkeep-review", "Review"),
        ("upkeep-texts", "Texts"),
        ("upkeep-rollbacks", "Taken back"),
        ("upkeep-health", "Health"),
    ),
    "settings": (
        ("settings", "App"),
        ("settings-policy", "Policy"),
        ("settings-agents", "Agents and keys"),
        ("settings-members", "Members"),
        ("settings-moving", "Export and import"),
        ("settings-purge", "Purge"),
        ("settings-audit", "Audit log"),
    ),
}
COUNTED_TO = 1_000


def to_review(app: App) -> str:
    """How many refusals nobody has decided, as it is shown. One query, of no more rows than are told apart."""
    rows = Rejection.objects.for_app(app).filter(decision=Decision.OPEN).order_by()
    number = rows[: COUNTED_TO + 1].count()
    return f"{COUNTED_TO:,}+" if number > COUNTED_TO else f"{number:,}" if number else ""


# What waits for somebody on a page, told on its tab.
WAITING = {"upkeep-review": to_review}


def entries(desk: Dashboard, request: Any) -> list[dict[str, Any]]:
    return shown(ENTRIES, desk, request.resolver_match.url_name or "")


def tabs(desk: Dashboard, request: Any) -> list[dict[str, Any]]:
    """The pages beside the one that is open, with it."""
    here = request.resolver_match.url_name or ""
    entry = here.split("-")[0]
    rows = shown(TABS[entry], desk, here)
    for row in rows:
        if count := WAITING.get(row["name"]):
            row["waiting"] = count(desk.app)
    # All of an entry's names begin with its first page's.
    rows[0]["is_open"] = not any(row["is_open"] for row in rows[1:])
    return rows


def list_of(match: ResolverMatch) -> str:
    """The page that is there in every app: the open one, or the list that it is one of. The name of its address."""
    here = match.url_name or ""
    if not match.kwargs and getattr(match.func, "can_be_looked_at", False):
        return here
    names = [name for name, _ in (*ENTRIES, *chain(*TABS.values())) if f"{here}-".startswith(f"{name}-")]
    return max(names, key=len, default="overview")


def shown(pages: tuple[tuple[str, str], ...], desk: Dashboard, here: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "label": label,
            "href": desk.address(name),
            "is_here": here == name,
            "is_open": here == name or here.startswith(name + "-"),
        }
        for name, label in pages
    ]
