"""The menu: which pages there are, in the order operators look for them."""

from __future__ import annotations

from typing import Any

from memories.dashboard.access import Dashboard
from memories.models import Decision, Rejection
from memsite.tenancy.access import Right, apps_of
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
OF_ALL = (
    ("apps", "All apps"),
    ("apps-review", "Review of all"),
    ("apps-policy", "Policies"),
)
"""The pages of all apps of somebody who sees several."""
RIGHTS_FOR = {"apps": Right.READ, "apps-review": Right.CURATE, "apps-policy": Right.GOVERN}
"""What it takes, in any app, to see them."""
COUNTED_TO = 1_000


def to_review(app: App) -> str:
    """Return how many rejections wait for a decision, as shown. One query, of a bounded number of rows."""
    rows = Rejection.objects.for_app(app).filter(decision=Decision.OPEN).order_by()
    number = rows[: COUNTED_TO + 1].count()
    return f"{COUNTED_TO:,}+" if number > COUNTED_TO else f"{number:,}" if number else ""


def pages_of_all(user: Any) -> tuple[tuple[str, str], ...]:
    """Return the pages of all apps that somebody may see. Three queries."""
    return tuple(page for page in OF_ALL if apps_of(user, RIGHTS_FOR[page[0]]).exists())


def menu_rows(
    pages: tuple[tuple[str, str], ...], dashboard: Dashboard, here: str, *, opens: bool = True
) -> list[dict[str, Any]]:
    """Return pages with their addresses. `opens`: one is open, too, while a page below it is."""
    return [
        {
            "name": name,
            "label": label,
            "href": dashboard.address(name),
            "is_here": here == name,
            "is_open": here == name or (opens and here.startswith(name + "-")),
        }
        for name, label in pages
    ]
