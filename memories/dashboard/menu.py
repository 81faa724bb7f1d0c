"""The menu: which pages there are, in the order operators look for them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from memories.dashboard.access import Dashboard
from memories.dashboard.lists import bounded_count
from memories.models import Decision, Rejection
from memories.models.alert import AlertQuerySet
from memories.notifications.alerts import alerts_of
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
        ("upkeep-alerts", "Alerts"),
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


def to_review(app: App) -> str:
    """Return how many rejections wait for a decision, as shown. One query, of a bounded number of rows."""
    return some(Rejection.objects.for_app(app).filter(decision=Decision.OPEN))


def new_alerts(request: Any, dashboard: Dashboard) -> str:
    """Return how many alerts are open that nobody has acknowledged, as shown. One query a request."""
    if not hasattr(request, "new_alerts"):
        request.new_alerts = some(alerts_shown(dashboard).waiting())
    return str(request.new_alerts)


def alerts_shown(dashboard: Dashboard) -> AlertQuerySet:
    """Return the alerts of the app; those of the site, and what its rules find, to superusers."""
    return alerts_of([dashboard.app], of_site=dashboard.user.is_superuser).filter(rule__dashboard=True)


def some(rows: QuerySet[Any]) -> str:
    """Return how many rows there are, as shown: nothing for none."""
    number = bounded_count(rows)
    return "" if number == "0" else number


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
