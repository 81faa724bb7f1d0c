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
    """Return how many rejections wait for a decision, as shown. One query, of a bounded number of rows."""
    rows = Rejection.objects.for_app(app).filter(decision=Decision.OPEN).order_by()
    number = rows[: COUNTED_TO + 1].count()
    return f"{COUNTED_TO:,}+" if number > COUNTED_TO else f"{number:,}" if number else ""


# What waits for somebody on a page, told on its tab.
WAITING = {"upkeep-review": to_review}


def entries(dashboard: Dashboard, request: Any) -> list[dict[str, Any]]:
    return shown(ENTRIES, dashboard, request.resolver_match.url_name or "")


def tabs(dashboard: Dashboard, request: Any) -> list[dict[str, Any]]:
    """Return the pages beside the open one, and the open one."""
    here = request.resolver_match.url_name or ""
    entry = here.split("-")[0]
    rows = shown(TABS[entry], dashboard, here)
    for row in rows:
        if count := WAITING.get(row["name"]):
            row["waiting"] = count(dashboard.app)
    # All of an entry's names begin with its first page's.
    rows[0]["is_open"] = not any(row["is_open"] for row in rows[1:])
    return rows


def list_of(match: ResolverMatch) -> str:
    """Return the name of the open page, or of the list that it belongs to: every app has it."""
    here = match.url_name or ""
    if not match.kwargs and getattr(match.func, "can_be_looked_at", False):
        return here
    names = [name for name, _ in (*ENTRIES, *chain(*TABS.values())) if f"{here}-".startswith(f"{name}-")]
    return max(names, key=len, default="overview")


def shown(pages: tuple[tuple[str, str], ...], dashboard: Dashboard, here: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "label": label,
            "href": dashboard.address(name),
            "is_here": here == name,
            "is_open": here == name or here.startswith(name + "-"),
        }
        for name, label in pages
    ]
