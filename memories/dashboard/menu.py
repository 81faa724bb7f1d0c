"""The menu: which pages there are, in the order operators look for them."""

from __future__ import annotations

from typing import Any

from memories.dashboard.access import Dashboard
from memories.dashboard.lists import bounded_count
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
        ("knowledge-documents", "Documents"),
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


def to_review(app: App) -> str:
    """Return how many rejections wait for a decision, as shown. One query, of a bounded number of rows."""
    number = bounded_count(Rejection.objects.for_app(app).filter(decision=Decision.OPEN))
    return "" if number == "0" else number


def menu_rows(pages: tuple[tuple[str, str], ...], dashboard: Dashboard, here: str) -> list[dict[str, Any]]:
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
