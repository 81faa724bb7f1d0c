"""The menu: which pages there are, in the order operators look for them."""

from __future__ import annotations

from typing import Any

from memories.dashboard.desk import Desk

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


def entries(desk: Desk, request: Any) -> list[dict[str, Any]]:
    return shown(ENTRIES, desk, request.resolver_match.url_name or "")


def tabs(desk: Desk, request: Any) -> list[dict[str, Any]]:
    """The pages beside the one that is open, with it."""
    here = request.resolver_match.url_name or ""
    entry = here.split("-")[0]
    rows = shown(TABS[entry], desk, here)
    # All of an entry's names begin with its first page's.
    rows[0]["is_open"] = not any(row["is_open"] for row in rows[1:])
    return rows


def shown(pages: tuple[tuple[str, str], ...], desk: Desk, here: str) -> list[dict[str, Any]]:
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
