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
)


def entries(desk: Desk, request: Any) -> list[dict[str, Any]]:
    here = request.resolver_match.url_name or ""
    return [
        {
            "name": name,
            "label": label,
            "href": desk.address(name),
            "is_here": here == name,
            "is_open": here == name or here.startswith(name + "-"),
        }
        for name, label in ENTRIES
    ]
