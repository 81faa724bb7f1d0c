"""What an agent is told to do in a session of its tier, and how it notes down what it learns."""

from __future__ import annotations

from typing import NamedTuple

from django.template.loader import render_to_string

from memsite.tenancy.policy import AppPolicy

TIER_NAMES = {1: "observe", 2: "investigate", 3: "remediate"}


class Category(NamedTuple):
    name: str
    meaning: str
    example: str


EXPLAINED = {
    "timing": (
        "how long something takes, when it runs, how long to wait",
        "[MEMORY:timing:immich] Builds its index for five minutes after a start and answers 503 until then",
    ),
    "dependency": (
        "what has to be there before something else works",
        "[MEMORY:dependency:grafana] Shows empty panels until the disk of prometheus is mounted",
    ),
    "behavior": (
        "what it does that surprises, and is right all the same",
        "[MEMORY:behavior:pihole] Answers its health check with 403 when it is well",
    ),
    "remediation": (
        "what helped against a certain failure, and what did not",
        "[MEMORY:remediation:nextcloud] Stuck file locks go away with a restart of redis, not of nextcloud itself",
    ),
    "maintenance": (
        "what has to be done from time to time, and what happens otherwise",
        "[MEMORY:maintenance] The backup disk fills up every six weeks unless old snapshots are pruned",
    ),
    "work": (
        "what the user works on, where and with whom",
        "[MEMORY:work] Leads the billing team and reports on Mondays",
    ),
    "preferences": ("how the user likes things done", "[MEMORY:preferences] Wants metric units in every answer"),
    "health": ("what to mind of the user's health", "[MEMORY:health] Is allergic to peanuts"),
    "hobbies": ("what the user does in their free time", "[MEMORY:hobbies] Sings in a choir on Tuesday evenings"),
    "relationships": (
        "the people in the user's life",
        "[MEMORY:relationships] Has a sister, Ana, who lives in Porto",
    ),
}
"""What a category of markers is for, and an example; an app may have others."""


def tier_prompt(tier: int, policy: AppPolicy) -> str:
    """Return the Markdown for a session of this tier (1 to 3), with the categories of the app's markers, if any."""
    names = policy.marker_categories if policy.capture_markers else []
    categories = [Category(name, *EXPLAINED.get(name, ("", ""))) for name in names]
    context = {"categories": categories, "examples": [category.example for category in categories if category.example]}
    return render_to_string(f"prompts/{TIER_NAMES[tier]}.md", context).strip() + "\n"
